"""How often a cascade is certified that is not good enough, and how often one that is.

    python benchmarks/cascade.py [--sheets 1000] [--seed 20231]

Prints the table of docs/statistics.md: the share of made-up sheets on which a limit of 10% is
certified with 95% confidence, where 10.01% of all answers are in error (nominally at most .05 of
the sheets) and where 4% are. Errors grow with the number of answers per question, and the answers
to one question are in error independently or all together. `questions` are those that test the
threshold. Bounds: the one used (`selective_prediction.certify`), one answer per question however
many it has, and the exact bound at the effective number of answers (Korn and Graubard 1998).

A second table has a confidence that is a different number on every answer and knows nothing, so
that 10.01% are in error above every threshold: one that is certified is a mistake.
"""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.stats.core.tables import clustered_variance  # noqa: E402
from concord.stats.correction.selective_prediction import certify  # noqa: E402
from concord.stats.intervals.simultaneous import at_most  # noqa: E402

LIMIT, DELTA = 0.1, 0.05
RATES = {"not good enough": 0.1001, "good enough": 0.04}
QUESTIONS = (30, 60, 120)

Sizes = Callable[[np.random.Generator, int], np.ndarray]
SIZES: dict[str, Sizes] = {
    "3 each": lambda random, n: np.full(n, 3),
    "1 to 6": lambda random, n: random.integers(1, 7, n),
    "1, or 10 on one in 20": lambda random, n: np.where(random.random(n) < 0.05, 10, 1),
    "geometric, at most 20": lambda random, n: np.minimum(random.geometric(0.3, n), 20),
}


def main() -> None:
    """Measure every cell and print both tables."""
    options = simulation.parser(__doc__, sheets=1000).parse_args()
    random = np.random.default_rng(options.seed)
    of_bounds(random, options.sheets)
    print()
    of_continuous(random, options.sheets)


def of_bounds(random: np.random.Generator, sheets: int) -> None:
    """Print the table of the bounds, on judges of one confidence."""
    print(f"| judge | answers per question | errors | questions | {' | '.join(BOUNDS)} |")
    print("|" + "---|" * (4 + len(BOUNDS)))
    for judge, rate in RATES.items():
        for name, sizes in SIZES.items():
            slope = steepness(random, sizes, rate)
            for together in (False, True):
                for questions in QUESTIONS:
                    found = cell(random, sizes, slope, together, questions, sheets)
                    printed(judge, name, _errors(together), questions, *found)


def of_continuous(random: np.random.Generator, sheets: int) -> None:
    """Print how often a threshold is certified where each answer has a confidence of its own."""
    print("| answers per question | errors | questions | false |")
    print("|" + "---|" * 4)
    for name, sizes in SIZES.items():
        slope = steepness(random, sizes, LIMIT + 0.0001)
        for together in (False, True):
            for questions in QUESTIONS:
                false = continuous(random, sizes, slope, together, questions, sheets)
                printed(name, _errors(together), questions, false)


def printed(*cells: str | float) -> None:
    """Print a row of a table, shares with three decimals."""
    texts = (f"{one:.3f}".lstrip("0") if isinstance(one, float) else str(one) for one in cells)
    print(f"| {' | '.join(texts)} |", flush=True)


def _errors(together: bool) -> str:
    return "together" if together else "independent"


def steepness(random: np.random.Generator, sizes: Sizes, rate: float) -> float:
    """By how much the chance of an error grows per answer, for such a rate over all answers."""
    many = sizes(random, 200_000)

    def surplus(slope: float) -> float:
        return float((chances(many, slope) * many).sum() / many.sum() - rate)

    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) < 0 else (low, middle)
    return high


def chances(size: np.ndarray, slope: float) -> np.ndarray:
    """The chance of an error on questions with so many answers."""
    return np.minimum(1.0, slope * (size - 1))


def continuous(
    random: np.random.Generator,
    sizes: Sizes,
    slope: float,
    together: bool,
    questions: int,
    sheets: int,
) -> float:
    """The share of sheets on which a threshold is certified."""
    certified = 0
    for _ in range(sheets):
        size = sizes(random, 2 * questions)
        cluster = np.repeat(np.arange(len(size)), size)
        # Of answers that are in error together the judge is equally sure.
        drawn = random.random((2, len(size)))[:, cluster] if together else None
        confidence, luck = random.random((2, len(cluster))) if drawn is None else drawn
        wrong = luck < chances(size, slope)[cluster]
        seed = int(random.integers(1 << 30))
        threshold = certify(confidence, wrong, cluster, LIMIT, DELTA, seed=seed).threshold
        certified += threshold is not None
    return certified / sheets


def cell(
    random: np.random.Generator,
    sizes: Sizes,
    slope: float,
    together: bool,
    questions: int,
    sheets: int,
) -> np.ndarray:
    """The share of sheets that each bound certifies."""
    certified = np.zeros(len(BOUNDS))
    for _ in range(sheets):
        size = sizes(random, 2 * questions)
        chance = chances(size, slope)
        cluster = np.repeat(np.arange(len(size)), size)
        if together:
            wrong = (random.random(len(size)) < chance)[cluster]
        else:
            wrong = random.random(len(cluster)) < chance[cluster]
        seed = int(random.integers(1 << 30))
        certified += [bound(wrong, cluster, seed) for bound in BOUNDS.values()]
    return certified / sheets


def used(wrong: np.ndarray, cluster: np.ndarray, seed: int) -> bool:
    """One answer per question, sampled in proportion to its number of answers."""
    found = certify(np.ones(len(wrong)), wrong, cluster, LIMIT, DELTA, seed=seed)
    return found.threshold is not None


def per_question(wrong: np.ndarray, cluster: np.ndarray, seed: int) -> bool:
    """One answer per question, however many it has."""
    alike = np.ones(len(cluster))
    found = certify(np.ones(len(wrong)), wrong, cluster, LIMIT, DELTA, alike, seed)
    return found.threshold is not None


def effective(wrong: np.ndarray, cluster: np.ndarray, seed: int) -> bool:
    """All answers to the questions of the second half, at the number they are worth."""
    size, errors = np.bincount(cluster), np.bincount(cluster, wrong)
    half = len(size) // 2
    errors, size = errors[half:], size[half:]
    n, share, questions = size.sum(), errors.sum() / size.sum(), len(size)
    worth = n**2 / (size**2).sum()
    if 0 < share < 1:
        worth = min(n, share * (1 - share) / clustered_variance(errors, size))
    worth *= (stats.t.isf(DELTA, n - 1) / stats.t.isf(DELTA, questions - 1)) ** 2
    return at_most(share * worth, max(1, worth), DELTA) <= LIMIT


BOUNDS = {"used": used, "per question": per_question, "effective n": effective}


if __name__ == "__main__":
    main()
