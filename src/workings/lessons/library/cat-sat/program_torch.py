"""The small encoder block of program.py, with gradients from autograd."""

import math

import torch
from torch.nn.functional import cross_entropy, layer_norm


def tenths(text):
    numbers = [[float(number) for number in row.split()] for row in text.split(";")]
    return (torch.tensor(numbers, dtype=torch.float64) / 10).requires_grad_()


def constant(value, size):
    return torch.full((size,), value, dtype=torch.float64, requires_grad=True)


E = tenths("-3 7 -8 4; -3 7 9 3; 6 -4 4 -4; -3 -9 -2 -8; 9 -2 7 -4; -6 3 6 -8")  # rows: The cat sat on the mat
W_Q, W_K = tenths("6 5 1 -4; -5 2 -6 2; -6 8 9 -2; 1 -6 -9 8"), tenths("6 -2 -3 -5; -3 -8 1 7; 0 -7 2 -4; 3 0 -8 5")
W_V, W_O = tenths("-8 -9 6 2; 2 -9 0 6; -8 5 -9 -8; -3 -8 1 2"), tenths("1 5 2 0; 9 -3 3 -7; 2 -8 -2 -4; 9 -2 -3 -8")
W_1 = tenths("4 -8 -2 -2 6 -5 -1 9; 6 1 -8 8 -1 -4 -8 -5; 9 1 -2 0 6 -5 -7 9; -6 3 1 -7 0 -4 8 -3")
W_2 = tenths("-3 6 0 -7; 5 -6 -4 -6; -9 3 -1 -1; 5 6 -4 4; 5 8 8 -5; -9 -1 -5 2; -5 6 9 -5; 4 -7 6 5")
W_vocab = tenths("-5 -7 8 2 -5 4; -7 -1 2 4 3 -5; 4 5 7 -9 4 -5; -9 -7 8 -7 7 -6")
gamma_1, beta_1, gamma_2, beta_2 = constant(1, 4), constant(0, 4), constant(1, 4), constant(0, 4)
b_1, b_2 = constant(0, 8), constant(0, 4)

angles = torch.arange(3)[:, None] / 10000 ** (torch.tensor([0, 0, 2, 2], dtype=torch.float64) / 4)
X = E[:3] + torch.where(torch.tensor([True, False, True, False]), angles.sin(), angles.cos())
normed_1 = layer_norm(X, [4], gamma_1, beta_1, eps=1e-6)
# Each head takes two columns of every token.
Q_heads, K_heads, V_heads = ((normed_1 @ W).view(3, 2, 2).transpose(0, 1) for W in (W_Q, W_K, W_V))
scores = Q_heads @ K_heads.mT
masked = (scores / math.sqrt(2)).masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf)
weights = masked.softmax(dim=-1)
joined = (weights @ V_heads).transpose(0, 1).reshape(3, 4)
residual_1 = X + joined @ W_O
normed_2 = layer_norm(residual_1, [4], gamma_2, beta_2, eps=1e-6)
hidden = normed_2 @ W_1 + b_1
residual_2 = residual_1 + hidden.relu() @ W_2 + b_2
logits = residual_2[2] @ W_vocab
P = logits.softmax(dim=-1)
loss = cross_entropy(logits, torch.tensor(3))  # "on" has index 3

named = [E, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gamma_1, beta_1, gamma_2, beta_2, W_vocab]
gradients = torch.autograd.grad(loss, named)
dE, dW_Q, dW_K, dW_V, dW_O, dW_1, db_1, dW_2, db_2, dgamma_1, dbeta_1, dgamma_2, dbeta_2, dW_vocab = gradients
E_new, W_Q_new, W_K_new, W_V_new, W_O_new = (W - 0.1 * dW for W, dW in zip(named[:5], gradients[:5], strict=True))
W_1_new, W_2_new, W_vocab_new = W_1 - 0.1 * dW_1, W_2 - 0.1 * dW_2, W_vocab - 0.1 * dW_vocab
print("P of 'on':", P[3].item(), "loss:", loss.item(), "dE:", dE, sep="\n")
