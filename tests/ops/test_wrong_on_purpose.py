"""What some mistakes give, worked out once more in NumPy: those that are easily written down wrongly in their turn."""

import numpy
import pytest

import workings as w
from workings import ops
from workings.engine.errors import NumberError
from workings.engine.op import OPS

NUMBERS = numpy.random.default_rng(1)
SQUARE, OTHER = NUMBERS.standard_normal((3, 3)), NUMBERS.standard_normal((3, 3))
LOGITS, TARGET = NUMBERS.standard_normal((2, 4)), numpy.array([2, 0])
LOSSES = numpy.log(numpy.exp(LOGITS).sum(axis=-1)) - LOGITS[[0, 1], TARGET]


def given(array):
    return w.given(array) if array.dtype.kind == "f" else w.ids(array)


def mistaken(id, *arrays, **settings):
    """What a mistake gives on these inputs."""
    page, name = id.split(".")
    op = OPS[page]
    return op.page.mistakes[name].run(tuple(given(array) for array in arrays), op.complete(settings)).array


@pytest.mark.parametrize(
    ("id", "arrays", "settings", "expected"),
    [
        ("matmul.row_of_another", (SQUARE, OTHER), {}, numpy.roll(SQUARE, -1, axis=0) @ OTHER),
        ("matmul.first_not_transposed", (OTHER, SQUARE), {}, SQUARE @ OTHER),
        ("linear.first_not_transposed", (OTHER, SQUARE), {}, SQUARE @ OTHER),
        ("cross_entropy.base_two", (LOGITS, TARGET), {}, LOSSES.mean() / numpy.log(2)),
        ("cross_entropy.mean_twice", (LOGITS, TARGET), {}, LOSSES.sum() / 4),
        ("mean.divided_twice", (SQUARE,), {}, SQUARE.sum() / 81),
        ("divide_by.divided_twice", (SQUARE,), {"divisor": 3}, SQUARE / 9),
        ("transpose.flipped", (SQUARE,), {}, SQUARE[::-1]),
    ],
)
def test_it_gives_what_numpy_gives(id, arrays, settings, expected):
    numpy.testing.assert_allclose(mistaken(id, *arrays, **settings), expected, rtol=1e-12)


def test_a_naive_softmax_loses_digits_and_is_harmless_elsewhere():
    low = numpy.array([[-744.0, -745.0]])
    powers = numpy.exp(low)
    assert (mistaken("softmax.naive", low) == powers / powers.sum()).all()
    assert abs(mistaken("softmax.naive", low) - ops.softmax(w.given(low)).array).max() > 0.05
    with pytest.raises(NumberError, match="the same probabilities"):
        mistaken("softmax.naive", SQUARE)
    with pytest.raises(NumberError):  # too large to be written, or all of them 0
        mistaken("softmax.naive", numpy.array([[-744.0, -745.0], [1000.0, 998.0]]))
    with pytest.raises(NumberError):
        mistaken("softmax.naive", numpy.array([[-800.0, -801.0]]))


def test_a_token_that_does_not_see_itself_still_sees_the_first():
    hidden = mistaken("causal_mask.itself_hidden", SQUARE)
    seen = numpy.array([[True, False, False], [True, False, False], [True, True, False]])
    assert (numpy.isfinite(hidden) == seen).all()
    assert (hidden[seen] == SQUARE[seen]).all()
    past = mistaken("causal_mask.itself_hidden", SQUARE[:2], past=1)
    assert (numpy.isfinite(past) == seen[1:]).all()


@pytest.mark.parametrize("id", ["matmul.row_of_another", "matmul.queries_and_keys_exchanged"])
def test_one_row_has_no_other(id):
    with w.Trace() as trace:
        ops.matmul(w.given([[1.0, 2.0]], name="a"), w.given([[0.5], [0.25]], name="b"), name="C")
    assert id not in [fit.id for fit in trace.mistakes()]


def test_after_an_update_the_old_weights_give_the_old_loss():
    trace = w.scenario("example-3").trace(run="after")
    wrong = trace.replay(ops={"step1.W_vocab_new": "sgd.forward_not_repeated"})
    assert wrong["step2.loss"].value == trace["step1.loss"].value != trace["step2.loss"].value
