"""One row of attention: its numbers are those of the trace, and it is drawn for any token of any head."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers, drawn_width, smallest_label

import workings as w
from workings.figures import figure_rows, svg_of
from workings.figures.attention import attention_of


def labeled(trace, step, token="", at=()):
    view = trace[step]
    return attention_of(view, trace.labels(view), at, token)


def test_row_is_that_of_the_token():
    trace = w.scenario("cat-sat").trace()
    for place, token in enumerate(("The", "cat", "sat")):
        data = labeled(trace, "weights", token).data
        assert data.query == token
        assert [key.weight.index for key in data.keys] == [(place, 0), (place, 1), (place, 2)]
        assert [one.index for one in data.context] == [(place, column) for column in range(3)]
        assert labeled(trace, "weights", str(place)).data == data
    assert labeled(trace, "weights").data == data


def test_numbers_are_entries_of_the_trace():
    trace = w.scenario("example-1").trace()
    figure = labeled(trace, "weights", "A")
    for key in figure.data.keys:
        check_numbers(trace, replace(figure, data=key))
    assert [(column.name, column.how) for column in figure.data.columns] == [("scores", "Q · K"), ("scaled", "÷ √2")]


def test_context_vector_is_the_weighted_sum_of_the_values():
    data = labeled(w.scenario("cat-sat").trace(), "weights").data
    weights = numpy.asarray([key.weight.value for key in data.keys])
    values = numpy.asarray([[one.value for one in key.value] for key in data.keys])
    assert numpy.allclose(weights @ values, [one.value for one in data.context])
    assert data.line.value.value == data.context[0].value


def test_only_the_largest_weight_is_marked():
    data = labeled(w.scenario("cat-sat").trace(), "weights", "The").data
    assert [key.is_strongest for key in data.keys] == [True, False, False]


def test_masked_key_has_no_bar():
    figure = labeled(w.scenario("cat-sat").trace("masked"), "weights", "The")
    assert [key.weight.value for key in figure.data.keys] == [1.0, 0.0, 0.0]
    root = ElementTree.fromstring(svg_of(figure))
    bars = [node for node in root.iter() if node.get("class") == "accent"]
    assert len(bars) == 1
    assert figure.data.columns[-1].how == "÷ √64, mask"


@pytest.mark.parametrize(
    ("scenario", "step", "at"),
    [
        ("cat-sat-encoder", "head2.weights", ()),
        ("cat-sat-encoder", "attention.weights", (7,)),
        ("sort", "block2.attention.weights", (3, 1)),
        ("hello-world", "head2.weights", ()),
    ],
)
def test_row_of_any_model_is_drawn(scenario, step, at):
    figure = labeled(w.scenario(scenario).trace(), step, at=at)
    assert drawn_width(figure) <= 600
    assert smallest_label(figure)[1] >= 12
    for width in (44, 80):
        assert max(map(len, figure_rows(figure, width))) <= width


def test_of_many_keys_the_strongest_are_drawn():
    figure = labeled(w.scenario("sort").trace(), "block2.attention.weights", "16")
    assert len(figure.data.keys) == 8
    assert "Of 17 keys" in figure.note


@pytest.mark.parametrize(
    ("step", "token", "at", "what"),
    [
        ("scores", "", (), "scores has no attention weights"),
        ("P", "", (), "P has no attention weights"),
        ("weights", "dog", (), "belongs to the token 'dog'"),
        ("weights", "7", (), "belongs to the token '7'"),
        ("weights", "", (1,), "no matrix at"),
    ],
)
def test_what_is_no_row_of_attention_is_rejected(step, token, at, what):
    with pytest.raises(w.WorkingsError, match=what):
        labeled(w.scenario("example-1").trace(), step, token, at)
