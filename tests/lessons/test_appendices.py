"""The appendices are complete: every rule and every mistake of the registry stands there, and is told truly."""

from __future__ import annotations

import numpy
import pytest
from built_lessons import blocks_of, written

from workings.document.blocks import Heading, Number, Table, plain_text
from workings.engine.op import OPS

CALCULUS, MISTAKES = "matrix-calculus", "common-mistakes"


def tables(name, prefix):
    """The tables of a lesson by the op under whose heading they stand."""
    found, op = {}, ""
    for block in blocks_of(written(name).document.blocks):
        if isinstance(block, Heading):
            op = block.text if block.anchor.startswith(prefix) else ""
        elif isinstance(block, Table) and op:
            assert op not in found
            found[op] = block
    return found


def test_every_op_with_a_rule_is_proven_for_each_of_its_inputs():
    proven = tables(CALCULUS, "rule-")
    assert set(proven) == {name for name, op in OPS.items() if op.page.rules}
    for name, table in proven.items():
        assert len(table.rows) == len(OPS[name].page.rules)
        for entry, (rule,), (difference,) in table.rows:
            assert rule.step != difference.step
            assert abs(float(rule.value)) > 0.01, plain_text(entry)  # 0 = 0 proves nothing
            assert difference.value == pytest.approx(rule.value, rel=2e-5, abs=0), plain_text(entry)


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.page.rules))
def test_a_proof_nudges_the_entry_that_it_speaks_of_and_nothing_else(name):
    trace = written(CALCULUS).traces[f"rule.{name}"]
    rows = tables(CALCULUS, "rule-")[name].rows
    by = {}
    for path in [step.path for step in trace if step.name == "nudge"]:
        array = numpy.asarray(trace[path].value)
        assert numpy.count_nonzero(array) == 1
        by[path.split(".")[0]] = tuple(int(place) for place in numpy.argwhere(array)[0]), array.sum()
    assert len(by) == len(rows)
    for _, (rule,), (difference,) in rows:
        gradient = trace.recording.step(rule.step.partition(":")[2])
        scope = trace.recording.step(difference.step.partition(":")[2]).path.split(".")[0]
        index, size = by[scope]
        assert rule.index == index
        assert trace.recording.step(gradient.twin).name == scope.removeprefix("nudged_")
        assert float(trace[f"{scope}.twice_the_nudge"].value) == pytest.approx(2 * size)


def test_every_mistake_of_the_registry_is_catalogued():
    catalogued = tables(MISTAKES, "mistakes-")
    assert set(catalogued) == set(OPS)
    for name, table in catalogued.items():
        told = [plain_text(row[0]).replace(" ", "_") for row in table.rows]
        assert told == list(OPS[name].page.mistakes)


def test_every_wrong_number_differs_from_the_right_one():
    shapes = 0
    for name, table in tables(MISTAKES, "mistakes-").items():
        for row in table.rows:
            numbers = [span for part in row[3:] for span in part if isinstance(span, Number)]
            if not numbers:
                assert "shape" in plain_text(row[1]), (name, plain_text(row[0]))
                shapes += 1
                continue
            right, wrong = numbers
            assert (right.role, wrong.role) == ("entry", "mistake")
            assert right.value != wrong.value
            assert right.text != wrong.text, (name, plain_text(row[0]))
    assert shapes < 30


@pytest.mark.slow
def test_catalogue_can_be_read_in_another_precision():
    """With few digits a mistake may give the right numbers: it is left out, and the lesson is still there."""
    document = written("common-mistakes", "calculator 4 significant").document
    assert sum(isinstance(block, Table) for block in document.blocks) > 50
