"""Rows and pages of steps: how each is called, where it leads, and what is said about it."""

from __future__ import annotations

import pytest

import workings as w
from workings.document.blocks import Fold, Formula, Note, Text, all_blocks
from workings.document.spans import plain_text
from workings.explain.trace import Trace
from workings.lab.answers.trace import StepPage, StepRow
from workings.lab.errors import Missing
from workings.lab.pages.step_page import step_page
from workings.lab.pages.steps import find_view, step_rows
from workings.lab.traces.store import Lab, Opened
from workings.lab.traces.wanted import Wanted

RUNS = [("example-3", "twin"), ("hello-world", "packed"), ("example-4", "after"), ("token-i", "normed")]


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


@pytest.fixture(scope="module")
def example(lab: Lab) -> Opened:
    return lab.open(Wanted("example-3", run="twin"))


def rows_of(trace: Trace) -> dict[str, StepRow]:
    return {row.id: row for row in step_rows(trace)}


def page_of_step(opened: Opened, name: str) -> StepPage:
    return step_page(opened, opened.trace[name].id)


def own(trace: Trace) -> Opened:
    return Opened("key", Wanted(), trace, None, None)  # type: ignore[arg-type]


def folds(page: StepPage) -> dict[str, Fold]:
    return {block.title: block for block in page.page.document.blocks if isinstance(block, Fold)}


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_every_row_agrees_with_the_others(name: str, run: str) -> None:
    trace = w.scenario(name).trace(run)
    rows = rows_of(trace)
    assert list(rows) == list(trace.recording.steps)
    for row in rows.values():
        assert trace[row.name].id == row.id
        if row.told:
            assert all(row.id in rows[other].read_by for other in row.reads)
            assert all(row.id in rows[other].reads for other in row.read_by)
        assert all(rows[other].told for other in (*row.reads, *row.read_by))
        if row.gradient:
            assert rows[row.gradient].twin == row.id or not rows[row.gradient].told
            assert rows[row.gradient].shape == row.shape
        if row.editable:
            assert row.kind == "leaf"
            assert not row.reads
        assert row.path == f"{row.module}.{trace[row.id].name}".lstrip(".")


def test_titles_tell_the_heads_apart_and_names_find_them() -> None:
    trace = w.scenario("hello-world").trace()
    row = rows_of(trace)[trace["weights2"].id]
    assert (row.name, row.title, row.module) == ("head2.weights", "head2.weights", "block1.attention.head2")
    transposed = next(row for row in rows_of(trace).values() if row.op == "transpose" and row.stage == "forward")
    assert transposed.title.endswith("ᵀ")


def test_the_notation_writes_titles_and_turns_shapes(lab: Lab) -> None:
    opened = lab.open(Wanted("example-3", vectors="column", symbols=("weights=α",)))
    row = page_of_step(opened, "weights").row
    assert (row.name, row.title) == ("weights", "α")
    row = page_of_step(opened, "W_vocab").row
    assert (row.axes, row.shape, row.turned) == (("vocab", "model"), (4, 2), True)
    assert not page_of_step(opened, "logits").row.turned  # a single vector
    assert all(inner.turned for inner in page_of_step(opened, "weights").inside if len(inner.shape) > 1)


def test_what_can_be_edited(example: Opened) -> None:
    editable = {row.name for row in step_rows(example.trace) if row.editable}
    assert editable == {"E", "W_Q", "W_K", "W_V", "W_vocab", "tokens", "target"}


def test_a_second_pass_has_gradients_too() -> None:
    trace = w.scenario("example-4").trace("after")
    row = rows_of(trace)[trace["step2.example2.logits"].id]
    assert trace[row.gradient].path == "backward2.step2.example2.dlogits"


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_every_step_has_a_page_and_so_has_all_that_is_inside(lab: Lab, name: str, run: str) -> None:
    opened = lab.open(Wanted(name, run=run))
    for view in opened.trace:
        page = step_page(opened, view.id)
        assert page.row.id == view.id
        kinds = [block.kind for block in all_blocks(page.page.document.blocks)]
        assert "matrix" not in kinds  # the window shows it
        assert ("formula" in kinds) == (view.step.op is not None)
        assert bool(page.inside) == (view.step.kind == "composite")
        for inner in page.inside:
            within = step_page(opened, inner.id)
            assert (within.row.id, within.row.path) == (inner.id, inner.path)
            assert opened.trace[inner.name].path == inner.path
    assert len(opened.trace) > 40


def test_a_page_says_what_the_step_is(example: Opened) -> None:
    page = page_of_step(example, "scores")
    texts = [plain_text(block.spans) for block in page.page.document.blocks if isinstance(block, Text)]
    assert texts[0] == "scores = matmul(Q, Kᵀ)"
    assert texts[1].startswith("Multiplies two matrices")
    (formula,) = [block for block in page.page.document.blocks if isinstance(block, Formula)]
    assert formula.math.text == example.trace["scores"].formula_block().math.text  # type: ignore[union-attr]


def test_a_gradient_says_through_what_it_flows_and_why(example: Opened) -> None:
    page = page_of_step(example, "dscaled")
    texts = [plain_text(block.spans) for block in page.page.document.blocks if isinstance(block, Text)]
    assert texts[1] == "It flows back through weights, by the rule of softmax."
    assert len(folds(page)["Why"].blocks) == len(w.ops.softmax.page.derivation)
    assert page.row.op == "softmax"


def changes(fit, step) -> bool:
    """Whether a mistake shows in the step itself: one that leaves the step out shows after it."""
    return fit.make()[step.path].value.tolist() != step.value.tolist()


def test_the_mistakes_are_those_that_can_be_made_here(example: Opened) -> None:
    for name in ("weights", "scaled", "scores", "loss", "dscaled", "W_Q_new"):
        page = page_of_step(example, name)
        notes = [block for block in all_blocks(page.page.document.blocks) if isinstance(block, Note)]
        told = {note.mistake for note in notes if note.tone == "mistake"}
        fits = {
            fit.id
            for fit in example.trace.mistakes(example.trace[name].path)
            if not fit.is_in_rule and not fit.id.startswith("convention.") and changes(fit, example.trace[name])
        }
        assert told == fits
        assert told or name == "scores"


def test_a_mistake_says_what_it_would_give(example: Opened) -> None:
    notes = folds(page_of_step(example, "scaled"))["Mistakes, and what they would give"].blocks
    forgotten = next(note for note in notes if isinstance(note, Note) and note.mistake.endswith("not_divided"))
    wrong = example.trace.replay(ops={"scaled": "divide_by_root.not_divided"})["scaled"].value
    (number,) = [span for span in forgotten.spans if span.kind == "number" and span.role == "mistake"]
    assert number.value == float(wrong[number.index])


def test_a_bias_that_is_repeated_says_so() -> None:
    with Trace() as trace:
        x = w.given([[0.5, 0.2], [0.1, 0.3]], "token model", name="x")
        w.ops.add(x, w.given([0.1, 0.2], "model", name="b"), name="y")
    page = page_of_step(own(trace), "y")
    (note,) = [block for block in page.page.document.blocks if isinstance(block, Note)]
    assert plain_text(note.spans) == "b is broadcast along token, 2 times."


def test_the_last_step_of_a_group_shows_its_members() -> None:
    with Trace() as trace:
        q, k, v = (w.given([[0.1, 0.4], [0.3, 0.2]], "token head_size", name=name) for name in "QKV")
        w.ops.attention(q, k, v)
    page = page_of_step(own(trace), "context")
    ledger = folds(page)["The steps of attention"].blocks[1]
    assert [row.name for row in ledger.rows] == ["scores", "scaled", "weights", "context"]  # type: ignore[union-attr]


def test_heads_and_texts_are_named(lab: Lab) -> None:
    opened = lab.open(Wanted("hello-world", run="packed"))
    page = page_of_step(opened, "block1.attention.scores")
    assert page.row.axes == ("head", "query", "key")
    assert page.lead_labels == (("head 1", "head 2"),)
    assert page_of_step(opened, "logits").lead_labels == ()


@pytest.mark.parametrize("id", ["99999", "12.1", "14.9", "14.3.1", "", ".", "14.", "a"])
def test_what_is_not_there_is_missing(example: Opened, id: str) -> None:
    with pytest.raises(Missing):
        find_view(example.trace, id)
