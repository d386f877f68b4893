"""Annotators who err now and then, by a point."""

import numpy as np

SCALE = (0, 1, 2, 3)
HONEST = ("Ana", "Ben", "Cyd", "Dan")


def honest(random, truth, error):
    """Off by one on so large a share of the answers."""
    off = np.where(random.random(len(truth)) < 0.5, 1, -1)
    return np.clip(truth + np.where(random.random(len(truth)) < error, off, 0), 0, 3).astype(float)


def thirds(answers, off=0):
    """Scores of 0, 2 and 3 by place; those of the first `off` answers are one point away."""
    scores = {place: (0, 2, 3)[place % 3] for place in range(answers)}
    return {p: s + 1 if p < off and s < 3 else s for p, s in scores.items()}
