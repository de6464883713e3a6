"""A causal mask on given scores: shares, what is mixed, and the way back."""

import numpy as np

scores = np.array([[2.0, 1, 0, 3], [1, 3, 2, 0], [3, 0, 1, 4], [1, 0, 2, 1]])
V = np.array([[1.0, 0], [0, 2], [3, 1], [-1, 4]])
allowed = np.tril(np.ones((4, 4)))  # a word sees itself and what stands before it


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Before softmax: minus infinity where a word may not look.
masked = np.where(allowed == 1, scores, -np.inf)
weights = softmax(masked)
context = weights @ V

# Back from how much each entry of the context counts.
dcontext = np.array([[1.0, 0], [0, 1], [1, -1], [2, 1]])
dweights = dcontext @ V.T
average = (dweights * weights).sum(axis=-1, keepdims=True)
dmasked = weights * (dweights - average)
dscores = dmasked * allowed  # nothing comes back where nothing went through

# The classic mistake: shares first, then hide. The rows no longer add up to one.
late = softmax(scores) * allowed

print("weights", weights.round(4), sep="\n")
print("rows add up to", weights.sum(axis=-1))
print("hidden too late, they add up to", late.sum(axis=-1).round(4))
print("dscores", dscores.round(4), sep="\n")
