"""The training step of a run: what its update needs, and the forward pass after it."""

import json

import numpy
import pytest

import workings as w
from workings.engine.errors import LessonError, WorkingsError
from workings.practice.exercise import exercise
from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.sheet_code import make_command
from workings.practice.sheet_file import open_sheet, read_sheet
from workings.practice.training_step import AFTER, training_step

NAMES = ["example-2", "example-3", "example-4", "example-5", "cat-sleeps"]


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


def results(step, stage):
    """The steps of a stage that are not on the way to others inside of a rule."""
    recording = step.trace.recording
    groups = {group.result for group in recording.groups.values()}
    return [
        one.name for one in recording.steps.values() if one.stage == stage and (one.group is None or one.id in groups)
    ]


def test_only_the_gradients_of_what_learns_stay():
    step = training_step(w.scenario("example-2").trace("after"))
    assert results(step, "backward") == ["dloss", "dlogits", "dW_vocab"]
    assert results(step, "update") == ["W_vocab_new"]
    everything = training_step(w.scenario("example-3").trace("after"))
    assert {"dW_Q", "dW_K", "dW_V", "dW_vocab", "dscaled"} <= set(results(everything, "backward"))
    assert not {"dX", "dE", "dX.via_Q"} & set(results(everything, "backward")), "the embeddings are fixed"


def test_the_second_forward_pass_has_only_what_the_update_changes():
    step = training_step(w.scenario("example-2").trace("after"))
    after = [view for view in step.trace if view.name.endswith(AFTER)]
    assert [view.name for view in after] == ["logits_after", "P_after", "loss_after"]
    inputs = [step.trace.recording.step(id).name for id in after[0].step.inputs]
    assert inputs == ["last", "W_vocab_new"], "it reads the context vector of the first pass"
    assert len([view for view in step.trace if view.name == "last"]) == 1


def test_every_value_is_that_of_the_run(name):
    whole = w.scenario(name).trace("after")
    step = training_step(whole)
    for old, new in step.renamed.items():
        if old in whole.recording.paths and whole.recording.paths[old] in whole.recording.steps:
            numpy.testing.assert_array_equal(whole[old].value, step.trace[new].value)
    for old, first in step.same.items():
        numpy.testing.assert_array_equal(whole[old].value, step.trace[first].value)
    assert float(step.trace["loss_after"].value) == float(whole["step2.loss"].value)


def test_no_step_comes_before_what_feeds_it(name):
    known = set()
    for one in training_step(w.scenario(name).trace("after")).trace.recording.steps.values():
        assert set(one.inputs) <= known
        known.add(one.id)


def test_new_numbers_run_through_both_passes(name):
    whole = w.scenario(name).trace("after")
    weight = next(step.path for step in whole.recording.leaves(("parameter",)) if step.path.endswith("W_V"))
    value = whole[weight].value + 0.3
    now = training_step(whole).trace.replay(values={weight: value})
    assert float(now["loss_after"].value) == pytest.approx(
        float(whole.replay(values={weight: value})["step2.loss"].value), rel=1e-12
    )
    assert float(now["loss_after"].value) != float(training_step(whole).trace["loss_after"].value)


def test_a_batch_goes_back_example_by_example_with_names_of_their_own():
    step = training_step(w.scenario("example-4").trace("after"))
    gradients = [view.name for view in step.trace if view.name.startswith("dlogits_")]
    assert gradients == ["dlogits_1", "dlogits_2", "dlogits_3"]
    assert [view.name for view in step.trace if ".via_" in view.name] == [
        f"dW_vocab.via_logits_{number}" for number in (1, 2, 3)
    ]
    assert step.trace.labels(step.trace["weights_2"])["key"] == ("A", "A")
    assert step.trace.labels(step.trace["weights_3"])["key"] == ("B", "A")
    assert "key" not in step.trace.labels(step.trace["W_vocab_new"])


def test_symbols_hold_after_the_update_too():
    step = training_step(w.scenario("cat-sleeps").trace("after"))
    assert dict(step.trace.style.notation.pairs) == {"weights": "α", "weights_after": "α_after"}


def test_a_run_of_one_step_has_no_pass_after_it():
    step = training_step(w.scenario("example-2").trace())
    assert not [view for view in step.trace if view.name.endswith(AFTER)]
    assert results(step, "backward") == ["dloss", "dlogits", "dW_vocab"]


@pytest.mark.parametrize(("name", "run"), [("example-1", "default"), ("example-4", "one-by-one")])
def test_a_run_without_a_single_update_is_refused(name, run):
    with pytest.raises(LessonError, match="no single training step"):
        training_step(w.scenario(name).trace(run))


def test_a_second_step_with_other_examples_is_refused():
    other = w.scenario("example-2").trace("after").replay(values={"step2.tokens": numpy.array([1, 0])})
    with pytest.raises(LessonError, match="reads other examples"):
        training_step(other)


# -- its sheets ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sheet(name):
    return make_sheet(name, seed=7, blanks="few", lines="softmax", training_step=True)


def test_a_sheet_comes_back_from_its_file_and_from_its_code(sheet):
    for again in (read_sheet(sheet.to_json()), open_sheet(sheet.code)):
        assert again.code == sheet.code
        assert [blank.label for blank in again.fields] == [blank.label for blank in sheet.fields]
        assert (again.lines, again.is_training_step) == ("softmax", True)


def test_right_answers_are_right_and_a_wrong_one_is_found(sheet):
    right = {blank.label: repr(blank.true) if blank.is_number else blank.true_text for blank in sheet.fields}
    assert {mark.verdict for mark in grade(sheet, right).marks} == {"right"}
    assert grade(sheet, {**right, "loss": "77"}).first_wrong == "loss"


def test_the_loss_after_the_update_is_always_asked_for(sheet):
    assert "loss_after" in sheet.by_label
    assert "loss" in sheet.by_label


def test_the_run_and_the_code_say_what_the_sheet_is():
    assert exercise("example-2", is_training_step=True).run == "after"
    sheet = make_sheet("example-2", seed=0, digits=5, lines="softmax", training_step=True)
    assert sheet.code.startswith("example-2.after-0-2s5rt-")
    assert make_command(sheet, 3) == "workings worksheet example-2 --seed 3 --softmax-lines --training-step --digits 5"
    assert make_sheet("example-2", seed=0, run="after").code.startswith("example-2.after-0-2s4-")


def test_sheets_without_the_letter_have_the_whole_run():
    whole = make_sheet("example-2", seed=0, run="after")
    assert len(whole.trace) > len(make_sheet("example-2", seed=0, training_step=True).trace)
    assert json.loads(whole.to_json())["code"] == open_sheet(whole.code).code


# -- lines of one row ----------------------------------------------------------------------------------


def test_the_lines_of_one_row_of_each_softmax_are_asked_for():
    sheet = make_sheet("example-3", seed=0, lines="softmax")
    lines = {}
    for blank in sheet.fields:
        if blank.kind == "line":
            lines.setdefault(blank.step, []).append((blank.index, blank.line))
    assert list(lines) == ["block1.attention.weights", "P"]
    assert [line for _, line in lines["P"]] == [
        "max",
        *(f"s{n}" for n in range(4)),
        *(f"e{n}" for n in range(4)),
        "total",
    ]
    assert lines["block1.attention.weights"] == [((1, 0), line) for line in ("max", "s0", "s1", "e0", "e1", "total")], (
        "the row of B, which predicts"
    )


def test_a_row_that_a_softmax_normalizes_along_another_axis_is_found(tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text(
        'scenario: 1\ngiven: {x: {axes: key query, value: "1 0.5 2; 0.3 -1 0.4"}}\n'
        'calculate: ["weights = softmax(x, axis=key)"]\n',
        encoding="utf-8",
    )
    sheet = make_sheet(path, seed=0, blanks="all", lines="softmax")
    asked = [blank for blank in sheet.fields if blank.kind == "line"]
    assert {blank.index[1] for blank in asked} == {2}, "one column"
    assert [blank.line for blank in asked] == ["max", "s0", "s1", "e0", "e1", "total"]


def test_a_sheet_without_a_softmax_has_the_same_code_with_and_without_lines(tmp_path):
    path = tmp_path / "product.yaml"
    path.write_text('scenario: 1\ngiven: {x: "1 2; 3 5"}\ncalculate: ["y = matmul(x, x)"]\n', encoding="utf-8")
    assert make_sheet(path, seed=0, lines="softmax").code == make_sheet(path, seed=0).code


def test_unknown_lines_are_refused():
    with pytest.raises(WorkingsError, match="lines"):
        make_sheet("example-1", lines="some")


def test_the_command_makes_a_sheet_of_the_training_step(works):
    printed = works("worksheet", "example-2", "--seed", 0, "--training-step", "--softmax-lines")
    assert "example-2.after-0-2s4rt-" in printed
    assert "loss_after" in printed
    assert "dW_Q" not in printed
    assert "P[0]/total" in printed
