"""Six sinusoidal positions, and the rotation that leads from each of them to the one three further on."""

import numpy as np


def encoding(order, size, base):
    """One row per position: sine and cosine of each angle, interleaved."""
    speeds = base ** (-np.arange(0, size, 2) / size)  # radians per position, one for each wave
    angles = np.outer(order, speeds)
    rows = np.empty((len(order), size))
    rows[:, 0::2] = np.sin(angles)
    rows[:, 1::2] = np.cos(angles)
    return rows


def rotation(steps, size, base):
    """One block for each wave. It knows how far to go, not where it starts."""
    R = np.zeros((size, size))
    for i in range(0, size, 2):
        b = steps * base ** (-i / size)
        R[i : i + 2, i : i + 2] = [[np.cos(b), -np.sin(b)], [np.sin(b), np.cos(b)]]
    return R


order, steps = np.arange(6), 3
places = encoding(order, size=4, base=100)
later = encoding(order + steps, size=4, base=100)
R = rotation(steps, size=4, base=100)
rotated = places @ R
alike = places @ places.T

print("places", places.round(4), sep="\n")
print("R", R.round(4), sep="\n")
print("same rows?", np.allclose(rotated, later))
print("by distance", alike[0].round(4))
