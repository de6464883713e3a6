"""A small transformer, forward, backward and one update, in the parts that a lesson has."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .operations import Calculation
from .paper import Array, Person


def d(name: str) -> str:
    """The name of a gradient: block1.attention.Q, block1.attention.dQ."""
    before, dot, own = name.rpartition(".")
    return f"{before}{dot}d{own}"


class Transformer(Calculation):
    """Nothing is wrong here."""

    blocks: ClassVar[int] = 1
    heads: ClassVar[int] = 1
    has_norm: ClassVar[bool] = False
    has_feed_forward: ClassVar[bool] = False
    has_attention_residual: ClassVar[bool] = False
    has_feed_forward_residual: ClassVar[bool] = False
    is_causal: ClassVar[bool] = False
    has_positions: ClassVar[bool] = False
    head: ClassVar[str] = "last"  # the tokens that predict: last, all, or none
    is_trained: ClassVar[bool] = True  # goes backward
    learns: ClassVar[tuple[str, ...]] = ()

    def work(self) -> None:
        self.kept: dict[str, Array] = {}
        x, name = self.embed(), "embedding.X"
        for number in range(1, self.blocks + 1):
            x, name = self.forward(f"block{number}", x, name)
        if not self.is_trained:
            return
        gradient = self.predict(x, name)
        for number in range(self.blocks, 0, -1):
            gradient = self.backward(f"block{number}", gradient)
        if self.has_positions:
            gradient = self.write("embedding.dembedded", gradient)
        table = self.given["E"]
        self.write("embedding.dE", self.back_to_table(table, self.given["tokens"], gradient))
        for weight in self.learns:
            self.write(f"{weight}_new", self.updated(self.given[weight], self.written[d(weight)]))

    def keep(self, name: str, value: Array) -> Array:
        self.kept[name] = self.write(name, value)
        return self.kept[name]

    def embed(self) -> Array:
        given = self.given
        rows = self.lookup(given["E"], given["tokens"])
        if not self.has_positions:
            return self.keep("embedding.X", rows)
        embedded = self.keep("embedding.embedded", rows)
        places = self.keep("embedding.position.places", self.positions(self.order(len(rows)), rows.shape[1]))
        return self.keep("embedding.X", self.add_positions(embedded, places))

    # -- a block, forward ----------------------------------------------------------------------------------

    def forward(self, block: str, x: Array, name: str) -> tuple[Array, str]:
        a, f = f"{block}.attention", f"{block}.feed_forward"
        self.kept[f"{a}.input"], self.kept[f"{block}.name"] = x, np.array(name)
        normed = self.norm(a, x)
        result, found = self.attend(a, normed)
        if self.has_attention_residual:
            found = f"{a}.residual"
            result = self.keep(found, self.add_residual(found, x, result, normed, x))
        self.kept[f"{f}.name"] = np.array(found)
        if not self.has_feed_forward:
            return result, found
        self.kept[f"{f}.input"] = result
        normed = self.norm(f, result)
        given = {key: self.given[f"{f}.{key}"] for key in ("W_1", "b_1", "W_2", "b_2")}
        hidden = self.keep(f"{f}.hidden", self.linear(f"{f}.hidden", normed, given["W_1"], given["b_1"]))
        activated = self.keep(f"{f}.activated", self.activate(hidden))
        second = self.second_layer(f"{f}.output", activated, given["W_2"], given["b_2"])
        output, found = self.keep(f"{f}.output", second), f"{f}.output"
        if self.has_feed_forward_residual:
            found = f"{f}.residual"
            output = self.keep(found, self.add_residual(found, result, output, normed, x))
        return output, found

    def norm(self, part: str, x: Array) -> Array:
        if not self.has_norm:
            return x
        gamma, beta = self.given[f"{part}.norm.gamma"], self.given[f"{part}.norm.beta"]
        return self.keep(f"{part}.norm.normed", self.layer_norm(f"{part}.norm.normed", x, gamma, beta))

    def attend(self, a: str, x: Array) -> tuple[Array, str]:
        given = self.given
        for letter in "QKV":
            part = self.keep(f"{a}.{letter}", self.project(f"{a}.{letter}", x, given[f"{a}.W_{letter}"]))
            if self.heads > 1:
                self.keep(f"{a}.{letter}_heads", self.split(part, self.heads))
        context = self.head_forward(a, "_heads" if self.heads > 1 else "", x.shape[1])
        if self.heads == 1:
            return context, f"{a}.context"
        joined = self.keep(f"{a}.joined", self.merge(context))
        return self.keep(f"{a}.attended", self.project(f"{a}.attended", joined, given[f"{a}.W_O"])), f"{a}.attended"

    def head_forward(self, a: str, ending: str, width: int) -> Array:
        q, k, v = (self.kept[f"{a}.{letter}{ending}"] for letter in "QKV")
        scores = self.keep(f"{a}.scores", self.scores(q, k))
        scaled = self.keep(f"{a}.scaled", self.scale(scores, k.shape[-1], width))
        if self.is_causal:
            scaled = self.keep(f"{a}.masked", self.mask(scaled))
        weights = self.keep(f"{a}.weights", self.attention_weights(scaled))
        return self.keep(f"{a}.context", self.context(weights, v))

    # -- the prediction, and back from it ------------------------------------------------------------------

    def predict(self, x: Array, name: str) -> Array:
        if self.head == "none":
            return self.given[d(name)]
        given, target = self.given, self.targets()
        last = self.write("last", self.last(x)) if self.head == "last" else x
        logits = self.write("logits", self.project("logits", last, given["W_vocab"]))
        p = self.write("P", self.probabilities(logits))
        self.write("loss", self.cross_entropy(p, target))
        dlogits = self.write("dlogits", self.error(p, np.eye(p.shape[-1])[target]))
        place = "dlast" if self.head == "last" else d(name)
        gradient = self.write(place, self.back_to_input(place, dlogits, given["W_vocab"]))
        self.write("dW_vocab", self.back_to_weight("dW_vocab", last, dlogits))
        if self.head == "last":
            gradient = self.write(d(name), self.back_to_rows(gradient, len(x)))
        return gradient

    # -- a block, backward ---------------------------------------------------------------------------------

    def backward(self, block: str, gradient: Array) -> Array:
        a, f = f"{block}.attention", f"{block}.feed_forward"
        if self.has_feed_forward:
            gradient = self.back_through_feed_forward(f, gradient)
        source = d(str(self.kept[f"{block}.name"]))
        paths = []
        if self.has_attention_residual:
            paths.append(self.write(f"{source}.via_residual", self.back_to_residual(gradient)))
            gradient = self.write(f"{a}.{'dattended' if self.heads > 1 else 'dcontext'}", gradient)
        if self.has_norm:
            dnormed = self.back_through_attention(a, gradient, f"{a}.norm.dnormed", [])
            paths.append(self.back_through(a, dnormed, f"{source}.via_normed"))
            return self.write(source, self.collect(source, *paths))
        return self.back_through_attention(a, gradient, source, paths)

    def back_through(self, part: str, dnormed: Array, place: str) -> Array:
        """Through the norm of a part to its input, its scale and its shift."""
        x, gamma = self.kept[f"{part}.input"], self.given[f"{part}.norm.gamma"]
        found = self.write(place, self.back_through_norm(place, dnormed, x, gamma))
        unsummed = self.write(f"{part}.norm.dgamma.unsummed", self.back_to_gamma(dnormed, x))
        self.write(f"{part}.norm.dgamma", self.back_to_bias(f"{part}.norm.dgamma", unsummed))
        self.write(f"{part}.norm.dbeta", self.back_to_bias(f"{part}.norm.dbeta", dnormed))
        return found

    def back_through_feed_forward(self, f: str, gradient: Array) -> Array:
        given, kept, source = self.given, self.kept, d(str(self.kept[f"{f}.name"]))
        paths = []
        if self.has_feed_forward_residual:
            paths.append(self.write(f"{source}.via_residual", self.back_to_residual(gradient)))
            gradient = self.write(f"{f}.doutput", gradient)
        name = f"{f}.dactivated"
        dactivated = self.write(name, self.back_to_input(name, gradient, given[f"{f}.W_2"]))
        self.write(f"{f}.dW_2", self.back_to_weight(f"{f}.dW_2", kept[f"{f}.activated"], gradient))
        self.write(f"{f}.db_2", self.back_to_bias(f"{f}.db_2", gradient))
        hidden, activated = kept[f"{f}.hidden"], kept[f"{f}.activated"]
        dhidden = self.write(f"{f}.dhidden", self.back_through_relu(dactivated, hidden, activated))
        ending = ".via_hidden" if self.has_feed_forward_residual else ""
        name = f"{f}.norm.dnormed" if self.has_norm else f"{source}{ending}"
        found = self.write(name, self.back_to_input(name, dhidden, given[f"{f}.W_1"]))
        x = kept[f"{f}.norm.normed"] if self.has_norm else kept[f"{f}.input"]
        self.write(f"{f}.dW_1", self.back_to_weight(f"{f}.dW_1", x, dhidden))
        self.write(f"{f}.db_1", self.back_to_bias(f"{f}.db_1", dhidden))
        if self.has_norm:
            found = self.back_through(f, found, f"{source}.via_normed")
        return self.write(source, self.collect(source, *paths, found)) if paths else found

    def back_through_attention(self, a: str, gradient: Array, source: str, paths: list[Array]) -> Array:
        given, kept = self.given, self.kept
        if self.heads > 1:
            djoined = self.write(f"{a}.djoined", self.back_to_input(f"{a}.djoined", gradient, given[f"{a}.W_O"]))
            self.write(f"{a}.dW_O", self.back_to_weight(f"{a}.dW_O", kept[f"{a}.joined"], gradient))
            gradient = self.write(f"{a}.dcontext", self.split_back(djoined, self.heads))
        ending = "_heads" if self.heads > 1 else ""
        found = self.head_backward(a, gradient, ending)
        x = kept[f"{a}.norm.normed"] if self.has_norm else kept[f"{a}.input"]
        for letter in "VKQ":
            part = found[letter]
            if self.heads > 1:
                part = self.write(f"{a}.d{letter}", self.merge_back(part))
            name = f"{source}.via_{letter}"
            paths.append(self.write(name, self.back_to_input(name, part, given[f"{a}.W_{letter}"])))
            self.write(f"{a}.dW_{letter}", self.back_to_weight(f"{a}.dW_{letter}", x, part))
        return self.write(source, self.collect(source, *paths))

    def head_backward(self, a: str, dcontext: Array, ending: str) -> dict[str, Array]:
        kept = self.kept
        q, k, v = (kept[f"{a}.{letter}{ending}"] for letter in "QKV")
        weights = kept[f"{a}.weights"]
        dweights = self.write(f"{a}.dweights", self.back_to_weights_of_attention(dcontext, v))
        dv = self.write(f"{a}.dV{ending}", self.back_to_values(weights, dcontext))
        dscaled = self.back_through_softmax(weights, dweights)
        if self.is_causal:
            dscaled = self.back_through_mask(self.write(f"{a}.dmasked", dscaled))
        dscaled = self.write(f"{a}.dscaled", dscaled)
        dscores = self.write(f"{a}.dscores", self.back_through_scale(dscaled, k.shape[-1]))
        dq = self.write(f"{a}.dQ{ending}", self.back_to_queries(dscores, k))
        dk_turned = self.write(f"{a}.dK{ending}_T", self.back_to_keys(dscores, q))
        dk = self.write(f"{a}.dK{ending}", np.swapaxes(dk_turned, -1, -2))
        return {"Q": dq, "K": dk, "V": dv}


# -- the lessons -----------------------------------------------------------------------------------------


class Example1(Transformer):
    lesson = "example-1"


class Example2(Transformer):
    lesson, learns = "example-2", ("W_vocab",)


class Example3(Transformer):
    lesson = "example-3"
    learns = ("block1.attention.W_Q", "block1.attention.W_K", "block1.attention.W_V", "W_vocab")


class Example5(Transformer):
    lesson, has_feed_forward, has_feed_forward_residual = "example-5", True, True
    learns = (
        *(f"block1.attention.W_{letter}" for letter in "QKV"),
        *(f"block1.feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")),
        "W_vocab",
    )


class ResidualAttention(Transformer):
    lesson, has_attention_residual, head = "residual-attention", True, "none"


class PositionalEncoding(Transformer):
    lesson, has_attention_residual, has_positions, is_trained = "positional-encoding", True, True, False


class MultiHead(Transformer):
    lesson, heads, head = "multi-head", 2, "none"


class SmallDecoder(Transformer):
    lesson, heads, head = "small-decoder", 2, "all"
    has_norm = has_feed_forward = has_attention_residual = has_feed_forward_residual = True
    is_causal = has_positions = True


class Example6(Transformer):
    lesson, blocks, heads = "example-6", 2, 2
    has_norm = has_feed_forward = has_attention_residual = has_feed_forward_residual = True
    learns = (
        *(
            f"block{number}.{name}"
            for number in (1, 2)
            for name in (
                *(f"attention.W_{letter}" for letter in "QKVO"),
                *(f"{part}.norm.{name}" for part in ("attention", "feed_forward") for name in ("gamma", "beta")),
                *(f"feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")),
            )
        ),
        "W_vocab",
    )


class HeadsAndLayers(Transformer):
    lesson, heads, has_feed_forward = "heads-and-layers", 2, True
    learns = (
        "embedding.E",
        *(f"block1.attention.W_{letter}" for letter in "QKVO"),
        *(f"block1.feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")),
        "W_vocab",
    )


RIGHT: tuple[type[Person], ...] = (
    Example1, Example2, Example3, Example5, Example6, ResidualAttention, PositionalEncoding, MultiHead,
    SmallDecoder, HeadsAndLayers,
)  # fmt: skip
