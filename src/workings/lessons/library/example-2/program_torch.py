"""One step of training in PyTorch: only the output matrix learns."""

import torch
from torch.nn.functional import cross_entropy

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # one row for each of A, B, C, D
W_Q = W_K = W_V = 0.1 * torch.eye(2)  # fixed: no gradient is needed
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]], requires_grad=True)
tokens, target = torch.tensor([0, 1]), torch.tensor(2)  # "A B", and then C
rate = 0.1

# Forward pass, as in example 1.
X = E[tokens]
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
scores = Q @ K.T
scaled = scores / 2**0.5
weights = scaled.softmax(dim=-1)
context = weights @ V
last = context[-1]
logits = last @ W_vocab
P = logits.softmax(dim=-1)
loss = cross_entropy(logits, target)  # takes logits: the softmax is inside

# Backward pass. PyTorch keeps the gradient of the logits only if we ask.
logits.retain_grad()
loss.backward()
dlogits = logits.grad
dW_vocab = W_vocab.grad

# Update, then a second forward pass. No gradient is needed here, so nothing is recorded.
with torch.no_grad():
    W_vocab_new = W_vocab - rate * dW_vocab  # what torch.optim.SGD does, in place
    logits_after = last @ W_vocab_new
    P_after = logits_after.softmax(dim=-1)
    loss_after = cross_entropy(logits_after, target)

print("W_vocab_new", W_vocab_new, sep="\n")
print("P(C) before", P[target].item(), "after", P_after[target].item())
print("loss before", loss.item(), "after", loss_after.item())
