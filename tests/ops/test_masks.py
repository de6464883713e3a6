"""Masked scores on their way: through softmax and its relatives, backward, JSON, programs, calculators, errors."""

import math

import numpy
import page_checks
import pytest
import torch
from example_runs import plain, same

import workings as w
from workings import ops
from workings.engine import compiled_recording
from workings.engine.errors import AxisError, CallError, NumberError, ShapeError
from workings.engine.op import OPS
from workings.engine.tensor import Tensor

INF = math.inf
SCORES = numpy.array([[2.0, 1.5, 0.3], [0.1, -0.4, 0.8], [0.6, 0.9, -0.7]])
PLAIN = {
    "softmax": lambda x: torch.softmax(x, dim=-1),
    "log_softmax": lambda x: torch.log_softmax(x, dim=-1),
    "log_sum_exp": lambda x: torch.logsumexp(x, dim=-1, keepdim=True),
}
SETTINGS = {"log_sum_exp": {"keep": True}}


def masked_trace(after, precision="float64", weights=SCORES.T):
    """Causal scores, what is made of them, and the gradient of those entries that are finite."""
    with w.Trace(precision=precision) as trace:
        scores = w.given(SCORES, "query key", name="scores")
        seen = ops.causal_mask(scores, name="masked")
        y = OPS[after](seen, name="y", **SETTINGS.get(after, {}))
        cotangent = weights[:, : y.shape[-1]] * numpy.isfinite(y.array)
    return trace.backward("y", cotangent)


@pytest.mark.parametrize("after", PLAIN)
def test_what_follows_a_mask_gives_the_numbers_and_gradients_of_pytorch(after):
    trace = masked_trace(after)
    x = torch.tensor(SCORES, requires_grad=True)
    y = PLAIN[after](x.masked_fill(torch.ones(3, 3).triu(1) == 1, -torch.inf))
    same("y", trace["y"].value, y, 1e-12, "PyTorch")
    finite = torch.isfinite(y)
    (y[finite] * torch.tensor(SCORES.T[:, : y.shape[-1]])[finite]).sum().backward()
    same("dscores", trace["dscores"].value, plain(x.grad), 1e-12, "PyTorch")
    assert trace["dscores"].value[0, 1] == 0


def test_softmax_gives_a_masked_score_a_share_of_exactly_0():
    weights = masked_trace("softmax")["y"].value
    assert weights[numpy.triu_indices(3, 1)].tolist() == [0.0, 0.0, 0.0]
    numpy.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-15)


@pytest.mark.parametrize("after", PLAIN)
@pytest.mark.parametrize("precision", ["float64", "float32", *page_checks.CALCULATORS])
def test_every_entry_by_hand_is_the_recorded_one(after, precision):
    recording = masked_trace(after, precision).recording
    page_checks._work_out_all(after, recording, tolerance=1e-6 if precision == "float32" else 1e-12)
    if precision.startswith("calculator"):
        page_checks.judge_in_decimal(after, recording)
    if precision == "float32":
        assert {step.tensor.array.dtype.name for step in recording.steps.values()} == {"float32"}


@pytest.mark.parametrize("after", PLAIN)
def test_a_masked_trace_goes_through_json_replay_and_compile_bit_for_bit(after):
    trace = masked_trace(after)
    text = trace.to_json()
    assert '"-inf"' in text
    assert "Infinity" not in text
    again = w.Trace.from_json(text)
    replayed = trace.replay(values={"scores": SCORES * 0.9}).replay(values={"scores": SCORES})
    program = trace.compile(["scores"], ["y", "dscores"])
    for name in ("masked", "y", "dscores"):
        assert again[name].value.tobytes() == trace[name].value.tobytes()
        assert replayed[name].value.tobytes() == trace[name].value.tobytes()
    for got, name in zip(program(SCORES), ["y", "dscores"], strict=True):
        assert got.tobytes() == trace[name].value.tobytes()


def test_infinity_is_printed_as_a_sign_with_its_reason(capsys):
    trace = masked_trace("softmax")
    assert str(trace["masked"].cell(0, 1)).splitlines()[-1].strip() == "masked[0][1] = -∞"
    assert "s1 = masked[0][1] − max = (-∞) − 2.0 = -∞" in str(trace["y"].cell(0, 1))
    assert "e1 = e^(s1) = e^(-∞) = 0.0" in str(trace["y"].cell(0, 1))
    w.show(trace)
    assert "-∞" in capsys.readouterr().out


def test_a_mask_after_a_mask():
    with w.Trace() as trace:
        scores = w.given(SCORES, "query key", name="scores")
        seen = ops.padding_mask(ops.causal_mask(scores), w.constant([1, 0, 1], "key"), name="seen")
        ops.softmax(seen, name="weights")
    assert numpy.isinf(trace["seen"].value).tolist() == [
        [False, True, True],
        [False, True, True],
        [False, True, False],
    ]
    trace.backward("weights", numpy.ones((3, 3)) * [1.0, 2.0, 3.0])
    assert numpy.all(trace["dscores"].value[:, 1] == 0)


def test_new_tokens_see_the_past_and_themselves():
    whole = ops.causal_mask(w.given(SCORES, "query key")).array
    last = ops.causal_mask(w.given(SCORES[1:], "query key"), past=1).array
    assert last.tobytes() == whole[1:].tobytes()


def test_padding_is_hidden_from_every_head_and_every_query():
    x = numpy.arange(24.0).reshape(2, 3, 2, 2)
    got = ops.padding_mask(w.given(x, "batch head query key"), w.constant([[1, 1], [0, 1]], "batch key")).array
    assert numpy.array_equal(got[0], x[0])
    assert numpy.all(got[1, :, :, 0] == -INF)
    assert numpy.array_equal(got[1, :, :, 1], x[1, :, :, 1])


# -- what is refused -------------------------------------------------------------------------


def scores(*shape, axes="query key"):
    return w.given(numpy.ones(shape or (2, 3)), axes, name="scores")


REFUSED = {
    "an empty row": (
        lambda: ops.mask(scores(), w.constant([[1, 0, 1], [0, 0, 0]], "query key")),
        (NumberError, r"Row \[1\] is masked everywhere"),
    ),
    "a text without tokens": (
        lambda: ops.padding_mask(
            scores(2, 2, 3, axes="batch query key"), w.constant([[1, 0, 0], [0, 0, 0]], "batch key")
        ),
        (NumberError, r"Row \[1\] is masked everywhere"),
    ),
    "half allowed": (
        lambda: ops.mask(scores(), w.constant([1, 0.5, 1], "key")),
        (NumberError, r"allow is 0.5 at \[1\]; a mark is 0 or 1"),
    ),
    "truth values": (
        lambda: ops.mask(scores(), numpy.array([True, False, True])),
        (NumberError, "allow must be real numbers, not bool"),
    ),
    "whole scores": (
        lambda: ops.causal_mask(numpy.ones((2, 2), dtype="int64")),
        (NumberError, "x must be real numbers, not int64"),
    ),
    "one mark": (
        lambda: ops.mask(scores(), w.constant(1.0)),
        (ShapeError, "mask needs an input with one axis or more"),
    ),
    "one row": (lambda: ops.causal_mask(scores(3, axes="key")), (ShapeError, "two axes or more, query and key")),
    "a negative past": (lambda: ops.causal_mask(scores(), past=-1), (CallError, "past of causal_mask cannot be -1")),
    "no marks": (
        lambda: ops.padding_mask(scores(), w.constant(1.0)),
        (ShapeError, "padding_mask needs an input with one mark for each key"),
    ),
    "marks for queries": (
        lambda: ops.padding_mask(scores(3, 3), w.constant([1, 1, 0], "query")),
        (AxisError, "'key' meets 'query'"),
    ),
    "marks for heads": (
        lambda: ops.padding_mask(scores(2, 2, 2, axes="batch query key"), w.constant([[1, 0], [1, 1]], "head key")),
        (AxisError, "'batch' meets 'head'"),
    ),
    "too few marks": (
        lambda: ops.padding_mask(scores(), w.constant([1, 0], "key")),
        (ShapeError, "'key' has (2|3) in one input and (2|3) in another"),
    ),
    "a row hidden by two masks": (
        lambda: ops.softmax(ops.mask(ops.causal_mask(scores(2, 2)), w.constant([0, 1], "key"))),
        (NumberError, r"Row \[0\] is masked everywhere"),
    ),
    "logarithms of an empty row": (
        lambda: ops.log_softmax(Tensor(numpy.array([[1.0, 2.0], [-INF, -INF]]))),
        (NumberError, r"Row \[1\] is masked everywhere"),
    ),
    "the sum of an empty row": (
        lambda: ops.log_sum_exp(Tensor(numpy.array([[1.0, 2.0], [-INF, -INF]]))),
        (NumberError, r"Row \[1\] is masked everywhere"),
    ),
    "dropout of everything": (
        lambda: ops.dropout(scores(), scores(), rate=1),
        (CallError, "rate of dropout cannot be 1"),
    ),
    "marks of another shape": (
        lambda: ops.dropout(scores(), ops.random([1, 1, 0], "key"), rate=0.5),
        (ShapeError, r"but have \(2, 3\) and \(3,\)"),
    ),
    "a norm of 0": (
        lambda: ops.clip_by_norm(scores(), ops.norm(0.0 * scores()), limit=1.0),
        (NumberError, "would be divided by 0"),
    ),
    "a norm for each row": (
        lambda: ops.clip_by_norm(scores(), scores(2, axes="query"), limit=1.0),
        (ShapeError, "the norm is one number"),
    ),
    "a limit of 0": (
        lambda: ops.clip_by_norm(scores(), ops.norm(scores()), limit=0),
        (CallError, "limit of clip_by_norm cannot be 0"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    call, (kind, what) = REFUSED[case]
    with pytest.raises(kind, match=what) as plainly:
        call()
    with w.Trace(), pytest.raises(kind, match=what) as recorded:
        call()
    assert recorded.value.what == plainly.value.what
    assert recorded.value.hint


def test_an_epsilon_lets_gradients_of_0_pass():
    nothing = 0.0 * scores()
    assert not ops.clip_by_norm(nothing, ops.norm(nothing), limit=1.0, epsilon=1e-6).array.any()


# -- memory ----------------------------------------------------------------------------------


def test_masks_of_many_lengths_are_not_all_kept(monkeypatch):
    op = OPS["causal_mask"]
    op.compiled.clear()
    monkeypatch.setattr(compiled_recording, "MAX_CONSTANT_BYTES", 20_000)
    for length in range(1, 40):
        with w.Trace() as trace:
            ops.causal_mask(w.given(numpy.ones((length, length)), "query key"), name="y")
        assert numpy.isinf(trace["y"].value).sum() == length * (length - 1) // 2
        kept = [function.bytes for function in op.compiled.values()]
        assert sum(kept) <= 20_000
        assert kept[-1] == 8 * length * length
    op.compiled.clear()


def test_the_other_functions_hold_no_constants():
    with w.Trace():
        ops.softmax(w.given(SCORES, "query key"))
    assert {function.bytes for function in OPS["softmax"].compiled.values()} == {0}


def test_a_masked_answer_is_refused_and_any_other_masked_entry_has_no_part_in_the_loss():
    allow = w.constant([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]], "token vocab")
    with w.Trace() as trace:
        logits = ops.mask(w.given(SCORES[:2], "token vocab", name="x"), allow, name="logits")
        ops.cross_entropy(logits, w.ids([1, 2]), name="loss")
        with pytest.raises(NumberError, match=r"answer of row \[0\], 2, is masked"):
            ops.cross_entropy(logits, w.ids([2, 2]))
    expected = torch.nn.functional.cross_entropy(torch.tensor(trace["logits"].value), torch.tensor([1, 2]))
    assert float(trace["loss"].value) == pytest.approx(float(expected), abs=1e-12)
    trace.backward("loss")
    assert trace["dx"].value[0, 2] == 0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_recorded_mask_keeps_the_sign_of_zero_and_the_type(dtype):
    scores = w.given(numpy.array([[-0.0, 0.0], [1.5, -2.5]], dtype=dtype), "query key", name="scores")
    allow = w.constant(numpy.array([[1.0, 1.0], [0.0, 1.0]], dtype=dtype), "query key", name="allow")
    plain = w.ops.mask(scores, allow).array
    with w.Trace(precision=dtype):
        recorded = w.ops.mask(scores, allow).array
    assert recorded.dtype == plain.dtype == numpy.dtype(dtype)
    assert recorded.tobytes() == plain.tobytes()
    assert numpy.signbit(recorded[0]).tolist() == [True, False]
