"""Training and inference with a model that is one table of logits, in plain NumPy."""

import numpy as np

S = np.array([[0.0, 1.0, 1.5], [0.5, 0.0, 2.0], [1.0, 0.5, 0.0]])  # a row for each word: what may follow it
inputs = np.array([0, 1, 2])  # the text A B C A without its last word
targets = np.array([1, 2, 0])  # and without its first

# Training: all positions in one pass, each with the right word before it.
logits = S[inputs]
powers = np.exp(logits - logits.max(axis=1, keepdims=True))
P = powers / powers.sum(axis=1, keepdims=True)
loss = -np.log(P[np.arange(3), targets]).mean()
dlogits = (P - np.eye(3)[targets]) / 3
dS = np.eye(3)[inputs].T @ dlogits  # each position trains the row that it read

# Inference: no target, no loss, no gradient. Each word that is chosen is read next.
text = [0]
for _ in range(3):
    text.append(int(S[text[-1]].argmax()))
first, second, third = text[1:]
print("P", P, "loss", loss, "written", ["ABC"[word] for word in text], sep="\n")
