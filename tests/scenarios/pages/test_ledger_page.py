"""The averaging ledger: every number of it is an entry of a step, and PyTorch gets the same sums and averages."""

from fractions import Fraction

import numpy
import pytest
import torch
from torch.nn import functional

import workings as w
from workings.document.blocks import Heading, Number, Table, Text, plain_text
from workings.engine.errors import StepError
from workings.scenarios.pages.averaging import MAX_ROWS, averaged_scopes, averaging_of
from workings.scenarios.pages.ledger_page import averaging_document
from workings.scenarios.running.computation import computation_of
from workings.scenarios.scenario_page import scenario_document

MODEL = "scenario: 1\nmodel: {kind: decoder, width: 4, head: all-tokens}\n"


def scenario_of(tmp_path, task="task: copy, longest: 6", more="", **train):
    file = tmp_path / "batches.yaml"
    keys = ", ".join(f"{key}: {value}" for key, value in train.items())
    file.write_text(f"{MODEL}data: {{{task}}}\ntrain: {{{keys}}}\n{more}")
    return w.scenario(file)


def numbers_of(document):
    """Every printed number of the page."""
    cells = [
        span for block in document.blocks if isinstance(block, Table) for row in block.rows for span in sum(row, ())
    ]
    texts = [span for block in document.blocks if isinstance(block, Text) for span in block.spans]
    return [span for span in (*cells, *texts) if isinstance(span, Number)]


def tables_of(document):
    return [block for block in document.blocks if isinstance(block, Table)]


def sentences_of(document):
    return " ".join(plain_text(block.spans) for block in document.blocks if isinstance(block, Text))


def values_of(row):
    return [span.value for cell in row for span in cell if isinstance(span, Number)]


def in_torch(scenario, trace, number=1):
    """For each part, the losses of its tokens with 0 where none counts, and which ones count."""
    batches = computation_of(scenario.plan(), scenario.convention()).batches(number)
    step = "" if len(averaged_scopes(trace)) == 1 else f"step{number}."
    for n, batch in enumerate(batches, start=1):
        path = f"{step}part{n}." if len(batches) > 1 else step
        logits = torch.tensor(trace[f"{path}logits"].value)
        target = torch.tensor(numpy.where(batch.counted > 0, batch.target, -100))
        losses = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
        yield losses.reshape(target.shape), torch.tensor(batch.counted)


# -- against PyTorch --------------------------------------------------------------------------------


@pytest.mark.parametrize("average", ["tokens", "sequences"])
@pytest.mark.parametrize("parts", [1, 3])
def test_the_lines_are_those_of_torch(tmp_path, average, parts):
    scenario = scenario_of(tmp_path, batch_size=4, accumulation_steps=parts, average=average, steps=1)
    trace = scenario.trace()
    found = list(in_torch(scenario, trace))
    tokens = sum(marks.sum() for _, marks in found)
    expected = []
    for losses, marks in found:
        length, sums = marks.sum(1), losses.sum(1)
        counted = sums / tokens if average == "tokens" else sums / length / (4 * parts)
        expected += torch.stack([length, sums, sums / length, counted], dim=1).tolist()
        if parts > 1:
            expected.append([length.sum(), sums.sum(), sums.sum() / length.sum(), counted.sum()])
    sums = sum(losses.sum() for losses, _ in found)
    expected.append([tokens, sums, sums / tokens, trace["loss"].value])
    rows = [values_of(row) for row in tables_of(averaging_document(trace))[0].rows]
    numpy.testing.assert_allclose(rows, expected, rtol=1e-12)


@pytest.mark.parametrize("average", ["tokens", "sequences"])
@pytest.mark.parametrize("parts", [1, 3])
def test_the_averages_are_those_of_torch(tmp_path, average, parts):
    scenario = scenario_of(tmp_path, batch_size=4, accumulation_steps=parts, average=average, steps=1)
    trace = scenario.trace()
    found = list(in_torch(scenario, trace))
    all_losses, all_marks = (torch.cat(side) for side in zip(*found, strict=True))
    of_tokens = all_losses.sum() / all_marks.sum()
    of_texts = torch.stack([loss[marks > 0].mean() for loss, marks in zip(all_losses, all_marks, strict=True)]).mean()
    of_parts = torch.stack([losses[marks > 0].mean() for losses, marks in found]).mean()
    expected = [of_tokens, of_texts, of_parts][: 3 if parts > 1 else 2]
    rows = [values_of(row) for row in tables_of(averaging_document(trace))[1].rows]
    numpy.testing.assert_allclose([value for _, _, value in rows], torch.stack(expected), rtol=1e-12)
    numpy.testing.assert_allclose([total / count for total, count, _ in rows], torch.stack(expected), rtol=1e-12)
    chosen = {"tokens": of_tokens, "sequences": of_texts}[average]
    numpy.testing.assert_allclose(trace["loss"].value, chosen, rtol=1e-12)
    assert abs(of_tokens - of_texts) > 1e-3  # the case can tell them apart
    said = {
        "tokens": "The loss is the mean of all tokens",
        "sequences": "The loss is the mean of the means of the texts",
    }
    assert said[average] in sentences_of(averaging_document(trace))


def test_each_kept_step_has_a_ledger_of_its_own(tmp_path):
    scenario = scenario_of(tmp_path, batch_size=2, steps=3, keep=[1, 3])
    trace = scenario.trace()
    assert averaged_scopes(trace) == ["step1.", "step3."]
    assert averaging_document(trace).title == "How the losses of step 1 are averaged"
    last = averaging_document(trace, "step3.")
    assert last.title == "How the losses of step 3 are averaged"
    losses, _ = next(in_torch(scenario, trace, 3))
    numpy.testing.assert_allclose(values_of(tables_of(last)[0].rows[0])[1], losses[0].sum(), rtol=1e-12)


# -- every number is an entry of a step -------------------------------------------------------------


@pytest.mark.parametrize(
    "train",
    [{"batch_size": 2}, {"batch_size": 30, "accumulation_steps": 2}, {"batch_size": 2, "accumulation_steps": 14}],
)
def test_every_number_is_an_entry_of_the_step_that_it_names(tmp_path, train):
    trace = scenario_of(tmp_path, **train).trace()
    side = averaging_of(trace, "").side.trace
    numbers = numbers_of(averaging_document(trace))
    assert {number.step.startswith("averaging.") for number in numbers} == {True, False}
    for number in numbers:
        name, dot, id = number.step.partition(".")
        value = (side if dot else trace).recording.value(id or name)[number.index]
        assert value.item() == number.value
    # and nothing was computed outside ops: all that is not a leaf can be worked out again
    again = side.replay()
    assert all(again[step.path].value.tobytes() == step.value.tobytes() for step in side)


def test_a_ledger_leaves_its_trace_as_it_was(tmp_path):
    trace = scenario_of(tmp_path, batch_size=2).trace()
    before = repr(trace)
    averaging_document(trace)
    assert repr(trace) == before


# -- many texts, many parts -------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "parts"), [(30, 1), (30, 2), (13, 1), (5, 4)])
def test_texts_without_a_line_of_their_own_are_added_up(tmp_path, size, parts):
    trace = scenario_of(tmp_path, batch_size=size, accumulation_steps=parts, average="sequences").trace()
    rows = tables_of(averaging_document(trace))[0].rows
    labels = [[cell[0].text for cell in row[: 2 if parts > 1 else 1]] for row in rows]
    shown = MAX_ROWS // parts
    assert sum(label[-1].isdigit() for label in labels) == shown * parts <= MAX_ROWS
    assert sum(label[-1] == f"{size - shown} more" for label in labels) == parts
    values = numpy.array([values_of(row) for row in rows])
    tokens, sums, means, counted = values.T
    lines = [n for n, label in enumerate(labels) if label[-1] != "all"]
    for column in (tokens, sums, counted):
        assert column[lines].sum() == pytest.approx(column[-1], rel=1e-12)
    numpy.testing.assert_allclose(means, sums / tokens, rtol=1e-12)
    assert counted[-1] == trace["loss"].value


def test_many_parts_have_a_line_each_and_the_others_one(tmp_path):
    trace = scenario_of(tmp_path, batch_size=2, accumulation_steps=14).trace()
    rows = tables_of(averaging_document(trace))[0].rows
    assert [row[0][0].text for row in rows] == [*map(str, range(1, 13)), "2 more", "all"]
    values = numpy.array([values_of(row) for row in rows])
    for column in (0, 1, 3):
        assert values[:-1, column].sum() == pytest.approx(values[-1, column], rel=1e-12)


# -- what is said -----------------------------------------------------------------------------------


def batch_of(losses, shares):
    """A trace of a step on one batch whose losses are given."""
    with w.Trace() as trace:
        tensors = [
            w.given(values, "batch token", name=name) for name, values in (("losses", losses), ("shares", shares))
        ]
        of_texts = w.ops.sum(w.ops.mul(*tensors, name="counted"), axis="token", name="of_texts")
        w.ops.sum(of_texts, axis="batch", name="loss")
    return trace


def test_the_mean_of_the_means_is_not_the_mean():
    """Three tokens of loss 1 and one of loss 5: 2 of all tokens, 3 of the two texts."""
    trace = batch_of([[1.0, 1.0, 1.0], [5.0, 7.0, 7.0]], [[0.25, 0.25, 0.25], [0.25, 0.0, 0.0]])
    page = averaging_document(trace)
    of_tokens, of_texts = (values_of(row)[-1] for row in tables_of(page)[1].rows)
    assert Fraction(of_tokens) == Fraction(1 + 1 + 1 + 5, 4) == trace["loss"].value
    assert Fraction(of_texts) == (Fraction(3, 3) + Fraction(5, 1)) / 2
    assert "The loss is the mean of all tokens, 2:" in sentences_of(page)
    assert "from 1 to 3 tokens that count" in sentences_of(page)


@pytest.mark.parametrize(
    ("losses", "shares", "said"),
    [
        ([[1.0, 2.0], [4.0, 3.0]], [[0.25, 0.25], [0.25, 0.25]], ("and so does every text", "2 tokens count in every")),
        ([[2.0, 2.0], [2.0, 9.0]], [[0.25, 0.25], [0.5, 0.0]], ("mean of the means of the texts, 2:", "are the same")),
        ([[1.0, 2.0], [4.0, 3.0]], [[0.7, 0.1], [0.1, 0.1]], ("none of these averages", "agree")),
        ([[1.0, 2.0], [4.0, 9.0], [9.0, 9.0]], [[0.25, 0.25], [0.5, 0], [0, 0]], ("means of the texts", "from 1 to 2")),
    ],
)
def test_the_page_says_which_average_it_is_and_why_they_differ(losses, shares, said):
    sentences = sentences_of(averaging_document(batch_of(losses, shares)))
    for part in said:
        assert part in sentences


def test_a_text_of_which_nothing_counts_is_no_text_of_the_average():
    trace = batch_of([[1.0, 2.0], [4.0, 9.0], [9.0, 9.0]], [[0.25, 0.25], [0.5, 0.0], [0.0, 0.0]])
    accounts, averages = tables_of(averaging_document(trace))
    assert values_of(accounts.rows[2]) == [0, 0, 0, 0]
    assert values_of(averages.rows[1]) == [5.5, 2, 2.75]
    assert trace["loss"].value == 2.75


def test_parts_of_different_sizes_differ_though_texts_are_equally_long():
    with w.Trace() as trace:
        total = w.given(0.0, name="nothing")
        for n, losses in enumerate(([[1.0, 2.0], [2.0, 3.0]], [[6.0, 8.0]]), start=1):
            with trace.scope(f"part{n}"):
                tensor = w.given(losses, "batch token", name="losses")
                shares = w.given(numpy.full(tensor.shape, 1 / 6), "batch token", name="shares")
                of_texts = w.ops.sum(tensor * shares, axis="token", name="of_texts")
                part = w.ops.sum(of_texts, axis="batch", name="loss")
            total = w.ops.add(total, part, name="loss" if n == 2 else "total")
    page = averaging_document(trace)
    assert [values_of(row)[-1] for row in tables_of(page)[1].rows] == pytest.approx([22 / 6, 22 / 6, 4.5])
    assert "because the parts have from 2 to 4 tokens" in sentences_of(page)


def test_averages_that_differ_are_written_apart():
    shares = [[1 / 3, 1 / 3], [1 / 3, 0.0]]
    page = averaging_document(batch_of([[1.0, 1.0], [1.00001, 9.0]], shares))
    of_tokens, of_texts = (row[-1][0].text for row in tables_of(page)[1].rows)
    assert (of_tokens, of_texts) == ("1.0", "1.00001")  # 1.0000033 and 1.000005


def test_a_trace_without_batches_has_no_ledger():
    trace = w.scenario("example-2").trace()
    assert averaged_scopes(trace) == []
    with pytest.raises(StepError, match="how much each token counts"):
        averaging_document(trace)


def test_the_page_of_a_run_has_its_ledger(tmp_path):
    scenario = scenario_of(tmp_path, batch_size=2, steps=2, keep=[1, 2])
    page = scenario_document(scenario, "default", scenario.trace())
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert "How the losses of step 1 are averaged" in headings
    plain = w.scenario("example-2")
    page = scenario_document(plain, "default", plain.trace())
    assert not any("averaged" in block.text for block in page.blocks if isinstance(block, Heading))


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_ledger_computes_as_its_trace_does(tmp_path, precision):
    trace = scenario_of(tmp_path, batch_size=2, more=f"precision: {precision}\n").trace()
    side = averaging_of(trace, "").side.trace
    assert {str(step.value.dtype) for step in side} == {precision}
