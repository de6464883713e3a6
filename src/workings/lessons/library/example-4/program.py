"""Three examples, one set of weights, and one update with the average of their gradients."""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
start = {
    "W_Q": 0.1 * np.eye(2),
    "W_K": 0.1 * np.eye(2),
    "W_V": 0.1 * np.eye(2),
    "W_vocab": np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]]),
}
examples = [([0, 1], 2), ([0, 0], 3), ([1, 0], 2)]  # A B, then C; A A, then D; B A, then C
rate = 0.1


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def passes(W, tokens, target):
    """Forward and backward pass of one example: probability of the right answer, and gradients."""
    X = E[tokens]
    Q, K, V = X @ W["W_Q"], X @ W["W_K"], X @ W["W_V"]
    weights = softmax(Q @ K.T / np.sqrt(2))
    last = (weights @ V)[-1]  # only the last token predicts
    P = softmax(last @ W["W_vocab"])

    dlogits = P - np.eye(4)[target]
    dcontext = np.zeros((2, 2))
    dcontext[-1] = W["W_vocab"] @ dlogits
    dweights = dcontext @ V.T
    average = (dweights * weights).sum(axis=-1, keepdims=True)
    dscores = weights * (dweights - average) / np.sqrt(2)
    dQ = dscores @ K
    dK = dscores.T @ Q
    dV = weights.T @ dcontext
    return P[target], {"W_Q": X.T @ dQ, "W_K": X.T @ dK, "W_V": X.T @ dV, "W_vocab": np.outer(last, dlogits)}


def batch(W):
    """Probabilities of the right answers, loss of the batch, and average gradients."""
    right, gradients = zip(*(passes(W, tokens, target) for tokens, target in examples), strict=True)
    loss = -np.log(right).mean()
    return right, loss, {name: sum(one[name] for one in gradients) / len(examples) for name in W}


right, loss, first = batch(start)
updated = {**start, "W_vocab": start["W_vocab"] - rate * first["W_vocab"]}  # only W_vocab learns
print("loss before and after one update of W_vocab", loss, batch(updated)[1])

trained, gradients = start, first
while min(right) <= 0.95:  # all matrices learn, until each right answer has a probability above 0.95
    trained = {name: trained[name] - rate * gradients[name] for name in trained}
    right, _, gradients = batch(trained)
print("probabilities of the right answers after training", np.round(right, 4))
