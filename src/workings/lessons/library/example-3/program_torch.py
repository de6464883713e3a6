"""One step of training with all weights in PyTorch: autograd writes the backward pass."""

import torch
from torch.nn.functional import cross_entropy

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], requires_grad=True)  # rows A, B, C, D
W_Q, W_K, W_V = ((0.1 * torch.eye(2)).requires_grad_() for _ in range(3))
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]], requires_grad=True)
tokens, target = torch.tensor([0, 1]), torch.tensor(2)  # "A B", and then C
rate = 0.1

# Forward pass, line by line, so that every activation has a name.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / 2**0.5
weights = scaled.softmax(dim=-1)
context = weights @ V
last = context[-1]
logits = last @ W_vocab
P = logits.softmax(dim=-1)
loss = cross_entropy(logits, target)

# Backward pass: one call. PyTorch keeps the gradients of activations only if we ask.
activations = (X, Q, K, V, scores, scaled, weights, context, last, logits)
for value in activations:
    value.retain_grad()
loss.backward()
dX, dQ, dK, dV, dscores, dscaled, dweights, dcontext, dlast, dlogits = (value.grad for value in activations)
dE, dW_Q, dW_K, dW_V, dW_vocab = (weight.grad for weight in (E, W_Q, W_K, W_V, W_vocab))

# Update, then a second forward pass with PyTorch's own attention: it gives the same.
with torch.no_grad():
    W_Q_new, W_K_new, W_V_new = W_Q - rate * dW_Q, W_K - rate * dW_K, W_V - rate * dW_V
    W_vocab_new = W_vocab - rate * dW_vocab  # E has a gradient too, but is not trained
    context_after = torch.nn.functional.scaled_dot_product_attention(X @ W_Q_new, X @ W_K_new, X @ W_V_new)
    logits_after = context_after[-1] @ W_vocab_new
    P_after = logits_after.softmax(dim=-1)
    loss_after = cross_entropy(logits_after, target)

print("dW_Q", dW_Q, "dW_K", dW_K, "dW_V", dW_V, "dE", dE, sep="\n")
print("loss before", loss.item(), "after", loss_after.item())
