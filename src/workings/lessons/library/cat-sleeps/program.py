"""The cat sleeps: forward, backward and one update, in plain NumPy."""

import numpy as np

labels = np.array([[1.0], [0.0], [0.0]])  # yes for the first token, no for the others
X = np.array([[0.1, 0.3, 0.5, 0.2, 0.0], [0.6, 0.7, 0.2, 0.1, 0.3], [0.4, 0.2, 0.6, 0.5, 0.1]])
W_Q = np.array([[0.2, 0.1, 0.0], [0.0, 0.3, 0.2], [0.1, 0.0, 0.4], [0.3, 0.2, 0.1], [0.0, 0.2, 0.3]])
W_K = np.array([[0.1, 0.0, 0.3], [0.2, 0.1, 0.0], [0.3, 0.2, 0.1], [0.1, 0.0, 0.2], [0.0, 0.3, 0.1]])
W_V = np.array([[0.2, 0.0, 0.1], [0.0, 0.3, 0.2], [0.1, 0.2, 0.3], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2]])
W_1, b_1 = np.array([[0.1, 0.2, 0.1], [0.2, 0.1, 0.3], [0.3, 0.2, 0.1]]), np.zeros(3)
W_2, b_2 = np.array([[0.4], [0.3], [0.2]]), np.zeros(1)


def forward(X, W_Q, W_K, W_V, W_1, b_1, W_2, b_2):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / np.sqrt(3)  # a query and a key have three entries
    e = np.exp(scaled - scaled.max(axis=1, keepdims=True))  # the largest exponent is 0: nothing overflows
    weights = e / e.sum(axis=1, keepdims=True)  # each row: one query's attention weights
    O = weights @ V
    hidden = O @ W_1 + b_1
    H = np.maximum(hidden, 0)
    z = H @ W_2 + b_2
    y = 1 / (1 + np.exp(-z))
    loss = -(labels * np.log(y) + (1 - labels) * np.log(1 - y)).sum()  # the sum; .mean() is the other choice
    return Q, K, V, scores, scaled, weights, O, hidden, H, z, y, loss


Q, K, V, scores, scaled, weights, O, hidden, H, z, y, loss = forward(X, W_Q, W_K, W_V, W_1, b_1, W_2, b_2)

# Backward pass: the same lines in reverse order.
dz = y - labels  # sigmoid and cross-entropy together
dW_2, db_2 = H.T @ dz, dz.sum(axis=0)
dH = dz @ W_2.T
dhidden = dH * (hidden > 0)  # ReLU passes a gradient only where it passed a number
dW_1, db_1 = O.T @ dhidden, dhidden.sum(axis=0)
dO = dhidden @ W_1.T
dweights, dV = dO @ V.T, weights.T @ dO
dscaled = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))
dscores = dscaled / np.sqrt(3)
dQ, dK = dscores @ K, dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T  # X was used three times: the gradients add up

rate = 0.1
X_new, W_Q_new, W_K_new, W_V_new = X - rate * dX, W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
W_1_new, b_1_new, W_2_new, b_2_new = W_1 - rate * dW_1, b_1 - rate * db_1, W_2 - rate * dW_2, b_2 - rate * db_2
loss_after = forward(X_new, W_Q_new, W_K_new, W_V_new, W_1_new, b_1_new, W_2_new, b_2_new)[-1]

nudged = W_V.copy()
nudged[2, 0] += 1e-6  # the gradient predicts how much the loss changes
slope = (forward(X, W_Q, W_K, nudged, W_1, b_1, W_2, b_2)[-1] - loss) / 1e-6
print("y", y.ravel().round(4), "loss", loss.round(4), "after the update", loss_after.round(4))
print("dW_V[2][0]", dW_V[2, 0].round(4), "by nudging", slope.round(4))
