"""The cat sleeps: forward, backward by autograd and one update, in PyTorch."""

import torch


def learned(*rows):
    return torch.tensor(rows, dtype=torch.float64, requires_grad=True)


labels = torch.tensor([[1.0], [0.0], [0.0]], dtype=torch.float64)  # yes for the first token, no for the others
X = learned([0.1, 0.3, 0.5, 0.2, 0.0], [0.6, 0.7, 0.2, 0.1, 0.3], [0.4, 0.2, 0.6, 0.5, 0.1])
W_Q = learned([0.2, 0.1, 0.0], [0.0, 0.3, 0.2], [0.1, 0.0, 0.4], [0.3, 0.2, 0.1], [0.0, 0.2, 0.3])
W_K = learned([0.1, 0.0, 0.3], [0.2, 0.1, 0.0], [0.3, 0.2, 0.1], [0.1, 0.0, 0.2], [0.0, 0.3, 0.1])
W_V = learned([0.2, 0.0, 0.1], [0.0, 0.3, 0.2], [0.1, 0.2, 0.3], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2])
W_1, b_1 = learned([0.1, 0.2, 0.1], [0.2, 0.1, 0.3], [0.3, 0.2, 0.1]), learned(0.0, 0.0, 0.0)
W_2, b_2 = learned([0.4], [0.3], [0.2]), learned(0.0)

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / 3**0.5  # a query and a key have three entries
weights = torch.softmax(scaled, dim=1)
O = weights @ V
hidden = O @ W_1 + b_1
H = torch.relu(hidden)
z = H @ W_2 + b_2
y = torch.sigmoid(z)
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, labels, reduction="sum")

steps = (Q, K, V, scores, scaled, weights, O, hidden, H, z)
for step in steps:
    step.retain_grad()  # otherwise only the leaves keep their gradients
loss.backward()
dQ, dK, dV, dscores, dscaled, dweights, dO, dhidden, dH, dz = (step.grad for step in steps)
dX, dW_Q, dW_K, dW_V = X.grad, W_Q.grad, W_K.grad, W_V.grad
dW_1, db_1, dW_2, db_2 = W_1.grad, b_1.grad, W_2.grad, b_2.grad

rate = 0.1
with torch.no_grad():  # the update itself is not differentiated
    X_new, W_Q_new, W_K_new, W_V_new = X - rate * dX, W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
    W_1_new, b_1_new, W_2_new, b_2_new = W_1 - rate * dW_1, b_1 - rate * db_1, W_2 - rate * dW_2, b_2 - rate * db_2
print("y", y.detach().ravel(), "loss", loss.item())
print("dW_V[2][0]", dW_V[2, 0].item())
