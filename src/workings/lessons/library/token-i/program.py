"""Self-attention for both tokens with a residual, forward and backward, in plain NumPy."""

import numpy as np

tame = 0.001  # 1 gives the document's own queries, whose softmax is 0 and 1
X = np.array([[6.0, 1.0, 4.0, 4.0], [8.0, 4.0, 6.0, 3.0]])
W_Q = tame * np.array([[1.0, 4.0, 3.0, 1.0], [1.0, 1.0, 3.0, 2.0], [3.0, 4.0, 4.0, 3.0], [1.0, 2.0, 2.0, 2.0]])
W_K = np.array([[2.0, 1.0, 2.0, 1.0], [4.0, 1.0, 4.0, 2.0], [3.0, 4.0, 4.0, 1.0], [3.0, 4.0, 1.0, 2.0]])
W_V = np.array([[4.0, 2.0, 4.0, 4.0], [3.0, 4.0, 1.0, 2.0], [2.0, 2.0, 4.0, 1.0], [4.0, 3.0, 1.0, 4.0]])
cotangent = np.array([[0.3, -0.7, 0.2, 0.5], [0.1, -0.6, 0.4, -0.2]])  # the upstream gradient


def forward(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T  # row i: the query of token i with every key
    scaled = scores / np.sqrt(4)  # a query and a key have four entries
    e = np.exp(scaled - scaled.max(axis=1, keepdims=True))  # without this, exp of a thousand overflows
    weights = e / e.sum(axis=1, keepdims=True)
    context = weights @ V
    residual = X + context  # the token keeps its own embedding
    return Q, K, V, scores, scaled, weights, context, residual


Q, K, V, scores, scaled, weights, context, residual = forward(X, W_Q, W_K, W_V)

# Backward pass: there is no loss, so it starts from an upstream gradient (a cotangent).
dresidual = cotangent
dcontext = dresidual  # a sum passes its gradient to both terms
dweights, dV = dcontext @ V.T, weights.T @ dcontext
dscaled = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))  # 0 where a weight is 0 or 1
dscores = dscaled / np.sqrt(4)
dQ, dK = dscores @ K, dscores.T @ Q
dW_Q, dW_K, dW_V = X.T @ dQ, X.T @ dK, X.T @ dV
dX = dresidual + dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T  # X was used four times

nudged = W_Q.copy()
nudged[1, 2] += 1e-6
slope = (cotangent * (forward(X, nudged, W_K, W_V)[-1] - residual)).sum() / 1e-6
print("weights", weights.round(4).tolist())
print("residual", residual.round(3).tolist())
print("dW_Q[1][2]", dW_Q[1, 2].round(3), "by nudging", slope.round(3))
