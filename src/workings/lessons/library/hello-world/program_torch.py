"""hello world: forward, backward by autograd and one update down to the embeddings, in PyTorch."""

import torch


def matrix(rows):
    numbers = [[float(number) for number in row.split()] for row in rows.split(";")]
    return torch.tensor(numbers, dtype=torch.float64)


tokens, target, rate = torch.tensor([0, 1]), torch.tensor(3), 0.1  # hello world -> welcome
E, b_1, b_2 = matrix("1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1"), matrix("0 0 0 0 0 0 0 0")[0], matrix("0 0 0 0")[0]
W_Q = torch.stack([matrix("-0.6 -0.3; 0.5 0.8; 0.1 -0.1; -0.4 0"), matrix("0.9 -0.4; 0.1 0.1; 0 -0.7; -0.2 0.5")])
W_K = torch.stack([matrix("-0.9 0.1; 0.3 -0.8; -0.2 0.1; 0.4 -0.2"), matrix("-0.1 0.6; 0.5 -0.2; -0.2 0.1; 0 -0.7")])
W_V = torch.stack([matrix("0.8 -0.7; 0.7 -0.5; 0.1 0.6; 0 -0.4"), matrix("-0.1 -0.1; -0.8 0.5; 0 0.2; -0.3 0.1")])
W_O = matrix("0.1 0.5 0.2 0; 0.9 -0.3 0.3 -0.7; 0.2 -0.8 -0.2 -0.4; 0.9 -0.2 -0.3 -0.8")
W_1 = matrix(
    "0.4 -0.8 -0.2 -0.2 0.6 -0.5 -0.1 0.9; 0.6 0.1 -0.8 0.8 -0.1 -0.4 -0.8 -0.5;"
    "0.9 0.1 -0.2 0 0.6 -0.5 -0.7 0.9; -0.6 0.3 0.1 -0.7 0 -0.4 0.8 -0.3"
)
W_2 = matrix(
    "-0.3 0.6 0 -0.7; 0.5 -0.6 -0.4 -0.6; -0.9 0.3 -0.1 -0.1; 0.5 0.6 -0.4 0.4;"
    "0.5 0.8 0.8 -0.5; -0.9 -0.1 -0.5 0.2; -0.5 0.6 0.9 -0.5; 0.4 -0.7 0.6 0.5"
)
W_vocab = matrix("-0.5 -0.7 0.8 0.2; -0.5 0.4 -0.7 -0.1; 0.2 0.4 0.3 -0.5; 0.4 0.5 0.7 -0.9")


def forward(E, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, W_vocab):
    X = E[tokens]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # for both heads at once: head, token, column
    weights = torch.softmax(Q @ K.mT / 2**0.5, dim=2)  # a query and a key have two entries
    joined = torch.hstack(list(weights @ V))  # the context vectors of both heads, concatenated
    hidden = joined @ W_O @ W_1 + b_1
    last = (torch.relu(hidden) @ W_2 + b_2)[-1]  # only the last token predicts
    logits = last @ W_vocab
    return weights, joined, last, logits, torch.nn.functional.cross_entropy(logits, target)


learned = [E, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, W_vocab]
for weight in learned:
    weight.requires_grad_()
(weights1, weights2), joined, last, logits, loss = forward(*learned)
P = torch.softmax(logits, dim=0)
loss.backward()
dE, dW_Q, dW_K, dW_V, dW_O, dW_1, db_1, dW_2, db_2, dW_vocab = (weight.grad for weight in learned)
(dW_Q1, dW_Q2), (dW_K1, dW_K2), (dW_V1, dW_V2) = dW_Q, dW_K, dW_V

with torch.no_grad():  # the update itself is not differentiated
    updated = [weight - rate * weight.grad for weight in learned]
    E_new, W_vocab_new = updated[0], updated[-1]
    loss_after = forward(*updated)[-1]
print("probabilities", P.detach(), "loss", loss.item(), "after the update", loss_after.item())
print("gradient of E", dE)
