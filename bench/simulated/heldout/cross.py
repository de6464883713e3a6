"""A decoder that attends to an encoder, and attention from given scores: the sheets of encoder-decoder and cat-sat."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending, softmax
from .examinee import PATH_FORGOTTEN


class Cross(Attending):
    """Nothing is wrong here."""

    lesson = "encoder-decoder"

    def work(self) -> None:
        given = self.given
        read, states = given["memory"], given["states"]
        q = self.write("Q", states @ given["W_Q"])
        k, v = (self.write(name, read @ self.weight(name)) for name in "KV")
        weights, context = self.attend(q, k, v)
        weighted = self.write("weighted", given["cotangent"] * context)
        self.write("total", weighted.sum())
        ones = self.write("dweighted", np.ones_like(context))
        self.write("dcotangent", ones * context)
        dcontext = self.write("dcontext", ones * given["cotangent"])
        dq, dk, dv = self.attend_back(q, k, v, weights, dcontext)
        paths = {}
        for name, gradient in (("V", dv), ("K", dk)):
            paths[name] = self.write(f"dmemory.via_{name}", gradient @ given[f"W_{name}"].T)
            self.write(f"dW_{name}", read.T @ gradient)
        self.write("dmemory", self.collected(paths, "memory"))
        self.write("dstates", dq @ given["W_Q"].T)
        self.write("dW_Q", states.T @ dq)

    def weight(self, name: str) -> Array:
        return self.given[f"W_{name}"]


class ValuesFromTheKeysMatrix(Cross):
    wrong_step, names = "V", frozenset({"matmul.other_weight"})

    def weight(self, name: str) -> Array:
        return self.given["W_K"]


class NormalizedOverQueries(Cross):
    wrong_step, names = "weights", frozenset({"softmax.wrong_axis", "attention.wrong_axis"})

    def weights(self, visible: Array, scores: Array) -> Array:
        return softmax(visible.T).T


class KeysBeforeTheRoot(Cross):
    """The gradient of the keys starts from the scaled scores."""

    wrong_step = "dK_T"
    names = frozenset({"matmul.gradient_of_another", "divide_by_root.gradient_not_divided"})
    says = "You used the gradient of the scaled scores; between them and the keys lies the division by the root."

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return q.T @ dscaled


class MemoryByTheValuesOnly(Cross):
    wrong_step, names = "dmemory", PATH_FORGOTTEN
    says = "You left out the gradient that comes through the keys."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["V"]


class Scores(Attending):
    """Nothing is wrong here. The scores are those of heads with 64 numbers."""

    lesson = "cat-sat"

    def work(self) -> None:
        v, dcontext = self.given["V"], self.given["dcontext"]
        scaled = self.write("scaled", self.scaled(self.given["scores"], v))
        weights = self.write("weights", softmax(scaled))
        self.write("context", self.context(weights, v))
        dweights = self.write("dweights", dcontext @ v.T)
        self.write("dV", self.to_values(weights, dcontext))
        dscaled = self.write("dscaled", self.through_softmax(weights, dweights, ""))
        self.write("dscores", dscaled / 8)

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / 8


class RootOfWhatIsOnThePage(Scores):
    """The root of 3, because the values on the page have three numbers."""

    wrong_step = "scaled"
    names = frozenset({"divide_by_root.root_of_keys", "divide_by_root.root_of_values"})

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / np.sqrt(q.shape[1])


class UpstreamForgotten(Scores):
    wrong_step, names = "dscaled", frozenset({"softmax.upstream_forgotten"})
    says = "You wrote down the slopes P (1 - P) alone; they are multiplied by the upstream gradient."

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * (1 - weights)


class EntryByEntry(Scores):
    wrong_step, names = "context", frozenset({"matmul.entry_by_entry"})

    def context(self, weights: Array, v: Array) -> Array:
        return weights * v


PEOPLE = (
    Cross,
    ValuesFromTheKeysMatrix,
    NormalizedOverQueries,
    KeysBeforeTheRoot,
    MemoryByTheValuesOnly,
    Scores,
    RootOfWhatIsOnThePage,
    UpstreamForgotten,
    EntryByEntry,
)
