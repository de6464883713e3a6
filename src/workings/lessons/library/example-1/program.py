"""Which word follows "A B"? One forward pass in NumPy."""

import numpy as np

WORDS = ["A", "B", "C", "D"]
tokens = [0, 1]  # "A B"

# The given matrices. E has one row for each word, W_vocab one column.
E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_Q = 0.1 * np.eye(2)
W_K = 0.1 * np.eye(2)
W_V = 0.1 * np.eye(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])


def softmax(x):
    """Turn each row into a probability distribution; subtracting its maximum first keeps the powers small."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Tokens become vectors; each vector becomes a query, a key and a value.
X = E[tokens]
Q = X @ W_Q
K = X @ W_K
V = X @ W_V

# Attention: compare queries with keys, scale, turn scores into weights, average the values.
scores = Q @ K.T
scaled = scores / np.sqrt(2)  # a key has two entries
weights = softmax(scaled)
context = weights @ V

# The last token predicts the next one.
last = context[-1]
logits = last @ W_vocab
P = softmax(logits)

print("attention weights", weights, sep="\n")
for word, probability in zip(WORDS, P, strict=True):
    print(word, round(probability, 6))
