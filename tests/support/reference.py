"""The op pages in docs/ops, each with its first example, conventions.md, figures.md and scenario-keys.md.
`make reference` writes them.

python tests/reference.py          list the files
python tests/reference.py write    write them, and delete those of ops that are gone
"""

from __future__ import annotations

import sys
from pathlib import Path

from figures_page import figures_page
from scenario_keys import keys_page

import workings
from workings.cli.op import op_call
from workings.engine.op import OPS, Op
from workings.explain.convention_page import conventions_document
from workings.explain.op_page import op_document, run_op
from workings.render.markdown import escaped, heading, table, to_markdown

SOURCES = Path(workings.__file__).parent / "ops"
FOLDER = SOURCES.parents[2] / "docs"


def derived() -> dict[str, str]:
    """The text of every file, by its path in docs."""
    ops = {name: op for name, op in sorted(OPS.items()) if _source(op).parent == SOURCES}
    pages = {f"ops/{name}.md": _page(op) for name, op in ops.items()}
    return {
        "conventions.md": to_markdown(conventions_document()),
        "figures.md": figures_page(),
        "scenario-keys.md": keys_page(),
        "ops/README.md": _contents(ops),
        **pages,
    }


def _page(op: Op) -> str:
    call = op_call(op.name, [])
    document = op_document(run_op(call.op, call.inputs, call.settings, call.cotangent))
    source = f"../../src/workings/ops/{_source(op).name}"
    return f"{to_markdown(document)}\n[All op pages](README.md) · [Source]({source})\n"


def _contents(ops: dict[str, Op]) -> str:
    headings = ["op", "kind", "what it does"]
    rows = [[f"[{name}]({name}.md)", op.kind, escaped(op.page.summary)] for name, op in ops.items()]
    return f"{heading(1, 'Op pages')}\n\n{table(headings, rows)}\n"


def _source(op: Op) -> Path:
    """The file that an op stands in."""
    return Path(sys.modules[type(op).__module__].__file__ or "")


def write() -> None:
    pages = derived()
    (FOLDER / "ops").mkdir(parents=True, exist_ok=True)
    for path in (FOLDER / "ops").glob("*.md"):
        if f"ops/{path.name}" not in pages:
            path.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    else:
        print(*derived(), sep="\n")
