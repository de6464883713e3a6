"""The small encoder block of program.py, with all gradients and one update."""

import math

import torch
from torch.nn.functional import cross_entropy, layer_norm


def parameter(tenths):
    return (torch.tensor(tenths, dtype=torch.float64) / 10).requires_grad_()


E = parameter([[-3, 7, -8, 4], [-3, 7, 9, 3], [6, -4, 4, -4], [-3, -9, -2, -8], [9, -2, 7, -4], [-6, 3, 6, -8]])
W_Q = parameter([[6, 5, 1, -4], [-5, 2, -6, 2], [-6, 8, 9, -2], [1, -6, -9, 8]])
W_K = parameter([[6, -2, -3, -5], [-3, -8, 1, 7], [0, -7, 2, -4], [3, 0, -8, 5]])
W_V = parameter([[-8, -9, 6, 2], [2, -9, 0, 6], [-8, 5, -9, -8], [-3, -8, 1, 2]])
W_O = parameter([[1, 5, 2, 0], [9, -3, 3, -7], [2, -8, -2, -4], [9, -2, -3, -8]])
W_1 = parameter([[4, -8, -2, -2, 6, -5, -1, 9], [6, 1, -8, 8, -1, -4, -8, -5], [9, 1, -2, 0, 6, -5, -7, 9],
                 [-6, 3, 1, -7, 0, -4, 8, -3]])  # fmt: skip
W_2 = parameter([[-3, 6, 0, -7], [5, -6, -4, -6], [-9, 3, -1, -1], [5, 6, -4, 4], [5, 8, 8, -5], [-9, -1, -5, 2],
                 [-5, 6, 9, -5], [4, -7, 6, 5]])  # fmt: skip
W_vocab = parameter([[-5, -7, 8, 2, -5, 4], [-7, -1, 2, 4, 3, -5], [4, 5, 7, -9, 4, -5], [-9, -7, 8, -7, 7, -6]])
b_1, b_2 = parameter([0] * 8), parameter([0] * 4)
gamma_1, beta_1 = parameter([10] * 4), parameter([0] * 4)
gamma_2, beta_2 = parameter([10] * 4), parameter([0] * 4)


def split(x):
    """Give each of the two heads two of the four columns."""
    return x.view(3, 2, 2).transpose(0, 1)


position = torch.arange(3, dtype=torch.float64)
waves = [position.sin(), position.cos(), (position / 100).sin(), (position / 100).cos()]
X = E[:3] + torch.stack(waves, dim=1)  # The, cat, sat are the first three rows of E
normed_1 = layer_norm(X, [4], gamma_1, beta_1, eps=1e-6)
Q_heads, K_heads, V_heads = split(normed_1 @ W_Q), split(normed_1 @ W_K), split(normed_1 @ W_V)
scores = Q_heads @ K_heads.mT
is_later = torch.ones(3, 3).triu(1).bool()
masked = (scores / math.sqrt(2)).masked_fill(is_later, -torch.inf)
weights = masked.softmax(dim=-1)
joined = (weights @ V_heads).transpose(0, 1).reshape(3, 4)
residual_1 = X + joined @ W_O
normed_2 = layer_norm(residual_1, [4], gamma_2, beta_2, eps=1e-6)
hidden = normed_2 @ W_1 + b_1
residual_2 = residual_1 + hidden.relu() @ W_2 + b_2
logits = residual_2[2] @ W_vocab
P = logits.softmax(dim=-1)
loss = cross_entropy(logits, torch.tensor(3))  # "on" has index 3

loss.backward()  # fills in the gradient of every parameter
named = {"E": E, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O, "W_1": W_1, "W_2": W_2, "W_vocab": W_vocab}
updated = {name: weight.detach() - 0.1 * weight.grad for name, weight in named.items()}
print("P of 'on':", P[3].item(), "loss:", loss.item())
