"""Example 6 in PyTorch: two blocks of width four with two heads; autograd finds the gradients."""

from types import SimpleNamespace

import torch

torch.set_default_dtype(torch.float64)


def tenths(rows):
    return torch.tensor([[int(entry) / 10 for entry in row.split()] for row in rows.split("/")], requires_grad=True)


E = tenths("3 5 0 9 / 7 5 5 -6 / 0 -4 -1 2 / 0 -7 -5 -6")
W_vocab = tenths("3 1 -7 -3 / -2 7 -8 -4 / -1 -9 6 2 / 5 2 -1 6")
block1 = SimpleNamespace(
    W_Q=tenths("-5 -5 -4 2 / -4 -3 -4 5 / -3 7 -9 2 / -6 -8 7 7"),
    W_K=tenths("5 5 -5 5 / 9 5 -6 3 / 5 3 -4 -9 / 2 -4 8 -8"),
    W_V=tenths("-6 7 -5 1 / -2 -2 9 1 / 6 4 7 5 / 6 -1 7 -5"),
    W_O=tenths("6 1 5 1 / 6 3 -7 1 / 1 -7 7 0 / 4 9 0 -6"),
    W_1=tenths("-7 9 -7 0 -5 / -1 -5 6 5 -1 / 0 0 1 -6 0 / 0 4 6 -3 -8"),
    W_2=tenths("0 -1 -1 -2 / -9 7 -9 -6 / 3 7 2 6 / -6 -4 8 6 / 3 -8 0 -4"),
)
block2 = SimpleNamespace(
    W_Q=tenths("-9 -9 3 -5 / 3 -6 1 -8 / -8 8 -7 7 / 5 0 0 1"),
    W_K=tenths("2 -7 6 7 / 6 -4 -8 1 / -1 -8 6 2 / -8 3 7 7"),
    W_V=tenths("-1 9 -5 8 / -4 0 9 -5 / 3 1 7 1 / 5 -7 3 7"),
    W_O=tenths("0 -5 1 8 / -7 -1 8 -4 / -1 6 6 -8 / -4 -7 -7 -2"),
    W_1=tenths("2 -9 6 9 4 / 1 5 -7 3 -4 / 1 0 5 4 3 / 6 0 8 3 -8"),
    W_2=tenths("-2 -9 0 -4 / 8 2 8 7 / -3 -9 8 -9 / 8 -2 9 4 / -3 -8 5 -6"),
)
names = [*vars(block1), "b_1", "b_2", "gamma_a", "beta_a", "gamma_f", "beta_f"]  # _a: attention, _f: feed-forward
start = {"b_1": torch.zeros(5), "b_2": torch.zeros(4), "gamma_a": torch.ones(4), "beta_a": torch.zeros(4)}
start |= {"gamma_f": torch.ones(4), "beta_f": torch.zeros(4)}
for b in (block1, block2):
    for name, value in start.items():
        setattr(b, name, value.clone().requires_grad_())
tokens, target, rate = torch.tensor([0, 1]), torch.tensor(2), 0.1


def split(x):
    """Two heads: token x 4 becomes head x token x 2."""
    return x.reshape(-1, 2, 2).swapaxes(0, 1)


x = E[tokens]  # the residual stream
for b in (block1, block2):
    b.normed_a = torch.nn.functional.layer_norm(x, [4], b.gamma_a, b.beta_a, eps=1e-6)
    b.Q, b.K, b.V = b.normed_a @ b.W_Q, b.normed_a @ b.W_K, b.normed_a @ b.W_V
    b.scaled = split(b.Q) @ split(b.K).swapaxes(1, 2) / 2**0.5
    b.weights = torch.softmax(b.scaled, dim=2)
    b.joined = (b.weights @ split(b.V)).swapaxes(0, 1).reshape(-1, 4)
    x = x + b.joined @ b.W_O  # the first residual connection
    b.normed_f = torch.nn.functional.layer_norm(x, [4], b.gamma_f, b.beta_f, eps=1e-6)
    b.hidden = b.normed_f @ b.W_1 + b.b_1
    b.activated = torch.relu(b.hidden)
    b.output = b.activated @ b.W_2 + b.b_2
    x = x + b.output  # the second residual connection
logits = x[-1] @ W_vocab
P = torch.softmax(logits, dim=0)
loss = torch.nn.functional.cross_entropy(logits, target)

loss.backward()

dE, dW_vocab = E.grad, W_vocab.grad
with torch.no_grad():
    W_vocab_new = W_vocab - rate * dW_vocab
    for b in (block1, block2):
        for name in names:
            weight = getattr(b, name)
            setattr(b, f"d{name}", weight.grad)
            setattr(b, f"{name}_new", weight - rate * weight.grad)
print("P", P.data, "loss", loss.item(), "dW_V", block1.dW_V, block2.dW_V, sep="\n")
