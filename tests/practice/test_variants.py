"""Variants: every one passes its checks, and a seed always gives the same numbers."""

import numpy
import pytest

from workings.engine.errors import LessonError
from workings.explain.trace import Trace
from workings.ops.parts.drawing import Draws
from workings.practice import variant as variants
from workings.practice.exercise import MAX_STEPS, exercise
from workings.practice.tolerance import half_unit, is_short
from workings.practice.variant import INVISIBLE, MIN_APART, Variant, distance, faults, find_variant
from workings.practice.variant_values import TENTHS, draw_values

NAMES = ["example-3", "example-5", "cat-sleeps", "layer-norm", "token-i", "causal-mask"]
SEEDS = [1, 2, 3]


@pytest.fixture(scope="module")
def made():
    """The variants of this module, each made once."""
    traces, found = {}, {}

    def make(name, seed):
        if (name, seed) not in found:
            traces.setdefault(name, exercise(name).trace)
            found[name, seed] = find_variant(traces[name], seed)
        return found[name, seed]

    return make


def leaves(variant):
    return {leaf.path: numpy.asarray(leaf.tensor.array) for leaf in variant.trace.recording.leaves()}


@pytest.mark.parametrize("name", NAMES)
def test_seed_determines_the_numbers(name, made):
    again = find_variant(exercise(name).trace, 1)
    first, second = leaves(made(name, 1)), leaves(made(name, 2))
    assert all(numpy.array_equal(value, leaves(again)[path]) for path, value in first.items())
    assert any(not numpy.array_equal(value, second[path]) for path, value in first.items())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_given_numbers_are_short_and_computed_ones_limited(name, seed, made):
    variant = made(name, seed)
    for path in draw_values(variant.trace, seed, 0):
        drawn = variant.trace[path].value
        assert all(is_short(float(value), 2) for value in drawn.ravel()), path
        assert numpy.abs(drawn).max() < TENTHS
    for step in variant.steps:
        values = numpy.asarray(step.tensor.array)
        assert numpy.abs(values[numpy.isfinite(values)]).max(initial=0.0) <= variants.MAX_NUMBER or is_whole(values)


def is_whole(values):
    return (values == numpy.round(values)).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_mistake_is_far_from_the_truth_or_invisible(name, seed, made):
    variant = made(name, seed)
    for mistake in variant.shown:
        assert variant.distance(mistake) >= MIN_APART
    near = {mistake.id for mistake in variant.hidden if variant.distance(mistake) >= INVISIBLE}
    assert near <= {"convention.norm_epsilon.1e-05"}  # an epsilon moves the last digit, if any
    assert len(variant.hidden) + len(variant.shown) == len(variant.mistakes.all)


@pytest.mark.parametrize("seed", SEEDS)
def test_update_is_visible_in_the_digits(seed, made):
    variant = made("example-3", seed)
    for name in ("W_Q", "W_K", "W_V", "W_vocab"):
        old, new = variant.trace[name].value, variant.trace[f"{name}_new"].value
        units = numpy.vectorize(lambda value: half_unit(float(value), variant.digits))(old)
        assert (numpy.abs(new - old) > 4 * units).any()


@pytest.mark.parametrize("name", ["example-5", "cat-sleeps"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_relu_depends_on_a_rounding(name, seed, made):
    hidden = made(name, seed).trace["hidden"].value
    assert numpy.abs(hidden).min() > 10 * half_unit(float(numpy.abs(hidden).max()), 4)


def test_every_kind_of_fault_is_found(monkeypatch):
    trace = exercise("example-5", "twin").trace
    sound = Variant(trace, 4)
    assert not list(faults(sound))
    paths = {step.name: step.path for step in sound.steps}

    def found(**values):
        return set(faults(Variant(trace.replay(values=values), 4)))

    assert {paths["Q"], paths["weights"]} <= found(W_Q=[[90.0, 80.0], [-70.0, 60.0]])  # too large, and too far apart
    touching = trace["b_1"].value - trace["hidden"].value[0]  # the first entry comes to lie at 0
    assert paths["activated"] in found(b_1=touching)
    assert paths["W_Q_new"] in found(W_V=1e-4 * numpy.ones((2, 2)))  # no gradient is left for the queries
    monkeypatch.setattr(Variant, "tolerances", {step.path: numpy.zeros(step.form.shape) for step in sound.steps})
    assert paths["weights"] in set(faults(Variant(trace, 4)))  # rounding never hits the truth exactly


def test_failing_numbers_are_passed_over_in_order(monkeypatch):
    trace = exercise("example-3").trace
    tried = []

    def drawn(trace, seed, attempt):
        tried.append(attempt)
        values = draw_values(trace, seed, attempt)
        return values | {"block1.attention.W_Q": numpy.full((2, 2), 1e3)} if attempt < 2 else values

    monkeypatch.setattr(variants, "draw_values", drawn)
    found = find_variant(trace, 1)
    assert tried[:3] == [0, 1, 2]
    assert found.attempt >= 2


def test_error_if_no_numbers_pass(monkeypatch):
    trace = exercise("example-3").trace
    monkeypatch.setattr(variants, "MAX_ATTEMPTS", 2)
    monkeypatch.setattr(variants, "MAX_NUMBER", 0.01)
    with pytest.raises(LessonError, match="None of 2 sets"):
        find_variant(trace, 1)


def test_distances_are_counted_in_tolerances():
    one, other, tolerances = (
        numpy.array([1.0, 2.0, -numpy.inf]),
        numpy.array([1.0, 2.5, -numpy.inf]),
        numpy.full(3, 0.1),
    )
    assert distance(one, other, tolerances).tolist() == [0, 5, 0]
    assert distance(one, numpy.array([numpy.nan, 2.0, 0.0]), tolerances).tolist() == [numpy.inf, 0, numpy.inf]


def test_rerun_under_another_convention_keeps_the_numbers():
    variant = find_variant(exercise("block").trace, 1)
    assert variant.trace.convention is not None
    assert variant.trace.run.rerun is not None
    other = variant.trace.run.rerun(variant.trace.convention.but(norm_place="post"))
    assert isinstance(other, Trace)
    assert numpy.array_equal(other["W_Q"].value, variant.trace["W_Q"].value)


def test_labels_and_masks_keep_their_values():
    trace = exercise("cat-sleeps").trace
    drawn = draw_values(trace, 1, 0)
    assert "labels" not in drawn
    assert {"X", "W_Q", "b_2"} <= drawn.keys()


def test_every_weight_has_its_own_random_stream():
    """So one more weight changes no other."""
    one, again, other = (Draws.stream(1, f"0 {name}").whole(4, below=100).tolist() for name in ("W_Q", "W_Q", "W_K"))
    assert one == again
    assert one != other


def test_long_run_and_unknown_name_are_rejected():
    with pytest.raises(LessonError, match=str(MAX_STEPS)):
        exercise("characters")
    with pytest.raises(LessonError, match="example-3"):
        exercise("exampel-3")
