"""The judge can say no: whatever is changed in a trace, a document or a page is noticed."""

import copy
import json

import pytest
import torch
from loops import for_each

import workings as w
from workings.cli.output import page_text as _page
from workings.render.markdown import to_markdown
from workings.scenarios.scenario_page import scenario_document

from .evaluate import UnknownOpError, disagreements, evaluate
from .numbers import judge_document, spans_of
from .rendered import digits, unaccounted
from .runs import Runs


def data_of(name, run):
    found = w.scenario(name)
    trace = found.trace(run)
    page = scenario_document(found, run, trace)
    return page, json.loads(json.dumps(trace.to_data(name, name=run, document=page), allow_nan=False))


PAGE, DATA = data_of("example-5", "after")
RUNS = Runs(DATA["runs"])
STEPS = DATA["runs"][0]["steps"]


def step_called(run, path):
    return next(step for step in run["steps"] if step["path"] == path and step["kind"] != "group")


def changed_by(value, amount):
    """The same lists with the first number changed."""
    return [changed_by(value[0], amount), *value[1:]] if isinstance(value, list) else value + amount


@pytest.fixture
def document():
    return copy.deepcopy(DATA["document"])


def faults(document):
    return judge_document(document, RUNS)


def first(document, role):
    return next(number for number in spans_of(document) if number["role"] == role)


def long_calculation(document):
    return next(b for b in document["blocks"] if b["kind"] == "derivation" and len(b["lines"]) > 2)


# -- values of a trace -----------------------------------------------------------------------------

JUDGED = [step for step in STEPS if step["kind"] not in ("leaf", "group") and "float" in step["dtype"]]


@for_each("step", JUDGED)
def test_a_changed_value_of_any_step_is_noticed(step):
    run = copy.deepcopy(DATA["runs"][0])
    wrong = next(row for row in run["steps"] if row["id"] == step["id"])
    wrong["value"] = changed_by(wrong["value"], 1e-8)
    found = list(disagreements(run, RUNS.runs["after"].judged))
    assert found
    assert all(line.startswith(step["path"]) for line in found)


def test_a_setting_or_a_wire_that_differs_is_noticed():
    run = copy.deepcopy(DATA["runs"][0])
    step_called(run, "step1.block1.attention.W_Q_new")["settings"]["rate"] = 0.2
    assert any("W_Q_new" in line for line in disagreements(run, evaluate(run)))
    run = copy.deepcopy(DATA["runs"][0])
    context = step_called(run, "step1.block1.attention.context")
    context["inputs"] = context["inputs"][::-1]
    assert any(".context (" in line for line in disagreements(run, evaluate(run)))


def test_a_gradient_along_one_way_only_is_not_taken_for_the_whole():
    run = copy.deepcopy(DATA["runs"][0])
    part, whole = (step_called(run, f"step1.embedding.{name}") for name in ("dX.via_V", "dX"))
    whole["value"] = part["value"]
    assert [line.split(" ")[0] for line in disagreements(run, evaluate(run))] == ["step1.embedding.dX"]


def test_an_unknown_op_is_named():
    run = copy.deepcopy(DATA["runs"][0])
    step_called(run, "step1.P")["op"] = "softermax"
    with pytest.raises(UnknownOpError, match="softermax"):
        evaluate(run)


def test_a_wrong_rule_of_the_judge_would_be_seen_by_autograd():
    """Each way back to X is a part, and the parts add up to the whole."""
    judged = RUNS.runs["after"].judged
    ids = {step["path"]: step["id"] for step in STEPS if step["kind"] != "group"}
    parts = [judged[ids[f"step1.embedding.dX.via_{name}"]] for name in "QKV"]
    assert torch.allclose(sum(parts), judged[ids["step1.embedding.dX"]], rtol=1e-12, atol=0)
    assert not torch.allclose(parts[0], parts[2])


# -- numbers of a document -------------------------------------------------------------------------


def test_the_page_is_right_to_begin_with(document):
    assert faults(document) == []


@pytest.mark.parametrize("role", ["entry", "history", "setting", "line"])
def test_a_changed_value_is_noticed(document, role):
    number = first(document, role)
    number["value"] += 1e-6
    assert faults(document)


def test_a_value_and_a_text_that_agree_with_each_other_only_are_noticed(document):
    number = first(document, "entry")
    number |= {"value": 0.125, "text": "0.125"}
    assert [fault.what for fault in faults(document)] == ["0.125"]


@pytest.mark.parametrize("role", ["entry", "history", "setting", "line"])
def test_a_changed_text_is_noticed(document, role):
    number = first(document, role)
    number["text"] = number["text"][:-1] + str((int(number["text"][-1]) + 1) % 10)
    # The line in which it stands does not follow any more, either.
    assert {fault.what for fault in faults(document)} <= {number["text"], "root"}
    assert faults(document)


def test_another_index_or_step_is_noticed(document):
    matrix = next(block for block in document["blocks"] if block["kind"] == "matrix" and block["shape"] == [2, 4])
    number = matrix["slices"][0]["rows"][0][0]
    number["index"] = [1, 2]
    assert faults(document)
    number["index"] = [5, 0]
    assert any("has no entry [5, 0]" in fault.reason for fault in faults(document))
    number |= {"index": [0, 0], "step": "999"}
    assert any("no step '999'" in fault.reason for fault in faults(document))
    number["step"] = "other:1"
    assert any("no run 'other'" in fault.reason for fault in faults(document))


def test_an_operator_that_was_changed_is_noticed(document):
    calculation = next(
        block for block in document["blocks"] if block["kind"] == "derivation" and len(block["lines"]) > 2
    )
    words = next(span for span in calculation["lines"][-1]["forms"][-1] if span["text"] in (" / ", " − ", " × "))
    words["text"] = " + "
    assert {fault.reason.split(" gives")[0] for fault in faults(document)} == {"the form", "the printed form"}


def test_a_number_among_the_words_is_noticed(document):
    words = next(span for span in long_calculation(document)["lines"][0]["forms"][0] if span["kind"] == "words")
    words["text"] += " × 0.7"
    assert any("0.7 is no setting" in fault.reason for fault in faults(document))
    row = next(block for block in document["blocks"] if block["kind"] == "ledger")["rows"][0]
    row["note"] = "repeated 77 times"
    assert any("77 is no setting" in fault.reason for fault in faults(document))


def test_a_line_that_leans_on_no_earlier_line_is_noticed(document):
    calculation = next(
        block for block in document["blocks"] if block["kind"] == "derivation" and len(block["lines"]) > 2
    )
    del calculation["lines"][0]
    assert any("is the value of no line before" in fault.reason for fault in faults(document))


def test_a_calculation_for_another_entry_is_noticed(document):
    block = next(block for block in document["blocks"] if block["kind"] == "derivation" and block["index"] == [0, 0])
    block["index"] = [1, 1]
    assert any("does not give the entry" in fault.reason for fault in faults(document))


def test_a_shape_or_an_op_in_a_ledger_is_noticed(document):
    row = next(block for block in document["blocks"] if block["kind"] == "ledger")["rows"][0]
    row |= {"shape": [9, 9], "op": "guess"}
    assert {fault.reason.split(" ")[1] for fault in faults(document)} == {"shape", "op"}


def test_a_point_or_a_tick_of_a_curve_is_noticed(document):
    curve = next(block for block in document["blocks"] if block["kind"] == "figure")["data"]
    curve["lines"][0]["points"][0]["value"] += 1e-3
    curve["up"]["ticks"][0]["text"] = "7"
    assert len(faults(document)) == 2


# -- rendered pages --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [_page(PAGE), to_markdown(PAGE)], ids=["terminal", "markdown"])
def test_a_digit_that_a_renderer_changed_is_noticed(text):
    assert unaccounted(text, DATA["document"]) == []
    for number in sorted({found for found in digits(text) if "." in found})[::20]:
        wrong = text.replace(number, number[:-1] + str((int(number[-1]) + 3) % 10), 1)
        assert unaccounted(wrong, DATA["document"]), number


def test_a_number_that_stands_there_once_too_often_is_noticed_unless_repeats_are_allowed():
    assert "0.25" not in digits(_page(PAGE))
    assert unaccounted(_page(PAGE) + " 0.25", DATA["document"], repeats=True) == ["0.25"]
    page = _page(PAGE)
    known = next(number["text"] for number in spans_of(DATA["document"]) if "." in number["text"])
    assert unaccounted(page + f" {known}" * 200, DATA["document"]) == [known]
    assert unaccounted(page + f" {known}" * 200, DATA["document"], repeats=True) == []
