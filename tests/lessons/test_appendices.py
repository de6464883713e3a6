"""The op pages together have every rule and every mistake of the registry, and the appendices lead to them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy
import pytest
from built_lessons import blocks_of, written
from mistake_traces import trace_of

import workings as w
from workings.document.blocks import Formula, Heading, Note, Number, Table, plain_text
from workings.document.numbers import PLAIN
from workings.engine.op import OPS
from workings.explain.op_example import example_run
from workings.explain.op_page import op_document
from workings.explain.rule_proof import prove_rules
from workings.explain.step_formula import page_formula
from workings.lessons.directives.mistakes import seen_in
from workings.lessons.lesson import lesson

CALCULUS, MISTAKES = "matrix-calculus", "common-mistakes"
WITH_RULES = sorted(name for name, op in OPS.items() if op.page.rules)
AROUND = Path(__file__).with_name("mistake_runs")  # scenarios with steps around an op in which a mistake can be made
PACKAGED = (("block", "default"), ("block", "post-norm"), ("example-5", "twin"), ("example-4", "default"),
            ("example-3", "after"), ("cat-sat", "masked"))  # fmt: skip
IN_BRIEF = range(18, 25)  # how many mistakes the appendix shows beside the four of the document


@cache
def pages(name):
    """The page of an op with each of its examples."""
    runs = [example_run(OPS[name], number) for number in range(len(OPS[name].page.examples))]
    return [op_document(run) for run in runs]


def notes(blocks):
    return [block for block in blocks_of(blocks) if isinstance(block, Note) and block.mistake]


def numbers(note):
    return [span for span in note.spans if isinstance(span, Number)]


def is_wrong(note):
    """Whether a note has the right number and the wrong one, as a reader sees them, or another shape."""
    if not numbers(note):
        return "shape" in plain_text(note.spans)
    wrong, right = sorted(numbers(note), key=lambda number: number.role == "entry")
    assert (right.role, wrong.role) == ("entry", "mistake")
    return right.value != wrong.value and right.text != wrong.text


@cache
def seen_on_pages():
    """The notes with numbers, or with another shape, by their mistake."""
    found = {}
    for name in OPS:
        for page in pages(name):
            for note in notes(page.blocks):
                if numbers(note) or "gives the shape" in plain_text(note.spans):
                    found.setdefault(note.mistake, note)
    return found


# -- rules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_RULES)
def test_each_rule_of_an_op_is_proven_by_a_difference(name):
    found = prove_rules(OPS[name], PLAIN)
    assert {proof.input for proof in found.proofs} == set(OPS[name].page.rules)
    for proof in found.proofs:
        rule, difference = proof.numbers()
        assert rule.step != difference.step
        assert abs(float(rule.value)) > 0.01, proof.input  # 0 = 0 proves nothing
        assert difference.value == pytest.approx(rule.value, rel=2e-5, abs=0), proof.input


@pytest.mark.parametrize("name", WITH_RULES)
def test_a_proof_nudges_the_entry_that_it_is_about_and_nothing_else(name):
    found = prove_rules(OPS[name], PLAIN)
    trace, by = found.trace, {}
    for path in [step.path for step in trace if step.name == "nudge"]:
        array = numpy.asarray(trace[path].value)
        assert numpy.count_nonzero(array) == 1
        by[path.split(".")[0]] = tuple(int(place) for place in numpy.argwhere(array)[0]), array.sum()
    assert len(by) == len(found.proofs)
    for proof in found.proofs:
        scope = proof.slope.path.split(".")[0]
        index, size = by[scope]
        assert proof.index == index
        assert trace.recording.step(proof.gradient.twin).name == scope.removeprefix("nudged_")
        assert float(trace[f"{scope}.twice_the_nudge"].value) == pytest.approx(2 * size)


@pytest.mark.parametrize("name", WITH_RULES)
def test_an_op_page_shows_its_backward_pass_and_every_reason(name):
    op = OPS[name]
    (page, *_) = pages(name)
    blocks = list(blocks_of(page.blocks))
    start = next(n for n, block in enumerate(blocks) if isinstance(block, Heading) and block.text == "Backward")
    shown = [block for block in blocks[start:] if isinstance(block, Formula)]
    reasons = [page_formula(op, latex, reason=reason) for latex, reason in op.page.derivation]
    assert reasons, "no derivation"
    assert shown[-len(reasons) :] == reasons
    assert len(shown) - len(reasons) >= len(op.page.rules), "a rule without its formula"


def test_the_appendix_has_the_rules_that_a_transformer_needs_most_each_proven():
    proven, op = {}, ""
    for block in blocks_of(written(CALCULUS).document.blocks):
        if isinstance(block, Heading):
            op = block.text if block.anchor.startswith("rule-") else ""
        elif isinstance(block, Table) and op:
            proven[op] = block
            op = ""
    assert set(proven) == {"softmax", "cross_entropy", "layer_norm"}
    for name, table in proven.items():
        found = prove_rules(OPS[name], PLAIN)
        assert len(table.rows) == len(OPS[name].page.rules)
        for proof, (_, (rule,), (difference,)) in zip(found.proofs, table.rows, strict=True):
            assert (rule.value, difference.value) == tuple(number.value for number in proof.numbers())
    nudged = re.findall(r"^:::\{nudge\} (\w+):", lesson(CALCULUS).file.text, re.MULTILINE)
    assert nudged == ["matrices", "transposed"]  # the rules of a product and of a transpose


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(OPS))
def test_an_op_page_has_every_mistake_of_its_op(name):
    """On one of its examples with the number that it gives, else among those that involve other steps."""
    op = OPS[name]
    listed = {note.mistake: note for page in pages(name) for note in notes(page.blocks)}
    assert set(listed) == {mistake.id for mistake in op.page.mistakes.values()}
    for mistake in op.page.mistakes.values():
        assert mistake.hint in plain_text(listed[mistake.id].spans)
        assert mistake.id in seen_on_pages() or mistake.across, mistake.id


def test_every_wrong_number_differs_from_the_right_one():
    assert [id for id, note in seen_on_pages().items() if not is_wrong(note)] == []
    assert sum(not numbers(note) for note in seen_on_pages().values()) < 30  # another shape


@pytest.mark.slow
def test_mistakes_that_involve_other_steps_give_wrong_numbers_where_they_can_be_made():
    left = {mistake.id for op in OPS.values() for mistake in op.page.mistakes.values()} - set(seen_on_pages())
    assert left
    for trace in traces_around():
        for fit in trace.mistakes(only=sorted(left)) if left else ():
            gives = seen_in(trace, fit)
            if gives is not None:
                assert is_wrong(Note("mistake", gives, fit.id)), fit
                left.discard(fit.id)
    assert left == set()


def traces_around():
    for name, run in PACKAGED:
        yield w.scenario(name).trace(run)
    for path in sorted(AROUND.glob("*.yaml")):
        scenario = w.scenario(path)
        yield from (scenario.trace(run) for run in scenario.runs)
    yield trace_of("two heads")


def test_the_appendix_shows_the_mistakes_that_people_make_most_each_with_both_numbers():
    shown = notes(written(MISTAKES).document.blocks)
    ids = [note.mistake for note in shown]
    assert len(ids) in IN_BRIEF
    assert len(set(ids)) == len(ids)
    assert all(numbers(note) and is_wrong(note) for note in shown)
    ops = {id.partition(".")[0] for id in ids}
    assert ops >= {"softmax", "causal_mask", "cross_entropy", "layer_norm", "sgd", "positional_encoding", "collect"}


@pytest.mark.parametrize("name", [CALCULUS, MISTAKES])
def test_an_appendix_leads_to_the_op_pages(name):
    text = lesson(name).file.text
    commands = re.findall(r"`workings\s+op\s+(\w+)`", text)
    assert commands
    assert set(commands) - {"NAME"} <= set(OPS)


@pytest.mark.slow
def test_the_mistakes_of_the_appendix_show_in_another_precision_too():
    exact, rounded = (written(MISTAKES, precision).document for precision in (None, "calculator 4 significant"))
    assert [note.mistake for note in notes(exact.blocks)] == [note.mistake for note in notes(rounded.blocks)]
