"""The same with PyTorch's own Adam."""

import torch

torch.set_default_dtype(torch.float64)
bottom, steep = torch.tensor([[1.0, 0.5]]), torch.tensor([[0.05, 2.0]])
w = torch.tensor([[-5.0, 2.0]], requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.5)  # its betas and its epsilon are the usual ones
for t in range(1, 4):
    loss = (steep * (w - bottom) ** 2).sum()
    optimizer.zero_grad()  # otherwise the new gradient is added to the old one
    loss.backward()
    optimizer.step()
    print("step", t, "loss", loss.item(), "w", w.tolist())

w_new, dw = w.detach(), w.grad
m, v = optimizer.state[w]["exp_avg"], optimizer.state[w]["exp_avg_sq"]
