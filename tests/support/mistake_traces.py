"""The traces in which the mistakes of the list are made: scenarios, small traces, and a few with what those lack."""

from __future__ import annotations

from functools import lru_cache

import numpy
from small_traces import SMALL_TRACES

import workings as w
from workings import nn, ops
from workings.explain.trace import Trace
from workings.training.averaging import loss_of, shares_of

CROSS = ((0, "query", "X"), (1, "key", "memory"))


def _numbers(*shape: int) -> numpy.ndarray:
    return numpy.random.default_rng(sum(shape)).standard_normal(shape).round(2)


def _joined() -> Trace:
    """Two heads put side by side, packed and as parts, with nothing behind them that asks for their width."""
    packed = w.given(_numbers(2, 3, 2), "head token head_size", name="packed")
    parts = [w.given(_numbers(3, 2) + n, "token head_size", name=f"head{n}") for n in (1, 2)]
    with w.Trace() as trace:
        ops.merge_heads(packed, name="joined")
        ops.concat(*parts, axis=-1, name="side_by_side")
    return trace


def _masked() -> Trace:
    """A mask that is given, and one for padding."""
    scores = w.given(_numbers(2, 3, 3), "batch query key", name="scores")
    allow = w.constant([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], "query key", name="allow")
    keep = w.constant([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], "batch key", name="keep")
    with w.Trace() as trace:
        ops.softmax(ops.mask(scores, allow, name="masked"), name="weights")
        padded = ops.padding_mask(ops.scale(scores, factor=0.5, name="halved"), keep, name="padded")
        ops.softmax(padded, name="shares")
        ops.sum(trace["weights"].tensor * trace["shares"].tensor, name="loss")
    return trace.backward("loss")


def _shifted() -> Trace:
    """A product, a bias, a factor and an activation."""
    W, b = w.parameter(_numbers(2, 2), name="W"), w.parameter([0.4, -0.3], name="b")
    with w.Trace() as trace:
        X = w.given(_numbers(3, 2), "token model", name="X")
        shifted = ops.add(ops.matmul(X, W, name="product"), b, name="shifted")
        ops.mean(ops.gelu(ops.scale(shifted, factor=1.5, name="scaled"), name="activated"), name="loss")
    return trace.backward("loss")


def _small_powers() -> Trace:
    """Scores so low that the powers of e lose their digits."""
    with w.Trace() as trace:
        ops.softmax(w.given([[-744.0, -745.0], [0.5, 0.25]], "query key", name="scores"), name="weights")
    return trace


def _adam() -> Trace:
    """One update by Adam."""
    with w.Trace() as trace:
        W = w.parameter(_numbers(2, 2), name="W")
        ops.sum(ops.power(W, exponent=2, name="squares"), name="loss")
    trace.backward("loss")
    with trace:
        zeros = [w.constant(numpy.zeros((2, 2)), name=name) for name in ("m", "v")]
        ops.adam(trace["W"].tensor, trace["dW"].tensor, *zeros, t=1, rate=0.1)
    return trace


def _likelihood() -> Trace:
    """Tokens at positions 2 and 3, the scores of three heads of size 2, and the likelihood of the next tokens."""
    tokens, places = w.ids([2, 0], "token", name="tokens"), w.ids([2, 3], "token", name="order")
    with w.Trace() as trace:
        embedded = ops.lookup(w.parameter(_numbers(3, 4), "vocab model", name="E"), tokens, name="embedded")
        X = ops.add(embedded, ops.positional_encoding(places, size=4, name="places"), name="X")
        logits = ops.matmul(X, w.parameter(_numbers(4, 3), "model vocab", name="U"), name="logits")
        ops.negative_log_likelihood(ops.softmax(logits, name="P"), w.ids([0, 1], "token", name="target"), name="loss")
        ops.divide_by_root(w.given(_numbers(3, 2, 2), "head query key", name="scores"), d=2, name="scaled")
    return trace.backward("loss")


def _placed() -> Trace:
    """Tokens with learned positions, of which there are more than tokens."""
    E, table = w.parameter(_numbers(3, 2), name="E"), w.parameter(_numbers(4, 2), name="positions")
    with w.Trace() as trace:
        rows = ops.lookup(table, w.ids([0, 1], name="order"), name="rows")
        ops.sum(ops.add(ops.lookup(E, w.ids([2, 0], name="tokens"), name="embedded"), rows, name="X"), name="loss")
    return trace


def _padded_batch() -> Trace:
    """The loss of two texts, one of which is filled up."""
    logits = w.parameter(_numbers(2, 3, 4), "batch token vocab", name="logits")
    shares = shares_of([numpy.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])])[0]
    with w.Trace() as trace:
        target = w.ids([[0, 2, 1], [3, 0, 0]], "batch token", name="target")
        loss_of(logits, {"target": target, "shares": w.given(shares, "batch token", name="shares")})
    return trace


def _updated_twice() -> Trace:
    """Two updates of a weight by gradient descent."""
    with w.Trace() as trace:
        W = w.parameter(_numbers(2, 2), name="W")
        ops.sum(ops.power(W, exponent=2, name="squares"), name="loss")
    trace.backward("loss")
    with trace:
        W1 = ops.sgd(trace["W"].tensor, trace["dW"].tensor, rate=0.1, name="W1")
        ops.sum(ops.power(W1, exponent=2, name="squares1"), name="loss1")
    trace.backward("loss1")
    with trace:
        ops.sgd(W1, trace["dW1"].tensor, rate=0.1, name="W2")
    return trace


def _losses() -> Trace:
    """Losses that are sums, and the two losses of numbers and of probabilities of yes that scenarios lack."""
    target, y = w.ids([1, 2, 3], "token", name="target"), w.given([1.0, 0.0, 0.0], "token", name="y")
    with w.Trace() as trace:
        scores = w.parameter(_numbers(3, 4), "token vocab", name="scores")
        z = w.parameter(_numbers(3), "token", name="z")
        losses = [ops.cross_entropy(scores, target, reduction="sum", name="of_scores")]
        P = ops.softmax(scores, name="P")
        losses += [ops.negative_log_likelihood(P, target, reduction="sum", name="of_P")]
        p = ops.sigmoid(z, name="p")
        for reduction in ("mean", "sum"):
            losses += [ops.binary_cross_entropy(p, y, reduction=reduction, name=f"yes_{reduction}")]
            losses += [ops.binary_cross_entropy_from_logits(z, y, reduction=reduction, name=f"logit_{reduction}")]
            losses += [ops.mean_squared_error(p, y, reduction=reduction, name=f"square_{reduction}")]
        ops.collect(*losses, name="loss")
    return trace.backward("loss")


def _activations() -> Trace:
    """One row through every activation function."""
    with w.Trace() as trace:
        x = w.parameter(_numbers(2, 3), "token hidden", name="x")
        made = [getattr(ops, name)(x, name=f"by_{name}") for name in ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh")]
        shifted = ops.add(made[0], w.parameter(_numbers(3), "hidden", name="b"), name="shifted")
        halved = ops.divide_by(ops.scale(shifted, factor=0.3, name="scaled"), divisor=4, name="divided")
        ops.sum(ops.power(ops.collect(halved, *made[1:], name="all"), exponent=2, name="squares"), name="loss")
    return trace.backward("loss")


def _updates() -> Trace:
    """One gradient, from two tokens, and what every optimizer makes of it."""
    with w.Trace() as trace:
        W = w.parameter(_numbers(2, 2), "model hidden", name="W")
        X = w.given(_numbers(3, 2), "token model", name="X")
        ops.sum(ops.power(ops.matmul(X, W, name="H"), exponent=2, name="squares"), name="loss")
    trace.backward("loss")
    with trace:
        W, dW = trace["W"].tensor, trace["dW"].tensor
        m, v = (w.constant(abs(_numbers(2, 2)) / 2 + n / 10, "model hidden", name=name) for n, name in enumerate("mv"))
        betas = {"t": 2, "rate": 0.1, "beta1": 0.9, "beta2": 0.8}
        ops.sgd(W, dW, rate=0.1, name="by_sgd")
        ops.momentum(W, dW, m, rate=0.1, name="by_momentum")
        ops.adam(W, dW, m, v, **betas, name="by_adam")
        ops.adamw(W, dW, m, v, **betas, decay=0.2, name="by_adamw")
        ops.weight_decay(W, rate=0.1, decay=0.2, name="by_decay")
        ops.clip_by_norm(dW, w.constant(2.5, name="norm"), limit=0.5, name="clipped")
        ops.running_mean(m, dW, beta=0.9, name="average")
        ops.bias_correction(m, beta=0.9, t=2, name="corrected")
        ops.adam_direction(m, v, epsilon=0.1, name="direction")
    return trace


def _of_model(**options: object) -> Trace:
    """The loss of a small model and its gradients; an encoder-decoder reads another text too."""
    sizes = {"kind": "decoder", "vocab_size": 4, "width": 4, "head": "all-tokens", "position": "learned"}
    model = nn.build(nn.Architecture(**{**sizes, "max_positions": 5, **options}), nn.Drawn(7, "normal"))
    texts = [w.ids([1, 3], "token", name="source")] if options.get("kind") == "encoder-decoder" else []
    with w.Trace() as trace:
        logits = model(*texts, w.ids([2, 0, 3], "token", name="tokens"))
        ops.cross_entropy(logits, w.ids([0, 3, 1], "token", name="target"), name="loss")
    return trace.backward("loss")


def _two_blocks() -> Trace:
    """Two blocks with RMS norms and without biases or W_O."""
    return _of_model(layers=2, hidden=3, norm="rms", biases="none", output_projection=False)


def _no_norms() -> Trace:
    """Two blocks with biases and without norms."""
    return _of_model(layers=2, hidden=4, norm="none", biases="all")


def _post_norms() -> Trace:
    """A block with a norm after each residual."""
    return _of_model(hidden=3, norm_place="post")


def _rms_post_norms() -> Trace:
    """The same with RMS norms."""
    return _of_model(hidden=3, norm="rms", norm_place="post")


def _cross_block() -> Trace:
    """A block with three sublayers, without norms and biases."""
    return _of_model(kind="encoder-decoder", hidden=3, norm="none", biases="none")


def _norm_and_biases() -> Trace:
    """An RMS norm with weights that are not 1, and two biases."""
    gamma, b, c = (w.parameter(_numbers(2) + n, name=name) for n, name in enumerate(("gamma", "b", "c"), start=1))
    with w.Trace() as trace:
        X = w.parameter(_numbers(3, 2), "token model", name="X")
        normed = ops.rms_norm(X, gamma, name="normed")
        ops.mean(ops.gelu(ops.add(ops.add(normed, b, name="moved"), c, name="again"), name="bent"), name="loss")
    return trace.backward("loss")


def _dropped() -> Trace:
    """Dropout, and a root."""
    X, kept = (
        w.given(_numbers(2, 3), "token model", name="X"),
        w.random([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], name="kept"),
    )
    with w.Trace() as trace:
        dropped = ops.dropout(X, kept, rate=0.4, name="dropped")
        ops.sum(ops.sqrt(ops.exp(dropped, name="powers"), name="root"), name="loss")
    return trace


def _cross() -> Trace:
    """Cross-attention with a bias in the queries, and two heads of one number each."""
    X, memory = (w.given(_numbers(2, 3) + n, f"{axis} model", name=name) for n, axis, name in CROSS)
    W_Q, W_K, W_V = (w.parameter(_numbers(3, 2) + n, "model inner", name=f"W_{one}") for n, one in enumerate("QKV"))
    b_Q = w.parameter([0.3, -0.2], "inner", name="b_Q")
    with w.Trace() as trace:
        queries = ops.split_heads(ops.linear(X, W_Q, b_Q, name="Q"), heads=2, name="Q_heads")
        keys = ops.split_heads(ops.matmul(memory, W_K, name="K"), heads=2, name="K_heads")
        values = ops.split_heads(ops.matmul(memory, W_V, name="V"), heads=2, name="V_heads")
        scores = ops.matmul(queries, ops.transpose(keys), name="scores")
        weights = ops.softmax(ops.divide_by(scores, divisor=0.5, name="scaled"), name="weights")
        context = ops.matmul(weights, values, name="context")
        ops.sum(ops.take_row(ops.merge_heads(context, name="joined"), index=1, name="last"), name="loss")
    return trace.backward("loss")


def _two_heads() -> Trace:
    """Self-attention of two heads, without projections."""
    X = w.given(_numbers(3, 4), "token model", name="X")
    with w.Trace() as trace:
        Q, K, V = (ops.split_heads(X, heads=2, name=f"{one}_heads") for one in "QKV")
        ops.merge_heads(nn.attend(Q, K, V), name="joined")
    return trace


def _chosen() -> Trace:
    """Log-probabilities, and a word that is chosen in every way."""
    with w.Trace() as trace:
        x = w.parameter([[0.9, 1.5, 0.9, 0.3], [0.8, -0.4, 0.1, 0.7]], "token vocab", name="x")
        halves = [ops.split(x, sizes=(2, 2), part=part, axis=-1, name=f"half{part}") for part in (0, 1)]
        logs = ops.log_softmax(ops.scale(ops.concat(*halves, axis=-1, name="joined"), factor=1.5), name="logs")
        shares = ops.softmax(x, name="shares")
        ops.argmax(x, name="likeliest")
        ops.keep_top_k(x, k=2, name="top_k")
        ops.keep_top_p(shares, p=0.7, name="top_p")
        ops.first_above(x, w.given([0.9, 0.2], "token", name="bound"), name="above")
        ops.draw_by_share(shares, w.given([0.55, 0.9], "token", name="drawn"), name="drawn_word")
        ops.sum(ops.take_row(ops.divide_by(logs, divisor=3, name="divided"), index=0, name="row"), name="loss")
    return trace.backward("loss")


OWN = {
    "losses": _losses,
    "activations": _activations,
    "updates": _updates,
    "norm and biases": _norm_and_biases,
    "dropped": _dropped,
    "two blocks": _two_blocks,
    "no norms": _no_norms,
    "post norms": _post_norms,
    "cross block": _cross_block,
    "rms post-norms": _rms_post_norms,
    "cross": _cross,
    "two heads": _two_heads,
    "chosen": _chosen,
    "likelihood": _likelihood,
    "updated twice": _updated_twice,
    "placed": _placed,
    "padded batch": _padded_batch,
    "joined": _joined,
    "masked": _masked,
    "shifted": _shifted,
    "small powers": _small_powers,
    "adam": _adam,
}


@lru_cache
def trace_of(name: str) -> Trace:
    """`block`, `example-5.twin` (a run of a scenario), or one of the small ones."""
    if name in OWN:
        return OWN[name]()
    if name in SMALL_TRACES:
        return SMALL_TRACES[name]("float64")
    scenario, _, run = name.partition(".")
    return w.scenario(scenario).trace(**({"run": run} if run else {}))
