"""Example 5 in plain NumPy: attention, feed-forward, a residual, one step."""

import numpy as np

# The model reads A B; C should come next.
E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_Q = W_K = W_V = 0.1 * np.eye(2)
W_1 = W_2 = np.array([[0.2, 0.1], [0.1, 0.2]])
b_1 = b_2 = np.zeros(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens, target, rate = [0, 1], 2, 0.1

# Forward: attention as in the examples before.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)
powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)
context = weights @ V

# Forward: the feed-forward network, each token on its own; the residual connection adds its input.
hidden = context @ W_1 + b_1
activated = np.maximum(0, hidden)
output = activated @ W_2 + b_2
residual = context + output

# Forward: the last position predicts the next token.
last = residual[-1]
logits = last @ W_vocab
P = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
loss = -np.log(P[target])

# Backward: from the loss to the two layers.
dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(last, dlogits)
dresidual = np.zeros_like(residual)
dresidual[-1] = W_vocab @ dlogits  # only the last position predicts
dW_2, db_2 = activated.T @ dresidual, dresidual.sum(axis=0)
dactivated = dresidual @ W_2.T
dhidden = dactivated * (hidden > 0)  # ReLU stops the gradient where its input was negative
dW_1, db_1 = context.T @ dhidden, dhidden.sum(axis=0)
dcontext = dresidual + dhidden @ W_1.T  # the residual path, and the path through the network

# Backward: attention, down to the embeddings.
dweights, dV = dcontext @ V.T, weights.T @ dcontext
dscaled = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))
dscores = dscaled / np.sqrt(2)
dQ, dK = dscores @ K, dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T
dE = np.eye(4)[tokens].T @ dX  # the rows of A and B; C and D were not read

# Update: a small step against each gradient. The embeddings are fixed.
W_Q_new, W_K_new, W_V_new = W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
W_1_new, b_1_new = W_1 - rate * dW_1, b_1 - rate * db_1
W_2_new, b_2_new = W_2 - rate * dW_2, b_2 - rate * db_2
W_vocab_new = W_vocab - rate * dW_vocab
print("residual", residual, "P", P, "loss", loss, "dW_1", dW_1, sep="\n")
