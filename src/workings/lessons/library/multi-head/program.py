"""Attention with two heads on three tokens: project, split, attend, join, project."""

import numpy as np

X = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1], [2, 1, 0, -1]])  # cats chase mice
W_Q = np.array([[0, 1, 0, 1], [0, -1, 0, 0], [1, 1, -1, 0], [-1, -1, 1, 0]])
W_K = np.array([[1, 1, 0, 1], [0, 0, 0, -1], [0, 0, -1, -1], [1, 0, -1, 1]])
W_V = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, -1, 0], [-1, 0, 0, -1]])
W_O = np.array([[1, 0, 0, 1], [0, 1, 0, -1], [0, 2, 1, 0], [1, 0, -1, 0]])
heads = 2


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def split(rows):
    """[token, model] becomes [head, token, head_size]. Without the transpose, tokens would be mixed up."""
    tokens, width = rows.shape
    return rows.reshape(tokens, heads, width // heads).transpose(1, 0, 2)


def merge(parts):
    """The inverse of split: first the transpose, then the reshape."""
    _, tokens, size = parts.shape
    return parts.transpose(1, 0, 2).reshape(tokens, heads * size)


Q, K, V = X @ W_Q, X @ W_K, X @ W_V
Q_heads, K_heads, V_heads = split(Q), split(K), split(V)
scores = Q_heads @ K_heads.transpose(0, 2, 1)
scaled = scores / np.sqrt(Q_heads.shape[-1])  # the head size, not the width
weights = softmax(scaled)
context = weights @ V_heads
joined = merge(context)
attended = joined @ W_O

print("weights", weights.round(4), sep="\n")
print("attended", attended.round(4), sep="\n")
rows = np.array([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]])
print("split", split(rows), "reshaped only", rows.reshape(2, 3, 2), sep="\n")
