"""A small encoder block: width 4, two heads, hidden 8. Which word follows "The cat sat"? One training step."""

import numpy as np


def tenths(text):
    return np.array([row.split() for row in text.split(";")], dtype=float) / 10


E = tenths("-3 7 -8 4; -3 7 9 3; 6 -4 4 -4; -3 -9 -2 -8; 9 -2 7 -4; -6 3 6 -8")  # rows: The cat sat on the mat
W_Q, W_K = tenths("6 5 1 -4; -5 2 -6 2; -6 8 9 -2; 1 -6 -9 8"), tenths("6 -2 -3 -5; -3 -8 1 7; 0 -7 2 -4; 3 0 -8 5")
W_V, W_O = tenths("-8 -9 6 2; 2 -9 0 6; -8 5 -9 -8; -3 -8 1 2"), tenths("1 5 2 0; 9 -3 3 -7; 2 -8 -2 -4; 9 -2 -3 -8")
W_1 = tenths("4 -8 -2 -2 6 -5 -1 9; 6 1 -8 8 -1 -4 -8 -5; 9 1 -2 0 6 -5 -7 9; -6 3 1 -7 0 -4 8 -3")
W_2 = tenths("-3 6 0 -7; 5 -6 -4 -6; -9 3 -1 -1; 5 6 -4 4; 5 8 8 -5; -9 -1 -5 2; -5 6 9 -5; 4 -7 6 5")
W_vocab = tenths("-5 -7 8 2 -5 4; -7 -1 2 4 3 -5; 4 5 7 -9 4 -5; -9 -7 8 -7 7 -6")
center = np.eye(4) - 1 / 4  # multiplying a row by this subtracts its mean
# Forward. Every gamma starts as 1, every beta and bias as 0. They change nothing yet, so they are left out.
angles = np.arange(3)[:, None] / 10000 ** (np.array([0, 0, 2, 2]) / 4)
X = E[[0, 1, 2]] + np.where([True, False, True, False], np.sin(angles), np.cos(angles))
sigma_1 = np.sqrt(X.var(axis=1, keepdims=True) + 1e-6)
normed_1 = X @ center / sigma_1
Q_heads, K_heads, V_heads = ((normed_1 @ W).reshape(3, 2, 2).swapaxes(0, 1) for W in (W_Q, W_K, W_V))
scores = Q_heads @ K_heads.swapaxes(1, 2)  # each head has two columns of its own
masked = np.where(np.tri(3) > 0, scores / np.sqrt(2), -np.inf)  # the causal mask
powers = np.exp(masked - masked.max(axis=2, keepdims=True))
weights = powers / powers.sum(axis=2, keepdims=True)
joined = (weights @ V_heads).swapaxes(0, 1).reshape(3, 4)  # the heads side by side
residual_1 = X + joined @ W_O
sigma_2 = np.sqrt(residual_1.var(axis=1, keepdims=True) + 1e-6)
normed_2 = residual_1 @ center / sigma_2
hidden = normed_2 @ W_1
activated = np.maximum(hidden, 0)
residual_2 = residual_1 + activated @ W_2
logits = residual_2[2] @ W_vocab  # only the last position predicts
P = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
loss = -np.log(P[3])  # "on" has index 3
# Backward: the same lines in reverse. Where a value was used twice, its gradients are added.
dlogits = P - np.eye(6)[3]
dW_vocab = np.outer(residual_2[2], dlogits)
dresidual_2 = np.outer([0, 0, 1], W_vocab @ dlogits)
dW_2, db_2 = activated.T @ dresidual_2, dresidual_2.sum(axis=0)
dhidden = dresidual_2 @ W_2.T * (hidden > 0)  # ReLU blocks the gradient where its output was 0
dW_1, db_1 = normed_2.T @ dhidden, dhidden.sum(axis=0)
dnormed_2 = dhidden @ W_1.T
dgamma_2, dbeta_2 = (dnormed_2 * normed_2).sum(axis=0), dnormed_2.sum(axis=0)
dresidual_1 = dresidual_2 + (dnormed_2 - normed_2 * (dnormed_2 * normed_2).mean(1, keepdims=True)) @ center / sigma_2
dW_O, dcontext = joined.T @ dresidual_1, (dresidual_1 @ W_O.T).reshape(3, 2, 2).swapaxes(0, 1)
dweights, dV_heads = dcontext @ V_heads.swapaxes(1, 2), weights.swapaxes(1, 2) @ dcontext
dscores = weights * (dweights - (dweights * weights).sum(axis=2, keepdims=True)) / np.sqrt(2)
dQ_heads, dK_heads = dscores @ K_heads, dscores.swapaxes(1, 2) @ Q_heads
dQ, dK, dV = (d.swapaxes(0, 1).reshape(3, 4) for d in (dQ_heads, dK_heads, dV_heads))
dW_Q, dW_K, dW_V = normed_1.T @ dQ, normed_1.T @ dK, normed_1.T @ dV
dnormed_1 = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T
dgamma_1, dbeta_1 = (dnormed_1 * normed_1).sum(axis=0), dnormed_1.sum(axis=0)
dX = dresidual_1 + (dnormed_1 - normed_1 * (dnormed_1 * normed_1).mean(1, keepdims=True)) @ center / sigma_1
dE = np.eye(6)[:, :3] @ dX  # rows of tokens that were not read stay at 0
# Update with learning rate 0.1; gammas, betas and biases are updated in the same way.
E_new, W_vocab_new, W_1_new, W_2_new = E - 0.1 * dE, W_vocab - 0.1 * dW_vocab, W_1 - 0.1 * dW_1, W_2 - 0.1 * dW_2
W_Q_new, W_K_new, W_V_new, W_O_new = W_Q - 0.1 * dW_Q, W_K - 0.1 * dW_K, W_V - 0.1 * dW_V, W_O - 0.1 * dW_O
print("P of 'on':", P[3], "loss:", loss, "dE:", dE, sep="\n")
