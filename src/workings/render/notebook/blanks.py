"""A notebook to be filled in: the lesson as it is, but for its program, which a learner writes and compares.

Where a lesson has no program whose variables are steps, the steps that it shows are left out instead: those with a
formula above them, or with an entry that it works out by hand.
"""

from __future__ import annotations

import json

from ...explain import document as d
from ..page.sentences import say
from .blanking import BLANK, Blank, blanked, imported_by, made_by
from .notebook import TAKEN, NotebookPage

PYTHON = "python"
LIBRARY = "torch"


class BlankPage(NotebookPage):
    """The cells of one document, with blanks."""

    def __init__(self, document: d.Document) -> None:
        super().__init__(document)
        programs = [block for block in d.all_blocks(document.blocks) if isinstance(block, d.Program)]
        self.program = next((program for program in programs if _asked(program)), None)
        self.taken |= made_by(self.program.source) if self.program else set()
        self.after_formula = False
        found = [block for block in d.all_blocks(document.blocks) if isinstance(block, d.Derivation)]
        self.by_hand = {block.step for block in found if any(line.forms for line in block.lines)}
        self.asked: set[str] = set()  # codes of steps that were left out; each is asked for once

    def block(self, block: d.Block) -> None:
        after_formula, self.after_formula = self.after_formula, isinstance(block, d.Formula)
        if isinstance(block, d.Program) and block is self.program:
            self._program(block)
        elif isinstance(block, d.Program) and block.equals:
            self.prose.append(self.page.words(say("page.left_out")))  # it would give away what is asked for
        elif isinstance(block, d.Matrix) and self._is_asked(block, after_formula):
            self._step(block)
        else:
            super().block(block)

    def _is_asked(self, block: d.Matrix, after_formula: bool) -> bool:
        is_new = bool(block.code) and f"{block.step}{block.code}" not in self.asked
        is_made = after_formula or block.step in self.by_hand
        return self.has_code and self.program is None and is_new and is_made

    def _program(self, program: d.Program) -> None:
        equals = {one.variable: one for one in _asked(program)}
        opening, _ = self.trace_of(program.equals[0].step)
        if opening:
            self.add_code(opening.strip())
        for part in blanked(program.source, equals.keys()):
            if isinstance(part, Blank):
                self._blank(part, [equals[name] for name in part.checked])
            else:
                self.add_code(part.source)

    def _blank(self, blank: Blank, checked: list[d.Equal]) -> None:
        self.prose += [self.page.words(line) for line in blank.above]
        for one in checked:
            if one.formula is not None:
                self.prose.append(self.page.formula(one.formula))
        self.add_code("\n".join(map(_line, blank.names, blank.remarks)))
        if checked:
            self._compare({one.name: one.variable for one in checked}, checked[0].step)

    def _step(self, block: d.Matrix) -> None:
        """A step that is shown, without its numbers."""
        self.asked.add(f"{block.step}{block.code}")
        name = block.code.strip('[]"')
        variable = self.new_name(name.rpartition(".")[2], "my")
        self.add_code(_line((variable,), ""))
        self._compare({name: variable}, block.step)

    def _compare(self, variables: dict[str, str], step: str) -> None:
        opening, trace = self.trace_of(step)
        given = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {variable}" for name, variable in variables.items())
        self.add_code(f"{opening}w.compare({{{given}}}, to={trace})")


def _asked(program: d.Program) -> list[d.Equal]:
    """The variables of a program that are steps; those within another variable cannot be left out by themselves. Of a
    program that lets a library go back nothing is asked, nor of one that needs the names of the notebook for itself.
    """
    by_hand = program.language == PYTHON and bool(program.equals)
    by_hand = by_hand and not TAKEN & made_by(program.source) and LIBRARY not in imported_by(program.source)
    return [one for one in program.equals if one.variable.isidentifier()] if by_hand else []


def _line(names: tuple[str, ...], remark: str) -> str:
    """`Q, K = ..., ...  # your code`"""
    words = ": ".join(part for part in (say("page.your_code"), remark) if part)
    return f"{', '.join(names)} = {', '.join([BLANK] * len(names))}  # {words}"
