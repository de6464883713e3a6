"""Three patterns, one set of weights, one update for their average.

The first axis of every array counts the examples; x.mT transposes each matrix.
"""

import numpy as np

E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # A to D
W_Q, W_K, W_V = 0.1 * np.eye(2), 0.1 * np.eye(2), 0.1 * np.eye(2)
W_vocab = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens = np.array([[0, 1], [0, 0], [1, 0]])  # A B, A A, B A
targets = np.array([2, 3, 2])  # C, D, C
right = (np.arange(3), targets)  # where the right answers are in P
rate = 0.1


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))  # nothing overflows
    return e / e.sum(axis=-1, keepdims=True)


def forward(W_Q, W_K, W_V, W_vocab):
    X = E[tokens]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = softmax(Q @ K.mT / np.sqrt(2))
    last = (weights @ V)[:, 1]  # only the last position predicts
    return X, Q, K, V, weights, last, softmax(last @ W_vocab)


def backward(W_Q, W_K, W_V, W_vocab, X, Q, K, V, weights, last, P):
    dlogits = (P - np.eye(4)[targets]) / 3  # the loss is an average of three
    dW_vocab = last.T @ dlogits  # this product adds up the examples
    dcontext = np.zeros_like(V)
    dcontext[:, 1] = dlogits @ W_vocab.T
    dweights, dV = dcontext @ V.mT, weights.mT @ dcontext
    average = (dweights * weights).sum(axis=-1, keepdims=True)
    dscores = weights * (dweights - average) / np.sqrt(2)
    dQ, dK = dscores @ K, dscores.mT @ Q
    dW_Q, dW_K, dW_V = ((X.mT @ d).sum(axis=0) for d in (dQ, dK, dV))
    dE = np.zeros_like(E)  # a word that is read twice gets both gradients:
    np.add.at(dE, tokens, dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T)
    return dW_Q, dW_K, dW_V, dW_vocab, dE


# One epoch: forward for all, backward for all, and then one update.
start = (W_Q, W_K, W_V, W_vocab)
values = forward(*start)
loss = -np.log(values[-1][right]).mean()
dW_Q, dW_K, dW_V, dW_vocab, dE = backward(*start, *values)
W_vocab_new = W_vocab - rate * dW_vocab
P_after = forward(W_Q, W_K, W_V, W_vocab_new)[-1]
print("loss before and after", loss, -np.log(P_after[right]).mean())

# All weights, until each right answer has a probability above 0.95.
trained, epoch = start, 1
while values[-1][right].min() <= 0.95:
    gradients = backward(*trained, *values)[:4]  # the embeddings stay fixed
    trained = [W - rate * dW for W, dW in zip(trained, gradients, strict=True)]
    values, epoch = forward(*trained), epoch + 1
print("epoch", epoch, "probabilities of the right answers", values[-1][right])
