"""Annotators who err now and then, by a point."""

import numpy as np

SCALE = (0, 1, 2, 3)
HONEST = ("Ana", "Ben", "Cyd", "Dan")


def honest(random, truth, error):
    """Off by one on so large a share of the answers."""
    off = np.where(random.random(len(truth)) < 0.5, 1, -1)
    return np.clip(truth + np.where(random.random(len(truth)) < error, off, 0), 0, 3).astype(float)
