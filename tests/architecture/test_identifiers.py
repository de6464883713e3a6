"""Names: a class name occurs once in the package, and no identifier is one of those that say nothing."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import workings

PACKAGE = Path(workings.__file__).parent
FRONT_END = Path(__file__).parents[2] / "web" / "src"
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if "library" not in path.parts]
VAGUE = {"told", "asked", "beside", "meant", "called"}
# Names of JSON properties of the lab and of figures, which others read.
IN_JSON = {("lab", "told"), ("lab", "asked"), ("figures", "beside")}


def words_of(name):
    return re.split(r"_+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def names_in(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def test_class_name_occurs_once():
    owners = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                owners[node.name].append(str(path.relative_to(PACKAGE)))
    assert len(owners) > 200
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}


def test_no_name_is_vague():
    vague = []
    for path in SOURCES:
        room = path.relative_to(PACKAGE).parts[0]
        found = {path.stem, *names_in(ast.parse(path.read_text(encoding="utf-8")))}
        vague += [
            f"{path.relative_to(PACKAGE)}: {name}"
            for name in sorted(found)
            if VAGUE & set(words_of(name)) and (room, name) not in IN_JSON
        ]
    assert vague == []


def declared_in(script):
    """The names that a TypeScript file declares: constants, functions, types, methods and fields of classes."""
    declaration = r"\b(?:const|let|function|class|interface|type|get)\s+#?(\w+)"
    member = r"^  (?:readonly )?#?(\w+)[ (]"
    return re.findall(f"{declaration}|{member}", script, re.MULTILINE)


def test_no_name_of_the_front_end_is_vague():
    written = [path for path in sorted(FRONT_END.rglob("*")) if path.stem != "answers"]  # that one is derived
    files = [path for path in written if path.suffix in {".ts", ".svelte"}]
    assert len(files) > 100
    vague = []
    for path in files:
        names = {name for pair in declared_in(path.read_text(encoding="utf-8")) for name in pair if name}
        vague += [f"{path.relative_to(FRONT_END)}: {name}" for name in sorted(names) if VAGUE & set(words_of(name))]
    assert vague == []


def test_vague_name_is_noticed():
    assert declared_in("const isTold = 1;\nclass A {\n  #called = 2;") == [("isTold", ""), ("A", ""), ("", "called")]
    assert VAGUE & set(words_of("is_told"))
    assert VAGUE & set(words_of("AskedField"))
    assert not VAGUE & set(words_of("task_edlist"))
