"""`rule`: the rules of an op page, why they are so, and each of them proven by a difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.op import Op
from ...engine.registry import OPS, find_op
from ...explain.document import Block, Fold, Heading, Link, Number, Span, Spans, Table, Text, Words
from ...explain.notation import name_of
from ...explain.numbers import Style, write
from ...explain.rule_proof import Proven, proven
from ...explain.step_formula import page_formula
from ..appendix_sentences import say
from ..located import located
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page


def _rule(directive: Directive, page: Page) -> Iterator[Block]:
    op = find_op(directive.argument)
    if not op.page.rules:
        raise LessonError("lesson.rule", name=op.name, names=", ".join(name for name in OPS if OPS[name].page.rules))
    run, found = f"rule.{op.name}", proven(op, page.style)
    page.runs.add(run, found.trace)
    yield Heading(3, op.name, f"rule-{op.name.replace('_', '-')}")
    yield Text((Words(say(f"op.{op.name}.summary")),))
    settings = dict(op.page.example.settings)
    yield page_formula(op, op.page.formula_for(settings))
    for rule in op.page.rules.values():
        yield page_formula(op, rule.latex_for(settings))
    yield located(_table(op, found), run)
    yield Fold(say("lesson.rule.why"), tuple(_reasons(op)))
    yield located(Fold(say("lesson.rule.example"), tuple(_example(found))), run)


def _reasons(op: Op) -> Iterator[Block]:
    for number, (latex, _) in enumerate(op.page.derivation, 1):
        yield page_formula(op, latex, reason=say(f"op.{op.name}.derivation.{number}"))


def _example(found: Proven) -> Iterator[Block]:
    """What it starts from, how much each entry of the result counts, and all gradients."""
    if found.behind:
        yield Text((Words(say("lesson.rule.softmax")),))
    yield from _settings(found)
    for name in (*found.inputs, found.weights, *(proof.gradient.path for proof in found.proofs)):
        yield found.trace[name].matrix()


def _settings(found: Proven) -> Iterator[Block]:
    """The numbers that the example was called with, such as an exponent."""
    result = found.trace[found.result].step
    spans: list[Span] = []
    for name, value in result.settings.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            written = write(value, Style(whole=True, exact=True))
            spans += [
                Words(", " if spans else ""),
                Words(f"{name} = "),
                Number(written, value, result.id, (), "setting"),
            ]
    if spans:
        yield Text(tuple(span for span in spans if span != Words("")))


def _table(op: Op, found: Proven) -> Table:
    rows: list[tuple[Spans, ...]] = []
    proven_for = {proof.input: proof for proof in found.proofs}
    for input in op.page.rules:
        if input not in proven_for:
            raise LessonError("lesson.rule.differs", input=input, name=op.name)
        proof, notation = proven_for[input], found.trace.style.notation
        name = notation.entry(name_of(found.trace.recording, proof.gradient, notation), proof.index)
        rows.append(((Link(name, proof.gradient.id),), *((number,) for number in proof.numbers())))
    return Table(tuple(say(f"lesson.rule.{key}") for key in ("entry", "by_rule", "by_difference")), tuple(rows))


RULES = {"rule": Kind(_rule, "needed", "none")}
