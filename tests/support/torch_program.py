"""Training as a plain PyTorch program: modules, optimizer, clipping and learning rates of the library.

It is given weights to start from and batches to read, and imports nothing of ours. Its models are made of PyTorch's own
layers; `views` says where each of our weights lies in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import lr_scheduler


@dataclass(frozen=True)
class Sizes:
    """What has to be known to build a model."""

    vocabulary: int
    width: int
    heads: int
    layers: int
    hidden: int
    positions: int
    activation: Any
    epsilon: float = 1e-5
    norm_first: bool = False

    def layer(self, kind: type[nn.Module] = nn.TransformerEncoderLayer) -> Any:
        return kind(
            self.width, self.heads, self.hidden, dropout=0.0, activation=self.activation, layer_norm_eps=self.epsilon,
            batch_first=True, norm_first=self.norm_first, dtype=torch.float64,
        )  # fmt: skip

    def table(self, rows: int) -> nn.Embedding:
        return nn.Embedding(rows, self.width, dtype=torch.float64)

    def norm(self) -> nn.LayerNorm:
        return nn.LayerNorm(self.width, self.epsilon, dtype=torch.float64)


class Reader(nn.Module):
    """GPT or BERT: one stack of layers, whose table of words also gives the scores."""

    def __init__(self, sizes: Sizes, causal: bool, final_norm: bool) -> None:
        super().__init__()
        self.words, self.places = sizes.table(sizes.vocabulary), sizes.table(sizes.positions)
        self.layers = nn.ModuleList(sizes.layer() for _ in range(sizes.layers))
        self.final_norm = sizes.norm() if final_norm else nn.Identity()
        self.causal = causal

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        tokens = batch["tokens"]
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, src_mask=hidden_ahead(tokens) if self.causal else None)
        return functional.linear(self.final_norm(x), self.words.weight)

    def views(self) -> dict[str, Tensor]:
        found = {"embedding.E": self.words.weight, "embedding.position.E_position": self.places.weight}
        for number, layer in enumerate(self.layers, start=1):
            found |= views_of_layer(layer, f"block{number}")
        return found | views_of_norm(self.final_norm, "final_norm")


class Translator(nn.Module):
    """An encoder and a decoder, which share a table of words; what the source is filled up with is not looked at."""

    def __init__(self, sizes: Sizes, decoder_layers: int) -> None:
        super().__init__()
        self.words = sizes.table(sizes.vocabulary)
        self.source_places, self.places = sizes.table(sizes.positions), sizes.table(sizes.positions)
        self.encoder = nn.ModuleList(sizes.layer() for _ in range(sizes.layers))
        self.decoder = nn.ModuleList(sizes.layer(nn.TransformerDecoderLayer) for _ in range(decoder_layers))
        self.encoder_norm, self.decoder_norm = sizes.norm(), sizes.norm()
        self.answer = nn.Linear(sizes.width, sizes.vocabulary, bias=False, dtype=torch.float64)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        source, tokens, empty = batch["source"], batch["tokens"], batch["keep"] == 0
        memory = self.words(source) + self.source_places.weight[: source.shape[1]]
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=empty)
        memory = self.encoder_norm(memory)
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask=hidden_ahead(tokens), memory_key_padding_mask=empty)
        return self.answer(self.decoder_norm(x))

    def views(self) -> dict[str, Tensor]:
        found = {
            "encoder.embedding.E": self.words.weight,
            "encoder.embedding.position.E_position": self.source_places.weight,
            "decoder.embedding.position.E_position": self.places.weight,
            "W_vocab": self.answer.weight.T,
        }
        for side, layers in (("encoder", self.encoder), ("decoder", self.decoder)):
            for number, layer in enumerate(layers, start=1):
                found |= views_of_layer(layer, f"{side}.block{number}")
        found |= views_of_norm(self.encoder_norm, "encoder.final_norm")
        return found | views_of_norm(self.decoder_norm, "decoder.final_norm")


def hidden_ahead(tokens: Tensor) -> Tensor:
    """True where a token may not look: at those after it."""
    return torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)


# -- where our weights lie -------------------------------------------------------------------------


def views_of_layer(layer: Any, path: str) -> dict[str, Tensor]:
    """PyTorch stores a matrix with a row for each output, and those of queries, keys and values as one."""
    is_decoder = hasattr(layer, "multihead_attn")
    parts = [("attention", layer.self_attn, layer.norm1)]
    if is_decoder:
        parts.append(("cross_attention", layer.multihead_attn, layer.norm2))
    found = {}
    for name, attention, norm in parts:
        matrices, biases = attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3)
        for letter, matrix, bias in zip("QKV", matrices, biases, strict=True):
            found |= {f"{path}.{name}.W_{letter}": matrix.T, f"{path}.{name}.b_{letter}": bias}
        found |= {
            f"{path}.{name}.W_O": attention.out_proj.weight.T,
            f"{path}.{name}.b_O": attention.out_proj.bias,
            **views_of_norm(norm, f"{path}.{name}.norm"),
        }
    for number, linear in (("1", layer.linear1), ("2", layer.linear2)):
        found |= {f"{path}.feed_forward.W_{number}": linear.weight.T, f"{path}.feed_forward.b_{number}": linear.bias}
    return found | views_of_norm(layer.norm3 if is_decoder else layer.norm2, f"{path}.feed_forward.norm")


def views_of_norm(norm: nn.Module, path: str) -> dict[str, Tensor]:
    if not isinstance(norm, nn.LayerNorm):
        return {}
    return {f"{path}.gamma": norm.weight, f"{path}.beta": norm.bias}


# -- training --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Course:
    """How the weights move."""

    rate: float
    warmup: int
    floor: float
    steps: int
    clip: float
    betas: tuple[float, float]
    decay: float


def train(
    model: Any, start: dict[str, numpy.ndarray], batches: list[list[dict[str, Any]]], course: Course
) -> list[float]:
    """Train on these batches, those of each step together. The loss of every step."""
    with torch.no_grad():
        views = model.views()
        assert views.keys() == start.keys()
        for path, view in views.items():
            view.copy_(torch.tensor(start[path]))
    optimizer = torch.optim.AdamW(model.parameters(), course.rate, course.betas, weight_decay=course.decay)
    rising = lr_scheduler.LinearLR(optimizer, 1 / course.warmup, total_iters=course.warmup - 1)
    falling = lr_scheduler.CosineAnnealingLR(optimizer, course.steps - course.warmup, course.floor * course.rate)
    rates = lr_scheduler.SequentialLR(optimizer, [rising, falling], [course.warmup - 1])
    losses = []
    for parts in batches:
        optimizer.zero_grad()
        loss = loss_of(model, [{name: torch.tensor(array) for name, array in part.items()} for part in parts])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), course.clip)
        optimizer.step()
        rates.step()
        losses.append(float(loss.detach()))
    return losses


def loss_of(model: Any, parts: list[dict[str, Tensor]]) -> Tensor:
    """The mean over all tokens that count, in whatever batch they are."""
    logits = torch.cat([model(part).flatten(0, 1) for part in parts])
    target = torch.cat([part["target"].masked_fill(part["counted"] == 0, -100).flatten() for part in parts])
    return functional.cross_entropy(logits, target, ignore_index=-100)
