"""A trace of a model of GPT-2's size: what it costs in memory and in time.

12 layers, width 768, 12 heads, 256 tokens, float32, random weights; every closed step is kept. The memory is what the
trace holds besides the model's own weights. The time is compared with the same forward pass written by hand in
NumPy, in turns within one run, so that both meet the same machine.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc

import numpy

import workings as w
from workings import nn
from workings.engine.tensor import Tensor

LAYERS, WIDTH, HEADS, HIDDEN, TOKENS, VOCABULARY = 12, 768, 12, 3072, 256, 50257
MEMORY, TIME = 450, 1.3  # the limits: MB, and times as long
ROUNDS = 9

ARCHITECTURE = nn.Architecture(
    kind="decoder",
    vocab_size=VOCABULARY,
    width=WIDTH,
    heads=HEADS,
    layers=LAYERS,
    hidden=HIDDEN,
    activation="gelu_tanh",
    final_norm=True,
    mask="causal",
    position="learned",
    max_positions=1024,
    tied_embeddings=True,
    head="last-token",
)


class Quick:
    """Random weights of the right size, without waiting for the generator of the lessons."""

    def __init__(self, seed: int) -> None:
        self.generator = numpy.random.default_rng(seed)

    def __call__(self, path: str, axes: str, shape: tuple[int, ...], start: str = "matrix") -> Tensor:
        values = self.generator.standard_normal(shape, dtype=numpy.float32) / math.sqrt(shape[0])
        values = {"matrix": values, "ones": 1 + values / 10, "zeros": values / 10}[start]
        return w.parameter(values.astype(numpy.float32), axes, name=path.rpartition(".")[2])


def by_hand(p: dict[str, numpy.ndarray], tokens: numpy.ndarray) -> numpy.ndarray:
    """The same forward pass as somebody would write it in NumPy, keeping nothing."""
    x = p["embedding.E"][tokens] + p["embedding.position.E_position"][: len(tokens)]
    hidden = numpy.triu(numpy.full((len(tokens), len(tokens)), -numpy.inf, dtype=x.dtype), 1)
    for n in range(1, LAYERS + 1):
        at = f"block{n}.attention."
        y = norm(x, p[f"{at}norm.gamma"], p[f"{at}norm.beta"])
        q, k, v = (heads(y @ p[f"{at}W_{letter}"] + p[f"{at}b_{letter}"]) for letter in "QKV")
        scores = q @ k.transpose(0, 2, 1) / numpy.float32(math.sqrt(WIDTH // HEADS)) + hidden
        powers = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        joined = (weights @ v).transpose(1, 0, 2).reshape(len(tokens), WIDTH)
        x = x + joined @ p[f"{at}W_O"] + p[f"{at}b_O"]
        at = f"block{n}.feed_forward."
        y = norm(x, p[f"{at}norm.gamma"], p[f"{at}norm.beta"]) @ p[f"{at}W_1"] + p[f"{at}b_1"]
        bent = 0.5 * y * (1 + numpy.tanh(numpy.float32(math.sqrt(2 / math.pi)) * (y + 0.044715 * y * y * y)))
        x = x + bent @ p[f"{at}W_2"] + p[f"{at}b_2"]
    x = norm(x, p["final_norm.gamma"], p["final_norm.beta"])
    logits = x[-1] @ p["embedding.E"].T
    powers = numpy.exp(logits - logits.max())
    return powers / powers.sum()


def norm(x: numpy.ndarray, gamma: numpy.ndarray, beta: numpy.ndarray) -> numpy.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    return gamma * centred / numpy.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) + beta


def heads(x: numpy.ndarray) -> numpy.ndarray:
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def traced(model: nn.Module, tokens: Tensor) -> w.Trace:
    with w.Trace(precision="float32") as trace:
        model(tokens)
    return trace


def main() -> None:
    model = nn.build(ARCHITECTURE, Quick(7))
    plain = {path: weight.array for path, weight in model.parameters().items()}
    numbers = w.Draws(3).whole(TOKENS, below=VOCABULARY)
    tokens = w.ids(numbers, name="tokens")

    found, expected = traced(model, tokens)["P"].value, by_hand(plain, numbers)
    print(f"largest difference of a share from NumPy's: {abs(found - expected).max():.1e}")

    gc.collect()
    tracemalloc.start()
    trace = traced(model, tokens)
    memory = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    print(f"memory of the trace: {memory:.0f} MB in {len(trace)} steps (limit {MEMORY})")
    del trace

    times: dict[str, list[float]] = {"traced": [], "by hand": []}
    for _ in range(ROUNDS):
        for name, run in (("by hand", lambda: by_hand(plain, numbers)), ("traced", lambda: traced(model, tokens))):
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    ratios = [one / other for one, other in zip(times["traced"], times["by hand"], strict=True)]
    for name, taken in times.items():
        print(f"{name}: median {statistics.median(taken):.3f} s, least {min(taken):.3f} s")
    least = min(times["traced"]) / min(times["by hand"])
    print(f"traced / by hand: median of ratios {statistics.median(ratios):.2f}, least times {least:.2f} (limit {TIME})")


if __name__ == "__main__":
    main()
