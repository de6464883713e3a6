"""A pre-norm block with positions, two heads and a feed-forward network: the sheets of block and cat-sat-encoder."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending, softmax

HEADS, BASE, EPSILON = 2, 10000, 1e-6


class Block(Attending):
    """Nothing is wrong here."""

    lesson = "block"

    def work(self) -> None:
        given = self.given
        embedded = self.write("embedded", given["E"][given["tokens"]])
        places = self.write("places", self.places(given["order"], embedded.shape[1]))
        x = self.write("X", self.placed_at(embedded, places))
        normed = self.write("attention.norm.normed", self.normed(x, *self.norm_weights("attention")))
        kept = self.attention(x, normed)
        attended = self.write("attended", kept["joined"] @ given["W_O"])
        middle = self.write("attention.residual", self.first_residual(x, attended, normed))
        second = self.write("feed_forward.norm.normed", self.second_norm(middle, attended))
        hidden = self.write("hidden", second @ given["W_1"] + given["b_1"])
        activated = self.write("activated", np.maximum(hidden, 0))
        output = self.write("output", activated @ given["W_2"] + given["b_2"])
        out = self.write("feed_forward.residual", self.second_residual(x, middle, output))
        upstream = self.predict(out)
        dmiddle = self.back_through_network(middle, second, hidden, activated, upstream)
        self.back_to_embeddings(x, normed, kept, dmiddle)

    # -- forward -----------------------------------------------------------------------------------

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded + places

    def norm_weights(self, part: str) -> tuple[Array, Array]:
        return self.given[f"{part}.norm.gamma"], self.given[f"{part}.norm.beta"]

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * gamma + beta

    def normalized(self, x: Array) -> Array:
        return (x - x.mean(axis=-1, keepdims=True)) / self.deviation(x)

    def deviation(self, x: Array) -> Array:
        return np.sqrt(x.var(axis=-1, keepdims=True) + EPSILON)

    def attention(self, x: Array, normed: Array) -> dict[str, Array]:
        kept = {}
        for name in "QKV":
            whole = self.write(name, self.input_of(name, x, normed) @ self.given[f"W_{name}"])
            kept[name] = self.write(f"{name}_heads", self.split(whole))
        kept["weights"], context = self.attend(kept["Q"], kept["K"], kept["V"])
        kept["joined"] = self.write("joined", self.merged(context))
        return kept

    def input_of(self, name: str, x: Array, normed: Array) -> Array:
        return normed

    def split(self, whole: Array) -> Array:
        return whole.reshape(len(whole), HEADS, -1).transpose(1, 0, 2)

    def merged(self, parts: Array) -> Array:
        return parts.transpose(1, 0, 2).reshape(parts.shape[1], -1)

    def visible(self, scaled: Array, at: str) -> Array:
        return self.write("masked", self.masked(scaled))

    def masked(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool), scaled, -np.inf)

    def first_residual(self, x: Array, attended: Array, normed: Array) -> Array:
        return x + attended

    def second_norm(self, middle: Array, attended: Array) -> Array:
        return self.normed(middle, *self.norm_weights("feed_forward"))

    def second_residual(self, x: Array, middle: Array, output: Array) -> Array:
        return middle + output

    def predict(self, out: Array) -> Array:
        given, target = self.given, self.given["target"]
        logits = self.write("logits", out @ given["W_vocab"])
        p = self.write("P", softmax(logits))
        self.write("loss", self.mean_loss(p, target, logits))
        dlogits = self.write("dlogits", self.errors(p, target))
        self.write("dW_vocab", out.T @ dlogits)
        return self.write("feed_forward.dresidual", dlogits @ given["W_vocab"].T)

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return -np.log(p[np.arange(len(p)), target]).mean()

    def errors(self, p: Array, target: Array) -> Array:
        return (p - np.eye(p.shape[1])[target]) / len(p)

    # -- back --------------------------------------------------------------------------------------

    def back_through_network(
        self, middle: Array, second: Array, hidden: Array, activated: Array, upstream: Array
    ) -> Array:
        given = self.given
        straight = self.write("dresidual.via_residual", upstream)
        doutput = self.write("doutput", upstream)
        dactivated = self.write("dactivated", doutput @ given["W_2"].T)
        self.write("dW_2", activated.T @ doutput)
        self.write("db_2", self.of_bias(doutput))
        dhidden = self.write("dhidden", dactivated * (hidden > 0))
        dnormed = self.write("feed_forward.norm.dnormed", dhidden @ given["W_1"].T)
        self.write("dW_1", second.T @ dhidden)
        self.write("db_1", self.of_bias(dhidden))
        around = self.write("dresidual.via_normed", self.through_norm(dnormed, middle, "feed_forward"))
        self.of_norm("feed_forward", dnormed, middle, second)
        return self.write("attention.dresidual", self.collected({"residual": straight, "norm": around}, "residual"))

    def back_to_embeddings(self, x: Array, normed: Array, kept: dict[str, Array], dmiddle: Array) -> None:
        given = self.given
        straight = self.write("dX.via_residual", dmiddle)
        dattended = self.write("dattended", dmiddle)
        djoined = self.write("djoined", dattended @ given["W_O"].T)
        self.write("dW_O", kept["joined"].T @ dattended)
        dcontext = self.write("dcontext", self.cut(djoined))
        dq, dk, dv = self.attend_back(kept["Q"], kept["K"], kept["V"], kept["weights"], dcontext, of="_heads")
        ways = {}
        for name, heads in (("V", dv), ("K", dk), ("Q", dq)):
            gradient = self.write(f"d{name}", self.merged(heads))
            ways[name] = self.write(f"dnormed.via_{name}", gradient @ given[f"W_{name}"].T)
            self.write(f"dW_{name}", normed.T @ gradient)
        dnormed = self.write("attention.norm.dnormed", self.collected(ways, "normed"))
        around = self.write("dX.via_normed", self.through_norm(dnormed, x, "attention"))
        self.of_norm("attention", dnormed, x, normed)
        dx = self.write("dX", self.collected({"residual": straight, "norm": around}, "X"))
        rows = np.zeros_like(given["E"])
        np.add.at(rows, given["tokens"], self.write("dembedded", dx))
        self.write("dE", rows)

    def cut(self, djoined: Array) -> Array:
        return self.split(djoined)

    def of_bias(self, gradient: Array) -> Array:
        return gradient.sum(axis=0)

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return self.let_through(self.write("dmasked", super().through_softmax(weights, dweights, at)))

    def let_through(self, dmasked: Array) -> Array:
        return np.where(np.isneginf(self.written["masked"]), 0, dmasked)

    def through_norm(self, dnormed: Array, x: Array, part: str) -> Array:
        h, normalized = dnormed * self.norm_weights(part)[0], self.normalized(x)
        return (h - self.mean_term(h) - normalized * self.stretch_term(h, normalized)) / self.deviation(x)

    def mean_term(self, h: Array) -> Array:
        return h.mean(axis=-1, keepdims=True)

    def stretch_term(self, h: Array, normalized: Array) -> Array:
        return (h * normalized).mean(axis=-1, keepdims=True)

    def of_norm(self, part: str, dnormed: Array, x: Array, normed: Array) -> None:
        each = self.write(f"{part}.norm.dgamma.unsummed", dnormed * self.counterpart(x, normed))
        self.write(f"{part}.norm.dgamma", each.sum(axis=0))
        self.write(f"{part}.norm.dbeta", dnormed.sum(axis=0))

    def counterpart(self, x: Array, normed: Array) -> Array:
        """What gamma was multiplied by."""
        return self.normalized(x)


class Encoder(Block):
    """Nothing is wrong here: the same block without a mask, and with a given upstream gradient."""

    lesson = "cat-sat-encoder"

    def visible(self, scaled: Array, at: str) -> Array:
        return scaled

    def predict(self, out: Array) -> Array:
        return self.given["feed_forward.dresidual"]

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return Attending.through_softmax(self, weights, dweights, at)
