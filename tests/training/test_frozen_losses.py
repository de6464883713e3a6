"""Ten losses of three trainings: those of a plain PyTorch program that is fed the same, and those that were frozen."""

from __future__ import annotations

import dataclasses

import frozen_losses
import numpy
import pytest
import torch
from frozen_losses import SCENARIOS, STEPS, trained
from torch_program import Course, Reader, Sizes, Translator, train

NEAR, NEAR_WEIGHTS = 1e-9, 1e-8

SAME = {"rate": 0.01, "warmup": 3, "floor": 0.1, "steps": STEPS, "betas": (0.9, 0.98), "decay": 0.05}


def gpt(vocabulary):
    bend = torch.nn.GELU(approximate="tanh")
    sizes = Sizes(vocabulary, width=16, heads=4, layers=2, hidden=32, positions=24, activation=bend, norm_first=True)
    return Reader(sizes, causal=True, final_norm=True), Course(**SAME, clip=1.0)


def bert(vocabulary):
    sizes = Sizes(vocabulary, width=12, heads=3, layers=2, hidden=24, positions=14, activation="gelu", epsilon=1e-12)
    return Reader(sizes, causal=False, final_norm=False), Course(**SAME, clip=0.5)


def translator(vocabulary):
    sizes = Sizes(vocabulary, width=12, heads=2, layers=2, hidden=20, positions=26, activation="relu")
    return Translator(sizes, decoder_layers=1), Course(**SAME, clip=2.0)


PROGRAMS = {"GPT-style": gpt, "BERT-style": bert, "encoder-decoder": translator}


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return {name: trained(name, tmp_path_factory.mktemp("training") / name) for name in SCENARIOS}


def batches_of(run):
    """What each step reads, as plain arrays."""
    names = [field.name for field in dataclasses.fields(run.computation.batches(1)[0])]
    found = []
    for number in range(1, STEPS + 1):
        parts = run.computation.batches(number)
        found.append([{n: getattr(part, n) for n in names if getattr(part, n) is not None} for part in parts])
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_ten_losses_and_all_weights_are_those_of_a_plain_pytorch_program(ours, name):
    run = ours[name]
    model, course = PROGRAMS[name](len(run.computation.source.vocabulary))
    losses = train(model, run.start, batches_of(run), course)
    assert len(losses) == len(run.losses) == STEPS
    numpy.testing.assert_allclose(run.losses, losses, rtol=0, atol=NEAR)
    for path, view in model.views().items():
        weight = run.weights[path]
        numpy.testing.assert_allclose(weight, view.detach().numpy(), rtol=0, atol=NEAR_WEIGHTS, err_msg=path)
        moved = abs(weight - run.start[path]).max()
        assert moved > 1e-3 or path.endswith("b_K"), path  # all keys moved alike change nothing


@pytest.mark.parametrize("name", SCENARIOS)
def test_ten_losses_are_the_frozen_ones(ours, name):
    """Frozen anew with `make frozen`, if a change is meant."""
    numpy.testing.assert_allclose(ours[name].losses, frozen_losses.read()[name], rtol=0, atol=NEAR)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(
    "other", [{"clip": 100.0}, {"decay": 0.0}, {"warmup": 2}, {"floor": 0.2}, {"betas": (0.9, 0.999)}, {"steps": 11}]
)
def test_the_judge_notices_whatever_is_done_differently(ours, name, other):
    run = ours[name]
    model, course = PROGRAMS[name](len(run.computation.source.vocabulary))
    losses = train(model, run.start, batches_of(run), dataclasses.replace(course, **other))
    assert abs(numpy.array(losses) - run.losses).max() > 1000 * NEAR


def test_the_batches_have_what_is_to_be_judged(ours):
    """Sources of different lengths, words that do not count, and parts in which not equally many do."""
    dates = ours["encoder-decoder"].computation.batches(1)[0]
    assert len(set(dates.keep.sum(axis=1))) > 1
    parts = [[part.counted.sum() for part in ours["BERT-style"].computation.batches(n)] for n in range(1, STEPS + 1)]
    assert any(first != second for first, second in parts)
    assert all(run.session.trainer.precision == "float64" for run in ours.values())
