"""One training step of a small GPT: 4 layers, 4 heads, 128 wide, 12 texts of 64 characters, float32.

Ours is that of `workings train characters`, with NumPy alone: draw the batch, forward, backward, clip, AdamW. Theirs is
the same step as a plain eager PyTorch program. Target: at least 0.6 times its speed.

Each side is a process of its own, and they take turns: in one process the threads of the two libraries would wait for
each other. Both also run on one thread: on a busy machine, where threads wait for each other, only that is telling.

python bench/gpt_step.py [TURNS]
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TURNS, STEPS, WARM_UP = 21, 5, 3
TARGET = 0.6
THREADS = 2
REST = 0.1  # seconds between turns, in which the threads of the last one fall asleep

SCENARIO = "characters"
LAYERS, HEADS, WIDTH, HIDDEN, CONTEXT, SIZE = 4, 4, 128, 512, 64, 12


# -- the two sides ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """A step to be measured, and how many numbers it trains."""

    step: Callable[[], float]
    weights: int


def ours() -> Side:
    from workings.scenarios.scenario import scenario

    found = scenario(SCENARIO)
    plan = found.plan()
    assert plan.model is not None
    assert plan.train is not None
    sizes = (plan.model.layers, plan.model.heads, plan.model.width, plan.model.hidden, plan.train.drawn_batch_size)
    assert sizes == (LAYERS, HEADS, WIDTH, HIDDEN, SIZE)
    assert plan.precision == "float32"
    trainer = found.trainer()
    return Side(trainer.advance, trainer.flat.entries)


def in_torch() -> Side:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional

    from workings.training.data import standard_library

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(1)

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.queries_keys_values = nn.Linear(WIDTH, 3 * WIDTH)
            self.out = nn.Linear(WIDTH, WIDTH)
            self.register_buffer("ahead", torch.ones(CONTEXT, CONTEXT, dtype=torch.bool).triu(1))

        def forward(self, x: Tensor) -> Tensor:
            texts, tokens, _ = x.shape
            parts = self.queries_keys_values(x).split(WIDTH, dim=2)
            q, k, v = (part.view(texts, tokens, HEADS, WIDTH // HEADS).transpose(1, 2) for part in parts)
            scores = q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS)
            weights = scores.masked_fill(self.ahead, -math.inf).softmax(dim=3)
            return self.out((weights @ v).transpose(1, 2).reshape(texts, tokens, WIDTH))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before, self.attention = nn.LayerNorm(WIDTH), Attention()
            self.between = nn.LayerNorm(WIDTH)
            bend = nn.GELU(approximate="tanh")
            self.feed_forward = nn.Sequential(nn.Linear(WIDTH, HIDDEN), bend, nn.Linear(HIDDEN, WIDTH))

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.attention(self.before(x))
            return x + self.feed_forward(self.between(x))

    class Model(nn.Module):
        def __init__(self, vocabulary: int) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.last = nn.LayerNorm(WIDTH)

        def forward(self, tokens: Tensor) -> Tensor:
            x = self.blocks(self.words(tokens) + self.places.weight)
            return functional.linear(self.last(x), self.words.weight)

    text = standard_library()
    numbers = {character: number for number, character in enumerate(sorted(set(text)))}
    ids = torch.tensor([numbers[character] for character in text[: len(text) - len(text) // 10]])
    model = Model(len(numbers))
    optimizer = torch.optim.AdamW(model.parameters(), 0.002, (0.9, 0.99), weight_decay=0.01)

    def step() -> float:
        starts = torch.randint(len(ids) - CONTEXT, (SIZE, 1))
        places = starts + torch.arange(CONTEXT)
        loss = functional.cross_entropy(model(ids[places]).flatten(0, 1), ids[places + 1].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return float(loss.detach())

    return Side(step, sum(weight.numel() for weight in model.parameters()))


SIDES: dict[str, Callable[[], Side]] = {"ours": ours, "torch": in_torch}


def wait_for_turns(name: str) -> None:
    """One side: for each number that is written to it, make so many steps, and say how long one took."""
    side = SIDES[name]()
    for _ in range(WARM_UP):
        loss = side.step()
    print(side.weights, loss, flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            side.step()
        print((time.perf_counter() - start) / int(line), flush=True)


# -- taking turns ----------------------------------------------------------------------------------


class Player:
    """A process that measures when it is its turn, and sleeps otherwise."""

    def __init__(self, side: str, threads: int) -> None:
        chosen = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--side", side], env={**os.environ, **chosen}, **pipes
        )
        weights, loss = self._answer()
        self.weights, self.loss = int(weights), float(loss)
        self.times: list[float] = []

    def play(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{STEPS}\n")
        self.process.stdin.flush()
        self.times.append(float(self._answer()[0]))
        time.sleep(REST)

    def _answer(self) -> list[str]:
        assert self.process.stdout is not None
        words = self.process.stdout.readline().split()
        if not words:
            raise RuntimeError("a side of the measurement ended before its time")
        return words

    def leave(self) -> None:
        """Without more to read, the process ends."""
        self.process.communicate()


PLAYERS = {
    "ours": ("ours", THREADS),
    "ours, 1 thread": ("ours", 1),
    "PyTorch": ("torch", THREADS),
    "PyTorch, 1 thread": ("torch", 1),
}
PAIRS = (("ours", "PyTorch"), ("ours, 1 thread", "PyTorch"), ("ours, 1 thread", "PyTorch, 1 thread"))


def main(turns: int = TURNS) -> None:
    players: dict[str, Player] = {}
    try:
        for name, (side, threads) in PLAYERS.items():  # each makes its first steps while the others sleep
            players[name] = Player(side, threads)
        sizes = {player.weights for player in players.values()}
        assert len(sizes) == 1, f"the models are not of one size: {sizes}"
        for _ in range(turns):
            for player in players.values():
                player.play()
    finally:
        for player in players.values():
            player.leave()
    print(f"one training step of a GPT with {sizes.pop():,} weights (median of {turns} turns of {STEPS} steps)")
    times = {name: player.times for name, player in players.items()}
    for name, series in times.items():
        print(f"  {name:<18} {1e3 * statistics.median(series):6.1f} ms, least {1e3 * min(series):6.1f} ms")
    for mine, theirs in PAIRS:
        speed = statistics.median(other / one for one, other in zip(times[mine], times[theirs], strict=True))
        target = f"   (target: at least {TARGET})" if (mine, theirs) == PAIRS[0] else ""
        print(f"  speed of {mine} / {theirs} = {speed:.2f}{target}")
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > THREADS + 1:
        print("  the machine had more to do than this: threads that wait for each other were measured, too")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        wait_for_turns(sys.argv[2])
    else:
        main(*map(int, sys.argv[1:]))
