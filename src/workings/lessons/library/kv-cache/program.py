"""A decoder of two blocks continues a text and keeps the keys and values of all tokens it has read."""

import numpy as np

WORDS = ["the", "cat", "sat", "and", "ran"]
E = np.array([[-0.8, -0.9], [-0.8, 0.8], [0.8, 0.0], [-0.8, -0.1], [0.9, 0.5]])
BLOCKS = [
    {"Q": [[-0.7, -0.3], [0.2, -0.8]], "K": [[0.2, 0.5], [0.4, -0.4]], "V": [[0.4, -0.9], [0.7, 0.3]]},
    {"Q": [[-0.3, 0.8], [0.2, 0.5]], "K": [[0.3, -0.5], [0.5, -0.8]], "V": [[0.4, -0.6], [-0.4, 0.5]]},
]
W_vocab = np.array([[0.4, -0.8, -0.7, 0.9, -0.6], [-0.8, 0.2, 0.7, 0.3, -0.4]])


def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def read(token, position, cache):
    """Read one token, with the cache of those before it; return the logits of the word that follows."""
    x = E[token] + np.array([np.sin(position), np.cos(position)])
    for block, (keys, values) in zip(BLOCKS, cache, strict=True):
        query = x @ np.array(block["Q"])
        keys.append(x @ np.array(block["K"]))
        values.append(x @ np.array(block["V"]))
        weights = softmax(np.array(keys) @ query / np.sqrt(2))  # all cached keys, and its own
        x = x + weights @ np.array(values)
    return x @ W_vocab


cache = [([], []) for _ in BLOCKS]
text = [0, 1]
for position, token in enumerate(text):
    logits = read(token, position, cache)
for _ in range(3):
    shares = softmax(logits)
    text.append(int(np.argmax(shares)))
    if len(text) < 5:
        logits = read(text[-1], len(text) - 1, cache)  # its position counts all tokens before it

(K1, V1), (K2, V2) = [(np.array(keys), np.array(values)) for keys, values in cache]
print(" ".join(WORDS[token] for token in text))
