"""A notebook to fill in: the lesson without its program, which the learner writes and compares.

A lesson without a program whose variables are steps leaves out the steps that it shows instead: those with a formula
above them, or with an entry computed by hand.
"""

from __future__ import annotations

import json

from ...document import blocks as d
from .notebook import TAKEN, NotebookPage
from .program_blanks import BLANK, CodeBlank, blanked, imported_by, made_by

PYTHON = "python"
LIBRARY = "torch"


class BlankPage(NotebookPage):
    """The cells of one document, with blanks. Nothing is folded, because what is folded has no blanks."""

    opens_folds = True

    def __init__(self, document: d.Document) -> None:
        super().__init__(document)
        programs = [block for block in d.all_blocks(document.blocks) if isinstance(block, d.Program)]
        self.program = next((program for program in programs if _blank_variables(program)), None)
        self.taken |= made_by(self.program.source) if self.program else set()
        self.after_formula = False
        found = [block for block in d.all_blocks(document.blocks) if isinstance(block, d.Derivation)]
        self.by_hand = {block.step for block in found if any(line.forms for line in block.lines)}
        self.left_out: set[str] = set()  # codes of steps that are left out; each becomes one blank

    def block(self, block: d.Block) -> None:
        after_formula, self.after_formula = self.after_formula, isinstance(block, d.Formula)
        if isinstance(block, d.Program) and block is self.program:
            self._program(block)
        elif isinstance(block, d.Program) and block.equals:
            self.prose.append(self.page.words("(Left out here: it would give away the answers.)"))
        elif isinstance(block, d.Matrix) and self._is_blank(block, after_formula):
            self._step(block)
        else:
            super().block(block)

    def _is_blank(self, block: d.Matrix, after_formula: bool) -> bool:
        is_new = bool(block.code) and f"{block.step}{block.code}" not in self.left_out
        is_made = after_formula or block.step in self.by_hand
        return self.has_code and self.program is None and is_new and is_made

    def _program(self, program: d.Program) -> None:
        equals = {one.variable: one for one in _blank_variables(program)}
        opening, _ = self.trace_of(program.equals[0].step)
        if opening:
            self.add_code(opening.strip())
        for part in blanked(program.source, equals.keys()):
            if isinstance(part, CodeBlank):
                self._blank(part, [equals[name] for name in part.checked])
            else:
                self.add_code(part.source)

    def _blank(self, blank: CodeBlank, checked: list[d.Equal]) -> None:
        self.prose += [self.page.words(line) for line in blank.above]
        for one in checked:
            if one.formula is not None:
                self.prose.append(self.page.formula(one.formula))
        self.add_code("\n".join(map(_line, blank.names, blank.remarks)))
        if checked:
            self._compare({one.name: one.variable for one in checked}, checked[0].step)

    def _step(self, block: d.Matrix) -> None:
        """A blank for a step, instead of its numbers."""
        self.left_out.add(f"{block.step}{block.code}")
        name = block.code.strip('[]"')
        variable = self.new_name(name.rpartition(".")[2], "my")
        self.add_code(_line((variable,), ""))
        self._compare({name: variable}, block.step)

    def _compare(self, variables: dict[str, str], step: str) -> None:
        opening, trace = self.trace_of(step)
        given = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {variable}" for name, variable in variables.items())
        self.add_code(f"{opening}w.compare({{{given}}}, to={trace})")


def _blank_variables(program: d.Program) -> list[d.Equal]:
    """The variables of a program that are steps and become blanks; parts of another variable cannot. A program that
    leaves the backward pass to a library has none, nor has one that uses the notebook's own names.
    """
    by_hand = program.language == PYTHON and bool(program.equals)
    by_hand = by_hand and not TAKEN & made_by(program.source) and LIBRARY not in imported_by(program.source)
    return [one for one in program.equals if one.variable.isidentifier()] if by_hand else []


def _line(names: tuple[str, ...], remark: str) -> str:
    """`Q, K = ..., ...  # your code`"""
    words = ": ".join(part for part in ("your code", remark) if part)
    return f"{', '.join(names)} = {', '.join([BLANK] * len(names))}  # {words}"
