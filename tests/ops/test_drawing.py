"""The generator: the numbers of SplitMix64, one stream whatever the shapes, and evenly spread."""

import math

import numpy
import pytest

import workings as w
from workings import ops
from workings.engine.errors import CallError
from workings.ops.parts.drawing import Draws

MASK = 2**64 - 1


def splitmix64(state):
    """The generator as it was published, one number at a time."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def published(seed, count):
    stream = splitmix64(seed)
    return [next(stream) for _ in range(count)]


def test_the_published_numbers():
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert published(1234567, 5) == known
    assert Draws(1234567).bits(5).tolist() == known


@pytest.mark.parametrize("seed", [0, 1, 42, 2**53 - 1, -1])
def test_many_numbers_are_those_of_the_plain_version(seed):
    draws = Draws(seed)
    got = draws.bits(300).tolist() + draws.bits(1).tolist() + draws.bits(200).tolist()
    assert got == published(seed % 2**64, 501)


def test_uniform_numbers_are_the_upper_53_bits():
    assert Draws(5).uniform(100).tolist() == [(number >> 11) / 2**53 for number in published(5, 100)]


@pytest.mark.parametrize("draw", [Draws.uniform, Draws.normal, lambda draws, shape: draws.whole(shape, 7)])
def test_the_stream_does_not_depend_on_the_shapes(draw):
    whole = draw(Draws(3), (2, 3, 4))
    assert whole.shape == (2, 3, 4)
    draws = Draws(3)
    parts = [draw(draws, 5), draw(draws, (4, 4)).ravel(), draw(draws, ()).reshape(1), draw(draws, 2)]
    assert numpy.concatenate(parts).tobytes() == whole.tobytes()


def test_calls_of_different_kinds_go_on_in_one_stream():
    draws, plain = Draws(9), published(9, 3 + 2 * 2 + 1)
    draws.uniform(3)
    draws.normal(2)
    assert draws.bits(1)[0] == plain[-1]


def test_two_seeds_give_other_numbers_and_one_seed_the_same():
    assert Draws(1).uniform(4).tolist() == Draws(1).uniform(4).tolist()
    assert set(Draws(1).uniform(1000)).isdisjoint(Draws(2).uniform(1000))


def test_these_numbers_never_change():
    assert Draws(2024).uniform(2).tolist() == [0.6227655366461097, 0.0972319084876927]
    assert Draws(2024).normal(2).tolist() == [-1.1437693448171824, -0.6275664934417263]
    assert Draws(2024).whole(8, 100).tolist() == [62, 9, 29, 11, 83, 55, 13, 59]


def test_uniform_numbers_are_evenly_spread():
    numbers = Draws(11).uniform(200_000)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts, _ = numpy.histogram(numbers, bins=50, range=(0, 1))
    expected = len(numbers) / 50
    assert ((counts - expected) ** 2 / expected).sum() < 86  # chi² with 49 degrees of freedom, one in a thousand
    assert abs(numpy.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.01


def test_whole_numbers_are_evenly_spread():
    counts = numpy.bincount(Draws(12).whole(60_000, 6))
    assert len(counts) == 6
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 21
    assert Draws(12).whole((), 1) == 0
    assert Draws(12).whole(5, 10).dtype == numpy.int64


def test_normal_numbers_are_spread_like_a_bell():
    numbers = Draws(13).normal(200_000)
    assert abs(numbers.mean()) < 0.01
    assert abs(numbers.std() - 1) < 0.01
    for bound in (0.5, 1.0, 2.0, 3.0):
        within = numpy.mean(numpy.abs(numbers) < bound)
        assert abs(within - math.erf(bound / math.sqrt(2))) < 0.005


def test_normal_numbers_are_those_of_the_formula():
    draws = Draws(14).uniform((1000, 2))
    expected = [math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * (v - 0.5)) for u, v in draws]
    numpy.testing.assert_allclose(Draws(14).normal(1000), expected, rtol=1e-12, atol=1e-13)


def test_marks_for_dropout_are_a_recorded_random_leaf():
    marks = Draws(15).kept((100, 200), 0.3, "token model")
    assert marks.leaf == "random"
    assert marks.axes == ("token", "model")
    assert set(marks.array.ravel()) == {0.0, 1.0}
    assert abs(marks.array.mean() - 0.7) < 0.01
    assert Draws(15).kept(50, 0.0).array.all()
    assert Draws(15).kept(1, Draws(15).uniform(1)[0]).array.tolist() == [1.0]  # a number is as likely as it says
    with w.Trace() as trace:
        x = w.given(numpy.ones((100, 200)), "token model", name="x")
        ops.dropout(x, marks, rate=0.3, name="y")
    assert abs(trace["y"].value.mean() - 1) < 0.02
    assert trace["kept"].step.leaf == "random"


@pytest.mark.parametrize(
    ("call", "choices"),
    [
        (lambda: Draws(1.5), "a whole number"),
        (lambda: Draws(True), "a whole number"),
        (lambda: Draws("seed"), "a whole number"),
        (lambda: Draws(2**53), "a whole number"),
        (lambda: Draws(2**60), "a whole number"),
        (lambda: Draws(-(2**53) - 1), "a whole number"),
        (lambda: Draws(1).uniform(-1), "a whole number above 0"),
        (lambda: Draws(1).uniform((2, 0)), "a whole number above 0"),
        (lambda: Draws(1).uniform(2.0), "a whole number above 0"),
        (lambda: Draws(1).whole(3, 0), "a whole number above 0"),
        (lambda: Draws(1).whole(3, 2**53), "a whole number above 0"),
        (lambda: Draws(1).kept(3, 1.0), "a number from 0 up to, but not including, 1"),
        (lambda: Draws(1).kept(3, 1.5), "a number from 0 up to, but not including, 1"),
        (lambda: Draws(1).kept(3, -0.1), "a number from 0 up to, but not including, 1"),
    ],
)
def test_setting_that_draws_cannot_have_is_refused_with_what_is_allowed(call, choices):
    with pytest.raises(CallError, match=r"The setting (seed|shape|below|rate) of Draws cannot be") as error:
        call()
    assert error.value.hint == f"Allowed: {choices}."
