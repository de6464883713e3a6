"""Cross-attention in plain NumPy: two decoder positions attend to three encoder positions, forward and backward."""

import numpy as np

memory = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])  # the encoder's output for three words
states = np.array([[1.0, 1.0], [2.0, -1.0]])  # the decoder's hidden states of two tokens
W_Q = np.array([[1.0, 0.0], [0.5, 1.0]])
W_K = np.array([[0.5, 1.0], [1.0, -0.5]])
W_V = np.array([[2.0, 0.0], [1.0, 1.0]])
cotangent = np.array([[0.5, -1.0], [1.0, 0.2]])  # the upstream gradient

# Forward: the queries come from the decoder, keys and values from the encoder.
Q = states @ W_Q
K, V = memory @ W_K, memory @ W_V
scores = Q @ K.T  # one row per French token, one column per English word
scaled = scores / np.sqrt(2)
powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
weights = powers / powers.sum(axis=1, keepdims=True)  # no mask: the whole source sentence is known
context = weights @ V
total = (cotangent * context).sum()

# Backward: the gradient of the queries stays in the decoder, those of keys and values go to the encoder.
dV = weights.T @ cotangent
dweights = cotangent @ V.T
dscaled = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))
dscores = dscaled / np.sqrt(2)
dQ, dK = dscores @ K, dscores.T @ Q
dstates = dQ @ W_Q.T
dmemory = dK @ W_K.T + dV @ W_V.T
dW_Q, dW_K, dW_V = states.T @ dQ, memory.T @ dK, memory.T @ dV
print("weights", weights, "context", context, "dstates", dstates, "dmemory", dmemory, sep="\n")
