"""Self-attention for both tokens with a residual, backward by autograd, in PyTorch."""

import torch


def learned(rows):
    return torch.tensor(rows, dtype=torch.float64, requires_grad=True)


X = learned([[6, 1, 4, 4], [8, 4, 6, 3]])
tame = 0.001  # 1 gives the document's own queries, whose softmax is 0 and 1
W_Q = learned([[tame * entry for entry in row] for row in ([1, 4, 3, 1], [1, 1, 3, 2], [3, 4, 4, 3], [1, 2, 2, 2])])
W_K = learned([[2, 1, 2, 1], [4, 1, 4, 2], [3, 4, 4, 1], [3, 4, 1, 2]])
W_V = learned([[4, 2, 4, 4], [3, 4, 1, 2], [2, 2, 4, 1], [4, 3, 1, 4]])
cotangent = torch.tensor([[0.3, -0.7, 0.2, 0.5], [0.1, -0.6, 0.4, -0.2]], dtype=torch.float64)

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T  # row i: the query of token i with every key
scaled = scores / 4**0.5  # a query and a key have four entries
weights = torch.softmax(scaled, dim=1)
context = weights @ V
residual = X + context  # the token keeps its own embedding

steps = (Q, K, V, scores, scaled, weights, context)
for step in steps:
    step.retain_grad()  # otherwise only the leaves keep their gradients
residual.backward(cotangent)  # there is no loss: this is the upstream gradient
dQ, dK, dV, dscores, dscaled, dweights, dcontext = (step.grad for step in steps)
dX, dW_Q, dW_K, dW_V = X.grad, W_Q.grad, W_K.grad, W_V.grad

print("weights", weights.tolist())
print("residual", residual.tolist())
print("dW_Q[1][2]", dW_Q[1, 2].item())
