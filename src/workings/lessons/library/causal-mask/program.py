"""A causal mask on given scores: attention weights, context vectors and the backward pass."""

import numpy as np

scores = np.array([[2.0, 1, 0, 3], [1, 3, 2, 0], [3, 0, 1, 4], [1, 0, 2, 1]])
V = np.array([[1.0, 0], [0, 2], [3, 1], [-1, 4]])
allowed = np.tril(np.ones((4, 4)))  # each token sees itself and earlier tokens


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Before softmax: minus infinity where a token may not attend.
masked = np.where(allowed == 1, scores, -np.inf)
weights = softmax(masked)
context = weights @ V

# Backward, from an upstream gradient.
dcontext = np.array([[1.0, 0], [0, 1], [1, -1], [2, 1]])
dweights = dcontext @ V.T
average = (dweights * weights).sum(axis=-1, keepdims=True)
dmasked = weights * (dweights - average)
dscores = dmasked * allowed  # no gradient flows back where nothing flowed forward

# The classic mistake: softmax first, mask afterwards. The rows no longer sum to 1.
late = softmax(scores) * allowed

print("weights", weights.round(4), sep="\n")
print("rows sum to", weights.sum(axis=-1))
print("masked too late, they sum to", late.sum(axis=-1).round(4))
print("dscores", dscores.round(4), sep="\n")
