"""How often a cascade is certified that is not good enough, and how often one that is.

    python benchmarks/cascade.py [--sheets 1000] [--seed 20231]

Prints the table of docs/statistics.md: the share of made-up sheets on which a limit of 10% is
certified with 95% confidence, where 10.01% of all answers are in error (nominally at most .05 of
the sheets) and where 4% are. Errors grow with the number of answers per question, and the answers
to one question are in error independently or all together. `questions` are those that test the
threshold. Bounds: the one used (`selective_prediction.certify`), one answer per question however
many it has, the exact bound at the effective number of answers (Korn and Graubard 1998), and a bet
on the errors of each question (Waudby-Smith and Ramdas 2024).

A second table has a confidence that is a different number on every answer. It either knows nothing,
so that 10.01% are in error above every threshold, or errors fall with it, so that 10.01% are in
error at or above .5 and fewer above higher thresholds: a certified threshold below is a mistake.
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
STAKES = np.array([0.1, 0.2, 0.35, 0.5, 0.7, 1.0])
# How much fewer errors the surest answers have; and the confidence at which 10.01% are in error.
KNOWS = {"nothing": (0.0, 0.0), "errors fall with it": (2.0, 0.5)}

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
    """Print the table of the four bounds, on judges of one confidence."""
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
    """Print the table of continuous confidences, with the bound that is used."""
    columns = ("false", "certified", "share accepted where certified")
    heads = ("confidence knows", "answers per question", "errors", "questions", *columns)
    print(f"| {' | '.join(heads)} |")
    print("|" + "---|" * len(heads))
    for knows, (falls, least) in KNOWS.items():
        for name, sizes in SIZES.items():
            slope = steepness(random, sizes, LIMIT + 0.0001, falls, least)
            for together in (False, True):
                for questions in QUESTIONS:
                    found = continuous(random, sizes, slope, falls, together, questions, sheets)
                    certified = ~np.isnan(found)
                    false = certified & ((found < least) | (falls == 0))
                    accepted = 1 - found[certified].mean() if certified.any() else np.nan
                    shares = false.mean(), certified.mean(), accepted
                    printed(knows, name, _errors(together), questions, *shares)


def printed(*cells: str | float) -> None:
    """Print a row of a table, shares with three decimals."""
    texts = (f"{one:.3f}".lstrip("0") if isinstance(one, float) else str(one) for one in cells)
    print(f"| {' | '.join(texts)} |", flush=True)


def _errors(together: bool) -> str:
    return "together" if together else "independent"


def steepness(
    random: np.random.Generator, sizes: Sizes, rate: float, falls: float = 0.0, least: float = 0.0
) -> float:
    """By how much the chance of an error grows per answer, for such a rate over all answers.

    Over all that are accepted from a confidence of `least` on, if errors fall with it.
    """
    many = sizes(random, 200_000)
    confidence = random.uniform(least, 1.0, len(many))

    def surplus(slope: float) -> float:
        return float((chances(many, slope, confidence, falls) * many).sum() / many.sum() - rate)

    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) < 0 else (low, middle)
    return high


def chances(
    size: np.ndarray, slope: float, confidence: np.ndarray | float = 0.5, falls: float = 0.0
) -> np.ndarray:
    """The chance of an error on questions with so many answers, of a confidence from 0 to 1."""
    return np.minimum(1.0, slope * (size - 1) * (1 + falls * (0.5 - confidence)))


def continuous(
    random: np.random.Generator,
    sizes: Sizes,
    slope: float,
    falls: float,
    together: bool,
    questions: int,
    sheets: int,
) -> np.ndarray:
    """(sheets,) the threshold certified on each; NaN where none is."""
    found = np.full(sheets, np.nan)
    for sheet in range(sheets):
        size = sizes(random, 2 * questions)
        cluster = np.repeat(np.arange(len(size)), size)
        # Of answers that are in error together the judge is equally sure.
        drawn = random.random((2, len(size)))[:, cluster] if together else None
        confidence, luck = random.random((2, len(cluster))) if drawn is None else drawn
        wrong = luck < chances(size[cluster], slope, confidence, falls)
        seed = int(random.integers(1 << 30))
        threshold = certify(confidence, wrong, cluster, LIMIT, DELTA, seed=seed).threshold
        if threshold:
            found[sheet] = threshold.confidence
    return found


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
    errors, size, _ = _second_half(wrong, cluster)
    n, share, questions = size.sum(), errors.sum() / size.sum(), len(size)
    worth = n**2 / (size**2).sum()
    if 0 < share < 1:
        worth = min(n, share * (1 - share) / clustered_variance(errors, size))
    worth *= (stats.t.isf(DELTA, n - 1) / stats.t.isf(DELTA, questions - 1)) ** 2
    return at_most(share * worth, max(1, worth), DELTA) <= LIMIT


def bet(wrong: np.ndarray, cluster: np.ndarray, seed: int) -> bool:
    """A mixture of stakes against each question's errors; certified where it grows 20-fold."""
    errors, size, most = _second_half(wrong, cluster)
    lost = (errors - LIMIT * size) / (most * (1 - LIMIT))
    grown = np.log(np.maximum(1e-300, 1 - STAKES[:, None] * lost)).sum(axis=1)
    return np.exp(grown).mean() >= 1 / DELTA


def _second_half(wrong: np.ndarray, cluster: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Errors and answers of each question of the second half, and the most answers to any."""
    size, errors = np.bincount(cluster), np.bincount(cluster, wrong)
    half = len(size) // 2
    return errors[half:], size[half:], size.max()


BOUNDS = {"used": used, "per question": per_question, "effective n": effective, "bet": bet}


if __name__ == "__main__":
    main()
