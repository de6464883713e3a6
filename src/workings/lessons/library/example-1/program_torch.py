"""Which word follows "A B"? The forward pass in PyTorch, with its own attention."""

import torch
from torch.nn.functional import embedding, scaled_dot_product_attention

torch.set_default_dtype(torch.float64)

tokens = torch.tensor([0, 1])  # "A B"

# The given matrices. E has one row for each of A, B, C and D; W_vocab has one column.
E = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
W_Q = 0.1 * torch.eye(2)
W_K = 0.1 * torch.eye(2)
W_V = 0.1 * torch.eye(2)
W_vocab = torch.tensor([[0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]])

X = embedding(tokens, E)
Q = X @ W_Q
K = X @ W_K
V = X @ W_V
context = scaled_dot_product_attention(Q, K, V)  # scores, scaling, softmax and sum in one call
logits = context[-1] @ W_vocab  # the last token predicts
P = logits.softmax(dim=-1)

print("context", context, sep="\n")
print("P", P)
