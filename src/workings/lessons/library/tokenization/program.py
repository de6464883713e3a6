"""Byte pairs learned from a text of two words, by counting neighbours."""

from itertools import pairwise

import numpy as np

pieces = [list("banana"), list(" bandana")]  # a space stays with the word behind it


def neighbours(pieces):
    return [pair for piece in pieces for pair in pairwise(piece)]


def tables(pieces):
    """A row of zeros with a single one for the left and for the right of each pair, tokens in alphabetical order."""
    known = sorted({token for piece in pieces for token in piece})
    pairs = neighbours(pieces)
    L, R = np.zeros((len(pairs), len(known))), np.zeros((len(pairs), len(known)))
    for line, (left, right) in enumerate(pairs):
        L[line, known.index(left)] = 1
        R[line, known.index(right)] = 1
    return known, L, R


def join(piece, pair):
    """From left to right, wherever the pair stands."""
    joined = []
    for token in piece:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
    return joined


known, L, R = tables(pieces)
counts = L.T @ R

merges = []
while True:
    tokens, lefts, rights = tables(pieces)
    table = lefts.T @ rights
    if table.max() < 2:
        break
    row, column = np.unravel_index(table.argmax(), table.shape)  # of equal ones the first
    merges.append((tokens[row], tokens[column]))
    pieces = [join(piece, merges[-1]) for piece in pieces]
    print("joined", merges[-1], int(table.max()), "times:", pieces)

word = list("bananas")
for pair in merges:
    word = join(word, pair)
print("bananas is", word)
