"""Three patterns, one set of weights, in PyTorch: autograd finds the way back by itself."""

import torch

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], requires_grad=True)
W_Q, W_K, W_V = ((0.1 * torch.eye(2)).requires_grad_() for _ in range(3))
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]], requires_grad=True)
tokens = torch.tensor([[0, 1], [0, 0], [1, 0]])  # A B, A A, B A: the first axis of every tensor counts the examples
targets = torch.tensor([2, 3, 2])  # C, D, C
right = (torch.arange(3), targets)  # where the shares of the right answers stand in P
rate = 0.1


def forward(W_Q, W_K, W_V, W_vocab):
    X = E[tokens]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = torch.softmax(Q @ K.transpose(1, 2) / 2**0.5, dim=-1)
    last = (weights @ V)[:, 1]  # only the last token answers
    logits = last @ W_vocab
    loss = torch.nn.functional.cross_entropy(logits, targets)  # averages over the examples
    return X, Q, K, V, weights, last, torch.softmax(logits, dim=-1), loss


# One epoch: forward for all examples, backward for all, and then one update.
X, Q, K, V, weights, last, P, loss = forward(W_Q, W_K, W_V, W_vocab)
loss.backward()
dW_Q, dW_K, dW_V, dW_vocab, dE = W_Q.grad, W_K.grad, W_V.grad, W_vocab.grad, E.grad
W_vocab_new = W_vocab.detach() - rate * dW_vocab
loss_after = forward(W_Q, W_K, W_V, W_vocab_new)[-1]
print(f"loss before {loss:.6f}, after one update of W_vocab {loss_after:.6f}")

# Many epochs with all weights, until each right answer has a share above 0.95.
E.requires_grad_(False)  # the embeddings stay as they are
trained = [W.detach().clone().requires_grad_() for W in (W_Q, W_K, W_V, W_vocab)]
optimiser = torch.optim.SGD(trained, lr=rate)
epoch = 1
*_, P_trained, loss_trained = forward(*trained)
while P_trained[right].min() <= 0.95:
    optimiser.zero_grad()  # gradients are added up: without this line, those of old epochs would stay
    loss_trained.backward()
    optimiser.step()
    *_, P_trained, loss_trained = forward(*trained)
    epoch += 1
print(f"epoch {epoch}: shares of the right answers {P_trained[right].detach().numpy().round(4)}")
