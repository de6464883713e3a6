"""A program as users write it. `test_types.py` runs it, and checks its types against the installed wheel."""

from __future__ import annotations

import numpy as np

import workings as w
from workings import Tensor


def attention(X: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> Tensor:
    Q = w.ops.matmul(X, W_Q, name="Q").rename(token="query")
    K = w.ops.matmul(X, W_K, name="K").rename(token="key")
    V = w.ops.matmul(X, W_V, name="V").rename(token="key")
    scores = w.ops.matmul(Q, K.T, name="scores")
    scaled = w.ops.divide_by_root(scores, d=Q.size("head_size"), name="scaled")
    weights = w.ops.softmax(w.ops.causal_mask(scaled), axis="key", name="weights")
    return w.ops.matmul(weights, V, name="context")


def traced() -> w.Trace:
    """A trace, forward and backward, of one attention head with a loss."""
    numbers = np.array([[0.4, 1.2], [0.8, -0.6]])
    with w.Trace(precision="float64") as trace:
        X = w.given([[1.0, 0.5], [0.2, 0.9]], "token model", name="X")
        W_Q, W_K, W_V = (w.parameter(numbers * n, "model head_size", name=f"W_{n}") for n in (1, 2, 3))
        context = attention(X, W_Q, W_K, W_V)
        first: Tensor = context["query", 0]
        rest = context[1:, 0]
        for row in context:
            w.ops.exp(row)
        w.ops.add(first.sum() + rest.mean("query"), w.ops.exp(numbers)[0, 0], name="loss")
    trace.backward("loss")
    return trace


def optimized() -> tuple[Tensor, Tensor, Tensor]:
    zero = w.given([0.0, 0.0])
    W, m, v = w.ops.adam(w.parameter([1.0, 2.0]), w.given([0.1, 0.2]), zero, zero, t=1, rate=0.01)
    logits = w.given([[2.0, 1.0, 0.1]], "token vocab")
    loss = w.ops.cross_entropy(logits, w.ids([0]), reduction="sum")
    assert float(loss) > 0
    joined = w.ops.concat(m, v, axis=-1)
    assert w.ops.reshape(joined, shape=[2, 2], axes=("row", "column")).axes == ("row", "column")
    return W, m, v


def opened(trace: w.Trace) -> list[str]:
    step = trace["scores"]
    by_hand = step.cell(1, 0)
    values: list[float] = np.asarray(trace["dW_1"].tensor).ravel().tolist()
    again = trace.replay(values={"X": [[0.0, 0.5], [0.2, 0.9]]}, ops={"weights": w.ops.softmax})
    names = [fit.id for fit in trace.mistakes("weights")]
    return [str(by_hand), step.op, *step.axes, str(step.shape), str(values), repr(again["loss"]), *names]


def checked() -> bool:
    trace = w.lesson("example-3").trace("twin")
    found = w.why(trace["scores"].value, trace["scaled"])
    compared = w.compare({"scores": trace["scores"].value, "weights": trace["scores"].value}, to=trace)
    first = compared.first
    return found.cause is not None and first is not None and not compared.agrees


def graded() -> float:
    sheet = w.make_sheet("example-3", seed=7, blanks="few")
    answers = {label: str(blank.true) for label, blank in sheet.by_label.items()}
    return w.grade(sheet, answers).points


def built() -> tuple[int, ...]:
    example = w.scenario("example-3")
    assert "twin" in example.runs
    architecture = w.nn.Architecture(kind="decoder", vocab_size=5, width=4, heads=2, hidden=6)
    model = w.nn.build(architecture, w.nn.Drawn(7))
    words = w.text.Vocabulary.words("the cat sat on mat")
    with w.Trace() as trace:
        model(w.ids(words.encode("the cat"), "token", name="tokens"))
    return trace["block1.attention.head2.scores"].shape


if __name__ == "__main__":
    print(*opened(traced()), sep="\n")
    print(optimized()[0], checked(), graded(), built())
