"""Example 6 in PyTorch: two blocks; autograd finds the gradients."""

from types import SimpleNamespace

import torch

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], requires_grad=True)
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]], requires_grad=True)
tenth, mix = 0.1 * torch.eye(2), torch.tensor([[0.2, 0.1], [0.1, 0.2]])
ones, zeros = torch.ones(2), torch.zeros(2)
start = {"W_Q": tenth, "W_K": tenth, "W_V": tenth}
start |= {"W_1": mix, "b_1": zeros, "W_2": mix, "b_2": zeros}
start |= {"gamma_a": ones, "beta_a": zeros}  # of attention
start |= {"gamma_f": ones, "beta_f": zeros}  # of feed-forward
tokens, target, rate = torch.tensor([0, 1]), torch.tensor(2), 0.1

block1, block2 = SimpleNamespace(), SimpleNamespace()  # numbers by name
for b in (block1, block2):
    vars(b).update({name: value.clone().requires_grad_() for name, value in start.items()})

x = E[tokens]
for b in (block1, block2):
    b.normed_a = torch.nn.functional.layer_norm(x, [2], b.gamma_a, b.beta_a, eps=1e-6)
    b.Q, b.K, b.V = b.normed_a @ b.W_Q, b.normed_a @ b.W_K, b.normed_a @ b.W_V
    b.scaled = b.Q @ b.K.T / 2**0.5
    b.weights = torch.softmax(b.scaled, dim=1)
    b.context = b.weights @ b.V
    x = x + b.context
    b.normed_f = torch.nn.functional.layer_norm(x, [2], b.gamma_f, b.beta_f, eps=1e-6)
    b.hidden = b.normed_f @ b.W_1 + b.b_1
    b.activated = torch.relu(b.hidden)
    b.output = b.activated @ b.W_2 + b.b_2
    x = x + b.output
logits = x[-1] @ W_vocab
P = torch.softmax(logits, dim=0)
loss = torch.nn.functional.cross_entropy(logits, target)

loss.backward()

dE, dW_vocab = E.grad, W_vocab.grad
with torch.no_grad():
    W_vocab_new = W_vocab - rate * dW_vocab
    for b in (block1, block2):
        vars(b).update({f"d{name}": vars(b)[name].grad for name in start})
        vars(b).update({f"{name}_new": vars(b)[name] - rate * vars(b)[f"d{name}"] for name in start})
print("P", P.data, "loss", loss.item(), "dW_V", block1.dW_V, block2.dW_V, sep="\n")
