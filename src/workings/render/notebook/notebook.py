"""Documents as notebooks: prose in Markdown, and code with its output for every block that Python can get.

A notebook is JSON (nbformat 4.5). A document says in `code` how Python gets its blocks; the steps of a run come from a
trace, which the first of them opens. The output below the code is what the code shows when it is run: see output.py.
"""

from __future__ import annotations

import builtins
import json
import keyword
import re
from collections.abc import Set
from dataclasses import replace
from html import escape
from itertools import count
from typing import Any

from ...document import blocks as d
from ..markdown import MarkdownPage, heading
from ..navigation import anchors_within, top_level
from .output import bundle

DEFAULT = "default"
TRACE = "trace"  # the variable that holds the default run, which the code of a document opens
TAKEN = {TRACE, "lesson", "w"}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
NAMED = re.compile(r"`([^`]+)`")
Cell = dict[str, Any]


def to_notebook(document: d.Document) -> str:
    """The whole document as the text of an .ipynb file.

    >>> cells = json.loads(to_notebook(d.Document("softmax", (), code="import workings as w")))["cells"]
    >>> [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    [('markdown', '# softmax'), ('code', 'import workings as w')]
    """
    if document.form == "blanks":
        from .blank_notebook import BlankPage

        cells = BlankPage(document).cells(document)
    else:
        cells = NotebookPage(document).cells(document)
    notebook = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


class NotebookPage:
    """The cells of one document."""

    opens_folds = False  # what is folded is prose; opened, its steps and programs are cells

    def __init__(self, document: d.Document) -> None:
        self.page = _Prose("", 2 - top_level(document), anchors_within(document))
        self.has_code = bool(document.code)
        self.variables: dict[str, str] = {DEFAULT: TRACE}  # by run
        self.taken = set(TAKEN)
        self.made: list[Cell] = []
        self.prose: list[str] = []  # Markdown that will be one cell

    def cells(self, document: d.Document) -> list[Cell]:
        self.prose += [heading(1, self.page.words(document.title)), self.page.words(document.subtitle)]
        if document.code:
            self.add_code(document.code)
        for block in document.blocks:
            self.block(block)
        self.end_prose()
        return self.made

    def block(self, block: d.Block) -> None:
        if isinstance(block, d.Fold) and (block.is_open or self.opens_folds):
            self.prose.append(f"**{self.page.words(block.title)}**")
            for part in block.blocks:
                self.block(part)
        elif self.has_code and isinstance(block, CODED) and block.code:
            self.add_code(self._source(block), bundle(d.Document("", (_alone(block),))))
        else:
            if isinstance(block, d.Heading):
                self.end_prose()
            self.prose.append(self.page.block(block))

    def _source(self, block: Coded) -> str:
        """The code of a block. That of a step follows the variable of its run."""
        if not isinstance(block, d.Matrix | d.Derivation):
            return block.code
        opening, variable = self.trace_of(block.step)
        return f"{opening}{variable}{block.code}"

    def trace_of(self, step: str) -> tuple[str, str]:
        """The variable that holds the run of a step, and before it the line that opens it if it is new."""
        run = step.rpartition(":")[0] or DEFAULT
        if run in self.variables:
            return "", self.variables[run]
        variable = self.variables[run] = self.new_name(run, TRACE)
        return f"{variable} = lesson.trace({json.dumps(run, ensure_ascii=False)})\n", variable

    def new_name(self, text: str, before: str) -> str:
        """A variable that this notebook has not used yet."""
        found = variable_for(text, before, self.taken)
        self.taken.add(found)
        return found

    # -- cells -----------------------------------------------------------------------------------

    def add_code(self, source: str, shown: dict[str, str] | None = None) -> None:
        self.end_prose()
        outputs = [] if shown is None else [_result(shown)]
        self._add({"cell_type": "code", "execution_count": None, "outputs": outputs}, source)

    def end_prose(self) -> None:
        text = "\n\n".join(part for part in self.prose if part)
        self.prose = []
        if text:
            self._add({"cell_type": "markdown"}, text)

    def _add(self, cell: Cell, source: str) -> None:
        number = len(self.made) + 1
        self.made.append({"id": f"cell-{number}", **cell, "metadata": {}, "source": _lines(source)})


Coded = d.Matrix | d.Derivation | d.Figure | d.Ledger | d.Table
CODED = (d.Matrix, d.Derivation, d.Figure, d.Ledger, d.Table)


class _Prose(MarkdownPage):
    """Markdown in a notebook, where a reader can open and close things."""

    SUFFIX = ".ipynb"

    def image_source(self, block: d.Image) -> str:
        return block.source

    def fold(self, block: d.Fold) -> str:
        return _details(block.title, [self.block(part) for part in block.blocks])

    def question(self, block: d.Question) -> str:
        question = super().question(replace(block, answer=(), label=""))
        if not block.answer:
            return question
        label = block.label or "Show the answer"
        return question + "\n\n" + _details(label, [self.block(part) for part in block.answer])


def _details(title: str, parts: list[str]) -> str:
    inside = "\n\n".join(part for part in parts if part)
    return f"<details>\n<summary>{_summary(title)}</summary>\n\n{inside}\n\n</details>"


def _summary(title: str) -> str:
    """A title in HTML, where Markdown is not read but formulas are: a dollar sign in a tag of its own starts none.

    >>> _summary("`a < b` for 2 $")
    '<code>a &lt; b</code> for 2 <span>&#36;</span>'
    """
    pieces = NAMED.split(escape(title, quote=False).replace("$", "<span>&#36;</span>"))
    return "".join(f"<code>{piece}</code>" if n % 2 else piece for n, piece in enumerate(pieces))


def _alone(block: Coded) -> Coded:
    """A block as its code shows it: the code above a step says its name."""
    return replace(block, title="") if isinstance(block, d.Matrix) else block


def variable_for(text: str, before: str, taken: Set[str]) -> str:
    """A Python name for a run or a step that hides no other: with a prefix if need be, and a number.

    >>> [variable_for(text, "my", {"Q", "my_Q"}) for text in ("by-hand", "lambda", "sum", "2nd", "Q")]
    ['by_hand', 'my_lambda', 'my_sum', 'my_2nd', 'my_Q2']
    """
    name = "".join(sign if f"a{sign}".isidentifier() else "_" for sign in text)
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name) or name in taken:
        name = f"{before}_{name}"
    counted = (f"{name}{number}" for number in count(2))
    return name if name not in taken else next(one for one in counted if one not in taken)


def _result(shown: dict[str, str]) -> dict[str, Any]:
    data = {kind: _lines(text) for kind, text in shown.items()}
    return {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
