"""The diagram of several heads: packed or one by one, with what goes in, and what is made of them."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures import svg_of
from workings.figures.heads import heads_of
from workings.figures.parts.heads_drawing import heads_in_row

SVG = "{http://www.w3.org/2000/svg}"


def test_heads_in_one_array():
    trace = w.scenario("cat-sat-encoder").trace()
    figure = heads_of(trace)
    data = figure.data
    check_numbers(trace, figure)
    assert [box.name for box in data.heads] == [f"head{n}" for n in range(1, 9)]
    assert [node.name for node in data.inputs] == ["normed"]
    assert (data.joined.name, data.weight.name, data.result.name) == ("joined", "W_O", "attended")
    assert data.heads[7].weights.rows[2][1].index == (7, 2, 1)
    assert data.heads[0].shape == (3, 64)
    assert len({box.weights.scale for box in data.heads}) == 1


def test_heads_of_their_own():
    trace = w.scenario("hello-world").trace()
    data = heads_of(trace, "attention").data
    assert [(box.name, box.shape) for box in data.heads] == [("head1", (2, 2)), ("head2", (2, 2))]
    assert [node.name for node in data.inputs] == ["X"]
    assert data.heads[1].weights.step == trace["head2.weights"].id


def attention(heads, dropped=False):
    with w.Trace() as trace:
        X = w.given(numpy.ones((2, 2)), "token model", name="X")
        contexts = []
        for n in range(heads):
            scores = w.given(numpy.eye(2) * n, "query key", name=f"scores_{n}")
            weights = w.ops.softmax(scores, name=f"weights_{n}")
            if dropped:
                weights = w.ops.dropout(weights, w.given(numpy.ones((2, 2)), "query key", name="kept"), rate=0.5)
            contexts.append(w.ops.matmul(weights, X.rename(token="key"), name=f"context_{n}"))
        w.ops.concat(*contexts, axis="model", name="joined")
    return trace


@pytest.mark.parametrize("dropped", [False, True])
def test_heads_without_output_projection_are_drawn(dropped):
    data = heads_of(attention(3, dropped)).data
    assert [box.name for box in data.heads] == ["head1", "head2", "head3"]
    assert data.weight is data.result is None
    assert "X" in [node.name for node in data.inputs]


def test_many_heads_are_cut():
    figure = heads_of(attention(20))
    assert len(figure.data.heads) == 16
    assert "first 16 of 20" in figure.note


def test_trace_without_heads_is_rejected_and_modules_are_named():
    with pytest.raises(w.WorkingsError, match="no attention heads"):
        heads_of(w.scenario("example-1").trace())
    with pytest.raises(w.WorkingsError, match=r"block1\.attention"):
        heads_of(w.scenario("hello-world").trace(), "nosuch")


@pytest.mark.parametrize("trace", [w.scenario("hello-world").trace(), attention(1 + 1), attention(16)], ids=len)
def test_nothing_is_cut_off(trace):
    root = ElementTree.fromstring(svg_of(heads_of(trace)))
    for box in root.iter(f"{SVG}rect"):
        if box.get("rx"):
            assert float(box.get("x")) >= -0.01
            assert float(box.get("x")) + float(box.get("width")) <= float(root.get("width")) - 23.9
            assert float(box.get("y")) + float(box.get("height")) <= float(root.get("height"))


def test_at_most_four_heads_are_side_by_side_and_every_word_is_written():
    trace = w.scenario("cat-sat-encoder").trace()
    labels = {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}
    root = ElementTree.fromstring(svg_of(heads_of(trace, labels=labels)))
    texts = [(node.text, float(node.get("x")), float(node.get("y"))) for node in root.iter(f"{SVG}text")]
    names = [(x, y) for name, x, y in texts if name in {f"head{place}" for place in range(1, 9)}]
    assert len({x for x, _ in names}) == 4
    assert len({y for _, y in names}) == 2
    assert sum(name == "cat" for name, _, _ in texts) == 2 * 8


def test_strongest_weight_of_a_causal_mask_is_no_forced_one():
    figure = heads_of(w.scenario("block").trace(), labels={"query": ("a", "b", "c"), "key": ("a", "b", "c")})
    assert "1.0, from a to a" not in figure.alternative


@pytest.mark.parametrize(("words", "in_row"), [(3, 4), (6, 3), (12, 2)])
def test_many_words_leave_room_for_fewer_heads(words, in_row):
    assert heads_in_row(8, words) == in_row
    assert heads_in_row(1, words) == 1
