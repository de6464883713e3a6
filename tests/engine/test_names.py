"""Finding a step by what a person calls it."""

import pytest
from small_traces import attention_backward, attention_training

import workings as w
from workings import ops
from workings.engine.errors import StepError


@pytest.fixture(scope="module")
def trace():
    return attention_backward()


@pytest.fixture(scope="module")
def training():
    return attention_training()


def two_blocks():
    x = w.given([[1.0, 2.0]], "token model", name="X")
    with w.Trace() as trace:
        trace.start_from(x)
        for block in ("block1", "block2"):
            with trace.scope(block):
                x = ops.exp(ops.scale(x, factor=0.1, name="scaled"), name="Y")
    return trace


def refused(trace, name):
    with pytest.raises(StepError) as raised:
        trace[name]
    return raised.value


@pytest.mark.parametrize("name", ["scores", "attention.scores"])
def test_the_end_of_a_path_is_enough(trace, name):
    assert trace[name].path == "attention.scores"


def test_the_end_of_a_path_is_made_of_whole_parts(trace):
    assert "There is no step '" in refused(trace, "cores").what
    assert "There is no step '" in refused(trace, "tion.scores").what


def test_the_whole_path_is_taken_before_the_end_of_another():
    x = w.given([1.0], "token", name="X")
    with w.Trace() as trace:
        ops.exp(x, name="Y")
        with trace.scope("block1"):
            ops.neg(x, name="Y")
    assert (trace["Y"].op, trace["block1.Y"].op) == ("exp", "neg")
    assert [step.path for step in trace.all("Y")] == ["Y", "block1.Y"]


def test_a_forward_step_is_taken_before_a_step_of_the_way_back():
    with w.Trace() as trace:
        with trace.scope("block1"):
            y = ops.exp(w.given([0.5], "token", name="x"))
        with trace.scope("block2"):
            ops.neg(y, name="dx")  # a name that looks like a gradient
    trace.backward("dx", cotangent=[1.0])
    assert {step.path for step in trace.all("dx")} == {"block1.dx", "block2.dx"}
    assert trace["dx"].path == "block2.dx"


def test_where_there_is_no_forward_step_the_way_back_is_searched(trace, training):
    assert trace["dscores"].path == "attention.dscores"
    assert training["W_Q_new"].step.stage == "update"


def test_a_name_that_could_mean_several_lists_them_all():
    error = refused(two_blocks(), "scaled")
    assert "' could be any of" in error.what
    assert "could be any of 2 steps" in str(error)
    assert "block1.scaled, block2.scaled" in str(error)


def test_all_gives_every_step_of_a_name():
    assert [step.path for step in two_blocks().all("scaled")] == ["block1.scaled", "block2.scaled"]
    assert two_blocks().all("nothing") == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("score", "scores"), ("attenton.scores", "attention.scores"), ("W_q", "W_Q"), ("los", "loss")]
)
def test_an_unknown_name_offers_the_nearest(trace, typed, meant):
    error = refused(trace, typed)
    assert "There is no step '" in error.what
    assert f"'{typed}'" in error.what
    assert meant in error.hint


def test_an_empty_name_is_unknown_and_not_everything(trace):
    assert "There is no step '" in refused(trace, "").what
    assert "There is no step '" in refused(trace, ".").what


def test_an_empty_recording_says_that_nothing_was_recorded():
    error = refused(w.Trace(), "scores")
    assert "nothing has been recorded" in str(error)


def test_an_id_is_a_name_too(trace):
    for step in trace:
        assert trace[step.id].path == step.path
    assert trace[int(trace["scores"].id)].path == "attention.scores"
    assert "There is no step '" in refused(trace, "9999").what


def test_a_path_that_looks_like_an_id_is_taken_as_a_path():
    with w.Trace() as trace:
        ops.neg(ops.exp(w.given([0.5], "token", name="x")), name="1")
    assert (trace["1"].op, trace["2"].op) == ("neg", "exp")


def test_a_group_means_its_result(trace):
    (group,) = [group for group in trace.recording.groups.values() if not group.rule_of]
    assert trace["attention"].path == trace[group.id].path == "attention.context"


def test_an_alias_stands_for_a_path():
    with w.Trace(aliases={"α": "weights", "β": "missing"}) as trace:
        ops.softmax(w.given([[2.0, 1.0]], "query key", name="scores"), name="weights")
    assert trace["α"].path == "weights"
    assert trace["α/exp"].path == "weights/exp"
    assert [step.path for step in trace.all("α")] == ["weights"]
    assert "'missing'" in str(refused(trace, "β"))


def test_a_slash_looks_inside_a_composite(trace):
    assert trace["weights/exp"].path == "attention.weights/exp"
    assert trace["attention.weights/exp"].id == f"{trace['weights'].id}.3"


def test_inside_a_composite_an_unknown_name_offers_what_is_there(trace):
    error = refused(trace, "weights/expo")
    assert "exp" in error.hint
    assert error.where == "attention.weights"
    assert "There is no step '" in refused(trace, "weights/").what
    assert "There is no step '" in refused(trace, "/exp").what


def test_a_primitive_has_no_inside_and_the_error_names_those_that_have(trace):
    error = refused(trace, "scores/exp")
    assert "' has no inside: it is one primitive step." in error.what
    assert "attention.weights" in error.hint
    assert "' has no inside: it is one primitive step." in refused(trace, "weights/exp/x").what


def test_every_step_of_a_training_run_is_found_by_its_path(training):
    for step in training:
        assert training[step.path].id == step.id


def test_a_replay_and_a_rebuilt_trace_know_the_same_names(training):
    for other in (training.replay(), w.Trace.from_json(training.to_json())):
        assert [other[step.path].id for step in training] == [step.id for step in training]
        assert other["step1.attention"].path == training["step1.attention"].path


def test_the_names_go_on_where_a_replay_left_off():
    trace = two_blocks()
    again = trace.replay()
    for recorded in (trace, again):
        with recorded, recorded.scope("block2"):
            ops.neg(recorded["X"].tensor, name="Y")
    assert [step.path for step in again] == [step.path for step in trace]
    assert again["block2.Y2"].id == trace["block2.Y2"].id
