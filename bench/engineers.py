"""What `compare` finds in attentions that others have written: twelve that are broken, twelve that are right.

The truth is torch.nn.MultiheadAttention itself, read by `w.nn.from_torch`. Asked for: the first step that differs is
named in all twelve, its cause in at least ten, and no cause is named in any that is right.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import torch
from attentions.broken import BROKEN
from attentions.correct import CORRECT

import workings as w
from workings.practice.checking.compare import StepComparison

WIDTH, HEADS, TEXTS, TOKENS = 32, 4, 2, 7
LARGE_WIDTH, LARGE_HEADS, LARGE_TOKENS = 512, 8, 64
LONGEST = 2.0  # seconds, for `why` on the large one


@dataclass
class Figures:
    """How many were judged right, and what was said of the others."""

    first: int = 0
    cause: int = 0
    accused: int = 0
    by_result_alone: int = 0
    said: list[str] = field(default_factory=list)


def reference(dtype: torch.dtype = torch.float64) -> tuple[torch.nn.MultiheadAttention, torch.Tensor]:
    """The attention that all of them are to be, and what goes into it."""
    torch.manual_seed(8)
    attention = torch.nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True, dtype=torch.float64)
    x = torch.randn(TEXTS, TOKENS, WIDTH, dtype=torch.float64)
    return attention.to(dtype), x.to(dtype)


def captured(kind: type, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """What its author prints, with the weights of the reference."""
    attention, x = reference(dtype)
    model = kind(attention).to(dtype)
    if kind not in BROKEN:
        model.eval()
    return model(x)


def compared(values: dict[str, torch.Tensor], dtype: torch.dtype) -> StepComparison:
    attention, x = reference(dtype)
    return w.compare(values, to=w.nn.from_torch(attention), X=x, padding="causal")


def named(found: StepComparison) -> set[str]:
    """The ids under which the one cause is known."""
    cause = None if found.why is None else found.why.cause
    return set() if cause is None else {cause.id, *cause.also}


def measure() -> Figures:
    """All of them, one after the other."""
    figures = Figures()
    for kind, (step, causes) in BROKEN.items():
        found = compared(captured(kind, torch.float32), torch.float32)
        first = found.first.name if found.first else "none"
        why = found.why
        figures.first += first == step
        figures.cause += bool(named(found) & causes)
        result = {"out": captured(kind, torch.float32)["out"]}
        figures.by_result_alone += bool(named(compared(result, torch.float32)) & causes)
        told = "" if why is None else f"{why.verdict}: {', '.join(c.id for c in why.candidates)}"
        figures.said.append(f"{kind.__name__:<24}{first:<8}{told}")
    for kind in CORRECT:
        found = compared(captured(kind, kind.dtype), kind.dtype)
        is_right = found.first is None
        figures.accused += not is_right and bool(found.why and found.why.candidates)
        told = ", ".join(f"{step.name} {step.verdict}" for step in found.steps)
        figures.said.append(f"{kind.__name__:<24}{'' if is_right else found.first.name:<8}{told}")
    return figures


def seconds_for_a_large_one() -> float:
    """How long `why` takes on an attention 512 wide that was divided by the root of the model."""
    numbers = np.random.default_rng(8)
    q, k, v = (numbers.standard_normal((LARGE_TOKENS, LARGE_WIDTH)) for _ in range(3))
    heads = [part.reshape(LARGE_TOKENS, LARGE_HEADS, -1).transpose(1, 0, 2) for part in (q, k, v)]
    scores = heads[0] @ heads[1].transpose(0, 2, 1) / LARGE_WIDTH**0.5
    scores[:, np.triu_indices(LARGE_TOKENS, 1)[0], np.triu_indices(LARGE_TOKENS, 1)[1]] = -np.inf
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    context = powers / powers.sum(-1, keepdims=True) @ heads[2]
    got = context.transpose(1, 0, 2).reshape(LARGE_TOKENS, LARGE_WIDTH)
    start = time.perf_counter()
    found = w.why(got, "attention", q=q, k=k, v=v, heads=LARGE_HEADS, mask="causal")
    passed = time.perf_counter() - start
    assert found.cause is not None
    assert found.cause.id == "divide_by_root.root_of_model"
    return passed


def main() -> None:
    figures = measure()
    print(*figures.said, sep="\n")
    print(f"first step named {figures.first} of {len(BROKEN)} (asked: all)")
    print(f"cause named      {figures.cause} of {len(BROKEN)} (asked: at least 10)")
    print(f"the same, where only the result is given: {figures.by_result_alone} of {len(BROKEN)}")
    print(f"causes named for those that are right {figures.accused} of {len(CORRECT)} (asked: 0)")
    print(f"why on attention {LARGE_WIDTH} wide: {seconds_for_a_large_one():.2f} s (asked: below {LONGEST:g})")


if __name__ == "__main__":
    main()
