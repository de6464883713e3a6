"""A transformer block: what its sublayers read and add, how wide they are, and where the norms are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import workings as w
from workings.cli.figure import requested_figure
from workings.counting.presets import PRESETS
from workings.figures import svg_of
from workings.figures.block import block_of

SVG = "{http://www.w3.org/2000/svg}"


def of(name, run="default", under=""):
    return block_of(w.scenario(name).trace(run).recording, under).data


def words_in(figure):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg_of(figure)).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", PRESETS)
def test_every_known_model_is_drawn_with_its_own_widths(name):
    architecture = PRESETS[name]
    figure = requested_figure(name, "block", None)
    attention, *_, feed_forward = figure.data.sublayers
    assert [part.role for part in attention.parts] == ["query", "key", "value", "attention", "layer"]
    mixing = attention.parts[3]
    assert (mixing.heads.value, mixing.head_size.value) == (architecture.heads, architecture.head_size)
    widths = [part.leaves.value for part in feed_forward.parts]
    assert widths == [architecture.hidden, architecture.hidden, architecture.width]
    assert all(one.norm_after == (architecture.norm_place == "post") for one in figure.data.sublayers)
    assert f"{architecture.width} → {architecture.hidden}" in " ".join(words_in(figure)).replace("W_1", "")


def test_block_of_model_without_values_can_be_named():
    figure = requested_figure("paper-base", "block:decoder.block2", None)
    names = [one.name for one in figure.data.sublayers]
    assert names == ["Self-attention", "Cross-attention", "Feed-forward network"]
    assert [one.memory for one in figure.data.sublayers] == [False, True, False]
    assert (figure.data.name, figure.data.place, figure.data.count) == ("output of decoder.block1", 2, 6)
    assert "from the encoder" in words_in(figure)


def test_norm_and_residual_are_where_the_model_has_them():
    before, after = of("block").sublayers, of("block", "post-norm").sublayers
    assert [one.norm_after for one in (*before, *after)] == [False, False, True, True]
    attention, feed_forward = of("example-5").sublayers
    assert (attention.norm, attention.residual, feed_forward.residual) == (None, False, True)


def test_heads_with_matrices_of_their_own_are_as_wide_as_packed_ones():
    packed, separate = (of("block", run).sublayers[0].parts for run in ("default", "per-head"))
    sizes = [[(part.role, part.enters.value, part.leaves.value) for part in parts] for parts in (packed, separate)]
    assert sizes[0] == sizes[1]
    assert packed[3].heads.value == separate[3].heads.value == 2


def test_number_that_is_no_size_of_an_axis_is_a_count():
    packed, separate = (of("block", run).sublayers[0].parts for run in ("default", "per-head"))
    assert [parts[0].leaves.role for parts in (packed, separate)] == ["size", "count"]
    assert [(parts[3].heads.role, parts[3].heads.index) for parts in (packed, separate)] == [
        ("size", (0,)), ("count", ()),
    ]  # fmt: skip


def test_words_are_large_enough_and_arrows_stay_inside():
    for name, run in (("cat-sat-encoder", "default"), ("example-5", "default"), ("block", "post-norm")):
        root = ElementTree.fromstring(svg_of(block_of(w.scenario(name).trace(run).recording)))
        assert min(float(node.get("font-size")) for node in root.iter(f"{SVG}text")) >= 12
        assert float(root.get("width")) <= 600
        xs = [float(x) for node in root.iter(f"{SVG}path") for x in re.findall(r"[ML]([\d.]+),", node.get("d"))]
        assert min(xs) >= 0
        assert max(xs) <= float(root.get("width")) - 24


def test_trace_without_block_and_unknown_block_are_rejected():
    with pytest.raises(w.WorkingsError, match="has no transformer block"):
        of("cat-sat")
    with pytest.raises(w.WorkingsError, match="no block 'block7'"):
        of("block", under="block7")
