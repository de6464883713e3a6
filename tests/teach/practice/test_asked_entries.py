"""Which entries a sheet asks for: those that tell."""

import itertools

import numpy
import pytest

from workings.engine.rounding import round_float
from workings.teach.practice.asked import BLANKS, MOST, SOME, asked, chosen_entries, label_of
from workings.teach.practice.exercise import exercise
from workings.teach.practice.variant import APART, Variant, find_variant

NAMES = ["example-3", "example-5", "cat-sleeps", "layer-norm"]


@pytest.fixture(scope="module")
def variants():
    return {name: find_variant(exercise(name).trace, 2) for name in NAMES}


def numbers(fields):
    found = {}
    for field in fields:
        if field.kind == "number":
            found.setdefault(field.step, []).append(field.index)
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("blanks", ["some", "all"])
def test_every_slip_that_shows_at_all_shows_in_an_entry_that_is_asked_for(name, blanks, variants):
    variant = variants[name]
    entries = numbers(asked(variant, blanks))
    for slip in variant.shown:
        distances = variant.distances(slip)
        if distances is not None:
            assert max(distances[index] for index in entries[slip.step]) >= APART, slip.id


@pytest.mark.parametrize("name", NAMES)
def test_slips_that_all_entries_together_tell_apart_are_told_apart_by_those_asked_for(name, variants):
    variant = variants[name]
    entries = numbers(asked(variant, "some"))
    for step in variant.steps:
        slips = [s for s in variant.shown if s.step == step.path and s.value.shape == step.form.shape]
        limits = 2 * variant.tolerances[step.path]
        for one, other in itertools.combinations(slips, 2):
            gap = numpy.abs(rounded(one.value) - rounded(other.value)) > limits
            assert gap.any() == any(gap[index] for index in entries[step.path]), (one.id, other.id)


def rounded(array):
    return numpy.vectorize(lambda value: round_float(float(value), 4, "significant"))(array)


@pytest.mark.parametrize("name", NAMES)
def test_blanks_fade(name, variants):
    few, some, every = (numbers(asked(variants[name], blanks)) for blanks in BLANKS)
    assert few.keys() < some.keys() == every.keys()
    for step, indices in some.items():
        assert set(indices) <= set(every[step])
        assert len(indices) >= min(SOME, len(every[step]))
    assert {step: len(indices) for step, indices in every.items()} == {
        step.path: step.tensor.array.size for step in variants[name].steps
    }


def test_few_asks_once_for_each_kind_of_step(variants):
    asked_for = numbers(asked(variants["example-3"], "few"))
    assert "block1.attention.Q" in asked_for
    assert not {"block1.attention.K", "block1.attention.V"} & asked_for.keys()  # products again
    assert {"block1.attention.scaled", "block1.attention.weights", "loss", "embedding.dE"} <= asked_for.keys()


def test_of_a_large_step_not_every_entry_is_asked_for():
    variant = Variant(exercise("hello-world").trace, 4)
    for step in variant.steps:
        assert len(chosen_entries(variant, step, "all")) <= max(MOST, 0), step.path


def test_shapes_are_asked_of_what_is_turned_round_and_drawn_nowhere():
    variant = Variant(exercise("multi-head").trace, 4)
    shapes = [field for field in asked(variant, "all") if field.kind == "shape"]
    drawn = {step.path for step in variant.slips.told}
    assert [field.label for field in shapes] == ["shape of K_heads_T"]
    assert all(field.true == variant.trace[field.step].shape and field.step not in drawn for field in shapes)
    assert not [field for field in asked(variant, "few") if field.kind == "shape"]


@pytest.mark.parametrize(
    ("name", "run", "copy", "source"),
    [
        ("multi-head", None, "Q_heads", "Q"),
        ("example-3", None, "last", "context"),
        ("cat-sat", "masked", "masked", "scaled"),
    ],
)
@pytest.mark.parametrize("blanks", ["few", "some"])
def test_what_only_repeats_a_blank_is_a_blank(name, run, copy, source, blanks):
    variant = find_variant(exercise(name, run).trace, 2)
    entries = numbers(asked(variant, blanks))
    copied, original = variant.trace[copy], variant.trace[source]
    blank = {float(original.value[index]) for index in entries[original.path]} if original.path in entries else set()
    asked_for = entries.get(copied.path, [])
    printed = {float(value) for index, value in numpy.ndenumerate(copied.value) if index not in asked_for}
    assert not blank & printed


def test_hidden_positions_are_asked_for_and_so_is_the_likeliest_word():
    masked = [f for f in asked(Variant(exercise("causal-mask").trace, 4), "all") if f.kind == "positions"]
    assert [(field.step, field.index, field.true) for field in masked] == [("masked", (0,), (1, 2, 3))]
    variant = Variant(exercise("example-3").trace, 4)
    choice = next(field for field in asked(variant, "all") if field.kind == "choice")
    shares = variant.trace["P"].value
    assert choice.true == choice.choices[int(shares.argmax())]


@pytest.mark.parametrize("name", ["example-4", "hello-world", "block"])
def test_labels_tell_steps_apart(name):
    trace = exercise(name).trace
    steps = Variant(trace, 4).steps
    labels = [label_of(trace, step) for step in steps]
    assert len(set(labels)) == len(labels)
    assert all(label.endswith(step.name) for label, step in zip(labels, steps, strict=True) if "α" not in label)
