"""Twelve attentions that are right, each written in another way."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .plain import Plain


class Double(Plain):
    """As the tutorial, in float64."""

    dtype = torch.float64


class Single(Plain):
    dtype = torch.float32


class Half(Plain):
    dtype = torch.float16

    def weigh(self, scores, mask):
        return F.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)


class Brain(Plain):
    dtype = torch.bfloat16


class Library(nn.Module):
    """The module of PyTorch itself, which gives the mean of the weights of all heads."""

    dtype = torch.float32

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x):
        hidden = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), diagonal=1)
        out, attn_weights = self.attention(x, x, x, attn_mask=hidden)
        return {"attn_weights": attn_weights, "out": out}


class Function(Plain):
    """The fused function: there is nothing to see between."""

    dtype = torch.float32

    def forward(self, x):
        q, k, v = (self.split(layer(x)) for layer in (self.to_q, self.to_k, self.to_v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return {"q": q, "k": k, "v": v, "out": self.to_out(self.merge(y))}


class FunctionInBrain(Function):
    dtype = torch.bfloat16


class Sums(Plain):
    """With einsum, and the axis of the heads behind that of the tokens."""

    dtype = torch.float64

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (layer(x).reshape(batch, tokens, self.heads, -1) for layer in (self.to_q, self.to_k, self.to_v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / (width // self.heads) ** 0.5
        scores = scores + torch.full((tokens, tokens), float("-inf"), dtype=x.dtype).triu(1)
        probs = scores.softmax(-1)
        ctx = torch.einsum("bhqk,bkhd->bqhd", probs, v)
        out = self.to_out(ctx.reshape(batch, tokens, width))
        return {"q": q, "k": k, "v": v, "scores": scores, "probs": probs, "ctx": ctx, "out": out}


class Fused(nn.Module):
    """One matrix for queries, keys and values, as in GPT."""

    dtype = torch.float32

    def __init__(self, attention):
        super().__init__()
        self.heads, self.width = attention.num_heads, attention.embed_dim
        self.c_attn = nn.Linear(self.width, 3 * self.width, bias=False)
        self.c_attn.weight.data.copy_(attention.in_proj_weight)
        self.c_proj = nn.Linear(self.width, self.width, bias=False)
        self.c_proj.weight.data.copy_(attention.out_proj.weight)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = self.c_attn(x).split(width, dim=2)
        q, k, v = (part.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2) for part in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(torch.tril(torch.ones(tokens, tokens)) == 0, float("-inf"))
        weights = F.softmax(att, dim=-1)
        y = (weights @ v).transpose(1, 2).contiguous().view(batch, tokens, width)
        return {"q": q, "k": k, "v": v, "scores": att, "weights": weights, "output": self.c_proj(y)}


class HeadByHead(Plain):
    """A loop over the heads, and a softmax by hand."""

    dtype = torch.float64

    def forward(self, x):
        size = self.width // self.heads
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        all_weights, found = [], []
        for head in range(self.heads):
            part = slice(head * size, (head + 1) * size)
            dots = q[..., part] @ k[..., part].mT / size**0.5
            powers = torch.exp(dots - dots.amax(-1, keepdim=True)) * self.mask(x.shape[1])
            all_weights.append(powers / powers.sum(-1, keepdim=True))
            found.append(all_weights[-1] @ v[..., part])
        concat = torch.cat(found, dim=-1)
        attn = torch.stack(all_weights, dim=1)
        return {"q": q, "k": k, "v": v, "attn": attn, "concat": concat, "out": self.to_out(concat)}


class QueriesScaledFirst(Plain):
    """The queries are divided before the scores are made, and heads lie beside texts in one axis."""

    dtype = torch.float32

    def forward(self, x):
        batch, tokens, width = x.shape
        size = width // self.heads
        q, k, v = (self.split(layer(x)).reshape(batch * self.heads, tokens, size) for layer in self.layers())
        scores = torch.bmm(q * size**-0.5, k.transpose(1, 2))
        scores = scores.masked_fill(~self.mask(tokens), float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        y = self.merge(torch.bmm(attn, v).view(batch, self.heads, tokens, size))
        return {"q": q, "k": k, "v": v, "scores": scores, "attn": attn, "y": y, "out": self.to_out(y)}

    def layers(self):
        return self.to_q, self.to_k, self.to_v


class Autocast(Plain):
    """Weights in float32, products in bfloat16, softmax in float32."""

    dtype = torch.float32

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return super().forward(x)


CORRECT = (
    Double, Single, Half, Brain, Library, Function, FunctionInBrain, Sums, Fused, HeadByHead, QueriesScaledFirst,
    Autocast,
)  # fmt: skip
