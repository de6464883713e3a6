"""What follows "A B"? The forward pass in PyTorch; autograd finds the way back by itself."""

import torch

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], requires_grad=True)  # rows A, B, C, D
W_Q, W_K, W_V = ((0.1 * torch.eye(2)).requires_grad_() for _ in range(3))
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]], requires_grad=True)
tokens, target = torch.tensor([0, 1]), torch.tensor(2)  # "A B", and then C

# Forward, with the functions that programs use.
X = torch.nn.functional.embedding(tokens, E)
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / 2**0.5  # the root of the head size
weights = scaled.softmax(dim=-1)
context = weights @ V
last = context[-1]  # only the last token is asked what comes next
logits = last @ W_vocab
P = logits.softmax(dim=-1)
loss = torch.nn.functional.cross_entropy(logits, target)  # takes logits: the softmax is inside

# Backward: PyTorch keeps gradients of what stands between weights and loss only if it is asked to.
between = (X, Q, K, V, scores, scaled, weights, context, last, logits)
for value in between:
    value.retain_grad()
loss.backward()
dX, dQ, dK, dV, dscores, dscaled, dweights, dcontext, dlast, dlogits = (value.grad for value in between)
dE, dW_Q, dW_K, dW_V, dW_vocab = (weight.grad for weight in (E, W_Q, W_K, W_V, W_vocab))

print("weights", weights.detach(), sep="\n")
print("P      ", P.detach())
print("loss   ", loss.item())
print("dE", dE, sep="\n")
