"""Curves in monospaced text: to the letter, at every width, in every encoding."""

import math

import pytest
from markdown_it import MarkdownIt
from streams import Terminal, block_text

import workings as w
from workings.document import blocks as d
from workings.figures.loss import BRAILLE, DOTS, curve, loss, loss_curve
from workings.figures.parts.text_plot import COLUMNS, ROWS
from workings.render.markdown import to_markdown
from workings.render.terminal import show

SMALL = [1.6, 1.2, 0.9, 0.7, 0.55, 0.5, 0.45, 0.5]
FINE = """\
Loss from step to step
  loss
  1.6 ┤⠣⡀
      │ ⠣⡀
  1.4 ┤  ⠣⡀
      │   ⠣⡀
  1.2 ┤    ⠣⡀
      │     ⠑⡄
      │      ⠘⢄
  1.0 ┤       ⠈⢢
      │         ⠑⢄
  0.8 ┤           ⠣⡀
      │            ⠈⠢⣀
  0.6 ┤               ⠑⠢⣀
      │                  ⠉⠒⠢⠤⣀⣀      ⢀⣀
  0.4 ┤                        ⠉⠉⠒⠒⠊⠉⠁
      └┬────────────┬────────┬────────┬
       1            4        6        8
                                   step
  loss: from 1.6 at step 1 to 0.5 at
  step 8; lowest: 0.45 at step 7.
"""
SEVERAL = """\
loss
5.0 +            o
    |           o o
4.0 +*         o   o
    | *       o     o
    |  *     o      o
3.0 +   *  oo        o
    |    *o           o
    |    o*            o
2.0 +   o  **           o
    |  o     *           o
    | o       *          o
1.0 +o         *          o
    |           *          o
0.0 +            *          o
    ++-----------+----------+
     1           2          3
                         step
     * down
     o up"""


def loss_of(history):
    return loss_curve(w.Trace().with_run(history={"loss": history}))


def wavy(count):
    return [2 + math.sin(n / 9) + 0.5 * math.sin(n * 1.7) for n in range(count)]


def test_text_of_a_small_history():
    assert block_text(loss_of(SMALL), 40) == FINE


def test_several_lines_have_signs_of_their_own():
    lines = {"down": [(1, 4.0), (2, 0.0)], "up": [(1, 1.0), (2, 5.0), (3, 0.0)]}
    figure = curve("Both", lines, across="step", up="loss")
    assert "\n".join(loss.text(figure.data, 30, fine=False)) == SEVERAL
    fine = "\n".join(loss.text(figure.data, 30))
    for sign in "*o":
        assert fine.count(sign) == SEVERAL.count(sign)
    assert not any(ord(sign) >= BRAILLE for sign in fine)
    twice = curve("Both", dict.fromkeys(lines, lines["down"]), across="step", up="loss")
    drawn = "".join(loss.text(twice.data, 30, fine=False)[1 : ROWS + 1])
    assert abs(drawn.count("*") - drawn.count("o")) <= 1  # they take turns


def test_no_line_is_hidden_under_others():
    flat = [(n, 1.0) for n in range(1, 90)]
    lines = {"long": flat, "same": flat, "part": flat[30:50], "point": flat[40:41], "first": flat[:1], "zero": [(1, 0)]}
    rows = loss.text(curve("All", lines, across="step", up="loss").data, 70, fine=False)
    assert all("".join(rows[1 : ROWS + 1]).count(sign) >= 1 for sign in "*o+x#@")
    assert rows[1].count("*") > 20 < rows[1].count("o")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "cp437"])
def test_a_target_without_braille_gets_ascii(encoding):
    for history in (SMALL, wavy(900), [1.0], [0.5, 0.5]):
        text = block_text(loss_of(history), 60, encoding)
        assert text.isascii()
        assert "*" in text
        assert "?" not in text
        assert f"{loss_of(history).data.up.ticks[-1].text} +" in text
    assert "." in "".join(loss.text(loss_of(wavy(900)).data, 60, fine=False)[1:ROWS])  # the band


@pytest.mark.parametrize("width", range(40, 161, 8))
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_plot_fits_at_every_width(width, encoding):
    for history in (SMALL, wavy(10_000), [1e-9, 1.0, 1e9], [1.3862943611, 1.386294361], [7.0]):
        lines = block_text(loss_of(history), width, encoding).splitlines()
        assert max(map(len, lines)) <= width
        edge = next(line for line in lines if line.strip()[0] in "└+" and line.strip()[1] in "┬─+-")
        assert min(COLUMNS, width - 20) <= len(edge.strip()) - 1 <= COLUMNS
        assert lines[ROWS + 3].split()[0] == "1"


def test_on_a_terminal_and_in_a_pipe_it_is_the_same_plot():
    stream = Terminal()
    show(d.Document("t", (loss_of(SMALL),)), stream, 40)
    assert "⠘⢄" in stream.getvalue()


def dots_of(rows, margin):
    """Where the dots of a braille plot are: (column, row), counted from the lower left."""
    found = set()
    for r, row in enumerate(rows):
        for c, sign in enumerate(row[margin:]):
            bits = ord(sign) - BRAILLE if ord(sign) >= BRAILLE else 0
            found |= {(2 * c + x, 4 * (ROWS - 1 - r) + 3 - y) for y in range(4) for x in range(2) if bits & DOTS[y][x]}
    return found


@pytest.mark.parametrize("history", [SMALL, [3.0, 1.0], [0.001, 1.0, 0.1, 0.5], wavy(100)], ids=range(4))
def test_every_point_is_drawn_where_it_lies_and_the_line_has_no_hole(history):
    data = loss_of(history).data
    rows = loss.text(data, 80)
    margin = rows[1].index(next(sign for sign in rows[1] if sign in "┤│")) + 1
    dots = dots_of(rows[1 : ROWS + 1], margin)

    def share(axis, value):
        low, high = axis.low, axis.high
        if axis.scale == "log":
            low, high, value = (math.log10(number) for number in (low, high, value))
        return (value - low) / (high - low)

    for point in data.lines[0].points:
        x, y = share(data.across, point.across) * COLUMNS * 2, share(data.up, point.value) * ROWS * 4
        assert any(abs(x - (c + 0.5)) <= 0.51 and abs(y - (r + 0.5)) <= 0.51 for c, r in dots), point
    assert {c for c, _ in dots} == set(range(COLUMNS * 2))
    for column in range(COLUMNS * 2 - 1):  # neighbors touch
        here, there = ({r for c, r in dots if c == column + n} for n in (0, 1))
        assert min(abs(a - b) for a in here for b in there) <= 1


def test_a_single_number_and_equal_ones_are_seen():
    assert sum(row.count("*") for row in loss.text(loss_of([1.386]).data, 60)) == 1
    flat = loss.text(loss_of([0.5] * 5).data, 60)
    (line,) = (row for row in flat if any(ord(sign) > BRAILLE for sign in row))
    assert line.startswith("0.5 ┤")


def test_a_band_is_drawn_where_numbers_scatter_and_not_along_a_smooth_line():
    assert "░" in block_text(loss_of(wavy(5000)), 80)
    assert "░" not in block_text(loss_of([math.exp(-n / 900) for n in range(5000)]), 80)
    assert loss.text(loss_of([1 / n for n in range(50, 5000)]).data, 80)[2].endswith("│░")  # a first point that falls


def test_numbers_below_that_have_no_room_are_left_out_whole():
    for width in range(24, 90):
        rows = loss.text(loss_of(wavy(10_000)).data, width)
        edge, numbers = rows[ROWS + 1], rows[ROWS + 2].split()
        assert numbers == [text for text in ("1", "2000", "4000", "6000", "8000", "10000") if text in numbers]
        assert edge.count("┬") == len(numbers) >= 2


def test_markdown_has_a_code_block_and_a_sentence():
    text = to_markdown(d.Document("t", (loss_of(SMALL),)))
    fence, paragraph = (token for token in MarkdownIt().parse(text)[3:] if token.type in ("fence", "inline"))
    assert fence.content.splitlines()[:3] == ["Loss from step to step", "loss", fence.content.splitlines()[2]]
    assert "⠑" in fence.content
    assert paragraph.content == "loss: from 1.6 at step 1 to 0.5 at step 8; lowest: 0.45 at step 7."
    assert to_markdown(d.Document("t", (loss_of(SMALL),)), "cp1252").isascii()
