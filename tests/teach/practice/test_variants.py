"""Variants: what each of them proves about itself, and that a seed gives the same numbers always."""

import numpy
import pytest

from workings.engine.errors import LessonError
from workings.explain.view import Trace
from workings.ops.drawing import Draws
from workings.teach.practice import variant as variants
from workings.teach.practice.drawn import TENTHS, drawn_values
from workings.teach.practice.exercise import LONGEST, exercise
from workings.teach.practice.tolerance import half_unit, is_short
from workings.teach.practice.variant import APART, HIDDEN, Variant, distance, faults, find_variant

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
def test_a_seed_gives_the_same_numbers_always_and_another_seed_others(name, made):
    again = find_variant(exercise(name).trace, 1)
    first, second = leaves(made(name, 1)), leaves(made(name, 2))
    assert all(numpy.array_equal(value, leaves(again)[path]) for path, value in first.items())
    assert any(not numpy.array_equal(value, second[path]) for path, value in first.items())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_numbers_given_are_short_and_those_worked_out_within_reach(name, seed, made):
    variant = made(name, seed)
    for path in drawn_values(variant.trace, seed, 0):
        drawn = variant.trace[path].value
        assert all(is_short(float(value), 2) for value in drawn.ravel()), path
        assert numpy.abs(drawn).max() < TENTHS
    for step in variant.steps:
        values = numpy.asarray(step.tensor.array)
        assert numpy.abs(values[numpy.isfinite(values)]).max(initial=0.0) <= variants.LARGEST or is_whole(values)


def is_whole(values):
    return (values == numpy.round(values)).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_far_from_the_truth_or_cannot_be_seen_at_all(name, seed, made):
    variant = made(name, seed)
    for slip in variant.shown:
        assert variant.distance(slip) >= APART
    near = {slip.id for slip in variant.hidden if variant.distance(slip) >= HIDDEN}
    assert near <= {"convention.norm_epsilon.1e-05"}  # an epsilon moves the last digit, if any
    assert len(variant.hidden) + len(variant.shown) == len(variant.slips.all)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_update_is_seen_in_the_digits_shown(seed, made):
    variant = made("example-3", seed)
    for name in ("W_Q", "W_K", "W_V", "W_vocab"):
        old, new = variant.trace[name].value, variant.trace[f"{name}_new"].value
        units = numpy.vectorize(lambda value: half_unit(float(value), variant.digits))(old)
        assert (numpy.abs(new - old) > 4 * units).any()


@pytest.mark.parametrize("name", ["example-5", "cat-sleeps"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_side_of_zero_hangs_on_a_rounding(name, seed, made):
    hidden = made(name, seed).trace["hidden"].value
    assert numpy.abs(hidden).min() > 10 * half_unit(float(numpy.abs(hidden).max()), 4)


def test_faults_are_found(monkeypatch):
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
    assert paths["weights"] in set(faults(Variant(trace, 4)))  # nobody who rounds hits the truth exactly


def test_numbers_that_fail_are_passed_over_in_the_same_order(monkeypatch):
    trace = exercise("example-3").trace
    tried = []

    def drawn(trace, seed, attempt):
        tried.append(attempt)
        values = drawn_values(trace, seed, attempt)
        return values | {"block1.attention.W_Q": numpy.full((2, 2), 1e3)} if attempt < 2 else values

    monkeypatch.setattr(variants, "drawn_values", drawn)
    found = find_variant(trace, 1)
    assert tried[:3] == [0, 1, 2]
    assert found.attempt >= 2


def test_where_no_numbers_are_fit_it_is_said(monkeypatch):
    trace = exercise("example-3").trace
    monkeypatch.setattr(variants, "TRIES", 2)
    monkeypatch.setattr(variants, "LARGEST", 0.01)
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


def test_a_variant_run_by_another_convention_has_its_numbers():
    variant = find_variant(exercise("block").trace, 1)
    assert variant.trace.convention is not None
    assert variant.trace.rerun is not None
    other = variant.trace.rerun(variant.trace.convention.but(norm_place="post"))
    assert isinstance(other, Trace)
    assert numpy.array_equal(other["W_Q"].value, variant.trace["W_Q"].value)


def test_labels_and_masks_stay_what_they_are():
    trace = exercise("cat-sleeps").trace
    drawn = drawn_values(trace, 1, 0)
    assert "labels" not in drawn
    assert {"X", "W_Q", "b_2"} <= drawn.keys()


def test_drawn_numbers_do_not_hang_on_one_another():
    """One weight more changes no other: each has a stream of its own."""
    one, again, other = (Draws.stream(1, f"0 {name}").whole(4, below=100).tolist() for name in ("W_Q", "W_Q", "W_K"))
    assert one == again
    assert one != other


def test_what_nobody_works_out_by_hand_is_refused():
    with pytest.raises(LessonError, match=str(LONGEST)):
        exercise("characters")
    with pytest.raises(LessonError, match="example-3"):
        exercise("exampel-3")
