"""Three small traces, written in ops: attention forward; with a loss and the whole way back; one step of training.

They have what scenarios do not: attention as a group, and paths without modules. Two tokens, width 2, a vocabulary of
four: every number can be checked with a pencil. The weights are unequal on purpose, those of `example-3 --run twin`.
With equal ones a transposed matrix or a softmax over the wrong axis shows nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from workings.engine.tensor import Tensor
from workings.explain.trace import Trace
from workings.ops.attention import attention
from workings.ops.cross_entropy import cross_entropy
from workings.ops.given import ids, parameter
from workings.ops.lookup import lookup
from workings.ops.matmul import matmul
from workings.ops.sgd import sgd
from workings.ops.softmax import softmax
from workings.ops.take_row import take_row

VOCABULARY = ("A", "B", "C", "D")
RATE = 0.1


@dataclass(frozen=True)
class Weights:
    """The weights of a one-head, one-layer model that predicts the next token."""

    E: Tensor
    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    W_vocab: Tensor

    @classmethod
    def first(cls) -> Weights:
        return cls(
            E=parameter([[1.0, 0.2], [-0.3, 0.8], [0.6, -0.5], [0.4, 0.7]], "vocab model", name="E"),
            W_Q=parameter([[0.3, -0.2], [0.5, 0.1]], "model head_size", name="W_Q"),
            W_K=parameter([[0.4, 0.7], [-0.1, 0.6]], "model head_size", name="W_K"),
            W_V=parameter([[0.2, 0.9], [0.8, -0.3]], "model head_size", name="W_V"),
            W_vocab=parameter([[0.6, -0.4, 0.1, 0.3], [-0.5, 0.2, 0.7, 0.4]], "head_size vocab", name="W_vocab"),
        )

    def names(self) -> list[str]:
        return [field.name for field in fields(self)]


def predict(weights: Weights, tokens: Tensor) -> Tensor:
    """The logits of the token that follows."""
    X = lookup(weights.E, tokens, name="X")
    Q = matmul(X, weights.W_Q, name="Q")
    K = matmul(X, weights.W_K, name="K")
    V = matmul(X, weights.W_V, name="V")
    context = attention(Q, K, V)
    last = take_row(context, index=-1, name="last")
    return matmul(last, weights.W_vocab, name="logits")


def attention_forward(precision: str = "float64") -> Trace:
    """What follows "A B"? Embedding, attention, probabilities."""
    trace = Trace(precision=precision)
    weights, tokens = Weights.first(), ids([0, 1], name="tokens")
    with trace:
        softmax(predict(weights, tokens), name="P")
    return trace


def attention_backward(precision: str = "float64") -> Trace:
    """The same with the answer "C", the loss, and its gradient for every weight, down to the embeddings."""
    trace = Trace(precision=precision)
    weights, tokens, target = Weights.first(), ids([0, 1], name="tokens"), ids(2, name="target")
    with trace:
        logits = predict(weights, tokens)
        softmax(logits, name="P")
        cross_entropy(logits, target, name="loss")
    return trace.backward("loss")


def attention_training(precision: str = "float64") -> Trace:
    """One step of gradient descent on all weights, and the second forward pass: the loss has fallen."""
    trace = Trace(precision=precision)
    tokens, target = ids([0, 1], name="tokens"), ids(2, name="target")
    weights = train_once(trace, Weights.first(), tokens, target)
    with trace, trace.scope("step2"):
        cross_entropy(predict(weights, tokens), target, name="loss")
    return trace


def train_once(trace: Trace, weights: Weights, tokens: Tensor, target: Tensor) -> Weights:
    """Record one step of training: forward, backward, and the new weights."""
    names = weights.names()
    with trace:
        trace.start_from(*(getattr(weights, name) for name in names), tokens, target)
        with trace.scope("step1"):
            cross_entropy(predict(weights, tokens), target, name="loss")
    trace.backward("step1.loss")
    with trace, trace.scope("step1"):
        new = {n: sgd(getattr(weights, n), trace[f"d{n}"].tensor, rate=RATE, name=f"{n}_new") for n in names}
    return Weights(**new)


SMALL_TRACES: dict[str, Callable[[str], Trace]] = {
    "attention-forward": attention_forward,
    "attention-backward": attention_backward,
    "attention-training": attention_training,
}
