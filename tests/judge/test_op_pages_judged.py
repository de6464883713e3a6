"""Every op page: its values, its hand calculations, and what each of its mistakes would give."""

import json

import pytest

import workings as w
from workings.engine.op import OPS

from .evaluate import disagreements, evaluate
from .mistakes import UnknownMistakeError, mistaken
from .numbers import judge_document, not_judged, spans_of
from .operations import OPERATIONS
from .runs import Runs


@pytest.fixture
def page(works):
    return lambda name: json.loads(works("op", name, "--format", "json"))


def test_the_judge_knows_every_op():
    assert set(OPERATIONS) == set(OPS)


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_number_of_an_op_page_is_what_the_judge_computes(page, name):
    data = page(name)
    assert list(disagreements(data["runs"][0], evaluate(data["runs"][0]))) == []
    runs = Runs(data["runs"])
    assert judge_document(data["document"], runs) == []
    assert not_judged(data["document"], runs) == []


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "attention"])
def test_a_changed_number_of_a_mistake_is_noticed(page, name):
    data = page(name)
    wrong = [number for number in spans_of(data["document"]) if number["role"] == "mistake"]
    assert wrong
    for number in wrong:
        number["value"] += 1e-6
    assert len({fault.where for fault in judge_document(data["document"], data["runs"])}) == len(wrong)


def test_an_unknown_mistake_is_named(page):
    data = page("softmax")
    next(number for number in spans_of(data["document"]) if number["mistake"])["mistake"] = "softmax.too_soft"
    assert any("'softmax.too_soft'" in fault.reason for fault in judge_document(data["document"], data["runs"]))
    runs = Runs(data["runs"])
    with pytest.raises(UnknownMistakeError, match="a mistake in a rule of matmul"):
        mistaken("matmul.not_transposed", *runs.step("2"))


def test_a_trace_in_which_a_mistake_was_made_is_judged_too():
    trace = w.scenario("example-1").trace()
    wrong = trace.replay(ops={"weights": "softmax.not_normalised"})
    run = json.loads(wrong.to_json())["runs"][0]
    assert any(step["op"] == "softmax.not_normalised" for step in run["steps"])
    assert list(disagreements(run, evaluate(run))) == []
    run["steps"] = [
        step | {"op": "softmax"} if step["op"] == "softmax.not_normalised" else step for step in run["steps"]
    ]
    assert any("weights" in line for line in disagreements(run, evaluate(run)))
