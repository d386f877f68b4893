"""Inclusion weights of graded answers under unequal inclusion probabilities.

Source: Horvitz and Thompson (1952); the weight is the inverse of the inclusion probability.
"""

from typing import NamedTuple

import numpy as np


class DrawnSet(NamedTuple):
    """One grading set, seen from all N answers of its sheet.

    Attributes:
        member: (N,) True where the answer is in the set.
        probability: (N,) its inclusion probability, 0 to 1; NaN where not stored.
        unequal: True where inclusion probabilities differ by design.
    """

    name: str
    member: np.ndarray
    probability: np.ndarray
    unequal: bool


def chance(probability: np.ndarray, member: np.ndarray, graded: np.ndarray) -> np.ndarray:
    """Return the inclusion probability of each answer among the graded ones, over several samples.

    1 minus the product of (1 - f p), where p is the probability of being in a sample and f the
    share of the sample that was graded so far. Samples are laid out in random order, so the graded
    part of one is a random part of it. f is computed on the answers that are in no other sample,
    where there are any, so that a sample not yet begun does not count. The f of a single sample
    cancels out of the weights.

    Args:
        probability: (S, N) inclusion probability of every answer in each sample; NaN where unknown.
        member: (S, N) True where the answer is in the sample.
        graded: (N,) True where an annotator dealt with it.

    Returns:
        (N,) above 0, at most 1; NaN where unknown, or for an answer in no sample that was begun.
    """
    alone = member.sum(axis=0) == 1
    missed, certain, drawn = np.ones(len(graded)), *np.zeros((2, len(graded)), bool)
    for own, p in zip(member, probability, strict=True):
        # Answers of two samples may have been graded for the other one.
        counted = own & alone if np.any(own & alone) else own
        part = graded[counted].mean() if counted.any() else 0.0
        if part:
            missed *= 1 - part * p
            certain |= part * p >= 1  # whatever is unknown of the other draws
            drawn |= own
    return np.where(drawn & (certain | (missed < 1)), np.where(certain, 1, 1 - missed), np.nan)


def weights(chances: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """(N,) one over the chance, scaled to a mean of 1 over the `counted` answers; 0 for nan."""
    # `out` keeps 0 for NaN: an answer of unknown probability has no weight.
    found = np.divide(1.0, chances, out=np.zeros(len(chances)), where=chances > 0)
    mean = found[counted].mean() if counted.any() else 0.0
    return found / mean if mean else found
