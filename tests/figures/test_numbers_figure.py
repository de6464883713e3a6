"""The forward pass in numbers: every matrix is that of its step, whole or as a corner, with the right operation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from figure_checks import check_numbers, drawn_width, smallest_label

import workings as w
from workings.figures import figure_rows
from workings.figures.numbers import numbers_of
from workings.figures.parts.operations import operation_of


def test_forward_pass_is_drawn_from_tokens_to_probabilities():
    trace = w.scenario("example-1").trace()
    figure = numbers_of(trace)
    names = [one.matrix.name for one in figure.data.steps]
    assert names == ["tokens", "X", "Q", "K", "V", "scores", "scaled", "weights", "context", "last", "logits", "P"]
    for one in figure.data.steps:
        check_numbers(trace, replace(figure, data=one.matrix))
        assert one.matrix.more == (False, False)
    assert [figure.data.steps[place].matrix.name for place in figure.data.steps[8].inputs] == ["weights", "V"]


def test_target_and_weights_are_left_out():
    names = {one.matrix.name for one in numbers_of(w.scenario("example-2").trace()).data.steps}
    assert not names & {"target", "W_Q", "E"}


def test_of_a_large_matrix_there_is_a_corner():
    figure = numbers_of(w.scenario("cat-sat-encoder").trace(), "block1.attention")
    (attended,) = (one.matrix for one in figure.data.steps if one.matrix.name == "attended")
    assert (len(attended.rows), len(attended.rows[0]), attended.more) == (3, 2, (False, True))
    assert "corner" in figure.note


def test_words_say_which_row_of_the_last_matrix_they_tell():
    def told(trace, *names):
        return numbers_of(trace, names=names).alternative.partition("At the end, ")[2]

    trace = w.scenario("block").trace()
    assert told(trace, "P").startswith("the last row of P is ")
    assert told(trace, "weights").startswith("the last row of weights[0] is the 0.")
    assert told(w.scenario("example-1").trace(), "P").startswith("P is A 0.")
    assert told(w.scenario("cat-sat-encoder").trace(), "attended").endswith(", ….")
    with w.Trace() as wide:
        wide.start_from(w.given([[0.5] * 9] * 9, "token model", name="x"))
        w.ops.relu(wide["x"].tensor, name="y")
    assert told(wide, "y") == "the first row of y is 0.5, 0.5, …."


def test_note_says_that_one_of_several_heads_is_drawn():
    assert "the first is drawn" in numbers_of(w.scenario("block").trace(), "block1.attention").note
    assert numbers_of(w.scenario("example-1").trace()).note == ""


@pytest.mark.parametrize(
    ("scenario", "under", "names"),
    [
        ("cat-sat", "", ()),
        ("hello-world", "head1", ()),
        ("cat-sat-encoder", "block1.attention", ()),
        ("block", "", ("X", "hidden", "activated", "output", "logits")),
        ("example-1", "", ("scores", "weights")),
    ],
)
def test_any_part_of_a_model_is_drawn(scenario, under, names):
    figure = numbers_of(w.scenario(scenario).trace(), under, names)
    assert drawn_width(figure) <= 600
    assert smallest_label(figure)[1] >= 12
    for width in (44, 80):
        assert max(map(len, figure_rows(figure, width))) <= width


@pytest.mark.parametrize(
    ("scenario", "under", "what"), [("sort", "", "have room with their numbers"), ("example-1", "nosuch", "No step")]
)
def test_what_has_no_room_is_rejected(scenario, under, what):
    with pytest.raises(w.WorkingsError, match=what):
        numbers_of(w.scenario(scenario).trace(), under)


def test_every_operation_has_a_short_name():
    trace = w.scenario("block").trace()
    found = {view.name: operation_of(view) for view in map(trace.__getitem__, ("masked", "hidden", "attended"))}
    assert found == {"masked": "mask", "hidden": "· W_1 + b_1", "attended": "· W_O"}
