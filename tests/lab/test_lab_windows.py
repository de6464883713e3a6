"""Windows and tiles: the numbers of the engine, part by part, and how strong they are."""

from __future__ import annotations

import base64
import time

import numpy
import pytest

import workings as w
from workings.document.notation import Notation
from workings.document.numbers import PLAIN, Style
from workings.explain.trace import Trace
from workings.lab.errors import LabError, Missing
from workings.lab.pages.windows import tile, window
from workings.lab.traces.earlier import differ
from workings.lab.traces.store import Lab, Opened
from workings.lab.traces.wanted import Wanted


@pytest.fixture(scope="module")
def example() -> Opened:
    return Lab().open(Wanted("example-3", run="twin"))


def opened_with(trace: Trace) -> Opened:
    """A trace of our own, as if the lab had opened it."""
    return Opened("key", Wanted(), trace, None, None)  # type: ignore[arg-type]


def large(style: Style = PLAIN, shape: tuple[int, ...] = (2, 3, 300, 256)) -> Trace:
    numbers = numpy.random.default_rng(5).standard_normal(shape)
    axes = ["batch", "head", "query", "key"][-len(shape) :]
    with Trace(style=style) as trace:
        w.ops.mul(w.given(numbers, " ".join(axes), name="x"), w.given(2.0, name="two"), name="y")
    return trace


def levels_in(part: object) -> numpy.ndarray:
    """The levels of a tile as numbers."""
    packed = numpy.frombuffer(base64.b64decode(part.levels), dtype=numpy.uint8)  # type: ignore[attr-defined]
    return packed.reshape(part.rows, part.columns).astype(int) - 128  # type: ignore[attr-defined]


def test_every_number_of_a_window_is_the_engines(example: Opened) -> None:
    for view in example.trace:
        part = window(example, view.id)
        sizes = (1, 1, *view.shape)[-2:]
        assert (len(part.numbers), len(part.numbers[0])) == sizes
        for row in part.numbers:
            for number in row:
                assert number.step == view.id
                assert number.value == float(view.value[number.index])
                assert number == view.number(*number.index)


def test_a_window_begins_where_it_is_asked_to_and_ends_at_the_edge() -> None:
    opened = opened_with(large())
    part = window(opened, "3", lead=(1, 2), row=290, column=100, rows=24, columns=7)
    assert [[number.index for number in row] for row in part.numbers] == [
        [(1, 2, row, column) for column in range(100, 107)] for row in range(290, 300)
    ]
    value = opened.trace["y"].value
    assert part.numbers[3][2].value == float(value[1, 2, 293, 102])
    assert part.shape == (2, 3, 300, 256)


def test_never_more_than_64_rows_and_columns() -> None:
    part = window(opened_with(large()), "3", rows=1000, columns=1000)
    assert (len(part.numbers), len(part.numbers[0])) == (64, 64)


def test_levels_say_how_strong_an_entry_is_in_the_whole_step() -> None:
    opened = opened_with(large())
    value = opened.trace["y"].value
    part = window(opened, "3", lead=(0, 1), row=5)
    expected = numpy.rint(100 * value[0, 1, 5:29, :24] / abs(value).max())
    assert numpy.array_equal(part.levels, expected)


def test_what_is_not_finite_has_no_level() -> None:
    with Trace() as trace:
        scores = w.given([[1.0, -4.0], [2.0, 3.0]], "query key", name="scores")
        w.ops.causal_mask(scores, name="masked")
    opened = opened_with(trace)
    part = window(opened, trace["masked"].id)
    assert part.numbers[0][1].text == "-∞"
    assert part.levels == ((33, 0), (67, 100))
    assert levels_in(tile(opened, trace["masked"].id)).tolist() == [[33, -128], [67, 100]]


def test_a_vector_is_one_row_and_a_number_one_entry(example: Opened) -> None:
    assert window(example, example.trace["logits"].id).numbers[0][3].index == (3,)
    assert window(example, example.trace["loss"].id).numbers[0][0].index == ()


def test_words_stand_at_rows_and_columns(example: Opened) -> None:
    part = window(example, example.trace["weights"].id)
    assert (part.row_labels, part.column_labels) == (("A", "B"), ("A", "B"))
    part = window(example, example.trace["weights"].id, row=1, column=1)
    assert (part.row_labels, part.column_labels) == (("B",), ("B",))
    part = window(example, example.trace["W_vocab"].id, column=2)
    assert (part.row_labels, part.column_labels) == ((), ("C", "D"))


def test_columns_as_vectors_turn_the_window_and_the_tile() -> None:
    turned = opened_with(large(Style(notation=Notation(vectors="column")), shape=(3, 30, 20)))
    plain = opened_with(large(shape=(3, 30, 20)))
    part, usual = window(turned, "3", (2,), 1, 2, 4, 3), window(plain, "3", (2,), 2, 1, 3, 4)
    assert part.shape == (3, 20, 30)
    assert part.axes == ("head", "key", "query")
    assert [[number.index for number in row] for row in part.numbers] == [
        [(2, query, key) for query in range(2, 5)] for key in range(1, 5)
    ]
    assert part.numbers == tuple(zip(*usual.numbers, strict=True))
    assert part.levels == tuple(zip(*usual.levels, strict=True))
    whole = levels_in(tile(plain, "3", (2,)))
    assert numpy.array_equal(levels_in(tile(turned, "3", (2,))), whole.T)


def test_columns_as_vectors_turn_the_words() -> None:
    opened = Lab().open(Wanted("example-3", vectors="column"))
    part = window(opened, opened.trace["W_vocab"].id, row=1)
    assert (part.row_labels, part.column_labels) == (("B", "C", "D"), ())


def test_counting_from_one_changes_no_index() -> None:
    trace = large(Style(notation=Notation(count_from=1)), shape=(4, 4))
    assert window(opened_with(trace), "3").numbers[1][2].index == (1, 2)


def test_an_edit_shows_what_was_there_before() -> None:
    opened = Lab().open(Wanted("example-3", run="twin", edits=("W_Q[0][1]=0.7",)))
    base = opened.base
    assert base is not None
    for view in opened.trace:
        part, old = window(opened, view.id), base.view(view.id)
        for row, texts in zip(part.numbers, part.before, strict=True):
            for number, text in zip(row, texts, strict=True):
                here, there = float(view.value[number.index]), float(old.value[number.index])
                assert bool(text) == bool(differ(view, numpy.asarray(here), numpy.asarray(there)))
                assert text != number.text
                if text:
                    assert float(text) == pytest.approx(there, rel=1e-3, abs=1e-15)
    assert window(opened, opened.trace["W_Q"].id).before == (("", "-0.2"), ("", ""))
    assert not any(any(row) for row in window(opened, opened.trace["K"].id).before)
    assert any(any(row) for row in window(opened, opened.trace["dW_V"].id).before)


def test_two_numbers_that_would_look_alike_get_more_digits() -> None:
    opened = Lab().open(Wanted("example-3", run="twin", edits=("W_Q[0][1]=-0.2000001",)))
    part = window(opened, opened.trace["W_Q"].id)
    assert (part.numbers[0][1].text, part.before[0][1]) == ("-0.2000001", "-0.2")
    part = window(opened, opened.trace["weights"].id)
    assert part.before[0][0]
    assert part.before[0][0] != part.numbers[0][0].text


def test_inside_a_composite_there_is_a_before_as_well() -> None:
    opened = Lab().open(Wanted("example-3", run="twin", edits=("W_Q[0][1]=0.7",)))
    weights = opened.trace["weights"]
    part = window(opened, f"{weights.id}.3")
    assert [number.text for number in part.numbers[0]] != list(part.before[0])
    assert any(any(row) for row in part.before)


def test_a_tile_of_stride_one_has_the_levels_of_every_window() -> None:
    opened = opened_with(large())
    part = levels_in(tile(opened, "3", (1, 0), row=10, column=20, rows=50, columns=60))
    assert part.shape == (50, 60)
    assert numpy.array_equal(part, window(opened, "3", (1, 0), 10, 20, 50, 60).levels)


def test_with_a_stride_a_byte_is_the_strongest_entry_of_its_square() -> None:
    opened = opened_with(large())
    matrix = opened.trace["y"].value[0, 2]
    part = tile(opened, "3", (0, 2), row=4, column=8, rows=512, columns=512, stride=7)
    assert (part.rows, part.columns, part.stride) == (-(-296 // 7), -(-248 // 7), 7)
    most = abs(opened.trace["y"].value).max()
    for row, levels in enumerate(levels_in(part)):
        for column, level in enumerate(levels):
            square = matrix[4 + 7 * row : 11 + 7 * row, 8 + 7 * column : 15 + 7 * column].ravel()
            assert level == numpy.rint(100 * square[abs(square).argmax()] / most)


def test_never_more_than_512_rows_and_columns_of_bytes() -> None:
    opened = opened_with(large(shape=(1500, 700)))
    assert levels_in(tile(opened, "3", rows=9999, columns=9999)).shape == (512, 512)
    assert levels_in(tile(opened, "3", rows=9999, columns=9999, stride=2)).shape == (512, 350)


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"lead": (2, 0)}, ": there is no matrix at"),
        ({"lead": (0,)}, ": there is no matrix at"),
        ({"lead": (0, -1)}, ": there is no matrix at"),
        ({"row": 300}, "columns: there is no row"),
        ({"column": -1}, "columns: there is no row"),
        ({"rows": 0}, "columns: there is no row"),
    ],
)
def test_what_is_not_there_is_refused_in_words(asked: dict, key: str) -> None:
    opened = opened_with(large())
    for look in (window, tile):
        with pytest.raises(LabError) as error:
            look(opened, "3", **asked)
        assert key in error.value.what
        assert "batch 2" in error.value.what or "300 rows" in error.value.what


@pytest.mark.parametrize("step", ["0", "99999", "3.1", "", "..", "x", "3.x"])
def test_a_step_that_is_not_there(example: Opened, step: str) -> None:
    with pytest.raises(Missing):
        window(example, step)


def test_a_stride_below_one_is_refused() -> None:
    with pytest.raises(LabError):
        tile(opened_with(large(shape=(4, 4))), "3", stride=0)


def test_windows_of_a_large_step_take_no_time() -> None:
    opened = opened_with(large(shape=(256, 256)))
    window(opened, "3")
    began = time.process_time()
    for row in range(5):
        window(opened, "3", row=row)
    assert (time.process_time() - began) / 5 < 0.04  # it takes 7 ms
