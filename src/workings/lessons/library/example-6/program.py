"""Example 6 in plain NumPy: two blocks of width four with two heads, forward, backward and one update."""

from types import SimpleNamespace

import numpy as np


def tenths(rows):
    return np.array([[int(entry) / 10 for entry in row.split()] for row in rows.split("/")])


E = tenths("3 5 0 9 / 7 5 5 -6 / 0 -4 -1 2 / 0 -7 -5 -6")
W_vocab = tenths("3 1 -7 -3 / -2 7 -8 -4 / -1 -9 6 2 / 5 2 -1 6")
block1 = SimpleNamespace(
    W_Q=tenths("-5 -5 -4 2 / -4 -3 -4 5 / -3 7 -9 2 / -6 -8 7 7"),
    W_K=tenths("5 5 -5 5 / 9 5 -6 3 / 5 3 -4 -9 / 2 -4 8 -8"),
    W_V=tenths("-6 7 -5 1 / -2 -2 9 1 / 6 4 7 5 / 6 -1 7 -5"),
    W_O=tenths("6 1 5 1 / 6 3 -7 1 / 1 -7 7 0 / 4 9 0 -6"),
    W_1=tenths("-7 9 -7 0 -5 / -1 -5 6 5 -1 / 0 0 1 -6 0 / 0 4 6 -3 -8"),
    W_2=tenths("0 -1 -1 -2 / -9 7 -9 -6 / 3 7 2 6 / -6 -4 8 6 / 3 -8 0 -4"),
)
block2 = SimpleNamespace(
    W_Q=tenths("-9 -9 3 -5 / 3 -6 1 -8 / -8 8 -7 7 / 5 0 0 1"),
    W_K=tenths("2 -7 6 7 / 6 -4 -8 1 / -1 -8 6 2 / -8 3 7 7"),
    W_V=tenths("-1 9 -5 8 / -4 0 9 -5 / 3 1 7 1 / 5 -7 3 7"),
    W_O=tenths("0 -5 1 8 / -7 -1 8 -4 / -1 6 6 -8 / -4 -7 -7 -2"),
    W_1=tenths("2 -9 6 9 4 / 1 5 -7 3 -4 / 1 0 5 4 3 / 6 0 8 3 -8"),
    W_2=tenths("-2 -9 0 -4 / 8 2 8 7 / -3 -9 8 -9 / 8 -2 9 4 / -3 -8 5 -6"),
)
names = [*vars(block1), "b_1", "b_2", "gamma_a", "beta_a", "gamma_f", "beta_f"]  # _a: attention, _f: feed-forward
for b in (block1, block2):
    b.b_1, b.b_2 = np.zeros(5), np.zeros(4)
    b.gamma_a, b.beta_a, b.gamma_f, b.beta_f = np.ones(4), np.zeros(4), np.ones(4), np.zeros(4)
tokens, target, rate = [0, 1], 2, 0.1


def normalize(x):
    """Each row at mean zero and standard deviation one, and what it was divided by."""
    centered = x - x.mean(axis=-1, keepdims=True)
    divisor = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-6)
    return centered / divisor, divisor


def normalize_back(upstream, unit, divisor):
    """The gradient without what only shifts the row, and without what only stretches it."""
    shift = upstream.mean(axis=-1, keepdims=True)
    stretch = unit * (upstream * unit).mean(axis=-1, keepdims=True)
    return (upstream - shift - stretch) / divisor


def split(x):
    """Two heads: token x 4 becomes head x token x 2."""
    return x.reshape(-1, 2, 2).swapaxes(0, 1)


def join(x):
    return x.swapaxes(0, 1).reshape(-1, 4)


x = E[tokens]  # the residual stream
for b in (block1, block2):  # forward
    b.unit_a, b.divisor_a = normalize(x)
    b.normed_a = b.unit_a * b.gamma_a + b.beta_a
    b.Q, b.K, b.V = b.normed_a @ b.W_Q, b.normed_a @ b.W_K, b.normed_a @ b.W_V
    b.scaled = split(b.Q) @ split(b.K).swapaxes(1, 2) / np.sqrt(2)
    b.weights = np.exp(b.scaled) / np.exp(b.scaled).sum(axis=2, keepdims=True)
    b.joined = join(b.weights @ split(b.V))
    x = x + b.joined @ b.W_O  # the first residual connection
    b.unit_f, b.divisor_f = normalize(x)
    b.normed_f = b.unit_f * b.gamma_f + b.beta_f
    b.hidden = b.normed_f @ b.W_1 + b.b_1
    b.activated = np.maximum(0, b.hidden)
    b.output = b.activated @ b.W_2 + b.b_2
    x = x + b.output  # the second residual connection
logits = x[-1] @ W_vocab
P = np.exp(logits) / np.exp(logits).sum()
loss = -np.log(P[target])

dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(x[-1], dlogits)
dx = np.outer([0, 1], W_vocab @ dlogits)  # only the last position predicts
for b in (block2, block1):  # backward: dx stays on the residual stream, and each part adds to it
    b.dW_2, b.db_2 = b.activated.T @ dx, dx.sum(axis=0)
    b.dhidden = dx @ b.W_2.T * (b.hidden > 0)
    b.dW_1, b.db_1 = b.normed_f.T @ b.dhidden, b.dhidden.sum(axis=0)
    dnormed = b.dhidden @ b.W_1.T
    b.dgamma_f, b.dbeta_f = (dnormed * b.unit_f).sum(axis=0), dnormed.sum(axis=0)
    dx = dx + normalize_back(dnormed * b.gamma_f, b.unit_f, b.divisor_f)
    b.dW_O, dcontext = b.joined.T @ dx, split(dx @ b.W_O.T)
    dV = join(b.weights.swapaxes(1, 2) @ dcontext)
    b.dweights = dcontext @ split(b.V).swapaxes(1, 2)
    b.dscaled = b.weights * (b.dweights - (b.dweights * b.weights).sum(axis=2, keepdims=True))
    dQ = join(b.dscaled @ split(b.K)) / np.sqrt(2)
    dK = join(b.dscaled.swapaxes(1, 2) @ split(b.Q)) / np.sqrt(2)
    b.dW_Q, b.dW_K, b.dW_V = b.normed_a.T @ dQ, b.normed_a.T @ dK, b.normed_a.T @ dV
    dnormed = dQ @ b.W_Q.T + dK @ b.W_K.T + dV @ b.W_V.T
    b.dgamma_a, b.dbeta_a = (dnormed * b.unit_a).sum(axis=0), dnormed.sum(axis=0)
    dx = dx + normalize_back(dnormed * b.gamma_a, b.unit_a, b.divisor_a)
dE = np.eye(4)[tokens].T @ dx  # the rows of A and B
W_vocab_new = W_vocab - rate * dW_vocab
for b in (block1, block2):  # update
    for name in names:
        setattr(b, f"{name}_new", getattr(b, name) - rate * getattr(b, f"d{name}"))
print("P", P, "loss", loss, "dW_V of both blocks", block1.dW_V, block2.dW_V, sep="\n")
