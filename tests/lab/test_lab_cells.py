"""The page of an entry, against the engine: its value, what it is made of, and what it does to the loss."""

from __future__ import annotations

import numpy
import pytest

import workings as w
from workings.document.blocks import Derivation, Text
from workings.document.spans import Number, plain_text
from workings.engine.arrays import indices
from workings.engine.errors import EntryError
from workings.explain.trace import Trace
from workings.lab.answers.trace import CellPage
from workings.lab.pages.cells import MOST_FED, cell_page
from workings.lab.traces.store import Lab, Opened
from workings.lab.traces.wanted import Wanted


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


@pytest.fixture(scope="module")
def example(lab: Lab) -> Opened:
    return lab.open(Wanted("example-3", run="twin"))


def page_at(opened: Opened, name: str, *index: int) -> CellPage:
    return cell_page(opened, opened.trace[name].id, index)


def own(trace: Trace) -> Opened:
    return Opened("key", Wanted(), trace, None, None)  # type: ignore[arg-type]


def words(page: CellPage) -> list[str]:
    return [plain_text(block.spans) for block in page.page.document.blocks if isinstance(block, Text)]


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted("example-3", run="twin"),
        Wanted("example-3", run="twin", precision="calculator 4 significant"),
        Wanted("hello-world", run="masked"),
    ],
    ids=("floats", "calculator", "masked"),
)
def test_every_entry_is_the_engines_and_so_is_all_that_it_names(lab: Lab, wanted: Wanted) -> None:
    opened = lab.open(wanted)
    for view in opened.trace:
        for index in list(indices(view.shape))[:4]:
            page = cell_page(opened, view.id, index)
            assert float(page.number.value) == float(view.value[index])
            (derivation,) = [block for block in page.page.document.blocks if isinstance(block, Derivation)]
            assert derivation.lines[-1].value.value == page.number.value
            for reading in page.reads:
                assert reading.text == opened.view(reading.step).number(*reading.index).text
            for feeding in page.feeds:
                assert feeding.stage == opened.view(feeding.step).step.stage
                assert len(feeding.labels) == len(feeding.entries) > 0


def test_the_numbers_of_the_hand_calculation_are_those_that_are_read(example: Opened) -> None:
    for name, index in (("scores", (1, 0)), ("weights", (0, 1)), ("context", (1, 1)), ("dscaled", (1, 0))):
        page = page_at(example, name, *index)
        (derivation,) = [block for block in page.page.document.blocks if isinstance(block, Derivation)]
        shown = {
            (span.step, span.index)
            for line in derivation.lines
            for form in line.forms
            for span in form
            if isinstance(span, Number) and span.role == "entry"
        }
        assert shown == {(reading.step, reading.index) for reading in page.reads}


@pytest.mark.parametrize(("name", "index"), [("W_Q", (0, 1)), ("W_V", (1, 1)), ("E", (1, 0)), ("scores", (1, 0))])
def test_the_gradient_says_how_the_loss_moves(example: Opened, name: str, index: tuple[int, ...]) -> None:
    trace, step = example.trace, 1e-6
    losses = []
    for sign in (1, -1):
        other = numpy.array(trace[name].value)
        other[index] += sign * step
        losses.append(float(trace.replay(values={name: other})["loss"].value))
    page = page_at(example, name, *index)
    assert page.gradient is not None
    assert float(page.gradient.value) == pytest.approx((losses[0] - losses[1]) / (2 * step), rel=1e-5)
    assert page.way[-1].step == trace[name].id
    assert page.way[-1].gradient == page.gradient.step
    (sentence,) = [text for text in words(page) if "loss changes" in text]
    assert page.label in sentence
    assert page.gradient.text in sentence


def test_a_gradient_says_what_it_is_the_gradient_of(example: Opened) -> None:
    page = page_at(example, "dW_Q", 0, 1)
    assert page.gradient is None
    assert words(page) == [f"If W_Q[0][1] grows by a little, loss changes by {page.number.text} times as much."]
    part = page_at(example, "dX.via_Q", 0, 1)
    assert words(part) == []  # by itself a part of a gradient means nothing


def test_the_loss_says_nothing_about_itself(example: Opened) -> None:
    page = page_at(example, "loss")
    assert [step.gradient_title for step in page.way] == ["dloss"]
    assert words(page) == []


def test_several_paths_of_a_gradient_are_counted(example: Opened) -> None:
    page = page_at(example, "X", 0, 0)
    assert words(page)[1] == "The gradient flows back along 3 paths and is added up; the shortest is shown."
    assert [step.op for step in page.way][-2:] == ["matmul", "collect"]
    assert all(step.formula for step in page.way[1:])


def test_backward_from_several_numbers_weighs_them(lab: Lab) -> None:
    page = page_at(lab.open(Wanted("cat-sat")), "scores", 0, 1)
    assert "the entries of context, each times its entry of dcontext, together change" in words(page)[0]


def test_without_backward_there_is_no_gradient_and_no_way(lab: Lab) -> None:
    page = page_at(lab.open(Wanted("example-1")), "scores", 1, 0)
    assert (page.gradient, page.way) == (None, ())


def test_three_clicks_lead_from_a_weight_to_the_words(lab: Lab) -> None:
    """Why is the attention weight of B on A what it is? weights -> scaled -> scores -> Q and K."""
    opened = lab.open(Wanted("example-1"))
    page = page_at(opened, "weights", 1, 0)
    scaled = next(reading for reading in page.reads if reading.index == (1, 0))
    page = cell_page(opened, scaled.step, scaled.index)
    (scores,) = page.reads
    page = cell_page(opened, scores.step, scores.index)
    assert [reading.label for reading in page.reads] == ["Q[1][0]", "K[0][0]", "Q[1][1]", "K[0][1]"]


def test_an_edit_says_what_was_there_before(lab: Lab) -> None:
    opened = lab.open(Wanted("example-3", run="twin", edits=("W_Q[0][1]=0.7",)))
    page = page_at(opened, "W_Q", 0, 1)
    assert page.before is not None
    assert (page.number.text, page.before.text) == ("0.7", "-0.2")
    assert page_at(opened, "W_Q", 0, 0).before is None
    assert page_at(opened, "K", 0, 0).before is None  # nothing leads from W_Q to it
    assert page_at(opened, "loss").before is not None
    tiny = lab.open(Wanted("example-3", run="twin", edits=("W_Q[0][1]=-0.2000001",)))
    page = page_at(tiny, "loss")
    assert page.before is not None
    assert page.before.text != page.number.text


def test_the_notation_writes_the_labels(lab: Lab) -> None:
    wanted = Wanted("example-3", count_from=1, vectors="column", symbols=("weights=α",))
    page = page_at(lab.open(wanted), "weights", 1, 0)
    assert (page.label, page.index) == ("α[1][2]", (1, 0))
    assert [reading.label for reading in page.reads] == ["scaled[1][2]", "scaled[2][2]"]
    assert page.feeds[0].labels == ("context[1][2]", "context[2][2]")


def test_inside_a_composite(example: Opened) -> None:
    weights = example.trace["weights"]
    page = cell_page(example, f"{weights.id}.3", (0, 1))
    assert page.label == "exp[0][1]"
    assert float(page.number.value) == float(weights.inside[2].value[0, 1])
    assert [reading.label for reading in page.reads] == ["sub[0][1]"]
    assert [feeding.title for feeding in page.feeds] == ["total", "div"]
    assert (page.gradient, page.way) == (None, ())


def test_long_lists_are_cut() -> None:
    with Trace() as trace:
        numbers = numpy.random.default_rng(3).standard_normal((60, 50))
        w.ops.matmul(w.given(numbers, "a b", name="x"), w.given(numbers.T, "b c", name="y"), name="z")
    page = page_at(own(trace), "x", 3, 4)
    (fed,) = page.feeds
    assert (len(fed.entries), fed.more) == (MOST_FED, 60 - MOST_FED)
    assert len(page_at(own(trace), "z", 3, 4).reads) == 64


def test_a_sum_of_too_many_numbers_is_not_written_down() -> None:
    with Trace() as trace:
        w.ops.sum(w.given(numpy.ones(20_000), "token", name="x"), axis="token", name="total")
    page = page_at(own(trace), "total")
    assert words(page) == ["About 20,000 numbers go into this one: too many to write them down."]
    assert page.reads == ()


@pytest.mark.parametrize("index", [(), (0,), (2, 0), (0, 0, 0)])
def test_an_entry_that_is_not_there(example: Opened, index: tuple[int, ...]) -> None:
    with pytest.raises(EntryError):
        cell_page(example, example.trace["scores"].id, index)
