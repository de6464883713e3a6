"""One step of training: "A B" should be followed by C, and only the output matrix learns."""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
W_Q = W_K = W_V = 0.1 * np.eye(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens, target = [0, 1], 2  # "A B", and then C
rate = 0.1


def softmax(x):
    """Each row becomes a probability distribution; subtracting its maximum first keeps the powers small."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Forward pass, as in example 1. Nothing before the output matrix learns, so the context stays as it is.
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

# Backward pass: two lines are enough for what learns here.
dlogits = P - np.eye(4)[target]  # what the model said minus what it should have said
dW_vocab = np.outer(last, dlogits)  # entry [i][j] was multiplied by last[i] and added to logits[j]

# The other gradients are not needed for this step, but they exist (example 3 explains them).
dlast = W_vocab @ dlogits
dcontext = np.zeros((2, 2))
dcontext[-1] = dlast
dweights, dV = dcontext @ V.T, weights.T @ dcontext
dscaled = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
dscores = dscaled / np.sqrt(2)
dQ, dK = dscores @ K, dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T
dE = np.zeros((4, 2))
np.add.at(dE, tokens, dX)

# Update: against the gradient, because the gradient points to where the loss grows.
W_vocab_new = W_vocab - rate * dW_vocab

# Second forward pass: only this shows whether the step helped.
logits_after = last @ W_vocab_new
P_after = softmax(logits_after)
loss_after = -np.log(P_after[target])

print("W_vocab_new", W_vocab_new, sep="\n")
print("P(C) before", P[target], "after", P_after[target])
print("loss before", loss, "after", loss_after)
