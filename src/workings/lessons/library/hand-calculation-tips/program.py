"""The page of this appendix in plain NumPy, to compare with a page of your own."""

import numpy as np

X = np.array([[1.2, -0.4], [0.3, 0.9]])
W_Q = np.array([[0.8, -0.3], [0.5, 1.1]])
W_K = np.array([[0.6, 0.9], [-0.7, 0.4]])
W_V = np.array([[1.3, -0.2], [0.4, 0.7]])
W_vocab = np.array([[0.9, -0.5, 0.2], [-0.6, 0.3, 1.4]])
target = 2


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


Q = X @ W_Q
K = X @ W_K
V = X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)
weights = softmax(scaled)
context = weights @ V
logits = context[1] @ W_vocab  # the last token predicts
P = softmax(logits)
loss = -np.log(P[target])
dlogits = P - np.eye(3)[target]
dW_vocab = np.outer(context[1], dlogits)

results = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights, "context": context}
results |= {"logits": logits, "P": P, "loss": loss, "dlogits": dlogits, "dW_vocab": dW_vocab}
for name, value in results.items():
    print(name, np.round(value, 4).tolist())
