"""Small files, short functions, short pages."""

import ast
from pathlib import Path

import pytest

import workings

ROOT = Path(workings.__file__).parents[2]
SOURCES = sorted(ROOT.glob("src/workings/**/*.py"))
CAPS = {"file": 400, "function": 60, "page": 149}  # a page is under 150


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_longer_than_its_cap(path):
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    assert lines <= (CAPS["page"] if path.parent.name == "ops" else CAPS["file"])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno + 1 <= CAPS["function"], node.name


def test_the_sources_are_found():
    assert len(SOURCES) > 50
