"""`rule`: the rules of an op page, why they are so, and each of them proven by a difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...document.blocks import Block, Fold, Heading, Link, Number, Span, Spans, Table, Text, Words
from ...document.notation import name_of
from ...document.numbers import Style, write
from ...engine.errors import LessonError
from ...engine.op import OPS, Op, find_op
from ...explain.rule_proof import RuleProofs, prove_rules
from ...explain.step_formula import page_formula
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder


def _rule(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    op = find_op(directive.argument)
    if not op.page.rules:
        names = ", ".join(name for name in OPS if OPS[name].page.rules)
        raise LessonError(f"{op.name} has no rule that could be proven.", hint=f"Name an op with a rule: {names}.")
    run, found = f"rule.{op.name}", prove_rules(op, page.style)
    page.runs.add(run, found.trace)
    yield Heading(3, op.name, f"rule-{op.name.replace('_', '-')}")
    yield Text((Words(op.page.summary),))
    settings = dict(op.page.example.settings)
    yield page_formula(op, op.page.formula_for(settings))
    for rule in op.page.rules.values():
        yield page_formula(op, rule.latex_for(settings))
    yield located(_table(op, found), run)
    yield Fold("Why, line by line", tuple(_reasons(op)))
    yield located(Fold("The numbers of this example", tuple(_example(found))), run)


def _reasons(op: Op) -> Iterator[Block]:
    for latex, reason in op.page.derivation:
        yield page_formula(op, latex, reason=reason)


def _example(found: RuleProofs) -> Iterator[Block]:
    """What it starts from, the upstream gradient, and all gradients."""
    if found.behind:
        yield Text((Words("A softmax follows, as in attention, because −∞ cannot be averaged."),))
    yield from _settings(found)
    for name in (*found.inputs, found.weights, *(proof.gradient.path for proof in found.proofs)):
        yield found.trace[name].matrix()


def _settings(found: RuleProofs) -> Iterator[Block]:
    """The numbers that the example was called with, such as an exponent."""
    result = found.trace[found.result].step
    spans: list[Span] = []
    for name, value in result.settings.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = write(value, Style(whole=True, exact=True))
            spans += [
                Words(", " if spans else ""),
                Words(f"{name} = "),
                Number(text, value, result.id, (), "setting"),
            ]
    if spans:
        yield Text(tuple(span for span in spans if span != Words("")))


def _table(op: Op, found: RuleProofs) -> Table:
    rows: list[tuple[Spans, ...]] = []
    proven_for = {proof.input: proof for proof in found.proofs}
    for input in op.page.rules:
        if input not in proven_for:
            raise LessonError(
                f"The rule of {op.name} for {input} is not what the difference says, or it gives 0 everywhere.",
                hint="Check the rule, and whether the example lies at a kink.",
            )
        proof, notation = proven_for[input], found.trace.style.notation
        name = notation.entry(name_of(found.trace.recording, proof.gradient, notation), proof.index)
        rows.append(((Link(name, proof.gradient.id),), *((number,) for number in proof.numbers())))
    return Table(("entry", "by the rule", "by the difference"), tuple(rows))


RULES = {"rule": Kind(_rule, "needed", "none")}
