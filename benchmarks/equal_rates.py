"""How often corrected shares hold the truth where a judge errs unlike on answering models.

    python benchmarks/equal_rates.py [--sheets 200]

Makes sheets of four answering models whose share of passing answers is known, with a judge whose
sensitivity and specificity differ between models by a standard deviation on logits, lets annotators
grade some questions, and prints how many of the 95% intervals hold the truth: of Rogan and Gladen's
correction alone, and with the test of equal rates and the variance between models.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from concord.stats.core.estimate import Estimate
from concord.stats.correction.rogan_gladen import EqualRates, Rates, equal_rates, rogan_gladen

TRUTH = np.array([0.6, 0.7, 0.8, 0.9])
RATES, ALIKE = (0.85, 0.75), 0.3


class Covered(NamedTuple):
    """Counts of intervals: given and right without the test, given and right with it, and all."""

    before: int
    held_before: int
    given: int
    held: int
    every: int


def main() -> None:
    """Print a row per cell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sheets", type=int, default=200)
    sheets = parser.parse_args().sheets
    print("spread of the rates, questions: before, now, given")
    for spread in (0.0, 0.3, 0.5, 1.0):
        for questions, graded in ((100, 0.7), (200, 0.5)):
            found = covered(np.random.default_rng(1), sheets, questions, graded, spread)
            before, now = found.held_before / found.before, found.held / max(found.given, 1)
            share = found.given / found.every
            print(f"{spread}, {questions}: {before:.3f}, {now:.3f}, {share:.0%}")


def covered(
    random: np.random.Generator, sheets: int, questions: int, graded: float, spread: float
) -> Covered:
    """Intervals of so many sheets that hold the truth."""
    total = np.zeros(5, int)
    for _ in range(sheets):
        total += _sheet(random, questions, graded, spread)
    return Covered(*total.tolist())


def _sheet(random: np.random.Generator, questions: int, graded: float, spread: float) -> np.ndarray:
    models = len(TRUTH)
    right = [expit(logit(rate) + spread * random.normal(size=models)) for rate in RATES]
    passing = _alike(random, questions, models) < norm.ppf(TRUTH)
    chance = norm.cdf(_alike(random, questions, models))
    passed = np.where(passing, chance < right[0], chance >= right[1])
    known = np.zeros((questions, models), bool)
    known[random.permutation(questions)[: int(graded * questions)]] = True
    cluster, model = np.nonzero(known)
    own, judged = passing[known], passed[known]
    rates = Rates(
        judged[own].mean(), 1 - judged[~own].mean(), float(own.sum()), float((~own).sum())
    )
    equal = equal_rates(own, own == judged, model, cluster, np.ones(len(own)))
    before = [rogan_gladen(share, questions, rates) for share in passed.mean(axis=0)]
    now = [] if equal.differ else [_now(share, questions, rates, equal) for share in passed.mean(0)]
    return np.array([*_held(before), *_held(now), models])


def _alike(random: np.random.Generator, questions: int, models: int) -> np.ndarray:
    shared = random.normal(size=(questions, 1)) * np.sqrt(ALIKE)
    return shared + random.normal(size=(questions, models)) * np.sqrt(1 - ALIKE)


def _now(share: float, questions: int, rates: Rates, equal: EqualRates) -> Estimate:
    varies = equal.sensitivity_varies, equal.specificity_varies
    return rogan_gladen(
        share,
        questions,
        rates._replace(sensitivity_varies=varies[0], specificity_varies=varies[1]),
    )


def _held(found: list[Estimate]) -> tuple[int, int]:
    given = [(one, truth) for one, truth in zip(found, TRUTH, strict=False) if one.low is not None]
    return len(given), sum(one.low <= truth <= one.high for one, truth in given)


if __name__ == "__main__":
    main()
