"""One training step of all weights: the gradient flows back through attention, down to the embeddings."""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
W_Q = W_K = W_V = 0.1 * np.eye(2)  # equal at the start; the update gives each its own numbers
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens, target = [0, 1], 2  # "A B", and then C
rate = 0.1


def softmax(x):
    """Each row becomes a probability distribution; subtracting its maximum first keeps the powers small."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Forward pass. Every activation is kept: the backward pass needs it.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)
weights = softmax(scaled)
context = weights @ V
last = context[-1]
logits = last @ W_vocab
P = softmax(logits)
loss = -np.log(P[target])

# Backward pass. A product C = A B gives dA = dC Bᵀ and dB = Aᵀ dC.
dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(last, dlogits)
dlast = W_vocab @ dlogits
dcontext = np.zeros((2, 2))
dcontext[-1] = dlast  # only the last row predicted
dweights = dcontext @ V.T
dV = weights.T @ dcontext
average = (dweights * weights).sum(axis=-1, keepdims=True)
dscaled = weights * (dweights - average)  # each attention weight depends on every score of its row
dscores = dscaled / np.sqrt(2)
dQ = dscores @ K
dK = dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T  # X was used three times: the gradients add up
dE = np.zeros((4, 2))
np.add.at(dE, tokens, dX)  # rows C and D were not read: no gradient

# Update. All gradients are computed before the first weight changes. The embeddings stay fixed.
W_Q_new, W_K_new, W_V_new = W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
W_vocab_new = W_vocab - rate * dW_vocab

# Second forward pass.
Q_after, K_after, V_after = X @ W_Q_new, X @ W_K_new, X @ W_V_new
weights_after = softmax(Q_after @ K_after.T / np.sqrt(2))
P_after = softmax((weights_after @ V_after)[-1] @ W_vocab_new)
loss_after = -np.log(P_after[target])

print("dW_Q", dW_Q, "dW_K", dW_K, "dW_V", dW_V, "dE", dE, sep="\n")
print("loss before", loss, "after", loss_after)
