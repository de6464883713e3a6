"""Layer norm in plain NumPy: one row forward, and back."""

import numpy as np

x = np.array([[7.0, -1.0, 1.0, 1.0]])
gamma, beta = np.array([1.5, 0.5, 2.0, -1.0]), np.array([0.0, 1.0, -0.5, 0.5])
cotangent = np.array([[0.2, 0.6, -0.3, 0.9]])  # the upstream gradient
epsilon = 1e-6

# Forward: each row on its own, over its last axis.
average = x.mean(axis=-1, keepdims=True)
deviations = x - average
variance = (deviations**2).mean(axis=-1, keepdims=True)  # divided by n
root = np.sqrt(variance + epsilon)  # epsilon inside the root
normalised = deviations / root
normed = normalised * gamma + beta
total = (cotangent * normed).sum()

# Backward: all rows use the same gamma and beta, so their gradients are sums over the rows.
dbeta = cotangent.sum(axis=0)
dgamma = (cotangent * normalised).sum(axis=0)

# Backward: three terms reach x. The gradient itself, less its mean, less what only stretches the row.
arrives = cotangent * gamma
shift = arrives.mean(axis=-1, keepdims=True)
stretch = (arrives * normalised).mean(axis=-1, keepdims=True)
dx = (arrives - shift - normalised * stretch) / root
print("normed", normed, "dx", dx, "dgamma", dgamma, "dbeta", dbeta, sep="\n")
