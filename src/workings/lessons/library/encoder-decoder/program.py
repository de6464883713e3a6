"""Cross-attention in plain NumPy: two rows of a decoder ask three rows of an encoder, forward and back."""

import numpy as np

memory = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])  # what the encoder made of three words
written = np.array([[1.0, 1.0], [2.0, -1.0]])  # two rows of the decoder
W_Q = np.array([[1.0, 0.0], [0.5, 1.0]])
W_K = np.array([[0.5, 1.0], [1.0, -0.5]])
W_V = np.array([[2.0, 0.0], [1.0, 1.0]])
cotangent = np.array([[0.5, -1.0], [1.0, 0.2]])  # how much each entry of the result counts

# Forward: the queries come from the decoder, keys and values from the encoder.
Q = written @ W_Q
K, V = memory @ W_K, memory @ W_V
scores = Q @ K.T  # a row for each written token, a column for each word that was read
scaled = scores / np.sqrt(2)
powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)  # no mask: all that was read may be seen
context = weights @ V
total = (cotangent * context).sum()

# Backward: what the queries get stays in the decoder, what keys and values get goes to the encoder.
dV = weights.T @ cotangent
dweights = cotangent @ V.T
dscaled = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))
dscores = dscaled / np.sqrt(2)
dQ, dK = dscores @ K, dscores.T @ Q
dwritten = dQ @ W_Q.T
dmemory = dK @ W_K.T + dV @ W_V.T
dW_Q, dW_K, dW_V = written.T @ dQ, memory.T @ dK, memory.T @ dV
print("weights", weights, "context", context, "dwritten", dwritten, "dmemory", dmemory, sep="\n")
