"""hello world: forward, backward and one update down to the embeddings, in plain NumPy."""

import numpy as np


def matrix(rows):
    return np.array([row.split() for row in rows.split(";")], dtype=float)


tokens, target, rate = [0, 1], 3, 0.1  # hello world -> welcome
E, b_1, b_2 = np.eye(4), np.zeros(8), np.zeros(4)
W_Q = np.array([matrix("-0.6 -0.3; 0.5 0.8; 0.1 -0.1; -0.4 0"), matrix("0.9 -0.4; 0.1 0.1; 0 -0.7; -0.2 0.5")])
W_K = np.array([matrix("-0.9 0.1; 0.3 -0.8; -0.2 0.1; 0.4 -0.2"), matrix("-0.1 0.6; 0.5 -0.2; -0.2 0.1; 0 -0.7")])
W_V = np.array([matrix("0.8 -0.7; 0.7 -0.5; 0.1 0.6; 0 -0.4"), matrix("-0.1 -0.1; -0.8 0.5; 0 0.2; -0.3 0.1")])
W_O = matrix("0.1 0.5 0.2 0; 0.9 -0.3 0.3 -0.7; 0.2 -0.8 -0.2 -0.4; 0.9 -0.2 -0.3 -0.8")
W_1 = matrix(
    "0.4 -0.8 -0.2 -0.2 0.6 -0.5 -0.1 0.9; 0.6 0.1 -0.8 0.8 -0.1 -0.4 -0.8 -0.5;"
    "0.9 0.1 -0.2 0 0.6 -0.5 -0.7 0.9; -0.6 0.3 0.1 -0.7 0 -0.4 0.8 -0.3"
)
W_2 = matrix(
    "-0.3 0.6 0 -0.7; 0.5 -0.6 -0.4 -0.6; -0.9 0.3 -0.1 -0.1; 0.5 0.6 -0.4 0.4;"
    "0.5 0.8 0.8 -0.5; -0.9 -0.1 -0.5 0.2; -0.5 0.6 0.9 -0.5; 0.4 -0.7 0.6 0.5"
)
W_vocab = matrix("-0.5 -0.7 0.8 0.2; -0.5 0.4 -0.7 -0.1; 0.2 0.4 0.3 -0.5; 0.4 0.5 0.7 -0.9")

X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # for both heads at once: head, token, column
e = np.exp(Q @ K.swapaxes(1, 2) / np.sqrt(2))  # a query and a key have two entries
weights = e / e.sum(axis=2, keepdims=True)
joined = np.hstack(weights @ V)  # the context vectors of both heads, concatenated
attended = joined @ W_O
hidden = attended @ W_1 + b_1
activated = np.maximum(hidden, 0)
output = activated @ W_2 + b_2
last = output[-1]  # only the last token predicts
logits = last @ W_vocab
P = np.exp(logits) / np.exp(logits).sum()
loss = -np.log(P[target])

dlogits = P - np.eye(4)[target]  # the error vector: probability minus target
dW_vocab, dlast = np.outer(last, dlogits), dlogits @ W_vocab.T
doutput = np.array([np.zeros(4), dlast])  # the first token predicts nothing
dW_2, db_2, dactivated = activated.T @ doutput, doutput.sum(axis=0), doutput @ W_2.T
dhidden = dactivated * (hidden > 0)  # ReLU passes a gradient only where it passed a number
dW_1, db_1, dattended = attended.T @ dhidden, dhidden.sum(axis=0), dhidden @ W_1.T
dW_O, djoined = joined.T @ dattended, dattended @ W_O.T
dcontext = np.array(np.hsplit(djoined, 2))  # each head gets its own columns
dweights, dV = dcontext @ V.swapaxes(1, 2), weights.swapaxes(1, 2) @ dcontext
dscores = weights * (dweights - (dweights * weights).sum(axis=2, keepdims=True)) / np.sqrt(2)
dQ, dK = dscores @ K, dscores.swapaxes(1, 2) @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = sum((d @ W.swapaxes(1, 2)).sum(axis=0) for d, W in [(dQ, W_Q), (dK, W_K), (dV, W_V)])  # three paths, two heads
dE = np.zeros((4, 4))
np.add.at(dE, tokens, dX)  # added to the rows that were read; all others stay 0

E_new, W_vocab_new, W_O_new = E - rate * dE, W_vocab - rate * dW_vocab, W_O - rate * dW_O
(W_Q1_new, W_Q2_new), (W_K1_new, W_K2_new) = W_Q - rate * dW_Q, W_K - rate * dW_K
(W_V1_new, W_V2_new), W_1_new, b_1_new = W_V - rate * dW_V, W_1 - rate * dW_1, b_1 - rate * db_1
W_2_new, b_2_new = W_2 - rate * dW_2, b_2 - rate * db_2
print("probabilities", P.round(4), "loss", loss.round(4), "gradient of E", dE.round(4), sep="\n")
