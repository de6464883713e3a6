"""One training step of two tokens with attention: the sheets of example-1, example-2 and example-3."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

RATE = 0.1


class Attentive(Person):
    """Nothing is wrong here."""

    lesson = "example-3"

    def work(self) -> None:
        given = self.given
        x = self.write("X", given["E"][given["tokens"]])
        q = self.write("Q", x @ given["W_Q"])
        k = self.write("K", self.keys(x, given["W_K"]))
        v = self.write("V", x @ given["W_V"])
        scores = self.write("scores", self.scores(q, k))
        scaled = self.write("scaled", self.scaled(scores, k.shape[1]))
        weights = self.write("weights", self.shares(scaled))
        context = self.write("context", self.context(weights, v))
        self.learn(x, q, k, v, weights, context, self.predict(context))

    def predict(self, context: Array) -> Array:
        """From the last row to the error of the logits, and back to that row."""
        given, target = self.given, int(self.given["target"])
        last = self.write("last", self.last(context))
        logits = self.write("logits", last @ given["W_vocab"])
        p = self.write("P", self.shares_of_words(logits))
        self.write("loss", self.loss(p, target))
        dlogits = self.write("dlogits", self.error(p, np.eye(len(p))[target]))
        dlast = self.write("dlast", dlogits @ given["W_vocab"].T)
        self.update("W_vocab", self.write("dW_vocab", np.outer(last, dlogits)))
        dcontext = np.zeros_like(context)
        dcontext[-1] = dlast
        return dcontext

    def learn(self, x: Array, q: Array, k: Array, v: Array, weights: Array, context: Array, dcontext: Array) -> None:
        given = self.given
        dcontext = self.write("dcontext", self.down_to_rows(dcontext))
        dweights = self.write("dweights", dcontext @ v.T)
        dv = self.write("dV", self.back_to_values(weights, dcontext))
        dscaled = self.write("dscaled", self.through_shares(weights, dweights))
        dscores = self.write("dscores", self.through_root(dscaled, k.shape[1]))
        dq = self.write("dQ", dscores @ k)
        dk_turned = self.write("dK_T", q.T @ dscores)
        dk = self.write("dK", dk_turned.T)
        via_v = self.write("dX.via_V", dv @ given["W_V"].T)
        via_k = self.write("dX.via_K", dk @ given["W_K"].T)
        via_q = self.write("dX.via_Q", dq @ given["W_Q"].T)
        for name, gradient in (("W_V", dv), ("W_K", dk), ("W_Q", dq)):
            self.update(name, self.write(f"d{name}", self.of_weight(x, gradient)))
        dx = self.write("dX", self.together(via_v, via_k, via_q))
        de = np.zeros_like(given["E"])
        np.add.at(de, given["tokens"], dx)
        self.write("dE", self.of_rows(de, dx))

    # -- what may be done differently ----------------------------------------------------------------

    def keys(self, x: Array, weight: Array) -> Array:
        return x @ weight

    def scores(self, q: Array, k: Array) -> Array:
        return q @ k.T

    def scaled(self, scores: Array, size: int) -> Array:
        return scores / np.sqrt(size)

    def shares(self, scaled: Array) -> Array:
        return np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True)

    def context(self, weights: Array, v: Array) -> Array:
        return weights @ v

    def last(self, context: Array) -> Array:
        return context[-1]

    def shares_of_words(self, logits: Array) -> Array:
        return np.exp(logits) / np.exp(logits).sum()

    def loss(self, p: Array, target: int) -> Array:
        return -np.log(p[target])

    def error(self, p: Array, y: Array) -> Array:
        return p - y

    def down_to_rows(self, dcontext: Array) -> Array:
        return dcontext

    def back_to_values(self, weights: Array, dcontext: Array) -> Array:
        return weights.T @ dcontext

    def through_shares(self, weights: Array, dweights: Array) -> Array:
        return weights * (dweights - (weights * dweights).sum(axis=1, keepdims=True))

    def through_root(self, dscaled: Array, size: int) -> Array:
        return dscaled / np.sqrt(size)

    def of_weight(self, x: Array, gradient: Array) -> Array:
        return x.T @ gradient

    def together(self, via_v: Array, via_k: Array, via_q: Array) -> Array:
        return via_v + via_k + via_q

    def of_rows(self, de: Array, dx: Array) -> Array:
        return de

    def update(self, name: str, gradient: Array) -> None:
        self.write(f"{name}_new", self.given[name] - RATE * gradient)


class OnlyForward(Attentive):
    """Nothing is wrong here either."""

    lesson = "example-1"


class RootForgotten(Attentive):
    lesson, wrong_step, mistake = "example-1", "scaled", "divide_by_root.not_divided"

    def scaled(self, scores: Array, size: int) -> Array:
        return scores


class SizeWithoutRoot(Attentive):
    lesson, wrong_step, mistake = "example-2", "scaled", "divide_by_root.root_forgotten"

    def scaled(self, scores: Array, size: int) -> Array:
        return scores / size


class SharesDownTheColumns(Attentive):
    lesson, wrong_step, mistake = "example-3", "weights", "softmax.wrong_axis"

    def shares(self, scaled: Array) -> Array:
        return np.exp(scaled) / np.exp(scaled).sum(axis=0, keepdims=True)


class SharesThatAreNone(Attentive):
    lesson, wrong_step, mistake = "example-1", "weights", "softmax.not_normalised"

    def shares(self, scaled: Array) -> Array:
        return np.exp(scaled)


class KeysWithTurnedWeight(Attentive):
    lesson, wrong_step, mistake = "example-3", "K", "matmul.second_transposed"

    def keys(self, x: Array, weight: Array) -> Array:
        return x @ weight.T


class KeysNotTurned(Attentive):
    lesson, wrong_step, mistake = "example-2", "scores", "matmul.second_transposed"

    def scores(self, q: Array, k: Array) -> Array:
        return q @ k


class KeysAskQueries(Attentive):
    lesson, wrong_step, mistake = "example-3", "scores", "matmul.queries_and_keys_exchanged"

    def scores(self, q: Array, k: Array) -> Array:
        return k @ q.T


class FirstRow(Attentive):
    lesson, wrong_step, mistake = "example-2", "last", "take_row.other_end"

    def last(self, context: Array) -> Array:
        return context[0]


class WordsThatShareNothing(Attentive):
    """The shares of the words are wrong, and the loss and its gradient are worked out from them."""

    lesson, wrong_step, mistake = "example-3", "P", "softmax.not_normalised"

    def shares_of_words(self, logits: Array) -> Array:
        return np.exp(logits)


class LogarithmToTen(Attentive):
    lesson, wrong_step, mistake = "example-2", "loss", "cross_entropy.base_ten"

    def loss(self, p: Array, target: int) -> Array:
        return -np.log10(p[target])


class LossWithoutMinus(Attentive):
    lesson, wrong_step, mistake = "example-3", "loss", "cross_entropy.sign_forgotten"

    def loss(self, p: Array, target: int) -> Array:
        return np.log(p[target])


class ErrorTurned(Attentive):
    lesson, wrong_step, mistake = "example-3", "dlogits", "cross_entropy.error_turned"

    def error(self, p: Array, y: Array) -> Array:
        return y - p


class DiagonalOnly(Attentive):
    lesson, wrong_step, mistake = "example-3", "dscaled", "softmax.diagonal_only"

    def through_shares(self, weights: Array, dweights: Array) -> Array:
        return weights * (1 - weights) * dweights


class RootForgottenGoingBack(Attentive):
    lesson, wrong_step, mistake = "example-3", "dscores", "divide_by_root.gradient_not_divided"

    def through_root(self, dscaled: Array, size: int) -> Array:
        return dscaled


class GradientAssigned(Attentive):
    """The last of three ways overwrites the others, as in a program with = for +=."""

    lesson, wrong_step, mistake = "example-3", "dX", "collect.assigned"

    def together(self, via_v: Array, via_k: Array, via_q: Array) -> Array:
        return via_q


class Uphill(Attentive):
    lesson, wrong_step, mistake = "example-3", "W_Q_new", "sgd.added"

    def update(self, name: str, gradient: Array) -> None:
        self.write(f"{name}_new", self.given[name] + RATE * gradient)


class WithoutRate(Attentive):
    lesson, wrong_step, mistake = "example-2", "W_vocab_new", "sgd.rate_forgotten"

    def update(self, name: str, gradient: Array) -> None:
        self.write(f"{name}_new", self.given[name] - gradient)


PEOPLE = (
    Attentive,
    OnlyForward,
    RootForgotten,
    SizeWithoutRoot,
    SharesDownTheColumns,
    SharesThatAreNone,
    KeysWithTurnedWeight,
    KeysNotTurned,
    KeysAskQueries,
    FirstRow,
    WordsThatShareNothing,
    LogarithmToTen,
    LossWithoutMinus,
    ErrorTurned,
    DiagonalOnly,
    RootForgottenGoingBack,
    GradientAssigned,
    Uphill,
    WithoutRate,
)
