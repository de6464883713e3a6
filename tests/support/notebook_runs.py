"""Notebooks carried out: by nbclient in a kernel of their own, or cell by cell in this process, which is quicker."""

from __future__ import annotations

import ast
from typing import Any

import nbclient
import nbformat


def read(text: str) -> Any:
    """The notebook, if it is one."""
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any) -> dict[str, str]:
    """What stands below a cell, by type: its result, and nothing else."""
    assert [output.output_type for output in cell.outputs] in ([], ["execute_result"]), cell.source
    return dict(cell.outputs[0].data) if cell.outputs else {}


def in_a_kernel(notebook: Any, folder: str) -> list[dict[str, str]]:
    """What each code cell shows when the notebook is run from top to bottom."""
    copy = nbformat.from_dict(notebook)
    nbclient.NotebookClient(copy, timeout=300, resources={"metadata": {"path": folder}}).execute()
    return [shown(cell) for cell in code_cells(copy)]


def in_this_process(sources: list[str]) -> list[dict[str, str]]:
    """The same without a kernel."""
    names: dict[str, Any] = {}
    return [run_cell(source, names) for source in sources]


def run_cell(source: str, names: dict[str, Any]) -> dict[str, str]:
    """One cell: what its last line shows, as IPython asks for it."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if last is None:
        return {}
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if value is None:
        return {}
    draw = getattr(value, "_repr_mimebundle_", None)
    return draw() if draw else {"text/plain": repr(value)}
