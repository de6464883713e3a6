"""`formula` and `derivation`: what is computed, and why its gradient is what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.registry import OPS, find_op
from ...engine.sentences import say
from ...explain.document import Block, Formula
from ...explain.step_formula import math_of, page_formula
from ..located import located
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page


def _formula(directive: Directive, page: Page) -> Iterator[Block]:
    """One that is written below, or that of an op or a step."""
    reason = directive.options.get("reason", "")
    written = directive.body.strip()
    if bool(written) == bool(directive.argument):
        raise LessonError("lesson.formula")
    if written:
        yield Formula(math_of(" ".join(written.split())), reason)
    elif directive.argument in OPS:
        op = find_op(directive.argument)
        yield page_formula(op, op.page.formula, reason=reason)
    else:
        name = page.entry(directive.argument)
        formula = page.view(name).formula_block()
        if formula is None:
            raise LessonError("lesson.leaf", name=str(name))
        yield located(replace(formula, reason=reason), page.run_of(name))


def _derivation(directive: Directive, page: Page) -> Iterator[Block]:
    """Why the rules of an op are so, line by line."""
    op = find_op(directive.argument)
    if not op.page.derivation:
        raise LessonError("lesson.derivation", name=op.name)
    for number, (latex, _) in enumerate(op.page.derivation, 1):
        yield page_formula(op, latex, reason=say(f"op.{op.name}.derivation.{number}"))


FORMULAS = {
    "formula": Kind(_formula, "optional", "optional", ("reason",)),
    "derivation": Kind(_derivation, "needed", "none"),
}
