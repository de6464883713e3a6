"""A recurrent network with a state of two numbers that reads seven words: the sheet of rnn.yaml."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .examinee import PATH_FORGOTTEN, Examinee

WORDS = ("The", "cat", "that", "I", "saw", "yesterday", "sat")


class Recurrent(Examinee):
    """Nothing is wrong here."""

    lesson = __file__.replace("recurrent.py", "rnn.yaml")

    def work(self) -> None:
        given = self.given
        words = self.write("words", given["X"] @ given["W_x"])
        state, before, after = np.zeros(2), {}, {}
        for row, word in zip(words, WORDS, strict=True):
            arrives = self.write(f"from_{word}", row)
            before[word] = state
            if word != "The":
                carried = self.write(f"carried_{word}", self.carried(state))
                arrives = self.write(f"sum_{word}", arrives + carried)
            state = after[word] = self.write(f"h_{word}", np.tanh(arrives))
        gradient, paths, rows = given["dh_sat"], {}, {}
        for place in reversed(range(len(WORDS))):
            word = WORDS[place]
            through = self.through_tanh(gradient, word, after[word])
            if word != "The":
                self.write(f"dsum_{word}", through)
                self.write(f"dcarried_{word}", through)
                paths[word] = self.write(f"dW_h.via_carried_{word}", self.of_state(before[word], through))
                gradient = self.write(f"dh_{WORDS[place - 1]}", through @ given["W_h"].T)
            row = np.zeros_like(words)
            row[place] = self.write(f"dfrom_{word}", through)
            rows[word] = self.write(f"dwords.via_from_{word}", row)
        dwords = self.write("dwords", sum(rows.values(), np.zeros_like(words)))
        self.write("dX", dwords @ given["W_x"].T)
        self.write("dW_x", given["X"].T @ dwords)
        self.write("dW_h", self.collected(paths))

    def carried(self, state: Array) -> Array:
        return state @ self.given["W_h"]

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient * (1 - h * h)

    def of_state(self, before: Array, through: Array) -> Array:
        return np.outer(before, through)

    def collected(self, paths: dict[str, Array]) -> Array:
        return sum(paths.values(), np.zeros((2, 2)))


class SlopeWithoutTheSquare(Recurrent):
    wrong_step, names = "dsum_sat", frozenset({"tanh.square_forgotten"})

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient * (1 - h)


class TanhOfTheSlope(Recurrent):
    """The slope is taken at the sum, before the tanh."""

    wrong_step, names = "dsum_sat", frozenset({"tanh.slope_of_input"})

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        at = self.written.get(f"sum_{word}", self.written[f"from_{word}"])
        return gradient * (1 - at * at)


class OnlyTheLastStep(Recurrent):
    """The shared matrix gets the gradient of one step."""

    wrong_step, names = (
        "dW_h",
        frozenset(
            {
                *PATH_FORGOTTEN,
                "collect.assigned",
            }
        ),
    )

    def collected(self, paths: dict[str, Array]) -> Array:
        return paths["sat"]


class OuterProductFlipped(Recurrent):
    wrong_step, names = "dW_h.via_carried_sat", frozenset({"outer.transposed", "matmul.layout_out_in"})

    def of_state(self, before: Array, through: Array) -> Array:
        return np.outer(through, before)


PEOPLE = (Recurrent, SlopeWithoutTheSquare, TanhOfTheSlope, OnlyTheLastStep, OuterProductFlipped)
