"""Numbers that are 0 up to rounding: they accuse nobody, decide nothing and are never shown as evidence."""

import numpy
import pytest
import torch

import workings as w
from workings.practice.checking.candidates import Candidate, distinguishing_entry, merged
from workings.practice.checking.noise import noise_of
from workings.practice.checking.reference import reference_step

torch.manual_seed(0)
ATTENTION = torch.nn.MultiheadAttention(8, 2, batch_first=True)
X, UPSTREAM = torch.randn(1, 5, 8), torch.randn(1, 5, 8)


def bias_gradient():
    """The gradient of the keys' bias in PyTorch: 0, but for rounding."""
    out, _ = ATTENTION(X, X, X)
    ATTENTION.zero_grad()
    out.backward(UPSTREAM)
    return ATTENTION.in_proj_bias.grad[8:16].clone()


@pytest.fixture(scope="module")
def backward():
    return reference_step(w.nn.from_torch(ATTENTION), {"X": X, "cotangent": UPSTREAM, "step": "db_K"})


@pytest.mark.parametrize(
    "change",
    [
        lambda g: g,
        lambda g: g.double(),
        lambda g: -g,
        lambda g: [float(f"{number:.3g}") for number in g],
        lambda g: g.bfloat16(),
    ],
    ids=["float32", "converted", "another sign", "printed", "bfloat16"],
)
def test_a_gradient_that_is_zero_is_right_whatever_rounding_left_of_it(backward, change):
    got = change(bias_gradient())
    assert numpy.any(numpy.asarray(bias_gradient()) != 0)
    found = w.why(got, backward)
    assert found.is_right, found
    assert found.gap == 0.0
    assert w.compare({"db_K": got}, to=backward.trace).first is None


def test_a_gradient_that_should_be_zero_and_is_not_is_no_noise(backward):
    got = bias_gradient()
    got[3] = 1e-3
    found = w.why(got, backward)
    assert not found.is_right
    assert found.index == (3,)


def rest(x, y):
    with w.Trace() as trace:
        a, b = w.given(x, "token", name="a"), w.given(y, "token", name="b")
        difference = w.ops.sub(a, b, name="difference")
        w.ops.scale(difference, factor=2.0, name="twice")
    return trace


def test_computations_that_differ_in_noise_alone_are_one_candidate():
    one, other = rest([1.0, 5.0], [1.0 - 4e-10, 2.0]), rest([1.0, 5.0], [1.0 + 5e-10, 2.0])
    both = [Candidate(id, "mistake", "difference", "", trace=trace) for id, trace in (("a", one), ("b", other))]
    difference = [trace.replay(values={"b": [1.0, 2.0]}) for trace in (one, other)]
    assert len(merged([Candidate("a", "mistake", "", "", trace=difference[0]), both[1]], "float32")) == 1
    assert len(merged(both, "float64")) == 2


def test_noise_never_distinguishes_candidates():
    one, other = rest([1.0, 5.0], [1.0 - 4e-10, 2.0]), rest([1.0, 5.0], [1.0 + 5e-10, 2.0001])
    both = tuple(Candidate(id, "mistake", "x", "", trace=trace) for id, trace in (("a", one), ("b", other)))
    entry = distinguishing_entry(both, one["twice"], "float32")
    assert entry.index == (1,)
    assert all(abs(value) > 1 for _, value in entry.values)


def test_an_entry_is_noise_where_it_is_small_beside_its_terms():
    trace = rest([1.0, 5.0], [1.0, 2.0])
    assert noise_of(trace["difference"], "float32") == pytest.approx(4 * 2**-23 * numpy.array([2.0, 7.0]))
    assert noise_of(trace["twice"], "float32") == pytest.approx(8 * 2**-23 * numpy.array([2.0, 7.0]))
    assert noise_of(trace["a"], "float64") == pytest.approx(4 * 2**-52 * numpy.array([1.0, 5.0]))
