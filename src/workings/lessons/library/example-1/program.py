"""What follows "A B"? One forward pass, and the way back if the answer is C."""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
W_Q = W_K = W_V = 0.1 * np.eye(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens, target = [0, 1], 2  # "A B", and then C


def softmax(x):
    """Shares of each row. Without its largest entry taken away first, e^x may be too large for a computer."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Forward: tokens become rows, rows look at each other, the last row is compared with every word.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / np.sqrt(2)  # the root of the head size
weights = softmax(scaled)
context = weights @ V
last = context[-1]  # only the last token is asked what comes next
logits = last @ W_vocab
P = softmax(logits)
loss = -np.log(P[target])

# Backward: the same lines from the last to the first, each undone by its own rule.
dlogits = P - np.eye(4)[target]
dW_vocab = np.outer(last, dlogits)
dlast = W_vocab @ dlogits
dcontext = np.zeros((2, 2))
dcontext[-1] = dlast  # the loss has not looked at the other row
dweights = dcontext @ V.T
dV = weights.T @ dcontext
average = (dweights * weights).sum(axis=-1, keepdims=True)
dscaled = weights * (dweights - average)  # shares add up to 1: what one gains, others lose
dscores = dscaled / np.sqrt(2)
dQ = dscores @ K
dK = dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T  # X was read three times
dE = np.zeros((4, 2))
np.add.at(dE, tokens, dX)  # each row goes back to the word it came from

print("weights", weights, sep="\n")
print("P      ", dict(zip("ABCD", P.round(6).tolist(), strict=True)))
print("loss   ", loss)
print("dE", dE, sep="\n")
