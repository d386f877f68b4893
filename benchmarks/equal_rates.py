"""How often corrected shares hold the truth where a judge errs unlike on answering models.

    python benchmarks/equal_rates.py [--sheets 200]

Makes sheets of four answering models whose share of passing answers is known, with a judge whose
sensitivity and specificity differ between models by a standard deviation on logits, lets annotators
grade some questions, and prints how many of the 95% intervals hold the truth: of Rogan and Gladen's
correction alone, and with the test of equal rates and the variance between models.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy.special import expit, logit  # noqa: E402
from scipy.stats import norm  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.stats.core.estimate import Estimate  # noqa: E402
from concord.stats.correction.rogan_gladen import Rates, equal_rates, rogan_gladen  # noqa: E402

TRUTH = np.array([0.6, 0.7, 0.8, 0.9])
RATES, ALIKE = (0.85, 0.75), 0.3


def main() -> None:
    """Print a row per cell."""
    sheets = simulation.parser(__doc__, sheets=200).parse_args().sheets
    print("spread of the rates, questions: before, now, given")
    for spread in (0.0, 0.3, 0.5, 1.0):
        for questions, graded in ((100, 0.7), (200, 0.5)):
            random = np.random.default_rng(1)
            found = sum(_sheet(random, questions, graded, spread) for _ in range(sheets))
            before, held_before, given, held, every = found
            shares = f"{held_before / before:.3f}, {held / max(given, 1):.3f}, {given / every:.0%}"
            print(f"{spread}, {questions}: {shares}")


def _sheet(random: np.random.Generator, questions: int, graded: float, spread: float) -> np.ndarray:
    """Count intervals: given and right without the test, given and right with it, and all."""
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
    varies = rates._replace(
        sensitivity_varies=equal.sensitivity_varies, specificity_varies=equal.specificity_varies
    )
    shares = [] if equal.differ else passed.mean(axis=0)
    now = [rogan_gladen(share, questions, varies) for share in shares]
    return np.array([*_held(before), *_held(now), models])


def _alike(random: np.random.Generator, questions: int, models: int) -> np.ndarray:
    shared = random.normal(size=(questions, 1)) * np.sqrt(ALIKE)
    return shared + random.normal(size=(questions, models)) * np.sqrt(1 - ALIKE)


def _held(found: list[Estimate]) -> tuple[int, int]:
    given = [(one, truth) for one, truth in zip(found, TRUTH, strict=False) if one.low is not None]
    return len(given), sum(one.low <= truth <= one.high for one, truth in given)


if __name__ == "__main__":
    main()
