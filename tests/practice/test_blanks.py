"""Which entries of a sheet are blanks: those that distinguish mistakes."""

import itertools

import numpy
import pytest

from workings.engine.rounding import round_float
from workings.practice.blanks import BLANK_LEVELS, MAX_BLANKS, MIN_BLANKS, choose_blanks, chosen_entries, step_label
from workings.practice.exercise import exercise
from workings.practice.variant import FIRST_GENERATOR, MIN_APART, Variant, find_variant

NAMES = ["example-3", "example-5", "cat-sleeps", "layer-norm"]


@pytest.fixture(scope="module")
def variants():
    return {name: find_variant(exercise(name).trace, 2) for name in NAMES}


def numbers(blanks):
    found = {}
    for blank in blanks:
        if blank.kind == "number":
            found.setdefault(blank.step, []).append(blank.index)
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", ["some", "all"])
def test_every_visible_mistake_shows_in_a_blank(name, level, variants):
    variant = variants[name]
    entries = numbers(choose_blanks(variant, level))
    for mistake in variant.shown:
        distances = variant.distances(mistake)
        if distances is not None and mistake.step in entries:  # a step that only copies what is given is printed
            assert max(distances[index] for index in entries[mistake.step]) >= MIN_APART, mistake.id


@pytest.mark.parametrize("name", NAMES)
def test_blanks_distinguish_the_mistakes_that_all_entries_distinguish(name, variants):
    variant = variants[name]
    entries = numbers(choose_blanks(variant, "some"))
    for step in variant.steps:
        if step.path not in entries:  # a step that only copies what is given is printed
            continue
        mistakes = [s for s in variant.shown if s.step == step.path and s.value.shape == step.form.shape]
        limits = 2 * variant.tolerances[step.path]
        for one, other in itertools.combinations(mistakes, 2):
            gap = numpy.abs(rounded(one.value) - rounded(other.value)) > limits
            assert gap.any() == any(gap[index] for index in entries[step.path]), (one.id, other.id)


@pytest.mark.parametrize("level", BLANK_LEVELS)
def test_entries_that_rounding_moves_too_far_are_not_asked_for(level):
    """In the lesson's own numbers, large terms cancel in two gradients."""
    variant = Variant(exercise("cat-sat").trace, 4)
    assert {variant.trace.recording.step(id).path for id, _ in variant.unstable} == {"dscores"}
    asked = {(blank.step, blank.index) for blank in choose_blanks(variant, level)}
    assert not asked & {("dscores", index) for _, index in variant.unstable}


def rounded(array):
    return numpy.vectorize(lambda value: round_float(float(value), 4, "significant"))(array)


@pytest.mark.parametrize("name", NAMES)
def test_each_level_has_more_blanks_than_the_one_before(name, variants):
    few, some, every = (numbers(choose_blanks(variants[name], level)) for level in BLANK_LEVELS)
    assert few.keys() < some.keys() == every.keys()
    assert all(set(indices) <= set(every[step]) for step, indices in some.items())
    assert sum(len(indices) >= MIN_BLANKS or indices == every[step] for step, indices in some.items()) > 0.9 * len(some)


@pytest.mark.parametrize("name", NAMES)
def test_first_generator_left_every_entry_blank(name, variants):
    every = numbers(choose_blanks(variants[name], "all", FIRST_GENERATOR))
    sizes = {step.path: step.tensor.array.size for step in variants[name].steps}
    assert {step: len(indices) for step, indices in every.items()} == sizes


def test_few_has_blanks_once_for_each_kind_of_step(variants):
    steps = numbers(choose_blanks(variants["example-3"], "few"))
    assert "block1.attention.Q" in steps
    assert not {"block1.attention.K", "block1.attention.V"} & steps.keys()  # products again
    assert {"block1.attention.scaled", "block1.attention.weights", "loss", "embedding.dE"} <= steps.keys()


def test_number_of_blanks_in_a_large_step_is_limited():
    variant = Variant(exercise("hello-world").trace, 4)
    for step in variant.steps:
        every = [*numpy.ndindex(step.form.shape)]
        at_step = [mistake for mistake in variant.mistakes.all if mistake.step == step.path]
        assert len(chosen_entries(variant, step, "all", every, at_step)) <= MAX_BLANKS, step.path


def test_shape_of_an_undrawn_transposed_matrix_is_a_blank():
    variant = Variant(exercise("multi-head").trace, 4)
    shapes = [blank for blank in choose_blanks(variant, "all") if blank.kind == "shape"]
    drawn = {step.path for step in variant.mistakes.named_steps}
    assert [blank.label for blank in shapes] == ["shape of K_heads_T"]
    assert all(blank.true == variant.trace[blank.step].shape and blank.step not in drawn for blank in shapes)
    assert not [blank for blank in choose_blanks(variant, "few") if blank.kind == "shape"]


@pytest.mark.parametrize(
    ("name", "run", "copy", "source"),
    [
        ("multi-head", None, "Q_heads", "Q"),
        ("example-3", None, "last", "context"),
        ("cat-sat", "masked", "masked", "scaled"),
    ],
)
@pytest.mark.parametrize("level", ["few", "some"])
def test_entry_that_only_repeats_a_blank_is_a_blank(name, run, copy, source, level):
    variant = find_variant(exercise(name, run).trace, 2)
    entries = numbers(choose_blanks(variant, level))
    copied, original = variant.trace[copy], variant.trace[source]
    blank = {float(original.value[index]) for index in entries[original.path]} if original.path in entries else set()
    blanks = entries.get(copied.path, [])
    printed = {float(value) for index, value in numpy.ndenumerate(copied.value) if index not in blanks}
    assert not blank & printed


def test_masked_positions_and_the_most_likely_token_are_blanks():
    blanks = choose_blanks(Variant(exercise("causal-mask").trace, 4), "all")
    masked = [blank for blank in blanks if blank.kind == "positions"]
    assert [(blank.step, blank.index, blank.true) for blank in masked] == [("masked", (0,), (1, 2, 3))]
    variant = Variant(exercise("example-3").trace, 4)
    choice = next(blank for blank in choose_blanks(variant, "all") if blank.kind == "choice")
    assert choice.true == choice.choices[int(variant.trace["P"].value.argmax())]


@pytest.mark.parametrize("name", ["example-4", "hello-world", "block"])
def test_labels_are_unique(name):
    trace = exercise(name).trace
    steps = Variant(trace, 4).steps
    labels = [step_label(trace, step) for step in steps]
    assert len(set(labels)) == len(labels)
    assert all(label.endswith(step.name) for label, step in zip(labels, steps, strict=True) if "α" not in label)
