"""The same in PyTorch, which finds the gradients by itself (autograd)."""

import torch

torch.set_default_dtype(torch.float64)

# The model reads A B; C should come next.
E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_Q, W_K, W_V = (0.1 * torch.eye(2) for _ in range(3))
W_1 = torch.tensor([[0.2, 0.1], [0.1, 0.2]])
W_2 = W_1.clone()
b_1, b_2 = torch.zeros(2), torch.zeros(2)
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
tokens = torch.tensor([0, 1])
target = torch.tensor(2)
rate = 0.1
for tensor in (E, W_Q, W_K, W_V, W_1, b_1, W_2, b_2, W_vocab):
    tensor.requires_grad_()

X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / 2**0.5
weights = torch.softmax(scaled, dim=1)
context = weights @ V
hidden = context @ W_1 + b_1
activated = torch.relu(hidden)
output = activated @ W_2 + b_2
residual = context + output
last = residual[-1]
logits = last @ W_vocab
P = torch.softmax(logits, dim=0)
loss = torch.nn.functional.cross_entropy(logits, target)

# Intermediate values keep their gradients only on request.
intermediate = X, Q, K, V, scores, scaled, weights, context, hidden, activated, residual, logits
for tensor in intermediate:
    tensor.retain_grad()
loss.backward()

dlogits, dresidual = logits.grad, residual.grad
dactivated, dhidden, dcontext = activated.grad, hidden.grad, context.grad
dweights, dscaled, dscores = weights.grad, scaled.grad, scores.grad
dQ, dK, dV, dX, dE = Q.grad, K.grad, V.grad, X.grad, E.grad
dW_Q, dW_K, dW_V, dW_vocab = W_Q.grad, W_K.grad, W_V.grad, W_vocab.grad
dW_1, db_1, dW_2, db_2 = W_1.grad, b_1.grad, W_2.grad, b_2.grad

with torch.no_grad():
    W_Q_new, W_K_new, W_V_new = W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
    W_1_new, b_1_new = W_1 - rate * dW_1, b_1 - rate * db_1
    W_2_new, b_2_new = W_2 - rate * dW_2, b_2 - rate * db_2
    W_vocab_new = W_vocab - rate * dW_vocab
print("residual", residual.data, "P", P.data, "loss", loss.item(), "dW_1", dW_1, sep="\n")
