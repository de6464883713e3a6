"""Attention, feed-forward network and residual connection: one training step in NumPy."""

import numpy as np

# The model reads A B; C should come next.
E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_Q = W_K = W_V = 0.1 * np.eye(2)  # equal in this example
W_1 = W_2 = np.array([[0.2, 0.1], [0.1, 0.2]])
b_1 = b_2 = np.zeros(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens = [0, 1]
target = 2
rate = 0.1


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Forward: attention as in the examples before.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)
weights = softmax(scaled)
context = weights @ V

# Forward: the feed-forward network, each token on its own; the residual connection adds its input.
hidden = context @ W_1 + b_1
activated = np.maximum(0, hidden)
output = activated @ W_2 + b_2
residual = context + output

# Forward: the last position predicts the next token.
last = residual[-1]
logits = last @ W_vocab
P = softmax(logits)
loss = -np.log(P[target])

# Backward: from the loss to the two layers.
dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(last, dlogits)
dresidual = np.zeros_like(residual)
dresidual[-1] = W_vocab @ dlogits  # only the last position predicts
dW_2 = activated.T @ dresidual
db_2 = dresidual.sum(axis=0)
dactivated = dresidual @ W_2.T
dhidden = dactivated * (hidden > 0)  # ReLU stops the gradient where its input was negative
dW_1 = context.T @ dhidden
db_1 = dhidden.sum(axis=0)
dcontext = dresidual + dhidden @ W_1.T  # the residual path, and the path through the network
# From dcontext on, the backward pass is that of Example 3.
# Update: a small step against each gradient.
W_1_new = W_1 - rate * dW_1
b_1_new = b_1 - rate * db_1
W_2_new = W_2 - rate * dW_2
b_2_new = b_2 - rate * db_2
W_vocab_new = W_vocab - rate * dW_vocab
print("residual", residual, "P", P, "loss", loss, "dW_1", dW_1, sep="\n")
