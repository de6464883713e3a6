"""Two tokens, four numbers each, a residual and an upstream gradient: the sheet of token-i."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending
from .examinee import PATH_FORGOTTEN

# dyᵀ x in the place of xᵀ dy: the factors are exchanged, and the result has the layout of PyTorch.
LAYOUT = frozenset({"matmul.layout_out_in", "matmul.result_transposed", "matmul.factors_exchanged"})


class TokenI(Attending):
    """Nothing is wrong here."""

    lesson = "token-i"

    def work(self) -> None:
        given = self.given
        x = self.write("X", given["E"][given["tokens"]])
        q, k, v = (self.write(name, x @ given[f"W_{name}"]) for name in "QKV")
        weights, context = self.attend(q, k, v)
        self.write("residual", self.added(x, context))
        upstream = given["dresidual"]
        paths = {"residual": self.write("dX.via_residual", upstream)}
        dcontext = self.write("dcontext", self.to_branch(upstream))
        dq, dk, dv = self.attend_back(q, k, v, weights, dcontext)
        for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
            back = self.back_through(gradient, given[f"W_{name}"], f"W_{name}")
            paths[name] = self.write(f"dX.via_{name}", back)
            self.write(f"dW_{name}", self.of_weight(x, gradient, f"W_{name}"))
        dx = self.write("dX", self.collected(paths, "X"))
        rows = np.zeros_like(given["E"])
        np.add.at(rows, given["tokens"], dx)
        self.write("dE", rows)

    def added(self, x: Array, context: Array) -> Array:
        return x + context

    def to_branch(self, upstream: Array) -> Array:
        return upstream


class ResidualTwice(TokenI):
    wrong_step, names = "residual", frozenset({"add.residual_twice"})
    says = "You added the input twice; once is enough."

    def added(self, x: Array, context: Array) -> Array:
        return x + (x + context)


class ResidualMultiplied(TokenI):
    wrong_step, names = "residual", frozenset({"add.multiplied"})
    says = "You multiplied entry by entry; the residual is added."

    def added(self, x: Array, context: Array) -> Array:
        return x * context


class ResidualOfTheValues(TokenI):
    wrong_step, names = "residual", frozenset({"add.other_input", "add.residual_of_values"})
    says = "You added the values; the residual is the input of the block, before any projection."

    def added(self, x: Array, context: Array) -> Array:
        return self.written["V"] + context


class RootOfTheTokens(TokenI):
    wrong_step, names = "scaled", frozenset({"divide_by_root.root_of_keys"})

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / np.sqrt(len(scores))


class GradientDividedByD(TokenI):
    wrong_step = "dscores"
    names = frozenset({"divide_by_root.gradient_root_forgotten", "divide_by_root.root_forgotten"})
    says = "You divided the gradient by d; it is divided by the root of d, as in the forward pass."

    def through_root(self, dscaled: Array, q: Array) -> Array:
        return dscaled / q.shape[-1]


class GradientScaledUp(TokenI):
    wrong_step, names = "dscores", frozenset({"divide_by_root.gradient_multiplied"})

    def through_root(self, dscaled: Array, q: Array) -> Array:
        return dscaled * np.sqrt(q.shape[-1])


class SharedBetweenBranches(TokenI):
    """Half of the gradient for the residual, half for the attention."""

    wrong_step, names = "dweights", frozenset({"add.halved", "pass.halved"})

    def to_branch(self, upstream: Array) -> Array:
        return upstream / 2


class UpstreamTimesValuesFlipped(TokenI):
    """V dCᵀ where dC Vᵀ was meant: the result is transposed."""

    wrong_step, names = "dweights", frozenset({"matmul.factors_exchanged", "matmul.result_transposed"})

    def to_weights(self, dcontext: Array, v: Array) -> Array:
        return v @ dcontext.T


class KeysWeightNotFlipped(TokenI):
    wrong_step, names = "dX.via_K", frozenset({"matmul.not_transposed"})

    def back_through(self, gradient: Array, weight: Array, name: str) -> Array:
        return gradient @ (weight if name == "W_K" else weight.T)


class ResidualPathForgotten(TokenI):
    wrong_step, names = "dX", PATH_FORGOTTEN
    says = "You left out the gradient that comes straight through the residual."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["V"] + paths["K"] + paths["Q"]


class WeightGradientOutIn(TokenI):
    """The gradient in the layout of PyTorch, [out, in]; the matrix is square, so that the shape does not tell."""

    wrong_step, names = "dW_V", LAYOUT
    says = "Your gradient is transposed: it has the layout [out, in], and the weight on this page [in, out]."

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return gradient.T @ x


class SlopeDownTheColumns(TokenI):
    """The average of the gradients is taken over the queries."""

    wrong_step, names = "dscaled", frozenset({"softmax.gradient_wrong_axis", "softmax.wrong_axis"})

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * (dweights - (weights * dweights).sum(axis=0, keepdims=True))


PEOPLE = (
    TokenI,
    ResidualTwice,
    ResidualMultiplied,
    ResidualOfTheValues,
    RootOfTheTokens,
    GradientDividedByD,
    GradientScaledUp,
    SharedBetweenBranches,
    UpstreamTimesValuesFlipped,
    KeysWeightNotFlipped,
    ResidualPathForgotten,
    WeightGradientOutIn,
    SlopeDownTheColumns,
)
