"""Attention as a tutorial writes it: what the broken ones are variations of."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn


class Plain(nn.Module):
    """Multi-head attention, causal."""

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.heads, self.width = attention.num_heads, attention.embed_dim
        dtype = attention.in_proj_weight.dtype
        layers = (nn.Linear(self.width, self.width, bias=False, dtype=dtype) for _ in range(4))
        self.to_q, self.to_k, self.to_v, self.to_out = layers
        for layer, weight in zip((self.to_q, self.to_k, self.to_v), attention.in_proj_weight.chunk(3), strict=True):
            layer.weight.data.copy_(weight)
        self.to_out.weight.data.copy_(attention.out_proj.weight)

    def split(self, x):
        batch, tokens, width = x.shape
        return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

    def merge(self, x):
        batch, heads, tokens, size = x.shape
        return x.transpose(1, 2).contiguous().view(batch, tokens, heads * size)

    def mask(self, tokens):
        return torch.tril(torch.ones(tokens, tokens, dtype=torch.bool))

    def score(self, q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(self.width // self.heads)

    def weigh(self, scores, mask):
        return F.softmax(scores.masked_fill(~mask, -1e9), dim=-1)

    def attend(self, q, k, v):
        scores = self.score(q, k)
        attn = self.weigh(scores, self.mask(q.shape[-2]))
        return scores, attn, attn @ v

    def finish(self, context):
        return self.to_out(context)

    def forward(self, x):
        q, k, v = (self.split(layer(x)) for layer in (self.to_q, self.to_k, self.to_v))
        scores, attn, context = self.attend(q, k, v)
        y = self.merge(context)
        return {"q": q, "k": k, "v": v, "scores": scores, "attn": attn, "y": y, "out": self.finish(y)}
