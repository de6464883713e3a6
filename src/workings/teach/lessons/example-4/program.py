"""Three patterns, one set of weights: forward and backward for all of them, and one update for the average."""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
W_Q, W_K, W_V = 0.1 * np.eye(2), 0.1 * np.eye(2), 0.1 * np.eye(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens = np.array([[0, 1], [0, 0], [1, 0]])  # A B, A A, B A: the first axis of every array counts the examples
targets = np.array([2, 3, 2])  # C, D, C
right = (np.arange(3), targets)  # where the shares of the right answers stand in P
rate = 0.1


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))  # without the largest, so that nothing overflows
    return e / e.sum(axis=-1, keepdims=True)


def forward(W_Q, W_K, W_V, W_vocab):
    X = E[tokens]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(2))
    last = (weights @ V)[:, 1]  # only the last token answers
    return X, Q, K, V, weights, last, softmax(last @ W_vocab)


def backward(W_Q, W_K, W_V, W_vocab, X, Q, K, V, weights, last, P):
    dlogits = P / 3  # the loss is an average, so each example counts a third
    dlogits[right] -= 1 / 3
    dW_vocab = last.T @ dlogits  # this product also adds up the examples
    dcontext = np.zeros_like(V)
    dcontext[:, 1] = dlogits @ W_vocab.T
    dweights = dcontext @ V.transpose(0, 2, 1)
    dscaled = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    dscores = dscaled / np.sqrt(2)
    dQ, dK, dV = dscores @ K, dscores.transpose(0, 2, 1) @ Q, weights.transpose(0, 2, 1) @ dcontext
    dW_Q, dW_K, dW_V = ((X.transpose(0, 2, 1) @ d).sum(axis=0) for d in (dQ, dK, dV))  # a sum over the examples
    dE = np.zeros_like(E)
    np.add.at(dE, tokens, dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T)  # a token that comes often gets all of it
    return dW_Q, dW_K, dW_V, dW_vocab, dE


# One epoch: forward for all examples, backward for all, and then one update.
X, Q, K, V, weights, last, P = forward(W_Q, W_K, W_V, W_vocab)
loss = -np.log(P[right]).mean()
dW_Q, dW_K, dW_V, dW_vocab, dE = backward(W_Q, W_K, W_V, W_vocab, X, Q, K, V, weights, last, P)
W_vocab_new = W_vocab - rate * dW_vocab
loss_after = -np.log(forward(W_Q, W_K, W_V, W_vocab_new)[-1][right]).mean()
print(f"loss before {loss:.6f}, after one update of W_vocab {loss_after:.6f}")

# Many epochs with all weights, until each right answer has a share above 0.95.
trained, epoch = (W_Q, W_K, W_V, W_vocab), 1
values = forward(*trained)
while values[-1][right].min() <= 0.95:
    gradients = backward(*trained, *values)[:4]  # without dE: the embeddings stay as they are
    trained = tuple(W - rate * dW for W, dW in zip(trained, gradients, strict=True))
    values, epoch = forward(*trained), epoch + 1
P_trained = values[-1]
print(f"epoch {epoch}: shares of the right answers {P_trained[right].round(4)}")
