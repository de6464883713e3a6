"""What mistakes give at the step that shows them."""

import numpy
import pytest

import workings as w
from workings.explain.mistakes import candidates
from workings.practice.carried_forward import CarriedForward
from workings.practice.exercise import exercise
from workings.practice.mistakes import MistakeFinder, MistakeOutcome, merged, same

NAMES = ["example-3", "example-5", "cat-sleeps", "layer-norm", "multi-head", "causal-mask"]


@pytest.fixture(scope="module")
def mistakes():
    return MistakeFinder(exercise("example-3").trace)


def key(mistake):
    return mistake.id, mistake.step, mistake.value.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_mistakes_of_one_step_are_those_of_all_that_show_there(name):
    mistakes = MistakeFinder(exercise(name).trace)
    runs = {mistake.id for mistake in mistakes.all if mistake.changes is None}
    for step in mistakes.named_steps:
        here = {key(mistake) for mistake in mistakes.all if mistake.step == step.path and mistake.id not in runs}
        assert {key(mistake) for mistake in mistakes.at(step.path)} == here, step.path


@pytest.mark.parametrize("name", NAMES)
def test_mistakes_change_the_step_that_shows_them_and_come_in_its_order(name):
    mistakes = MistakeFinder(exercise(name).trace)
    paths = [step.path for step in mistakes.named_steps]
    positions = [paths.index(mistake.step) for mistake in mistakes.all]
    assert positions == sorted(positions)
    for mistake in mistakes.all:
        assert not same(mistake.value, mistakes.trace[mistake.step].value), mistake
    assert len({(mistake.id, mistake.made, mistake.step) for mistake in mistakes.all}) == len(mistakes.all)


def test_outcome_of_a_mistake_equals_numpy(mistakes):
    trace = mistakes.trace
    found = {mistake.id: mistake.value for mistake in mistakes.at("block1.attention.weights")}
    powers = numpy.exp(trace["scaled"].value)
    assert numpy.allclose(found["softmax.wrong_axis"], powers / powers.sum(axis=0))
    assert numpy.allclose(found["softmax.not_normalised"], powers)
    scores = {mistake.id: mistake.value for mistake in mistakes.at("block1.attention.scores")}
    assert numpy.allclose(scores["matmul.queries_and_keys_exchanged"], trace["K"].value @ trace["Q"].value.T)


def test_mistake_in_an_unnamed_step_shows_in_the_next_named_one(mistakes):
    turned = [mistake for mistake in mistakes.all if "transpose.forgotten" in mistake.names]
    assert [(mistake.step, mistake.id) for mistake in turned] == [
        ("block1.attention.scores", "matmul.second_transposed")
    ]
    flipped = next(mistake for mistake in mistakes.all if mistake.id == "transpose.flipped")
    assert (flipped.made, flipped.step) == ("block1.attention.K_T", "block1.attention.scores")


def test_omitted_step_shows_as_the_step_taken_for_it(mistakes):
    left_out = next(mistake for mistake in mistakes.at("block1.attention.Q") if mistake.id == "matmul.weight_forgotten")
    assert numpy.array_equal(left_out.value, mistakes.trace["X"].value)


def outcome_of(id, value, made="weights", kind="op"):
    return MistakeOutcome(id, "weights", made, "", numpy.array(value), None, kind)


def names_of(*outcomes, truth=(0.0, 0.0)):
    return [one.names for one in merged(outcomes, lambda path: numpy.array(truth))]


def test_equal_outcomes_are_merged_under_several_ids():
    far, near = outcome_of("a.far", [1.0, 2.0], made="scaled"), outcome_of("b.near", [1.0, 2.0 + 1e-12])
    found = names_of(far, near, outcome_of("c", [1.0]))
    assert found == [("b.near", "a.far"), ("c",)]  # the one that is made closest to the step


def test_merged_outcome_is_named_after_the_most_telling_mistake():
    value = [1.0, 2.0]
    op, forgotten = outcome_of("mask.one_ahead", value), outcome_of("mask.forgotten", value)
    wire, setting = outcome_of("add.other_end", value, kind="wire"), outcome_of("root.model", value, kind="setting")
    assert names_of(op, forgotten) == [("mask.forgotten", "mask.one_ahead")]
    assert names_of(op, forgotten, wire)[0][0] == "add.other_end"
    assert names_of(op, forgotten, wire, setting)[0][0] == "root.model"


def test_mistakes_that_are_much_closer_to_each_other_than_to_the_truth_are_merged():
    one, other = outcome_of("norm.wrong_n", [1.0, 2.0]), outcome_of("norm.std_plus_epsilon", [1.0, 2.000001])
    assert names_of(one, other) == [("norm.wrong_n", "norm.std_plus_epsilon")]
    assert len(names_of(one, other, truth=(1.0, 2.0000005))) == 2
    masked = outcome_of("mask.forgotten", [1.0, 0.3]), outcome_of("mask.turned_into_zero", [1.0, 0.0])
    assert len(names_of(*masked, truth=(1.0, -numpy.inf))) == 2


def test_forgotten_causal_mask_is_called_that_with_two_tokens():
    """Two tokens that attend to the next one have no mask."""
    numbers = numpy.random.default_rng(3).standard_normal((2, 2))
    with w.Trace() as trace:
        masked = w.ops.causal_mask(w.given(numbers, "query key", name="scores"), name="masked")
        w.ops.softmax(masked, name="weights")
    mistakes = MistakeFinder(trace)
    assert ("causal_mask.forgotten", "causal_mask.one_ahead") in [mistake.names for mistake in mistakes.at("masked")]
    assert ("softmax.mask_forgotten", "causal_mask.forgotten") in [mistake.names for mistake in mistakes.at("weights")]


def test_forgotten_causal_mask_shows_in_the_masked_scores_and_not_as_hidden_earlier_tokens():
    mistakes = MistakeFinder(exercise("causal-mask").trace)
    masked = {mistake.id: mistake.value for mistake in mistakes.at("masked")}
    assert numpy.isfinite(masked["causal_mask.forgotten"]).all()
    assert numpy.isneginf(masked["causal_mask.upper_triangle"]).any()
    weights = {mistake.id for mistake in mistakes.at("weights")}
    assert "softmax.mask_forgotten" in weights
    assert "causal_mask.upper_triangle" not in weights


def test_n_minus_one_with_epsilon_outside_has_the_name_of_n_minus_one_where_no_digit_tells_them_apart():
    mistakes = MistakeFinder(exercise("layer-norm").trace)
    wrong = [mistake for mistake in mistakes.all if "layer_norm.std_plus_epsilon" in mistake.names]
    assert wrong
    assert all("layer_norm.wrong_n" in mistake.names for mistake in wrong)


def test_first_generator_of_sheets_knows_the_mistakes_of_its_time():
    mistakes = MistakeFinder(exercise("example-5").trace)
    first = {id for mistake in mistakes.first for id in mistake.names}
    later = {id for mistake in mistakes.all for id in mistake.names} - first
    assert {"softmax.wrong_axis", "collect.assigned"} <= first
    assert {"softmax.average_forgotten", "collect.only_first_path"} <= later


def test_rule_that_follows_a_mistake_is_tried_only_after_the_mistake():
    mistakes = MistakeFinder(exercise("example-5").trace)
    path = "block1.feed_forward.dhidden"
    alone = {mistake.id for mistake in mistakes.at(path)}
    after = {mistake.id: mistake for mistake in mistakes.at(path, after=["relu.forgotten"])}
    assert not any(id.endswith("+rule") for id in alone)
    assert {id for id in after if id not in alone} == {"relu.forgotten+rule"}
    assert after["relu.forgotten+rule"].after == "relu.forgotten"
    assert numpy.array_equal(after["relu.forgotten+rule"].value, mistakes.trace["dactivated"].value)


def test_mistakes_are_made_on_the_numbers_carried_forward(mistakes):
    trace = mistakes.trace
    carried = CarriedForward(trace.recording)
    other = trace["scores"].value * 2
    for step in trace.recording.steps.values():
        carried.compute(step)
        if step.path.endswith(".scores"):
            carried.state(step, other)
        if step.path.endswith(".scaled"):
            break
    at_step = mistakes.at("block1.attention.scaled", carried=carried.recording)
    found = {mistake.id: mistake.value for mistake in at_step}
    assert numpy.allclose(found["divide_by_root.not_divided"], other)
    assert numpy.allclose(found["divide_by_root.root_forgotten"], other / 2)


def test_another_place_of_the_norm_is_another_run():
    mistakes = MistakeFinder(exercise("block").trace)
    runs = [mistake for mistake in mistakes.all if mistake.changes is None]
    assert [mistake.id for mistake in runs] == ["convention.norm_place.post"]
    assert runs[0].step == next(step.path for step in mistakes.named_steps if step.op_name == "layer_norm")


def test_mistake_that_changes_no_number_is_not_listed():
    with w.Trace() as trace:
        w.ops.relu(w.given([0.5, 0.7], name="x"), name="h")
    assert "relu.forgotten" in {fit.id for fit in candidates(trace)}
    assert "relu.forgotten" not in {mistake.id for mistake in MistakeFinder(trace).all}
