"""Attention as a search: which words attend to which in "The cat sat on the mat"?"""

import numpy as np

words = ["The", "cat", "sat", "on", "the", "mat"]
# What each word looks for, and what it offers: how much of a noun, how much of a verb.
Q = np.array([[1.0, 0.2], [0.4, 2.0], [2.4, 0.2], [1.6, 0.8], [1.0, 0.2], [0.4, 2.2]])
K = np.array([[0.0, 0.1], [1.9, 0.2], [0.2, 1.8], [0.4, 0.6], [0.0, 0.1], [1.2, -0.4]])
# What each word passes on.
V = np.array([[0.1, 0.0], [2.0, -1.0], [-0.5, 1.5], [0.2, 0.6], [0.1, 0.0], [1.0, 2.0]])

scores = Q @ K.T  # match: the dot product of every query with every key
scaled = scores / np.sqrt(2)  # keeps large scores from saturating the softmax
powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
weights = powers / powers.sum(axis=-1, keepdims=True)  # attention weights: each row sums to 1
context = weights @ V  # retrieve: a weighted sum of values

for word, row in zip(words, weights, strict=True):
    best = words[row.argmax()]
    print(f"{word:4} attends mostly to {best}: {row.max():.3f}")
print("context of sat:", context[2].round(4))
