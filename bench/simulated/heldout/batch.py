"""Three examples, one loss, one update: the sheet of example-4."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending
from .examinee import PATH_FORGOTTEN

EXAMPLES = (1, 2, 3)


class Batch(Attending):
    """Nothing is wrong here."""

    lesson = "example-4"

    def work(self) -> None:
        seen = {number: self.forward(f"example{number}.") for number in EXAMPLES}
        losses = [self.written[f"example{number}.loss"] for number in EXAMPLES]
        total = self.write("total", losses[0] + losses[1])
        total = self.write("total2", total + losses[2])
        self.write("loss", self.mean(total))
        part = self.write("dtotal", self.write("dtotal2", self.part()))
        paths: dict[str, dict[str, Array]] = {name: {} for name in ("W_vocab", "W_V", "W_K", "W_Q", "E")}
        for place, number in enumerate(reversed(EXAMPLES), start=1):
            at = f"example{number}."
            self.write(f"{at}dloss", part)
            self.backward(at, seen[number], str(place) if place > 1 else "", paths)
        for name, gradients in paths.items():
            self.write(f"d{name}", self.collected(gradients, name))
        self.update("W_vocab", self.written["dW_vocab"])

    def forward(self, at: str) -> tuple[Array, ...]:
        given, block = self.given, f"{at}block1.attention."
        x = self.write(f"{at}embedding.X", given["E"][given[f"{at}tokens"]])
        q, k, v = (self.write(f"{block}{name}", x @ given[f"W_{name}"]) for name in "QKV")
        weights, context = self.attend(q, k, v, block)
        last = self.write(f"{at}last", self.last(context))
        logits = self.write(f"{at}logits", last @ given["W_vocab"])
        p = self.write(f"{at}P", self.probabilities(logits))
        self.write(f"{at}loss", self.loss(p, int(given[f"{at}target"]), logits))
        return x, q, k, v, weights, last, p

    def backward(self, at: str, seen: tuple[Array, ...], number: str, paths: dict[str, dict[str, Array]]) -> None:
        given, block = self.given, f"{at}block1.attention."
        x, q, k, v, weights, last, p = seen
        dlogits = self.write(f"{at}dlogits", self.written[f"{at}dloss"] * self.error(p, int(given[f"{at}target"])))
        dlast = self.write(f"{at}dlast", dlogits @ given["W_vocab"].T)
        path = self.write(f"dW_vocab.via_logits{number}", np.outer(last, dlogits))
        paths["W_vocab"][at] = path
        dcontext = self.write(f"{block}dcontext", self.placed(dlast, len(x)))
        dq, dk, dv = self.attend_back(q, k, v, weights, dcontext, block)
        ways = {}
        for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
            ways[name] = self.write(f"{at}embedding.dX.via_{name}", gradient @ given[f"W_{name}"].T)
            paths[f"W_{name}"][at] = self.write(f"dW_{name}.via_{name}{number}", x.T @ gradient)
        dx = self.write(f"{at}embedding.dX", self.collected(ways, "X"))
        paths["E"][at] = self.write(f"dE.via_X{number}", self.to_rows(dx, given[f"{at}tokens"]))

    def mean(self, total: Array) -> Array:
        return total / 3

    def part(self) -> Array:
        return np.array(1 / 3)

    def to_rows(self, dx: Array, tokens: Array) -> Array:
        rows = np.zeros_like(self.given["E"])
        np.add.at(rows, tokens, dx)
        return rows


class LossesAddedUp(Batch):
    wrong_step = "loss"
    names = frozenset({"divide_by.not_divided"})

    def mean(self, total: Array) -> Array:
        return total


class HalvedTwice(Batch):
    """The average of the first two, averaged with the third."""

    wrong_step, names = "loss", frozenset({"divide_by.mean_of_means"})

    def mean(self, total: Array) -> Array:
        losses = [self.written[f"example{number}.loss"] for number in EXAMPLES]
        return ((losses[0] + losses[1]) / 2 + losses[2]) / 2


class ThirdForgottenGoingBack(Batch):
    wrong_step, names = "dtotal2", frozenset({"divide_by.gradient_not_divided"})

    def part(self) -> Array:
        return np.array(1.0)


class RepeatedTokenAssigned(Batch):
    """rows[tokens] += dx: NumPy adds only once where a token occurs twice."""

    wrong_step, names = "dE.via_X2", frozenset({"add_rows.last_kept", "lookup.last_kept"})

    def to_rows(self, dx: Array, tokens: Array) -> Array:
        rows = np.zeros_like(self.given["E"])
        rows[tokens] += dx
        return rows


class GradientsClearedEachTime(Batch):
    """zero_grad inside the loop over the examples: only the one that came last is left."""

    wrong_step, names = (
        "dW_vocab",
        frozenset(
            {
                "collect.assigned",
                *PATH_FORGOTTEN,
            }
        ),
    )

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return list(paths.values())[-1] if name != "X" else super().collected(paths, name)


class AveragedOnceMore(Batch):
    wrong_step, names = "dW_vocab", frozenset({"collect.averaged"})

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        total = super().collected(paths, name)
        return total if name == "X" else total / 3


class OnlyTheStep(Batch):
    wrong_step, names = "W_vocab_new", frozenset({"sgd.weight_forgotten"})
    says = "You wrote down the step alone; it is subtracted from the old weight."

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return -0.1 * gradient


class RateOverBoth(Batch):
    wrong_step, names = "W_vocab_new", frozenset({"sgd.both_scaled"})
    says = "You multiplied the old weight by the learning rate too; only the gradient is."

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return 0.1 * (weight - gradient)


PEOPLE = (
    Batch,
    LossesAddedUp,
    HalvedTwice,
    ThirdForgottenGoingBack,
    RepeatedTokenAssigned,
    GradientsClearedEachTime,
    AveragedOnceMore,
    OnlyTheStep,
    RateOverBoth,
)
