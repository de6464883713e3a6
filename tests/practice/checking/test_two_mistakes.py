"""Two mistakes in one result, where nothing else explains it."""

import numpy
import pytest

import workings as w
from workings.engine.rounding import round_float
from workings.practice.checking import pairs

NUMBERS = numpy.random.default_rng(21)
Q, K, V = (NUMBERS.standard_normal((5, 8)) for _ in range(3))


def softmax(x, axis=-1):
    powers = numpy.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def attention(q, k, v, scale=2.0, seen=0, axis=-1):
    """Attention of two heads; `seen` says up to which later token each one attends, None for all."""
    q, k, v = (part.reshape(len(part), 2, -1).transpose(1, 0, 2) for part in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / scale
    if seen is not None:
        scores = numpy.where(numpy.tril(numpy.ones(scores.shape[1:], bool), seen), scores, -1e9)
    return (softmax(scores, axis) @ v).transpose(1, 0, 2).reshape(len(Q), -1)


def asked(got):
    return w.why(got, "attention", q=Q, k=K, v=V, heads=2, mask="causal")


@pytest.mark.parametrize("digits", [0, 4])
@pytest.mark.parametrize(
    ("got", "ids"),
    [
        (attention(Q, K, V, scale=1.0, seen=None), {"divide_by_root.not_divided", "softmax.mask_forgotten"}),
        (attention(Q, K, V, scale=4.0, seen=1), {"divide_by_root.root_forgotten", "causal_mask.one_ahead"}),
        (attention(Q, V, K, scale=8**0.5), {"matmul.keys_and_values_exchanged", "divide_by_root.root_of_model"}),
        (attention(Q, K, V, scale=1.0, axis=-2), {"divide_by_root.not_divided", "softmax.wrong_axis"}),
    ],
)
def test_both_mistakes_are_named(got, ids, digits):
    if digits:
        got = numpy.vectorize(lambda number: round_float(float(number), digits, "significant"))(got)
    found = asked(got)
    assert (found.verdict, {candidate.id for candidate in found.candidates}) == ("two mistakes", ids)
    assert found.cause is None
    assert found.causes == found.candidates
    assert "these two together give these numbers" in repr(found)


def test_one_mistake_is_not_explained_by_two():
    assert asked(attention(Q, K, V, scale=1.0)).verdict == "mistake"


@pytest.mark.parametrize("decimals", [1, 2, 3, 12])
def test_any_numbers_are_not_two_mistakes(decimals):
    for _ in range(8):
        assert asked(NUMBERS.standard_normal((5, 8)).round(decimals)).verdict == "none"
        assert w.why(NUMBERS.uniform(0, 1, (2, 3)).round(decimals), "softmax", x=Q[:2, :3]).verdict == "none"


def test_the_work_is_bounded(monkeypatch):
    got = attention(Q, K, V, scale=1.0, seen=None)
    tried = asked(got).tried
    monkeypatch.setattr(pairs, "MAX_ENTRIES", 100)
    found = asked(got)
    assert found.verdict == "none"
    assert found.tried < tried
    assert "only the likeliest pairs" in " ".join(repr(found).split())


def test_numbers_of_few_digits_are_not_explained_by_two_mistakes():
    found = asked(attention(Q, K, V, scale=1.0, seen=None).round(1))
    assert found.verdict != "two mistakes"
