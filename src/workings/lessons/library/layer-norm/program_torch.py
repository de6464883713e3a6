"""The same with PyTorch's own layer norm, which finds the gradients by itself."""

import torch

torch.set_default_dtype(torch.float64)
x = torch.tensor([[7.0, -1.0, 1.0, 1.0]], requires_grad=True)
norm = torch.nn.LayerNorm(4, eps=1e-6)
with torch.no_grad():
    norm.weight.copy_(torch.tensor([1.5, 0.5, 2.0, -1.0]))  # PyTorch calls gamma the weight
    norm.bias.copy_(torch.tensor([0.0, 1.0, -0.5, 0.5]))  # and beta the bias

normed = norm(x)
normed.backward(torch.tensor([[0.2, 0.6, -0.3, 0.9]]))
dx, dgamma, dbeta = x.grad, norm.weight.grad, norm.bias.grad
print("normed", normed, "dx", dx, "dgamma", dgamma, "dbeta", dbeta, sep="\n")
