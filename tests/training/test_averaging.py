"""Averaging: shares add up to 1, and however a batch is cut into small ones, loss and gradients stay the same."""

from itertools import pairwise
from types import SimpleNamespace

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch.nn import functional

import workings as w
from workings.engine.errors import CallError, NumberError
from workings.scenarios.running.computation import computation_of
from workings.training.averaging import shares_of
from workings.training.rates import Rates
from workings.training.trainer import Trainer
from workings.training.update import Optimizer

AVERAGES = ("tokens", "sequences")
SIZE = 5
lengths = some.lists(some.integers(1, 9), min_size=1, max_size=6)


def marks_of(counts, width=9):
    """TrainingRows in which so many tokens count; those that do not stand on both sides."""
    return numpy.array(
        [[float((width - count) // 2 <= n < (width - count) // 2 + count) for n in range(width)] for count in counts]
    )


@given(some.lists(lengths, min_size=1, max_size=4), some.sampled_from(AVERAGES))
def test_shares_add_up_to_one_and_what_does_not_count_has_none(parts, average):
    counted = [marks_of(counts) for counts in parts]
    shares = shares_of(counted, average)
    assert sum(share.sum() for share in shares) == pytest.approx(1, abs=1e-12)
    for share, marks in zip(shares, counted, strict=True):
        assert share.shape == marks.shape
        assert ((share > 0) == (marks > 0)).all()


@given(some.lists(lengths, min_size=1, max_size=4))
def test_tokens_count_alike_or_texts_do(parts):
    counted = [marks_of(counts) for counts in parts]
    tokens = numpy.concatenate([share[share > 0] for share in shares_of(counted, "tokens")])
    numpy.testing.assert_allclose(tokens, 1 / sum(sum(counts) for counts in parts), rtol=1e-12)
    texts = numpy.concatenate([share.sum(axis=1) for share in shares_of(counted, "sequences")])
    numpy.testing.assert_allclose(texts, 1 / sum(len(counts) for counts in parts), rtol=1e-12)


@given(lengths, some.data())
def test_a_split_into_parts_changes_no_share(counts, data):
    marks = marks_of(counts)
    cuts = sorted(data.draw(some.sets(some.integers(1, len(counts) - 1)))) if len(counts) > 1 else []
    for average in AVERAGES:
        whole = shares_of([marks], average)[0]
        parts = shares_of(numpy.split(marks, cuts), average)
        numpy.testing.assert_allclose(numpy.concatenate(parts), whole, rtol=1e-12)


def test_a_text_of_which_nothing_counts_is_left_out():
    shares = shares_of([numpy.array([[1.0, 1.0], [0.0, 0.0]])], "sequences")[0]
    assert shares.tolist() == [[0.5, 0.5], [0.0, 0.0]]


@pytest.mark.parametrize("average", AVERAGES)
def test_nothing_to_average_is_refused(average):
    with pytest.raises(NumberError, match="No token of this batch counts"):
        shares_of([numpy.zeros((2, 3))], average)


def test_an_unknown_average_is_refused():
    with pytest.raises(CallError, match="'words' is not a way to average"):
        shares_of([numpy.ones((2, 3))], "words")


# -- losses and gradients ---------------------------------------------------------------------------


@pytest.fixture(scope="module", params=AVERAGES)
def averaged(request, tmp_path_factory):
    """A small model on texts of different lengths."""
    file = tmp_path_factory.mktemp("averaged") / "averaged.yaml"
    file.write_text(
        "scenario: 1\nmodel: {kind: decoder, width: 4, heads: 2, hidden: 5, head: all-tokens, position: interleaved}\n"
        f"data: {{task: reverse, longest: 6}}\ntrain: {{batch_size: {SIZE}, average: {request.param}}}\n"
    )
    scenario = w.scenario(file)
    computation = computation_of(scenario.plan(), scenario.convention())
    return scenario, computation


def moved(averaged, batches):
    """The loss of one step on these batches, and how far it goes: with a rate of 1, that is the gradient."""
    _, computation = averaged
    passes = [computation.passes_of(batches)]
    step = SimpleNamespace(weights=computation.weights, draws=None, updates=lambda number: passes)
    trainer = Trainer(step, list(computation.weights), Optimizer("sgd"), Rates(1.0))
    loss = trainer.advance()
    after = {path: weight.array for path, weight in trainer.weights().items()}
    start = {path: weight.array for path, weight in computation.weights.items()}
    return loss, trainer.flat.row(start, "float64") - trainer.flat.row(after, "float64")


@settings(max_examples=25, deadline=None)
@given(some.sets(some.integers(1, SIZE - 1)))
def test_micro_batches_have_the_loss_and_the_gradients_of_the_whole(averaged, cuts):
    (batch,) = averaged[1].batches(1)
    assert len(set(batch.counted.sum(axis=1))) > 1  # texts of different lengths
    edges = [0, *sorted(cuts), SIZE]
    parts = [batch.rows(slice(start, end)) for start, end in pairwise(edges)]
    loss, gradient = moved(averaged, [batch])
    other_loss, other_gradient = moved(averaged, parts)
    assert other_loss == pytest.approx(loss, abs=1e-12)
    assert numpy.abs(gradient).max() > 1e-3
    numpy.testing.assert_allclose(other_gradient, gradient, rtol=0, atol=1e-12)


def test_the_mean_of_the_means_of_parts_would_be_another_loss(averaged):
    (batch,) = averaged[1].batches(1)
    parts = [batch.rows(slice(0, 1)), batch.rows(slice(1, SIZE))]
    alone = [moved(averaged, [part])[0] for part in parts]
    assert abs(numpy.mean(alone) - moved(averaged, parts)[0]) > 1e-3


def test_loss_and_gradient_are_those_of_torch(averaged):
    scenario, computation = averaged
    trace = scenario.trace()
    (batch,) = computation.batches(1)
    logits = torch.tensor(trace["logits"].value, requires_grad=True)
    target = torch.tensor(numpy.where(batch.counted > 0, batch.target, -100))
    if computation.train.average == "tokens":
        loss = functional.cross_entropy(logits.flatten(0, 1), target.flatten())
    else:
        loss = torch.stack([functional.cross_entropy(*text) for text in zip(logits, target, strict=True)]).mean()
    loss.backward()
    assert trace["loss"].value == pytest.approx(loss.item(), rel=1e-12)
    numpy.testing.assert_allclose(trace["dlogits"].value, logits.grad, rtol=0, atol=1e-14)
