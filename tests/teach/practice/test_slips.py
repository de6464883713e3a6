"""Slips: what mistakes give at the step that shows them."""

import numpy
import pytest

import workings as w
from workings.explain.fitting import candidates
from workings.teach.practice.exercise import exercise
from workings.teach.practice.slips import Slip, Slips, merged, same
from workings.teach.practice.world import World

NAMES = ["example-3", "example-5", "cat-sleeps", "layer-norm", "multi-head", "causal-mask"]


@pytest.fixture(scope="module")
def slips():
    return Slips(exercise("example-3").trace)


def key(slip):
    return slip.id, slip.step, slip.value.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_those_of_one_step_are_those_of_all_that_show_there(name):
    slips = Slips(exercise(name).trace)
    runs = {slip.id for slip in slips.all if slip.changes is None}
    for step in slips.told:
        here = {key(slip) for slip in slips.all if slip.step == step.path and slip.id not in runs}
        assert {key(slip) for slip in slips.at(step.path)} == here, step.path


@pytest.mark.parametrize("name", NAMES)
def test_a_slip_changes_the_step_that_shows_it_and_comes_in_the_order_of_the_steps(name):
    slips = Slips(exercise(name).trace)
    paths = [step.path for step in slips.told]
    places = [paths.index(slip.step) for slip in slips.all]
    assert places == sorted(places)
    for slip in slips.all:
        assert not same(slip.value, slips.trace[slip.step].value), slip
    assert len({(slip.id, slip.made, slip.step) for slip in slips.all}) == len(slips.all)


def test_what_a_slip_gives_is_what_numpy_gives(slips):
    trace = slips.trace
    found = {slip.id: slip.value for slip in slips.at("block1.attention.weights")}
    powers = numpy.exp(trace["scaled"].value)
    assert numpy.allclose(found["softmax.wrong_axis"], powers / powers.sum(axis=0))
    assert numpy.allclose(found["softmax.not_normalised"], powers)
    scores = {slip.id: slip.value for slip in slips.at("block1.attention.scores")}
    assert numpy.allclose(scores["matmul.queries_and_keys_exchanged"], trace["K"].value @ trace["Q"].value.T)


def test_a_mistake_in_a_step_without_a_name_shows_in_the_next_one_that_has_one(slips):
    turned = [slip for slip in slips.all if "transpose.forgotten" in slip.names]
    assert [(slip.step, slip.id) for slip in turned] == [("block1.attention.scores", "matmul.second_transposed")]
    flipped = next(slip for slip in slips.all if slip.id == "transpose.flipped")
    assert (flipped.made, flipped.step) == ("block1.attention.K_T", "block1.attention.scores")


def test_a_step_that_was_left_out_shows_as_the_one_that_was_taken_for_it(slips):
    left_out = next(slip for slip in slips.at("block1.attention.Q") if slip.id == "matmul.weight_forgotten")
    assert numpy.array_equal(left_out.value, slips.trace["X"].value)


def test_equal_numbers_are_one_slip_under_several_names():
    def slip(id, made, value):
        return Slip(id, "weights", made, "", numpy.array(value), None)

    given = [
        slip("a.far", "scaled", [1.0, 2.0]),
        slip("b.near", "weights", [1.0, 2.0 + 1e-12]),
        slip("c", "weights", [1.0]),
    ]
    one, other = merged(given)
    assert one.names == ("b.near", "a.far")  # the one that is made nearest to the step
    assert other.names == ("c",)


def test_the_rule_that_follows_a_mistake_is_looked_for_only_after_the_mistake():
    slips = Slips(exercise("example-5").trace)
    path = "block1.feed_forward.dhidden"
    alone = {slip.id for slip in slips.at(path)}
    after = {slip.id: slip for slip in slips.at(path, after=["relu.forgotten"])}
    assert not any(id.endswith("+rule") for id in alone)
    assert {id for id in after if id not in alone} == {"relu.forgotten+rule"}
    assert after["relu.forgotten+rule"].after == "relu.forgotten"
    assert numpy.array_equal(after["relu.forgotten+rule"].value, slips.trace["dactivated"].value)


def test_slips_are_made_on_the_numbers_that_stand_there(slips):
    trace = slips.trace
    world = World(trace.recording)
    other = trace["scores"].value * 2
    for step in trace.recording.steps.values():
        world.reach(step)
        if step.path.endswith(".scores"):
            world.write(step, other)
        if step.path.endswith(".scaled"):
            break
    found = {slip.id: slip.value for slip in slips.at("block1.attention.scaled", world=world.recording)}
    assert numpy.allclose(found["divide_by_root.not_divided"], other)
    assert numpy.allclose(found["divide_by_root.root_forgotten"], other / 2)


def test_another_place_for_the_norm_is_another_run():
    slips = Slips(exercise("block").trace)
    runs = [slip for slip in slips.all if slip.changes is None]
    assert [slip.id for slip in runs] == ["convention.norm_place.post"]
    assert runs[0].step == next(step.path for step in slips.told if step.op_name == "layer_norm")


def test_a_mistake_that_changes_no_number_is_no_slip():
    with w.Trace() as trace:
        w.ops.relu(w.given([0.5, 0.7], name="x"), name="h")
    assert "relu.forgotten" in {fit.id for fit in candidates(trace)}
    assert "relu.forgotten" not in {slip.id for slip in Slips(trace).all}
