"""CONTRIBUTING says that a figure is one file and nothing else: put its example into a copy of the package, and see."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]
LESSON = "---\ntitle: x\nscenario: cat-sat\n---\n:::{figure} extremes weights\n:labels: a, b, c\n:::\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The project with one more page, and the schema that `make schema` then writes."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
    pages = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    (page,) = (page for page in pages if "FigureExample" in page)
    (folder / "src/workings/figures/extremes.py").write_text(page, encoding="utf-8")
    (folder / "lesson.md").write_text(LESSON, encoding="utf-8")
    assert run(folder, "tests/support/schema.py", "write").returncode == 0
    return folder


def run(copy, *command):
    paths = os.pathsep.join([str(copy / "src"), str(copy / "tests/support")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


def works(copy, *words):
    done = run(copy, "-c", f"import sys; from workings.cli.main import main; sys.exit(main({list(words)!r}))")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_new_figure_passes_every_check_of_a_page(copy):
    done = run(copy, "-m", "pytest", "tests/figures/test_figure_pages.py", "-k", "extremes or every_file")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 25


def test_new_figure_is_listed_and_drawn_by_the_command(copy):
    assert re.search(r"\n  extremes +extremes:weights +the lowest and the highest", works(copy, "figure"))
    assert "The: 0.2017 to 0.4899\n" in works(copy, "figure", "cat-sat", "extremes:weights")
    works(copy, "figure", "cat-sat", "extremes:weights", "-o", "extremes.svg")
    assert (copy / "extremes.svg").read_text(encoding="utf-8").startswith("<svg")


def test_new_figure_is_drawn_in_a_lesson_by_every_renderer(copy):
    assert "a: 0.2017 to 0.4899" in works(copy, "lesson", "lesson.md")
    assert "a: 0.2017 to 0.4899" in works(copy, "lesson", "lesson.md", "--format", "md")
    works(copy, "lesson", "lesson.md", "-o", "lesson.html")
    assert 'class="workings extremes"' in (copy / "lesson.html").read_text(encoding="utf-8")
    works(copy, "lesson", "lesson.md", "-o", "lesson.pdf")
    assert (copy / "lesson.pdf").read_bytes().startswith(b"%PDF")
    (figure,) = (
        block
        for block in json.loads(works(copy, "lesson", "lesson.md", "--format", "json"))["document"]["blocks"]
        if block["kind"] == "figure"
    )
    assert figure["data"]["rows"][0]["label"] == "a"


def test_new_figure_is_in_the_schema_and_in_the_documentation(copy):
    schema = json.loads((copy / "src/workings/schema/document.json").read_text(encoding="utf-8"))
    assert {"$ref": "#/$defs/Extremes"} in schema["$defs"]["Figure"]["properties"]["data"]["anyOf"]
    assert set(schema["$defs"]["RowExtremes"]["properties"]) == {"label", "lowest", "highest"}
    done = run(copy, "-c", "from figures_page import figures_page; print(figures_page())")
    assert "## extremes\n\nThe figure `extremes` shows" in done.stdout


def test_new_figure_is_tidy(copy):
    for command in ("check", "format --check"):
        done = run(copy, "-m", "ruff", *command.split(), "src/workings/figures/extremes.py")
        assert done.returncode == 0, done.stdout
