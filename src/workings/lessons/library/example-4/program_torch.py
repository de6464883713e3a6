"""The same in PyTorch, which finds the gradients by itself (autograd)."""

import torch

torch.set_default_dtype(torch.float64)

E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
E.requires_grad_()
W_Q = (0.1 * torch.eye(2)).requires_grad_()
W_K = (0.1 * torch.eye(2)).requires_grad_()
W_V = (0.1 * torch.eye(2)).requires_grad_()
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])
W_vocab.requires_grad_()
tokens = torch.tensor([[0, 1], [0, 0], [1, 0]])  # A B, A A, B A
targets = torch.tensor([2, 3, 2])  # C, D, C
right = (torch.arange(3), targets)  # where the right answers are in P
rate = 0.1


def forward(W_Q, W_K, W_V, W_vocab):
    X = E[tokens]
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    weights = torch.softmax(Q @ K.transpose(1, 2) / 2**0.5, dim=-1)
    last = (weights @ V)[:, 1]  # only the last position predicts
    logits = last @ W_vocab
    # Cross-entropy of all examples, averaged.
    loss = torch.nn.functional.cross_entropy(logits, targets)
    return torch.softmax(logits, dim=-1), loss


# One epoch: forward for all, backward for all, and then one update.
start = (W_Q, W_K, W_V, W_vocab)
P, loss = forward(*start)
loss.backward()
dW_Q = W_Q.grad
dW_K = W_K.grad
dW_V = W_V.grad
dW_vocab = W_vocab.grad
dE = E.grad
W_vocab_new = W_vocab.detach() - rate * dW_vocab
loss_after = forward(W_Q, W_K, W_V, W_vocab_new)[-1]
print("loss before and after", loss.item(), loss_after.item())

# All weights, until each right answer has a probability above 0.95.
E.requires_grad_(False)  # the embeddings stay as they are
trained = [W.detach().clone().requires_grad_() for W in start]
optimizer = torch.optim.SGD(trained, lr=rate)
epoch = 1
P_trained, loss_trained = forward(*trained)
while P_trained[right].min() <= 0.95:
    optimizer.zero_grad()  # otherwise the gradients of earlier epochs add up
    loss_trained.backward()
    optimizer.step()
    P_trained, loss_trained = forward(*trained)
    epoch += 1
print("epoch", epoch, "probabilities of the right answers", P_trained[right].tolist())
