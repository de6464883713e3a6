"""Generation in plain PyTorch, written as usual programs do it: the judge of ours."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import torch
from torch_models import Judge


def shares(logits: torch.Tensor, temperature: float, top_k: int | None, top_p: float | None) -> torch.Tensor:
    """Temperature, then the k largest, then the fewest that reach p: sorted, added up, and put back in their places."""
    logits = logits / temperature
    if top_k is not None:
        least = torch.topk(logits, top_k).values[-1]
        logits = logits.masked_fill(logits < least, -math.inf)
    if top_p is not None:
        ordered, places = torch.sort(logits, descending=True)
        each = torch.softmax(ordered, dim=-1)
        beyond = torch.cumsum(each, dim=-1) - each >= top_p
        logits = torch.empty_like(logits).scatter_(0, places, ordered.masked_fill(beyond, -math.inf))
    return torch.softmax(logits, dim=-1)


def drawn_token(shares: torch.Tensor, number: float) -> int:
    return int(torch.searchsorted(torch.cumsum(shares, dim=-1), number, right=True))


class TorchModel:
    """Scores of the next token, by the judge of whole models."""

    def __init__(self, model: Any, architecture: Any, source: list[int] | None = None) -> None:
        weights = {path: torch.tensor(x.array, requires_grad=True) for path, x in model.parameters().items()}
        self.judge, self.context, self.source = Judge(architecture, weights), architecture.max_positions, source
        self.learned = architecture.position == "learned"

    def next(self, text: list[int]) -> torch.Tensor:
        seen = torch.tensor([text[-self.context :] if self.learned else text])
        if self.source is None:
            scores = self.judge.scores(seen)
        else:
            scores = self.judge.translation(torch.tensor([self.source]), seen, None, None, None)
        scores = scores.detach()
        return scores[0, -1] if scores.ndim == 3 else scores[0]


def best_texts(model: TorchModel, begin: list[int], vocabulary: int, count: int, end: int | None, penalty: float):
    """Every text of at most `count` tokens with its score, the best first."""
    logs = functools.cache(lambda text: torch.log_softmax(model.next([*begin, *text]), dim=-1))
    found = []
    for length in range(1, count + 1):
        for tokens in itertools.product(range(vocabulary), repeat=length):
            ended = end is not None and tokens[-1] == end
            if end in tokens[:-1] or (length < count and not ended):
                continue
            total = sum(float(logs(tokens[:n])[token]) for n, token in enumerate(tokens))
            found.append((total / length**penalty, total, tokens))
    return sorted(found, reverse=True)
