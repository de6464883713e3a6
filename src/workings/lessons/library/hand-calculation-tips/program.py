"""The page of this appendix in plain NumPy, to compare with a page of your own."""

import numpy as np

X = np.array([[1.2, -0.4], [0.3, 0.9]])
W_Q, W_K = np.array([[0.8, -0.3], [0.5, 1.1]]), np.array([[0.6, 0.9], [-0.7, 0.4]])
W_V, W_vocab = np.array([[1.3, -0.2], [0.4, 0.7]]), np.array([[0.9, -0.5, 0.2], [-0.6, 0.3, 1.4]])
target = 2


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)
weights = softmax(scaled)
context = weights @ V
logits = context[1] @ W_vocab
P = softmax(logits)
loss = -np.log(P[target])
dlogits = P - np.eye(3)[target]
dW_vocab = np.outer(context[1], dlogits)
for name in ("Q", "K", "V", "scores", "scaled", "weights", "context", "logits", "P", "loss", "dlogits", "dW_vocab"):
    print(name, np.round(globals()[name], 4).tolist())
