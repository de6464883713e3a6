"""A small encoder block, width 4, two heads, with a causal mask: which word follows "The cat sat"?"""

import numpy as np

E = np.array([[-3, 7, -8, 4], [-3, 7, 9, 3], [6, -4, 4, -4], [-3, -9, -2, -8], [9, -2, 7, -4], [-6, 3, 6, -8]]) / 10
W_Q = np.array([[6, 5, 1, -4], [-5, 2, -6, 2], [-6, 8, 9, -2], [1, -6, -9, 8]]) / 10
W_K = np.array([[6, -2, -3, -5], [-3, -8, 1, 7], [0, -7, 2, -4], [3, 0, -8, 5]]) / 10
W_V = np.array([[-8, -9, 6, 2], [2, -9, 0, 6], [-8, 5, -9, -8], [-3, -8, 1, 2]]) / 10
W_O = np.array([[1, 5, 2, 0], [9, -3, 3, -7], [2, -8, -2, -4], [9, -2, -3, -8]]) / 10
W_1 = np.array([[4, -8, -2, -2, 6, -5, -1, 9], [6, 1, -8, 8, -1, -4, -8, -5], [9, 1, -2, 0, 6, -5, -7, 9],
                [-6, 3, 1, -7, 0, -4, 8, -3]]) / 10  # fmt: skip
W_2 = np.array([[-3, 6, 0, -7], [5, -6, -4, -6], [-9, 3, -1, -1], [5, 6, -4, 4], [5, 8, 8, -5], [-9, -1, -5, 2],
                [-5, 6, 9, -5], [4, -7, 6, 5]]) / 10  # fmt: skip
W_vocab = np.array([[-5, -7, 8, 2, -5, 4], [-7, -1, 2, 4, 3, -5], [4, 5, 7, -9, 4, -5], [-9, -7, 8, -7, 7, -6]]) / 10
ON = 3  # the vocabulary is The, cat, sat, on, the, mat: the target "on" has index 3


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def layer_norm(x):
    """Each row gets mean 0 and variance 1. Scale gamma is still 1, and shift beta is still 0."""
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-6)


def split(x):
    """Give each of the two heads two of the four columns."""
    return x.reshape(3, 2, 2).swapaxes(0, 1)


position = np.arange(3)
waves = [np.sin(position), np.cos(position), np.sin(position / 100), np.cos(position / 100)]
X = E[:3] + np.stack(waves, axis=1)  # The, cat, sat are the first three rows of E

normed_1 = layer_norm(X)
Q_heads, K_heads, V_heads = split(normed_1 @ W_Q), split(normed_1 @ W_K), split(normed_1 @ W_V)
scores = Q_heads @ K_heads.swapaxes(1, 2)
is_visible = np.tri(3) == 1  # the causal mask
weights = softmax(np.where(is_visible, scores / np.sqrt(2), -np.inf))
joined = (weights @ V_heads).swapaxes(0, 1).reshape(3, 4)  # the heads side by side
residual_1 = X + joined @ W_O

normed_2 = layer_norm(residual_1)
hidden = normed_2 @ W_1  # all biases are still 0
activated = np.maximum(hidden, 0)  # ReLU
residual_2 = residual_1 + activated @ W_2

logits = residual_2[2] @ W_vocab  # only the last position predicts
P = softmax(logits)
loss = -np.log(P[ON])
dlogits = P - np.eye(6)[ON]
dW_vocab = np.outer(residual_2[2], dlogits)
W_vocab_new = W_vocab - 0.1 * dW_vocab
print("P of 'on':", P[ON], "loss:", loss)
