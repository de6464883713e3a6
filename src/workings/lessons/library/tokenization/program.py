"""Byte pair encoding, learned from a text of two words by counting neighbors."""

from itertools import pairwise

import numpy as np

pieces = [list("banana"), list(" bandana")]  # a space stays with the word after it


def neighbors(pieces):
    """All pairs of neighbors, piece by piece."""
    return [pair for piece in pieces for pair in pairwise(piece)]


def tables(pieces):
    """One-hot vectors of the left and of the right neighbor of each pair; tokens are in alphabetical order."""
    known = sorted({token for piece in pieces for token in piece})
    pairs = neighbors(pieces)
    L = np.zeros((len(pairs), len(known)))
    R = np.zeros((len(pairs), len(known)))
    for row, (left, right) in enumerate(pairs):
        L[row, known.index(left)] = 1
        R[row, known.index(right)] = 1
    return known, L, R


def merge(piece, pair):
    """Merge the pair wherever it occurs, from left to right."""
    merged = []
    for token in piece:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged


known, L, R = tables(pieces)
counts = L.T @ R

merges = []
while True:
    tokens, lefts, rights = tables(pieces)
    table = lefts.T @ rights
    if table.max() < 2:
        break
    row, column = np.unravel_index(table.argmax(), table.shape)  # of several largest counts, the first
    pair = (tokens[row], tokens[column])
    merges.append(pair)
    pieces = [merge(piece, pair) for piece in pieces]
    print("merged", pair, int(table.max()), "times:", pieces)

word = list("bananas")
for pair in merges:
    word = merge(word, pair)
print("bananas is", word)
