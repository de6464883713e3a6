"""Small files, short functions, short pages."""

import ast
from pathlib import Path

import workings

ROOT = Path(workings.__file__).parents[2]
SOURCES = sorted(ROOT.glob("src/workings/**/*.py"))
CAPS = {"file": 400, "function": 60, "page": 149}  # a page is under 150


def too_long(path):
    """The file, and the functions of it, that are longer than their caps."""
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > (CAPS["page"] if path.parent.name == "ops" else CAPS["file"]):
        yield f"{path.relative_to(ROOT)}: {lines} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            if length > CAPS["function"]:
                yield f"{path.relative_to(ROOT)}: {node.name} has {length} lines"


def test_no_file_or_function_is_longer_than_its_cap():
    assert len(SOURCES) > 50
    assert [found for path in SOURCES for found in too_long(path)] == []


def test_long_function_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("test_sizes.ROOT", tmp_path)
    file = tmp_path / "long.py"
    file.write_text("def f():\n" + "    pass\n" * 60)
    assert list(too_long(file)) == ["long.py: f has 61 lines"]
