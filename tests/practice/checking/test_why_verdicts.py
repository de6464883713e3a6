"""How somebody's numbers came about: every verdict, from numbers that were made by other means."""

import math

import numpy
import pytest
import torch
from simulated.fresh_why.block import BLOCK

import workings as w
from workings.engine.errors import InputError
from workings.engine.replay import replay
from workings.engine.rounding import round_float
from workings.practice.checking import candidates, pairs
from workings.practice.checking.closeness import unit_of

NUMBERS = numpy.random.default_rng(8)
Q, K, V = (NUMBERS.standard_normal((5, 8)) for _ in range(3))
X = NUMBERS.standard_normal((3, 6))


def attention(q, k, v, heads=2, scale=2.0, causal=True):
    """Attention in plain NumPy; the head size is 4."""
    split = [part.reshape(len(part), heads, -1).transpose(1, 0, 2) for part in (q, k, v)]
    scores = split[0] @ split[1].transpose(0, 2, 1) / scale
    if causal:
        scores = numpy.where(numpy.tril(numpy.ones(scores.shape[1:], bool)), scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    context = powers / powers.sum(-1, keepdims=True) @ split[2]
    return context.transpose(1, 0, 2).reshape(len(q), -1)


def shares(x, axis=-1):
    powers = numpy.exp(x)
    return powers / powers.sum(axis, keepdims=True)


def rounded(array, digits):
    return numpy.vectorize(lambda number: round_float(float(number), digits, "significant"))(array)


def cut(array, decimals):
    return numpy.trunc(array * 10**decimals) / 10**decimals


def about_attention(got, **more):
    return w.why(got, "attention", q=Q, k=K, v=V, heads=2, mask="causal", **more)


# -- right numbers -----------------------------------------------------------------------------


def test_right_numbers_are_exact_whatever_the_order_of_their_sums():
    found = about_attention(attention(Q, K, V))
    assert (found.verdict, found.candidates, found.cause) == ("exact", (), None)
    assert found.is_right


@pytest.mark.parametrize("digits", [2, 3, 4, 6])
def test_rounded_numbers_are_right(digits):
    found = about_attention(rounded(attention(Q, K, V), digits))
    assert (found.verdict, found.cause.id) == ("rounded", f"rounded.{digits}.significant")


def test_both_rules_for_halves_are_rounding():
    for half in (0.12, 0.13):
        assert w.why([half, 0.5], "add", a=[0.1, 0.25], b=[0.025, 0.25]).verdict == "rounded"


def test_numbers_that_were_cut_off_are_told_from_rounded_ones():
    found = w.why(cut(shares(X), 3), "softmax", x=X)
    assert (found.verdict, found.cause.id) == ("rounded", "cut.3.decimals")


def test_whoever_rounds_every_line_is_right():
    trace = w.scenario("example-3").trace("twin")
    got = trace.in_precision("calculator 3 significant")["dW_Q"].value
    gap = numpy.abs(got - trace["dW_Q"].value)
    assert numpy.any(gap > unit_of(got, "calculator 3 significant"))  # rounding the result alone does half of that
    assert w.why(got, trace["dW_Q"]).cause.id == "lines.3.significant"


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_the_type_of_numbers_is_told_also_after_they_were_converted(kind):
    stored = torch.tensor(attention(Q, K, V)).to(getattr(torch, kind))
    for got in (stored, stored.requires_grad_(), stored.detach().double(), stored.detach().double().tolist()):
        found = about_attention(got)
        assert (found.verdict, found.cause.id) == ("number type", f"type.{kind}")


def test_numbers_that_were_computed_in_half_precision_are_right():
    q, k, v = (torch.tensor(part).bfloat16().reshape(5, 2, 4).transpose(0, 1) for part in (Q, K, V))
    got = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).reshape(5, 8)
    assert about_attention(got).verdict == "number type"


# -- conventions and mistakes --------------------------------------------------------------------


def test_the_root_of_the_model_instead_of_the_head():
    got = attention(Q, K, V, scale=math.sqrt(8))
    for numbers in (got, got.tolist(), torch.tensor(got).float(), rounded(got, 3)):
        found = about_attention(numbers)
        assert (found.verdict, found.cause.id) == ("mistake", "divide_by_root.root_of_model")
        assert found.cause.step == "scaled"


@pytest.mark.parametrize(
    ("got", "id"),
    [
        (attention(Q, K, V, scale=1), "divide_by_root.not_divided"),
        (attention(Q, K, V, scale=4), "divide_by_root.root_forgotten"),
        (attention(Q, V, K), "matmul.keys_and_values_exchanged"),
        (attention(Q, K, V, causal=False), "softmax.mask_forgotten"),
    ],
)
def test_mistakes_that_were_made_in_steps_that_nobody_gave(got, id):
    found = about_attention(got)
    assert (found.verdict, found.cause.id) == ("mistake", id)


def test_a_mistake_that_is_made_in_several_places_at_once():
    split = [part.reshape(2, 5, 4) for part in (Q, K, V)]  # without a transpose
    mixed = [part.transpose(1, 0, 2).reshape(5, 8) for part in split]
    found = about_attention(attention(*mixed))
    assert found.cause.id == "split_heads.reshape_without_transpose"
    assert found.cause.step.split(", ") == ["V_heads", "Q_heads", "K_heads"]


def test_another_convention():
    centred = X - X.mean(-1, keepdims=True)
    got = centred / numpy.sqrt(X.var(-1, ddof=1, keepdims=True) + 1e-5)
    found = w.why(got, "layer_norm", x=X, gamma=numpy.ones(6), beta=numpy.zeros(6))
    assert (found.verdict, found.cause.id) == ("convention", "convention.norm_correction.1")
    assert "layer_norm.wrong_n" in found.cause.also


def test_computations_that_are_the_same_are_one_candidate():
    got = shares(Q @ K.T) @ V
    with w.Trace() as trace:
        tensors = [w.given(part, "token head_size", name=name) for part, name in ((Q, "Q"), (K, "K"), (V, "V"))]
        w.ops.attention(*tensors)
    found = w.why(got, trace["context"])
    assert found.cause is not None
    assert {found.cause.id, *found.cause.also} == {"attention.unscaled", "divide_by_root.not_divided"}


def test_several_candidates_come_with_the_entry_that_tells_them_apart():
    trace = w.scenario("example-5").trace()
    found = w.why([[0.01, 0], [0, 0.01]], trace["scaled"])
    assert found.verdict == "several"
    assert [candidate.id for candidate in found.candidates] == ["rounded.2.decimals", "divide_by_root.not_divided"]
    values = dict(found.apart.values)
    assert values["divide_by_root.not_divided"] == pytest.approx(0.01)
    assert values["rounded.2.decimals"] == pytest.approx(0.01 / math.sqrt(2))
    assert found.cause is None
    assert f"{found.apart.entry} would distinguish them" in repr(found)


def test_a_number_or_two_may_agree_by_chance():
    found = w.why([7.4, 2.7], "softmax", x=[2.0, 1.0])
    assert (found.cause.id, found.is_weak) == ("softmax.not_normalised", True)
    assert "by chance" in repr(found)
    assert not w.why([7.389, 2.718], "softmax", x=[2.0, 1.0]).is_weak
    assert not about_attention(rounded(attention(Q, K, V, scale=1), 2)).is_weak


def test_every_mistake_of_a_trace_is_found_from_its_numbers():
    """The mistake itself, or one that makes the same numbers, is among the candidates."""
    trace = w.scenario("example-3").trace("twin")
    seen = 0
    for fit in trace.mistakes("weights") + trace.mistakes("scaled") + trace.mistakes("dW_V"):
        other = fit.make()
        step = "dW_V" if fit.step.endswith("dW_V") else "context"
        if numpy.array_equal(other[step].value, trace[step].value):
            continue
        found = w.why(rounded(other[step].value, 5), trace[step])
        ids = {id.partition("+")[0] for candidate in found.candidates for id in (candidate.id, *candidate.also)}
        assert fit.id.partition("+")[0] in ids, (fit, found)
        seen += 1
    assert seen >= 6


# -- relations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "id", "said"),
    [
        (lambda y: 0.3 * y, "factor", "times 0.3."),
        (lambda y: y + 0.25, "offset", "plus 0.25."),
        (lambda y: y[::-1], "reversed", "along token"),
        (lambda y: y[[1, 0, 2, 3, 4]], "permuted", "1 0 2 3 4"),
        (lambda y: numpy.roll(y, 1, axis=0), "shifted", "shifted by +1 along token"),
        (lambda y: numpy.where(numpy.arange(40).reshape(5, 8) == 10, 9.0, y), "one_entry", "[1][2]"),
        (lambda y: y * (numpy.arange(40).reshape(5, 8) % 5 > 0) / 0.8, "dropped", "rate 0.2"),
        (lambda y: y * numpy.arange(2, 7)[:, None], "row_factors", "from 2.0 to 6.0"),
    ],
)
def test_relations_of_the_numbers_themselves(change, id, said):
    got = change(Q @ numpy.ones((8, 8)) + 0.1 * K)  # no numbers that a mistake gives
    true = Q @ numpy.ones((8, 8)) + 0.1 * K
    found = w.why(got, "pass", x=true)
    assert (found.verdict, found.cause.id) == ("relation", f"relation.{id}")
    assert said in found.cause.hint


def test_a_sign_that_was_turned():
    assert w.why(-shares(X), "softmax", x=X).cause.id == "relation.sign_turned"


def test_a_square_matrix_that_was_transposed():
    square = NUMBERS.standard_normal((4, 4))
    assert w.why(square.T, "pass", x=square).cause.id == "relation.transposed"


def test_the_numbers_of_another_step():
    trace = w.scenario("example-3").trace("twin")
    found = w.why(trace["V"].value, trace["Q"])
    ids = {id for candidate in found.candidates for id in (candidate.id, *candidate.also)}
    assert ids & {"relation.other_step", "matmul.other_weight"}


def test_any_numbers_have_no_relation():
    for _ in range(20):
        found = w.why(NUMBERS.standard_normal((5, 8)), "pass", x=Q)
        assert found.verdict == "none"


# -- nothing fits ------------------------------------------------------------------------------


def test_where_nothing_fits_the_nearest_is_told():
    true = attention(Q, K, V)
    found = about_attention(true + 0.01 * NUMBERS.standard_normal(true.shape))
    assert (found.verdict, found.candidates, found.nearest.id) == ("none", (), "truth")
    assert found.nearest.gap == pytest.approx(found.gap)
    near = about_attention(attention(Q, K, V, scale=1) + 1e-3 * NUMBERS.standard_normal(true.shape))
    assert near.nearest.id == "divide_by_root.not_divided"
    assert f"none of the {near.tried} things" in repr(near)
    assert near.tried > 20


def test_a_large_attention_is_replayed_a_few_dozen_times(monkeypatch):
    """The time that it takes is measured by bench/engineers.py."""
    count = []

    def counted(*given, **more):
        count.append(given)
        return replay(*given, **more)

    monkeypatch.setattr(candidates, "replay", counted)
    found = about_attention(NUMBERS.standard_normal((5, 8)))
    assert 20 < len(count) < 100
    assert found.tried < 100 + pairs.MAX_PAIRS


# -- what is no array of this shape ------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "id"),
    [
        (attention(Q, K, V).T, "shape.transposed"),
        (attention(Q, K, V).sum(1), "shape.summed"),
        (attention(Q, K, V).mean(0), "shape.averaged"),
        (attention(Q, K, V)[1:], "shape.place_missing"),
        (attention(Q, K, V)[3], "shape.one_place"),
        (attention(Q, K, V).reshape(-1), "shape.reshaped"),
        (attention(Q, K, V).reshape(5, 2, 4), "shape.heads_apart"),
    ],
)
def test_another_shape_is_a_verdict(got, id):
    found = about_attention(got)
    assert (found.verdict, found.cause.id) == ("another shape", id)
    assert found.shapes == (got.shape, (5, 8))
    assert " × ".join(map(str, got.shape)) in repr(found)


def test_heads_that_were_left_apart_are_right():
    got = attention(Q, K, V).reshape(5, 2, 4).transpose(1, 0, 2)
    assert about_attention(got).verdict == "exact"


def test_a_shape_that_nothing_explains():
    found = about_attention(numpy.ones((7, 3)))
    assert (found.verdict, found.candidates) == ("another shape", ())
    assert "None of the" in repr(found)


def test_a_shape_that_a_mistake_gives():
    with w.Trace() as trace:
        scores = w.given(X, "query key", name="scores")
        w.ops.mean(scores, axis="key", name="mean")
    found = w.why(X.mean(0), trace["mean"])
    assert (found.verdict, found.cause.id) == ("another shape", "mean.wrong_axis")


def test_what_is_not_a_number_is_a_verdict():
    got = attention(Q, K, V)
    got[2, 1:] = numpy.nan
    found = about_attention(got)
    assert (found.verdict, found.index) == ("not a number", (2, 1))
    assert "joined[2][1] is not a number" in repr(found)


# -- what can be asked -------------------------------------------------------------------------


def test_modules_with_their_weights():
    W = {name: NUMBERS.standard_normal((8, 8)) for name in ("W_Q", "W_K", "W_V", "W_O")}
    got = attention(Q @ W["W_Q"], Q @ W["W_K"], Q @ W["W_V"], causal=False) @ W["W_O"]
    assert w.why(got, "multi_head_attention", x=Q, heads=2, **W).verdict == "exact"
    layers = {"W_1": NUMBERS.standard_normal((8, 16)), "b_1": numpy.ones(16), "W_2": NUMBERS.standard_normal((16, 8))}
    hidden = Q @ layers["W_1"] + 1
    assert w.why(numpy.maximum(hidden, 0) @ layers["W_2"], "feed_forward", x=Q, **layers).verdict == "exact"
    assert w.why(hidden @ layers["W_2"], "feed_forward", x=Q, **layers).cause.id == "relu.forgotten"


def test_one_token_is_a_row_and_a_norm_needs_no_gamma():
    assert w.why(V[0], "attention", q=Q[0], k=K[0], v=V[0]).verdict == "exact"
    assert w.why(V[:1][None], "attention", q=Q[0], k=K[0], v=V[0]).verdict == "exact"
    centred = X - X.mean(-1, keepdims=True)
    assert w.why(centred / numpy.sqrt(X.var(-1, keepdims=True) + 1e-5), "layer_norm", x=X).verdict == "exact"
    assert w.why(centred, "layer_norm", x=X, gamma=numpy.ones(6)).verdict != "exact"


def test_a_module_of_torch_and_one_of_its_gradients():
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    x = torch.tensor(Q, requires_grad=True)
    out, _ = module(x, x, x)
    read = w.nn.from_torch(module)
    assert w.why(out, read, X=x).verdict == "exact"
    out.sum().backward()
    assert w.why(x.grad, read, X=x, cotangent=torch.ones_like(out), step="dX").verdict == "exact"
    assert w.why(-x.grad, read, X=x, cotangent=torch.ones_like(out), step="dX").cause is not None


def test_a_step_inside_a_composite_and_one_head():
    trace = w.scenario("hello-world").trace()
    assert w.why(trace["head2.weights"].value, trace["head2.weights"]).verdict == "exact"
    with w.Trace() as small:
        w.ops.softmax(w.given(X, "query key", name="x"), name="weights")
    inner = small["weights/exp"]
    assert w.why(inner.value, inner).verdict == "exact"
    assert w.why(2 * inner.value, inner).verdict in ("relation", "mistake")


@pytest.mark.parametrize(
    ("what", "inputs", "says"),
    [
        ("sofmax", {}, "Did you mean softmax"),
        ("softmax", {"z": X}, "no input or setting 'z'"),
        ("softmax", {}, "also needs x"),
        ("attention", {"q": Q}, "also needs k, v"),
        ("attention", {"x": Q}, "also needs W_Q, W_K, W_V"),
        ("attention", {"q": Q, "k": K, "v": V, "heads": "two"}, "heads cannot be two"),
        ("attention", {"q": Q, "k": K, "v": V, "heads": 1.5}, "heads cannot be 1.5"),
        ("attention", {"q": Q, "k": K, "v": V, "d": 0}, "d cannot be 0"),
        ("attention", {"q": Q, "k": K, "v": V, "mask": "backwards"}, "mask 'backwards'"),
        ("attention", {"q": Q, "k": K, "v": V, "mask": numpy.full((5, 5), 2)}, "mask '5×5'"),
        ("attention", {"q": numpy.ones((1, 1, 1, 1, 1)), "k": K, "v": V}, "too many axes"),
        ("feed_forward", {"x": Q, "W_1": K.T, "W_2": K, "activation": "swish"}, "activation function swish"),
        (3, {}, "got int"),
    ],
)
def test_what_cannot_be_asked_is_refused(what, inputs, says):
    with pytest.raises(InputError, match=says):
        w.why([1.0], what, **inputs)


def test_a_step_takes_no_inputs():
    trace = w.scenario("example-1").trace()
    with pytest.raises(InputError, match="takes no others: x"):
        w.why([1.0], trace["scores"], x=1)
    with pytest.raises(InputError, match="not an array of numbers"):
        w.why("a word", trace["scores"])


def test_norm_after_the_sublayer_is_named_in_a_block_of_ones_own():
    sublayers = (w.nn.PostNorm(before.part, before.norm) for before in (BLOCK.attention, BLOCK.feed_forward))
    with w.Trace() as trace:
        result = w.nn.Block(*sublayers)(w.given(Q, "token model", name="X"))
    assert w.why(trace[result].value, BLOCK, X=Q).cause.id == "convention.norm_place.post"
