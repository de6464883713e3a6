"""One word chosen from logits: greedy, with a temperature, top-k, top-p, and a random number."""

import numpy as np

WORDS = ["the", "cat", "dog", "sat", "mat"]
scores = np.array([0.0, 2.0, 1.0, -1.0, 1.5])
drawn = 0.7


def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def top_k(x, k):
    """All logits but the k largest become -inf."""
    smallest_kept = np.sort(x)[-k]
    return np.where(x >= smallest_kept, x, -np.inf)


def top_p(shares, p):
    """1 for the largest probabilities, up to the one with which they reach p together."""
    kept = np.zeros_like(shares)
    total = 0.0
    for place in np.argsort(-shares):
        kept[place] = 1.0
        total += shares[place]
        if total >= p:
            break
    return kept


def draw(shares, number):
    """The first word whose running total is above the number."""
    return int(np.argmax(np.cumsum(shares) > number))


shares = softmax(scores)
cold_shares = softmax(scores / 0.5)
warm_shares = softmax(scores / 2)
k_shares = softmax(top_k(scores, 3))
kept_by_p = top_p(shares, 0.7)
p_shares = softmax(np.where(kept_by_p == 1, scores, -np.inf))
running = np.cumsum(p_shares)
from_all = draw(shares, drawn)
from_k = draw(k_shares, drawn)
from_p = draw(p_shares, drawn)

print("greedy:", WORDS[int(np.argmax(scores))])
print("drawn from all:", WORDS[from_all], "- after top-k:", WORDS[from_k], "- after top-p:", WORDS[from_p])
