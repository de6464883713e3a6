"""Two hundred tokens of a small language model, with the cache and without it. Target: at least twice as fast.

The more tokens there are, the more the cache saves: without it every token reads the whole text again.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for each other would be measured, on a busy machine

from functools import partial

from interleaved import median_seconds

from workings import nn
from workings.generation.generate import generate
from workings.generation.sampling import Choice

TOKENS = 200
MODEL = nn.Architecture(
    kind="decoder", vocab_size=65, width=128, heads=4, layers=4, hidden=512, position="learned", max_positions=256,
    head="all-tokens",
)  # fmt: skip


def main() -> None:
    model = nn.build(MODEL, nn.Drawn(7, "normal", "float32"))

    def written(cache: bool) -> list[int]:
        return list(generate(model, [1, 2, 3], Choice(temperature=0.8, top_k=20, seed=1), TOKENS, cache=cache))

    assert written(True) == written(False)
    times = median_seconds({"cache": partial(written, True), "none": partial(written, False)}, rounds=3)
    print(f"{TOKENS} tokens of a model of 4 blocks, 128 wide (median of 3 interleaved rounds)")
    print(f"  with the cache {times['cache']:.2f} s, without it {times['none']:.2f} s")
    print(f"  without / with = {times['none'] / times['cache']:.1f}   (target: at least 1.5)")


if __name__ == "__main__":
    main()
