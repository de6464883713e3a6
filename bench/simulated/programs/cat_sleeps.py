"""Three tokens with embeddings of five numbers, a yes or no for each, and everything learned: cat-sleeps."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

RATE = 0.1


class CatSleeps(Person):
    """Nothing is wrong here."""

    lesson = "cat-sleeps"

    def work(self) -> None:
        given = self.given
        x = given["X"]
        q, k, v = (self.write(name, x @ given[f"W_{name}"]) for name in "QKV")
        scores = self.write("scores", q @ k.T)
        scaled = self.write("scaled", scores / self.root(k))
        shares = self.write("α", np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True))
        o = self.write("O", shares @ v)
        hidden = self.write("hidden", o @ given["W_1"] + given["b_1"])
        h = self.write("H", np.maximum(hidden, 0))
        z = self.write("z", h @ given["W_2"] + given["b_2"])
        y = self.write("y", self.squashed(z))
        self.write("loss", self.loss(y, given["labels"]))
        dz = self.write("dz", y - given["labels"])
        dh = self.write("dH", dz @ given["W_2"].T)
        dhidden = self.write("dhidden", self.through_bend(dh, h, hidden))
        do = self.write("dO", dhidden @ given["W_1"].T)
        self.write("dW_2", h.T @ dz)
        self.write("db_2", self.of_bias(dz))
        self.write("dW_1", o.T @ dhidden)
        self.write("db_1", self.of_bias(dhidden))
        self.back_through_attention(x, q, k, v, shares, do)
        for name in ("X", "W_Q", "W_K", "W_V", "W_1", "b_1", "W_2", "b_2"):
            self.write(f"{name}_new", self.given[name] - RATE * self.written[f"d{name}"])

    def back_through_attention(self, x: Array, q: Array, k: Array, v: Array, shares: Array, do: Array) -> None:
        dshares = self.write("dα", do @ v.T)
        dv = self.write("dV", self.back_to_values(shares, do))
        inner = (shares * dshares).sum(axis=1, keepdims=True)
        dscaled = self.write("dscaled", shares * (dshares - inner))
        dscores = self.write("dscores", dscaled / np.sqrt(k.shape[1]))
        dq = self.write("dQ", dscores @ k)
        dk = self.write("dK", self.write("dK_T", q.T @ dscores).T)
        dx = np.zeros_like(x)
        for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
            dx = dx + self.write(f"dX.via_{name}", gradient @ self.given[f"W_{name}"].T)
            self.write(f"dW_{name}", x.T @ gradient)
        self.write("dX", dx)

    def root(self, k: Array) -> float:
        return float(np.sqrt(k.shape[1]))

    def squashed(self, z: Array) -> Array:
        return 1 / (1 + np.exp(-z))

    def loss(self, y: Array, labels: Array) -> Array:
        return -(labels * np.log(y) + (1 - labels) * np.log(1 - y)).sum()

    def through_bend(self, dh: Array, h: Array, hidden: Array) -> Array:
        return dh * (hidden > 0)

    def of_bias(self, gradient: Array) -> Array:
        return gradient.sum(axis=0)

    def back_to_values(self, shares: Array, do: Array) -> Array:
        return shares.T @ do


class MaskFromTheGradient(CatSleeps):
    wrong_step, mistake = "dhidden", "relu.mask_from_gradient"

    def through_bend(self, dh: Array, h: Array, hidden: Array) -> Array:
        return dh * (dh > 0)


class LossAveraged(CatSleeps):
    wrong_step, mistake = "loss", "binary_cross_entropy_from_logits.wrong_reduction"

    def loss(self, y: Array, labels: Array) -> Array:
        return super().loss(y, labels) / len(labels)


class BiasAveraged(CatSleeps):
    wrong_step, mistake = "db_2", "linear.bias_averaged"

    def of_bias(self, gradient: Array) -> Array:
        return gradient.mean(axis=0)


class SquashedTheOtherWay(CatSleeps):
    wrong_step, mistake = "y", "sigmoid.sign_forgotten"

    def squashed(self, z: Array) -> Array:
        return 1 / (1 + np.exp(z))


class ValuesWithoutTurning(CatSleeps):
    wrong_step, mistake = "dV", "matmul.first_not_transposed"

    def back_to_values(self, shares: Array, do: Array) -> Array:
        return shares @ do


PEOPLE = (CatSleeps, MaskFromTheGradient, LossAveraged, BiasAveraged, SquashedTheOtherWay, ValuesWithoutTurning)
