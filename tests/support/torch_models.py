"""A whole transformer in plain PyTorch, written from the formulas: the judge of the models that `build` gives.

It reads an architecture and a weight for each path, and imports nothing that computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from workings.nn import Architecture

BENDS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": torch.nn.GELU(approximate="tanh"),
}


class Judge:
    """One model. `embedded` collects the sums of embeddings, so that their gradients can be looked at."""

    def __init__(self, architecture: Architecture, weights: dict[str, Tensor]) -> None:
        self.a = architecture
        self.weights = weights
        self.embedded: dict[str, Tensor] = {}

    # -- whole models ------------------------------------------------------------------------------

    def scores(self, tokens: Tensor, keep: Tensor | None = None, places: Tensor | None = None) -> Tensor:
        allow = self.visible(tokens, tokens, keep, self.a.mask == "causal")
        x = self.embed(tokens, "embedding")
        for number in range(1, self.a.layers + 1):
            x = self.block(x, f"block{number}", allow)
        return self.head(self.finish(x, "final_norm"), places)

    def translation(
        self, source: Tensor, tokens: Tensor, keep: Tensor | None, keep_own: Tensor | None, places: Tensor
    ) -> Tensor:
        memory = self.embed(source, "encoder.embedding")
        for number in range(1, self.a.layers + 1):
            memory = self.block(memory, f"encoder.block{number}", self.visible(source, source, keep, False))
        memory = self.finish(memory, "encoder.final_norm")
        x = self.embed(tokens, "decoder.embedding")
        for number in range(1, self.a.decoder_layers + 1):
            path = f"decoder.block{number}"
            own = self.visible(tokens, tokens, keep_own, True)
            other = self.visible(tokens, source, keep, False)
            x = self.around(x, f"{path}.attention", lambda y, p=path, m=own: self.attention(y, y, f"{p}.attention", m))
            x = self.around(
                x,
                f"{path}.cross_attention",
                lambda y, p=path, m=other: self.attention(y, memory, f"{p}.cross_attention", m),
            )
            x = self.around(x, f"{path}.feed_forward", lambda y, p=path: self.feed_forward(y, f"{p}.feed_forward"))
        return self.head(self.finish(x, "decoder.final_norm"), places)

    def loss(self, scores: Tensor, target: Tensor, reduction: str) -> Tensor:
        if self.a.head == "token-sigmoid":
            return functional.binary_cross_entropy_with_logits(scores, target, reduction=reduction)
        return functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), target.flatten(), reduction=reduction)

    # -- embedding ---------------------------------------------------------------------------------

    def embed(self, tokens: Tensor, path: str) -> Tensor:
        table = self.weights["encoder.embedding.E" if self.a.kind == "encoder-decoder" else "embedding.E"]
        x = table[tokens]
        if self.a.position == "learned":
            x = x + self.weights[f"{path}.position.E_position"][: tokens.shape[-1]]
        elif self.a.position != "none":
            x = x + self.waves(tokens.shape[-1])
        if self.a.segments:
            x = x + self.weights[f"{path}.E_segment"][0]  # all tokens are of the first sentence
        x.retain_grad()
        self.embedded[path] = x
        return self.norm(x, f"{path}.norm") if self.a.segments else x

    def waves(self, count: int) -> Tensor:
        """Sines and cosines: in turns, or first all sines."""
        table = torch.zeros(count, self.a.width, dtype=torch.float64)
        half = (self.a.width + 1) // 2
        for position in range(count):
            for column in range(self.a.width):
                if self.a.position == "interleaved":
                    pair, is_cosine = column // 2, column % 2
                else:
                    pair, is_cosine = column % half, column >= half
                angle = position / 10000 ** (2 * pair / self.a.width)
                table[position, column] = math.cos(angle) if is_cosine else math.sin(angle)
        return table

    # -- blocks ------------------------------------------------------------------------------------

    def block(self, x: Tensor, path: str, allow: Tensor) -> Tensor:
        x = self.around(x, f"{path}.attention", lambda y: self.attention(y, y, f"{path}.attention", allow))
        if not self.a.hidden:
            return x
        return self.around(x, f"{path}.feed_forward", lambda y: self.feed_forward(y, f"{path}.feed_forward"))

    def around(self, x: Tensor, path: str, part: Callable[[Tensor], Tensor]) -> Tensor:
        """Pre: x + part(norm(x)). Post: norm(x + part(x)). Without a residual there is no x in the sum."""
        kind = "feed_forward" if path.endswith("feed_forward") else "attention"
        adds = self.a.residual in ("all", kind)
        if self.a.norm == "none":
            return x + part(x) if adds else part(x)
        if self.a.norm_place == "pre":
            found = part(self.norm(x, f"{path}.norm"))
            return x + found if adds else found
        return self.norm(x + part(x) if adds else part(x), f"{path}.norm")

    def finish(self, x: Tensor, path: str) -> Tensor:
        return self.norm(x, path) if self.a.final_norm else x

    def norm(self, x: Tensor, path: str) -> Tensor:
        gamma = self.weights[f"{path}.gamma"]
        epsilon = self.a.norm_epsilon
        if self.a.norm == "rms":
            layer = torch.nn.RMSNorm(x.shape[-1], epsilon, dtype=torch.float64)
            return torch.func.functional_call(layer, {"weight": gamma}, (x,))
        deviation = x.var(-1, correction=self.a.norm_correction, keepdim=True)
        if self.a.norm_epsilon_place == "inside":
            deviation = (deviation + epsilon).sqrt()
        else:
            deviation = deviation.sqrt() + epsilon
        return (x - x.mean(-1, keepdim=True)) / deviation * gamma + self.weights[f"{path}.beta"]

    def visible(self, queries: Tensor, keys: Tensor, keep: Tensor | None, causal: bool) -> Tensor:
        allow = torch.ones(queries.shape[-1], keys.shape[-1], dtype=torch.bool)
        allow = allow.tril() if causal else allow
        return allow if keep is None else allow & (keep != 0).unsqueeze(-2)

    def attention(self, x: Tensor, memory: Tensor, path: str, allow: Tensor) -> Tensor:
        root = math.sqrt(self.a.width if self.a.attention_scale == "model" else self.a.head_size)
        found = []
        for head in range(self.a.heads):
            Q, K, V = (self.one_head(y, path, letter, head) for y, letter in ((x, "Q"), (memory, "K"), (memory, "V")))
            scores = torch.einsum("...qd,...kd->...qk", Q, K) / root
            found.append(scores.masked_fill(~allow, -torch.inf).softmax(-1) @ V)
        joined = torch.cat(found, dim=-1)
        return self.linear(joined, f"{path}.W_O", f"{path}.b_O") if self.a.output_projection else joined

    def one_head(self, x: Tensor, path: str, letter: str, head: int) -> Tensor:
        if not self.a.output_projection:
            return self.linear(x, f"{path}.W_{letter}", f"{path}.b_{letter}")
        if self.a.projections == "per-head":
            return self.linear(x, f"{path}.head{head + 1}.W_{letter}", f"{path}.head{head + 1}.b_{letter}")
        return self.linear(x, f"{path}.W_{letter}", f"{path}.b_{letter}").chunk(self.a.heads, dim=-1)[head]

    def feed_forward(self, x: Tensor, path: str) -> Tensor:
        bent = BENDS[self.a.activation](self.linear(x, f"{path}.W_1", f"{path}.b_1"))
        return self.linear(bent, f"{path}.W_2", f"{path}.b_2")

    # -- head --------------------------------------------------------------------------------------

    def head(self, x: Tensor, places: Tensor | None) -> Tensor:
        kind = self.a.head
        if kind == "token-sigmoid":
            return self.linear(x, "W_yes", "b_yes").squeeze(-1)
        if kind == "classifier":
            return self.linear(self.pooled(x), "W_class", "b_class")
        if kind == "last-token":
            x = x[..., -1, :]
        elif kind == "masked-tokens":
            x = x[places]
        if self.a.tied_embeddings:
            return functional.linear(x, self.weights["encoder.embedding.E" if self.is_pair else "embedding.E"])
        return self.linear(x, "W_vocab", "b_vocab")

    @property
    def is_pair(self) -> bool:
        return self.a.kind == "encoder-decoder"

    def pooled(self, x: Tensor) -> Tensor:
        if self.a.pool == "mean":
            return x.mean(-2)
        first = x[..., 0, :]
        return torch.tanh(self.linear(first, "W_pool", "b_pool")) if self.a.pool == "pooler" else first

    def linear(self, x: Tensor, W: str, b: str) -> Tensor:
        y = x @ self.weights[W]
        return y + self.weights[b] if b in self.weights else y
