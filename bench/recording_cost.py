"""What recording costs where the arithmetic is large: 512 × 512 products. Target: at most 3 %."""

from __future__ import annotations

import numpy as np
from interleaved import median_seconds

import workings as w
from workings.ops import matmul

SIZE, PRODUCTS = 512, 10


def main() -> None:
    numbers = np.random.default_rng(0)
    a, b = (numbers.standard_normal((SIZE, SIZE)) / SIZE**0.5 for _ in range(2))
    left, right = w.given(a, "token model"), w.given(b, "model hidden")

    def plain() -> object:
        x, y = left.array, right.array
        return [x @ y for _ in range(PRODUCTS)]  # keeps its results, as a recording does

    def recorded() -> None:
        with w.Trace():
            for _ in range(PRODUCTS):
                matmul(left, right)

    times = median_seconds({"plain": plain, "recorded": recorded, "plain again": plain}, rounds=81)
    cost = times["recorded"] / times["plain"] - 1
    noise = times["plain again"] / times["plain"] - 1
    print(f"{PRODUCTS} products of {SIZE} × {SIZE} (median of 81 interleaved rounds)")
    print(f"  plain {1e3 * times['plain']:.1f} ms, recorded {1e3 * times['recorded']:.1f} ms")
    print(f"  recording costs {100 * cost:+.1f} %   (target: at most 3)")
    print(f"  the same plain run twice differs by {100 * noise:+.1f} %")


if __name__ == "__main__":
    main()
