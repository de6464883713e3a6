"""Steps of several parts, and positions: how they are written, and that whole numbers go everywhere."""

import numpy
import pytest

import workings as w
from workings import ops

ROW = [0.3, -1.2, 0.9, 0.1, 2.5, -0.4, 0.7, 2.5, 0.2, -3.0, 1.1, 0.6]


def trace_of(call, precision="float64"):
    with w.Trace(precision=precision) as trace:
        call(w.given(ROW, "vocab", name="scores"))
    return trace


def test_the_formula_of_a_concatenation_names_its_parts():
    with w.Trace() as trace:
        heads = [w.given([[1.0, n]], "token model", name=f"head{n}") for n in range(3)]
        ops.concat(*heads, axis="model", name="all")
    assert trace["all"].formula == r"\mathrm{all} = [\mathrm{head0}, \mathrm{head1}, \mathrm{head2}]"


@pytest.mark.parametrize("count", [2, 26, 27, 60])
def test_a_formula_has_room_for_many_parts(count):
    with w.Trace() as trace:
        parts = [w.given([float(n)], "model", name=f"part{n}") for n in range(count)]
        ops.collect(*parts, name="total")
    assert trace["total"].formula.count("part") == count


def test_of_a_long_row_the_largest_entries_are_listed_with_their_places():
    lines = str(trace_of(lambda x: ops.argmax(x, name="best"))["best"].cell()).splitlines()
    assert lines[-1] == (
        "best = first position of max in scores"
        " = first position of 2.5 in 2: 0.9, 4: 2.5, 6: 0.7, 7: 2.5, 10: 1.1, 11: 0.6, 6 more = 4"
    )


def test_found_positions_are_crossed_out():
    lines = str(trace_of(lambda x: ops.top_k(x, k=3, name="best"))["best"].cell(2)).splitlines()
    assert [line.partition(" = ")[0] for line in lines] == ["max0", "place0", "max1", "place1", "max2", "best[2]"]
    assert "best[2] = first position of max2 in scores without place0, place1 = " in lines[-1]
    assert lines[-1].endswith("6: 0.7, 8: 0.2, 10: 1.1, 11: 0.6, 4 more = 10")


@pytest.mark.parametrize("precision", ["float64", "float32", "calculator 1 significant"])
def test_positions_are_counted_not_rounded(precision):
    with w.Trace(precision=precision) as trace:
        x = w.given(numpy.arange(40.0) / 10, "vocab", name="x")
        ops.top_k(-1.0 * x, k=40, name="order")
        ops.argmax(x, name="last")
    assert trace["last"].value.dtype == numpy.int64
    best = int(trace["last"].value)
    assert str(trace["last"].cell()).endswith(f"= {best}")
    assert str(trace["order"].cell(15)).endswith(f"= {int(trace['order'].value[15])}")


def test_positions_pass_through_a_file_and_a_program():
    trace = trace_of(lambda x: ops.one_hot(ops.top_k(x, k=2, name="best"), size=12, name="marks"))
    again = w.Trace.from_json(trace.to_json())
    assert again["best"].value.tolist() == [4, 7]
    assert again["best"].value.dtype == numpy.int64
    program = trace.compile(["scores"], ["best", "marks"])
    best, marks = program(numpy.asarray(ROW[::-1]))
    assert best.tolist() == [4, 7]
    assert marks.tolist() == numpy.eye(12)[[4, 7]].tolist()


def test_the_gradient_of_a_piece_lies_between_constants_of_its_own_type():
    with w.Trace(precision="float32") as trace:
        x = w.given([[1.0, 2.0, 3.0]], "token model", name="x")
        ops.sum(ops.split(x, sizes=(1, 1, 1), part=1, axis="model"), name="y")
    trace.backward("y")
    assert trace["dx"].value.tolist() == [[0.0, 1.0, 0.0]]
    assert {str(step.value.dtype) for step in trace} == {"float32"}


def test_heads_come_back_to_where_they_were():
    x = w.given(numpy.arange(48.0).reshape(2, 3, 8), "batch query hidden")
    heads = ops.split_heads(x, heads=4)
    assert heads.axes == ("batch", "head", "query", "head_size")
    assert heads.shape == (2, 4, 3, 2)
    merged = ops.merge_heads(heads)
    assert merged.axes == ("batch", "query", "model")
    assert (merged.array == x.array).all()
