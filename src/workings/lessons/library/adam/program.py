"""Adam in plain NumPy: three steps down a valley."""

import numpy as np

bottom, steep = np.array([[1.0, 0.5]]), np.array([[0.05, 2.0]])
w = np.array([[-5.0, 2.0]])
rate, beta1, beta2, epsilon = 0.5, 0.9, 0.999, 1e-8

m = v = np.zeros_like(w)  # what Adam remembers for each weight
history = []
for t in range(1, 4):  # t counts from 1
    away = w - bottom
    loss = (steep * away**2).sum()
    dw = 2 * steep * away
    m = beta1 * m + (1 - beta1) * dw  # the running mean of the gradient
    v = beta2 * v + (1 - beta2) * dw**2  # and of its square
    m_hat = m / (1 - beta1**t)  # bias correction: both started at zero
    v_hat = v / (1 - beta2**t)
    direction = m_hat / (np.sqrt(v_hat) + epsilon)
    w = w - rate * direction
    history.append({"loss": loss, "dw": dw, "m": m, "v": v, "direction": direction, "w_new": w})
    print("step", t, "loss", loss, "direction", direction, "w", w)

first, second, third = history
