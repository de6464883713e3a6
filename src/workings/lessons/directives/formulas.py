"""`formula` and `derivation`: what is computed, and why its gradient is what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...document.blocks import Block, Formula
from ...engine.errors import LessonError
from ...engine.op import OPS, find_op
from ...explain.step_formula import math_of, page_formula
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder


def _formula(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """One that is written below, or that of an op or a step."""
    reason = directive.options.get("reason", "")
    latex = directive.body.strip()
    if bool(latex) == bool(directive.argument):
        raise LessonError(
            "A formula is written below the directive, or named behind it: one of the two.",
            hint="Write :::{formula} softmax, or the LaTeX on the lines below.",
        )
    if latex:
        yield Formula(math_of(" ".join(latex.split())), reason)
    elif directive.argument in OPS:
        op = find_op(directive.argument)
        yield page_formula(op, op.page.formula, reason=reason)
    else:
        name = page.entry(directive.argument)
        formula = page.view(name).formula_block()
        if formula is None:
            raise LessonError(f"{name!s} is given: it has no formula.", hint="Take a step that is computed.")
        yield located(replace(formula, reason=reason), page.run_of(name))


def _derivation(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """Why the rules of an op are so, line by line."""
    op = find_op(directive.argument)
    if not op.page.derivation:
        raise LessonError(
            f"The page of {op.name} has no derivation.", hint=f"See what it has: `workings op {op.name}`."
        )
    for latex, reason in op.page.derivation:
        yield page_formula(op, latex, reason=reason)


FORMULAS = {
    "formula": Kind(_formula, "optional", "optional", ("reason",)),
    "derivation": Kind(_derivation, "needed", "none"),
}
