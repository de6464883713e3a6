"""Example 6 in plain NumPy: two blocks, forward, backward and one update."""

from types import SimpleNamespace

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tenth, mix = 0.1 * np.eye(2), np.array([[0.2, 0.1], [0.1, 0.2]])
ones, zeros = np.ones(2), np.zeros(2)
start = {"W_Q": tenth, "W_K": tenth, "W_V": tenth}
start |= {"W_1": mix, "b_1": zeros, "W_2": mix, "b_2": zeros}
start |= {"gamma_a": ones, "beta_a": zeros, "gamma_f": ones, "beta_f": zeros}  # _a: attention, _f: feed-forward
block1, block2 = SimpleNamespace(**start), SimpleNamespace(**start)  # numbers by name
average = np.full((2, 2), 1 / 2)  # a row times this: its mean, twice
tokens, target, rate = [0, 1], 2, 0.1

x = E[tokens]
for b in (block1, block2):  # forward
    b.divisor_a = np.sqrt((x - x @ average) ** 2 @ average + 1e-6)
    b.unit_a = (x - x @ average) / b.divisor_a
    b.normed_a = b.unit_a * b.gamma_a + b.beta_a
    b.Q, b.K, b.V = b.normed_a @ b.W_Q, b.normed_a @ b.W_K, b.normed_a @ b.W_V
    b.scaled = b.Q @ b.K.T / np.sqrt(2)
    b.weights = np.exp(b.scaled) / np.exp(b.scaled).sum(axis=1, keepdims=True)
    b.context = b.weights @ b.V
    x = x + b.context  # the first residual
    b.divisor_f = np.sqrt((x - x @ average) ** 2 @ average + 1e-6)
    b.unit_f = (x - x @ average) / b.divisor_f
    b.normed_f = b.unit_f * b.gamma_f + b.beta_f
    b.hidden = b.normed_f @ b.W_1 + b.b_1
    b.activated = np.maximum(0, b.hidden)
    b.output = b.activated @ b.W_2 + b.b_2
    x = x + b.output  # the second residual
logits = x[-1] @ W_vocab
P = np.exp(logits) / np.exp(logits).sum()
loss = -np.log(P[target])

dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(x[-1], dlogits)
dx = np.outer([0, 1], W_vocab @ dlogits)  # only the last token was asked
for b in (block2, block1):  # backward: a residual hands dx on, its part adds more
    b.dW_2, b.db_2 = b.activated.T @ dx, dx.sum(axis=0)
    b.dhidden = dx @ b.W_2.T * (b.hidden > 0)
    b.dW_1, b.db_1 = b.normed_f.T @ b.dhidden, b.dhidden.sum(axis=0)
    dnormed = b.dhidden @ b.W_1.T
    b.dgamma_f, b.dbeta_f, h = (dnormed * b.unit_f).sum(axis=0), dnormed.sum(axis=0), dnormed * b.gamma_f
    dx = dx + (h - h @ average - b.unit_f * (h * b.unit_f @ average)) / b.divisor_f
    b.dweights, b.dV = dx @ b.V.T, b.weights.T @ dx
    b.dscaled = b.weights * (b.dweights - (b.dweights * b.weights).sum(axis=1, keepdims=True))
    b.dQ, b.dK = b.dscaled @ b.K / np.sqrt(2), b.dscaled.T @ b.Q / np.sqrt(2)
    b.dW_Q, b.dW_K, b.dW_V = b.normed_a.T @ b.dQ, b.normed_a.T @ b.dK, b.normed_a.T @ b.dV
    dnormed = b.dQ @ b.W_Q.T + b.dK @ b.W_K.T + b.dV @ b.W_V.T
    b.dgamma_a, b.dbeta_a, h = (dnormed * b.unit_a).sum(axis=0), dnormed.sum(axis=0), dnormed * b.gamma_a
    dx = dx + (h - h @ average - b.unit_a * (h * b.unit_a @ average)) / b.divisor_a
dE = np.eye(4)[tokens].T @ dx  # the rows of A and B
W_vocab_new = W_vocab - rate * dW_vocab
for b in (block1, block2):  # update
    vars(b).update({f"{name}_new": vars(b)[name] - rate * vars(b)[f"d{name}"] for name in start})
print("P", P, "loss", loss, "dW_V of both blocks", block1.dW_V, block2.dW_V, sep="\n")
