"""Twelve attentions with a bug each, as it happens."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .plain import Plain


class SoftmaxOverQueries(Plain):
    """The weights of a key add up to 1, not those of a query."""

    def weigh(self, scores, mask):
        return F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-2)

    def mask(self, tokens):
        return torch.tril(torch.ones(tokens, tokens, dtype=torch.bool))


class ViewWithoutTranspose(Plain):
    def split(self, x):
        batch, tokens, width = x.shape
        return x.view(batch, self.heads, tokens, width // self.heads)


class MergeWithoutTranspose(Plain):
    def merge(self, x):
        batch, heads, tokens, size = x.shape
        return x.contiguous().view(batch, tokens, heads * size)


class RootOfModel(Plain):
    def score(self, q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(self.width)


class NotScaled(Plain):
    def score(self, q, k):
        return torch.matmul(q, k.transpose(-2, -1))


class MaskOneTooFar(Plain):
    """Each token sees the one that it is to predict."""

    def mask(self, tokens):
        return torch.tril(torch.ones(tokens, tokens), diagonal=1).bool()


class MaskInverted(Plain):
    def mask(self, tokens):
        return torch.triu(torch.ones(tokens, tokens, dtype=torch.bool))


class MaskAfterSoftmax(Plain):
    def weigh(self, scores, mask):
        weights = F.softmax(scores, dim=-1)
        return weights.masked_fill(~mask, 0.0)


class InterleavedQKV(nn.Module):
    """One matrix for all three, whose columns are then taken apart in another order than they were put together."""

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.heads, self.width = attention.num_heads, attention.embed_dim
        self.qkv = nn.Linear(self.width, 3 * self.width, bias=False, dtype=attention.in_proj_weight.dtype)
        self.qkv.weight.data.copy_(attention.in_proj_weight)
        self.out = nn.Linear(self.width, self.width, bias=False, dtype=attention.in_proj_weight.dtype)
        self.out.weight.data.copy_(attention.out_proj.weight)

    def forward(self, x):
        batch, tokens, width = x.shape
        size = width // self.heads
        qkv = self.qkv(x).reshape(batch, tokens, self.heads, 3, size).permute(3, 0, 2, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1) * size**-0.5
        scores = scores.masked_fill(torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), 1), float("-inf"))
        attn = scores.softmax(dim=-1)
        y = (attn @ v).transpose(1, 2).reshape(batch, tokens, width)
        return {"q": q, "k": k, "v": v, "scores": scores, "attn": attn, "out": self.out(y)}


class DropoutLeftOn(Plain):
    def __init__(self, attention):
        super().__init__(attention)
        self.drop = nn.Dropout(0.1)
        self.train()  # nobody called eval()

    def weigh(self, scores, mask):
        return self.drop(super().weigh(scores, mask))


class KeysAndValuesSwapped(Plain):
    def attend(self, q, k, v):
        return super().attend(q, v, k)


class OutputForgotten(Plain):
    """W_O is there, and nobody calls it."""

    def finish(self, context):
        return context


BROKEN = {
    # The class, the step at which it goes wrong, and the ids any of which names the reason.
    SoftmaxOverQueries: ("attn", {"softmax.wrong_axis"}),
    ViewWithoutTranspose: ("q", {"split_heads.reshape_without_transpose"}),
    MergeWithoutTranspose: ("y", {"merge_heads.reshape_without_transpose"}),
    RootOfModel: ("scores", {"divide_by_root.root_of_model", "convention.attention_scale.model"}),
    NotScaled: ("attn", {"divide_by_root.not_divided"}),
    MaskOneTooFar: ("attn", {"causal_mask.one_ahead"}),
    MaskInverted: ("attn", {"causal_mask.upper_triangle"}),
    MaskAfterSoftmax: ("attn", {"softmax.masked_afterwards"}),
    InterleavedQKV: ("q", {"relation.columns_mixed"}),
    DropoutLeftOn: ("attn", {"relation.dropped"}),
    KeysAndValuesSwapped: ("scores", {"matmul.keys_and_values_exchanged"}),
    OutputForgotten: ("out", {"matmul.weight_forgotten", "relation.other_step"}),
}
