"""Windows of a mask: the same rows as the mask, in words that are there and cut where they are too many, and the token
that comes next.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures import svg_of
from workings.figures.mask import mask_of
from workings.figures.windows import windows_of


@pytest.mark.parametrize("size", [1, 3, 12, 15])
def test_each_position_attends_to_itself_and_earlier_ones(size):
    with w.Trace() as trace:
        w.ops.causal_mask(w.given(numpy.ones((size, size)), "query key", name="scores"), name="masked")
    figure = windows_of(trace, "masked")
    assert [sum(row) for row in figure.data.seen] == list(range(1, min(size, 12) + 1))
    assert bool(figure.note) == (size > 12)
    check_numbers(trace, figure)
    if size <= 12:
        mask = mask_of(trace, "masked")
        assert (figure.data.rows, figure.data.seen) == (mask.data.rows, mask.data.seen)
        assert figure.alternative.startswith(mask.alternative)


@pytest.mark.parametrize(("step", "what"), [("P", "does not have a row for each position"), ("weights", "not a mask")])
def test_step_that_is_not_a_mask_is_rejected(step, what):
    with pytest.raises(w.WorkingsError, match=what):
        windows_of(w.scenario("example-1").trace(), step)


def test_prediction_is_the_most_probable_token_and_answer_is_the_target():
    trace = w.scenario("block").trace()
    figure = windows_of(trace, "masked", trace.labels.axes)
    probabilities = numpy.asarray(trace.recording.value(trace["P"].id))
    vocabulary = trace.labels.axes["vocab"]
    assert [one.word for one in figure.data.following] == [vocabulary[n] for n in probabilities.argmax(axis=1)]
    assert [one.probability.value for one in figure.data.following] == list(probabilities.max(axis=1))
    assert [one.answer for one in figure.data.following] == ["cat", "sat", "down"]
    assert "After the it predicts down (0.8762), and cat follows" in figure.alternative
    assert figure.note == ""  # the mask of both heads is the same


def test_model_with_one_prediction_makes_it_at_the_last_position():
    trace = w.scenario("example-1").trace("masked")
    figure = windows_of(trace, "masked", trace.labels.axes)
    assert [one.is_known for one in figure.data.following] == [False, True]


def test_without_predictions_it_is_the_next_token_of_the_text():
    trace = w.scenario("cat-sat").trace("masked")
    assert [one.word for one in windows_of(trace, "masked", trace.labels.axes).data.following] == ["cat", "sat", ""]


def test_attention_to_later_tokens_leaves_no_prediction():
    with w.Trace() as trace:
        trace.start_from(w.given([[1.0, 1.0], [1.0, 1.0]], "query key", name="seen"))
    assert windows_of(trace, "seen", {"query": ("a", "b"), "key": ("a", "b")}).data.following == ()


@pytest.mark.parametrize("length", [1, 8, 16])
def test_words_of_any_length_leave_the_picture_in_its_width(length):
    words = tuple("w" * length for _ in range(12))
    with w.Trace() as trace:
        w.ops.causal_mask(w.given(numpy.ones((12, 12)), "query key", name="scores"), name="masked")
    figure = windows_of(trace, "masked", {"query": words, "key": words})
    root = ElementTree.fromstring(svg_of(figure))
    assert float(root.get("width")) <= 604
    assert bool(figure.note) == (len(figure.data.rows) < 12)
