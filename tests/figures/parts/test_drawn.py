"""The kit of composed figures: letters can be read on every tint, and arrows end at the edges of their boxes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

import workings
from workings.document.blocks import Number
from workings.figures.parts.colors import contrast
from workings.figures.parts.drawn import HUES, Box, CellMatrix, arrow, box_around, lines_of
from workings.figures.parts.svg import COLORS, wide

TOKENS = (Path(workings.__file__).parent / "render" / "page" / "tokens.css").read_text(encoding="utf-8")
PAIR = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
PAIRS = {name: (light, dark) for name, light, dark in PAIR.findall(TOKENS)}


def rgb(color):
    return tuple(int(color[n : n + 2], 16) for n in (1, 3, 5))


@pytest.mark.parametrize("role", HUES)
def test_hue_of_style_sheet_is_that_of_drawing(role):
    assert PAIRS[role][0] == HUES[role].strong
    assert PAIRS[f"{role}-tint"][0] == HUES[role].tint


@pytest.mark.parametrize("role", HUES)
def test_letters_can_be_read_on_tint_and_on_paper(role):
    for theme in (0, 1):
        assert contrast(rgb(PAIRS["ink"][theme]), rgb(PAIRS[f"{role}-tint"][theme])) > 4.5
        assert contrast(rgb(PAIRS[role][theme]), rgb(PAIRS["paper"][theme])) > 4.5
    assert contrast(rgb(COLORS["ink"]), rgb(HUES[role].tint)) > 4.5


def test_tints_of_query_key_and_value_differ_in_gray():
    for one, other in pairwise(HUES[role].tint for role in ("query", "key", "value")):
        assert contrast(rgb(one), rgb(other)) > 1.15


@pytest.mark.parametrize(
    ("end", "tip"),
    [
        (Box(0, 100, 80, 40), (40, 100)),  # below
        (Box(0, -100, 80, 40), (40, -60)),  # above
        (Box(200, 0, 80, 40), (200, 20)),  # at the right
        (Box(-200, 0, 80, 40), (-120, 20)),  # at the left
        (Box(300, 100, 80, 40), (340, 100)),  # below, and far away
    ],
)
def test_arrow_ends_at_edge_of_box(end, tip):
    line, head = arrow(Box(0, 0, 80, 40), end)
    assert f'd="M{tip[0]:.1f},{tip[1]:.1f}L' in head
    assert "z" not in line


def test_name_is_wrapped_and_not_cut():
    assert lines_of("feed_forward.hidden_activation", 90).replace("\n", "") == "feed_forward.hidden_activation"
    assert max(map(wide, lines_of("feed_forward.hidden_activation", 90).split("\n"))) <= 90


def test_box_has_room_for_its_words():
    assert box_around("attention", ("token 3 × model 512",)).width > wide("token 3 × model 512", 10.5)


def test_cells_are_as_wide_as_their_widest_number():
    row = tuple(Number(text, 1.0, "1", (0, n)) for n, text in enumerate(("1", "-0.0001234")))
    matrix = CellMatrix((row,))
    assert matrix.cell_width > wide("-0.0001234")
    drawn = "".join(matrix.draw(0, 0))
    assert 'data-index="0,1"' in drawn
    assert drawn.count("<rect") == 2
