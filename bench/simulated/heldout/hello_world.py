"""Two heads with matrices of their own, a feed-forward network, and every weight updated: the sheet of hello-world."""

from __future__ import annotations

import math

import numpy as np

from ..programs.paper import Array
from .attention import Attending

HEADS = ("head1.", "head2.")

# dyᵀ x in the place of xᵀ dy: the factors are exchanged, and the result has the layout of PyTorch.
LAYOUT = frozenset({"matmul.layout_out_in", "matmul.result_transposed", "matmul.factors_exchanged"})


class HelloWorld(Attending):
    """Nothing is wrong here."""

    lesson = "hello-world"

    def work(self) -> None:
        given, target = self.given, int(self.given["target"])
        x = self.write("X", given["E"][given["tokens"]])
        heads = {}
        for at in HEADS:
            q, k, v = (self.write(f"{at}{name}", x @ given[f"{at}W_{name}"]) for name in "QKV")
            heads[at] = (q, k, v, *self.attend(q, k, v, at))
        joined = self.write("joined", self.joined(*(heads[at][4] for at in HEADS)))
        attended = self.write("attended", self.mixed(joined))
        hidden = self.write("hidden", self.hidden(attended))
        activated = self.write("activated", self.activated(hidden))
        output = self.write("output", self.output(activated @ given["W_2"] + given["b_2"]))
        last = self.write("last", self.last(output))
        logits = self.write("logits", last @ given["W_vocab"])
        p = self.write("P", self.probabilities(logits))
        self.write("loss", self.loss(p, target, logits))
        dlogits = self.write("dlogits", self.error(p, target))
        dlast = self.write("dlast", dlogits @ given["W_vocab"].T)
        self.write("dW_vocab", np.outer(last, dlogits))
        doutput = self.write("doutput", self.placed(dlast, len(x)))
        dactivated = self.write("dactivated", doutput @ given["W_2"].T)
        self.write("dW_2", self.of_second_weight(hidden, activated).T @ doutput)
        self.write("db_2", self.of_bias(doutput))
        dhidden = self.write("dhidden", self.through_relu(dactivated, hidden, activated))
        dattended = self.write("dattended", dhidden @ given["W_1"].T)
        self.write("dW_1", attended.T @ dhidden)
        self.write("db_1", self.of_bias(dhidden))
        djoined = self.write("djoined", dattended @ given["W_O"].T)
        self.write("dW_O", self.of_weight(joined, dattended, "W_O"))
        self.back_through_heads(x, heads, djoined)
        for name in ("E", "W_O", "W_1", "b_1", "W_2", "b_2", "W_vocab"):
            self.update(name, self.written[f"d{name}"])

    def back_through_heads(self, x: Array, heads: dict[str, tuple[Array, ...]], djoined: Array) -> None:
        parts = {at: self.write(f"{at}dcontext", part) for at, part in zip(HEADS, self.cut(djoined), strict=True)}
        paths = {}
        for number, at in (("", "head2."), ("2", "head1.")):
            q, k, v, weights, _ = heads[at]
            dq, dk, dv = self.attend_back(q, k, v, weights, parts[at], at)
            for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
                way = f"via_{name}{number}"
                paths[way] = self.write(f"dX.{way}", gradient @ self.given[f"{at}W_{name}"].T)
                self.write(f"{at}dW_{name}", self.of_weight(x, gradient, f"{at}W_{name}"))
                self.update(f"{at}W_{name}", self.written[f"{at}dW_{name}"])
        dx = self.write("dX", self.collected(paths, "X"))
        rows = np.zeros_like(self.given["E"])
        np.add.at(rows, self.given["tokens"], dx)
        self.write("dE", rows)

    def joined(self, first: Array, second: Array) -> Array:
        return np.concatenate((first, second), axis=1)

    def cut(self, djoined: Array) -> tuple[Array, Array]:
        return djoined[:, :2], djoined[:, 2:]

    def mixed(self, joined: Array) -> Array:
        return joined @ self.given["W_O"]

    def hidden(self, attended: Array) -> Array:
        return attended @ self.given["W_1"] + self.given["b_1"]

    def activated(self, hidden: Array) -> Array:
        return np.maximum(hidden, 0)

    def output(self, output: Array) -> Array:
        return output

    def of_second_weight(self, hidden: Array, activated: Array) -> Array:
        return activated

    def of_bias(self, gradient: Array) -> Array:
        return gradient.sum(axis=0)

    def through_relu(self, dactivated: Array, hidden: Array, activated: Array) -> Array:
        return dactivated * (hidden > 0)


class HeadsTakeTurns(HelloWorld):
    wrong_step, names = "joined", frozenset({"merge_heads.interleaved", "concat.interleaved"})

    def joined(self, first: Array, second: Array) -> Array:
        return np.stack((first, second), axis=-1).reshape(len(first), -1)


class HeadsInTheOtherOrder(HelloWorld):
    wrong_step, names = "joined", frozenset({"concat.reversed_order", "merge_heads.heads_reversed"})

    def joined(self, first: Array, second: Array) -> Array:
        return np.concatenate((second, first), axis=1)


class StackedAndReshaped(HelloWorld):
    """torch.cat along the tokens, then a view of the wanted shape."""

    wrong_step = "joined"
    names = frozenset({"concat.wrong_axis", "concat.reshaped", "merge_heads.reshape_without_transpose"})

    def joined(self, first: Array, second: Array) -> Array:
        return np.concatenate((first, second), axis=0).reshape(len(first), -1)


class KeysOfTheOtherHead(HelloWorld):
    wrong_step, names = "head2.scores", frozenset({"matmul.other_head"})
    says = "You compared the queries of head 2 with the keys of head 1; each head has its own."

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return q @ self.written["head1.K"].T


class OutputProjectionForgotten(HelloWorld):
    wrong_step, names = "attended", frozenset({"matmul.weight_forgotten"})

    def mixed(self, joined: Array) -> Array:
        return joined


class BiasSubtracted(HelloWorld):
    wrong_step, names = "hidden", frozenset({"linear.bias_subtracted"})
    says = "You subtracted the bias; it is added."

    def hidden(self, attended: Array) -> Array:
        return attended @ self.given["W_1"] - self.given["b_1"]


class BiasInsideTheProduct(HelloWorld):
    """(x + b) W, with the bias of the next layer, which has the right width."""

    wrong_step, names = "hidden", frozenset({"linear.bias_before_product"})
    says = "You added a bias before the product; it is added after it."

    def hidden(self, attended: Array) -> Array:
        return (attended + self.given["b_2"]) @ self.given["W_1"]


class LeakyRelu(HelloWorld):
    wrong_step, names = "activated", frozenset({"relu.leaky"})
    says = "You kept a hundredth of the negative entries; ReLU makes them 0."

    def activated(self, hidden: Array) -> Array:
        return np.where(hidden > 0, hidden, 0.01 * hidden)


class GeluForRelu(HelloWorld):
    wrong_step, names = "activated", frozenset({"convention.activation.gelu", "relu.as_gelu"})

    def activated(self, hidden: Array) -> Array:
        return hidden * np.vectorize(lambda x: (1 + math.erf(x / math.sqrt(2))) / 2)(hidden)


class ReluTwice(HelloWorld):
    wrong_step, names = (
        "output",
        frozenset(
            {
                "relu.after_second_layer",
                "linear.relu_afterwards",
                "linear.relu_after_second_layer",
                "matmul.relu_after_second_layer",
            }
        ),
    )
    says = "You applied ReLU after the second layer too; only the hidden layer has it."

    def output(self, output: Array) -> Array:
        return np.maximum(output, 0)


class GateTurnedAround(HelloWorld):
    wrong_step, names = "dhidden", frozenset({"relu.mask_turned"})
    says = "You let the gradient pass where the input was negative; it passes where it was positive."

    def through_relu(self, dactivated: Array, hidden: Array, activated: Array) -> Array:
        return dactivated * (hidden <= 0)


class GradientTimesActivation(HelloWorld):
    wrong_step, names = "dhidden", frozenset({"relu.slope_is_result"})
    says = "You multiplied by the activation; the slope of ReLU is 1 where it lets through, and 0 elsewhere."

    def through_relu(self, dactivated: Array, hidden: Array, activated: Array) -> Array:
        return dactivated * activated


class BeforeTheActivation(HelloWorld):
    """Gradient of W_2 with the hidden layer before ReLU."""

    wrong_step, names = "dW_2", frozenset({"linear.before_activation", "linear.other_input"})
    says = "You used the hidden layer before ReLU; W_2 was multiplied by what came after it."

    def of_second_weight(self, hidden: Array, activated: Array) -> Array:
        return hidden


class OutputGradientFlipped(HelloWorld):
    """The square output projection in the layout [out, in]."""

    wrong_step, names = "dW_O", LAYOUT
    says = "Your gradient is transposed: it has the layout [out, in], and the weight on this page [in, out]."

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return gradient.T @ x if name == "W_O" else x.T @ gradient


class PiecesFromTheEnd(HelloWorld):
    wrong_step, names = "head1.dcontext", frozenset({"concat.cut_from_the_end", "split.other_part"})

    def cut(self, djoined: Array) -> tuple[Array, Array]:
        return djoined[:, 2:], djoined[:, :2]


class SecondHeadUpdatedWithTheFirst(HelloWorld):
    wrong_step, names = "head1.W_V_new", frozenset({"sgd.other_gradient"})

    def update(self, name: str, gradient: Array) -> None:
        super().update(name, self.written["head2.dW_V"] if name == "head1.W_V" else gradient)


PEOPLE = (
    HelloWorld,
    HeadsTakeTurns,
    HeadsInTheOtherOrder,
    StackedAndReshaped,
    KeysOfTheOtherHead,
    OutputProjectionForgotten,
    BiasSubtracted,
    BiasInsideTheProduct,
    LeakyRelu,
    GeluForRelu,
    ReluTwice,
    GateTurnedAround,
    GradientTimesActivation,
    BeforeTheActivation,
    OutputGradientFlipped,
    PiecesFromTheEnd,
    SecondHeadUpdatedWithTheFirst,
)
