"""How often the intervals of a judge's probabilities hold the true value, on made-up sheets.

    python benchmarks/probabilities.py [--sheets 1000] [--seed 20231]

Draws sheets of questions with 1 to 3 answers each, computes every interval with the functions the
app uses, and prints a table for docs/statistics.md: the share of the given intervals that hold the
true value (nominally 95 percent).

The quality of an answer is normal, that of answers to one question correlated .4; true grades cut
it into 0-3. The judge sees the quality with an error of standard deviation .7, correlated .3 within
a question. Annotators err by one point on 15 percent of the answers; a second one graded every
third question. The calibrated judge gives the probabilities that follow, the overconfident one
those squared. Both read the most probable score. True values are those of a very large sheet.
"""

import sys
from argparse import Namespace
from pathlib import Path
from typing import NamedTuple

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import simulation  # noqa: E402
from benchmarks.coverage import (  # noqa: E402
    ALIKE,
    ERROR,
    ERRORS_ALIKE,
    SPREADS,
    alike,
    erring,
    pairs_of,
)
from concord.stats.core.estimate import Estimate  # noqa: E402
from concord.stats.core.minimums import BIN_FLOOR  # noqa: E402
from concord.stats.core.pairs import Pairs  # noqa: E402
from concord.stats.probabilities import calibration  # noqa: E402
from concord.stats.probabilities.calibration import risk_coverage  # noqa: E402
from concord.stats.probabilities.reading import read  # noqa: E402

SCALE, FAILING, ANSWERS, SIZES = (0, 1, 2, 3), (0, 1), 3, (40, 100, 300)
NOISE, POPULATION = 0.7, 100_000
JUDGES = {"calibrated": 1, "overconfident": 2}  # the power of the probabilities that it gives


class Sheet(NamedTuple):
    """The pairs of a judge and annotators, and the judge's probabilities of each pair's answer."""

    pairs: Pairs
    probabilities: np.ndarray


def main() -> None:
    """Measure every cell and print the table."""
    parser = simulation.parser(__doc__.partition("\n")[0], sheets=1000)
    options = parser.parse_args()
    columns = proper(options)
    print("| figure | " + " | ".join(name for name, _ in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in columns[0][1]:
        print(f"| {name} | " + " | ".join(column[name] for _, column in columns) + " |")


def proper(options: Namespace) -> list[tuple[str, dict[str, str]]]:
    """The columns of the table of probabilities."""
    random = np.random.default_rng(options.seed)
    columns = []
    for judge in JUDGES:
        for spread in SPREADS:
            large = made_up(random, spread, judge, POPULATION)
            for questions in SIZES:
                truth = {name: one.value for name, one in figures(large, questions).items()}
                drawn = [made_up(random, spread, judge, questions) for _ in range(options.sheets)]
                found = [figures(sheet, questions) for sheet in drawn]
                columns.append((f"{judge}, {spread}, {questions}", coverage(found, truth)))
                print(f"measured: {columns[-1][0]}", file=sys.stderr)
    return columns


def coverage(found: list[dict[str, Estimate]], truth: dict[str, float]) -> dict[str, str]:
    """What the table says of each figure."""
    entries = {}
    for name in found[0]:
        true = truth[name]
        given = [one[name] for one in found if one[name].low is not None]
        held = [one.low - 1e-9 <= true <= one.high + 1e-9 for one in given]
        entries[name] = f"{np.mean(held):.3f}".removeprefix("0") if given else "–"
    return entries


def figures(sheet: Sheet, questions: int) -> dict[str, Estimate]:
    """Every figure, with as many bins as that many questions have."""
    pairs, probabilities = sheet
    confidence = calibration.confidence(probabilities, pairs.judge, SCALE)
    bins = max(1, min(calibration.BINS, questions // BIN_FLOOR))
    wrong = (pairs.judge != pairs.annotator).astype(float)
    return calibration.scores(pairs, probabilities, SCALE)._asdict() | {
        "expected calibration error": calibration.calibration_error(pairs, confidence, bins),
        "AURC": risk_coverage(confidence, wrong, pairs.weight, pairs.cluster).area,
    }


def made_up(random: np.random.Generator, spread: str, judge: str, questions: int) -> Sheet:
    """A sheet of questions with 1 to 3 answers each."""
    ends = stats.norm.ppf(np.cumsum(SPREADS[spread])[:-1])
    every = np.repeat(np.arange(questions), ANSWERS)
    quality = alike(random, 1, every, ALIKE)
    truth = np.searchsorted(ends, quality)
    seen = quality + NOISE * alike(random, 1, every, ERRORS_ALIKE)
    there = (np.arange(ANSWERS) < random.integers(1, ANSWERS + 1, questions)[:, None]).ravel()
    probabilities = _believed(seen[0, there], ends) ** JUDGES[judge]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    people = (erring(random, truth, every)[0, there] for _ in range(2))
    pairs = pairs_of(read("argmax", probabilities, SCALE), *people, every[there])
    return Sheet(pairs, probabilities[pairs.item])


def _believed(seen: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(n, K) the probability of each grade by an annotator, given what the judge sees."""
    trust = 1 / (1 + NOISE**2)
    below = stats.norm.cdf((ends - trust * seen[:, None]) / np.sqrt(1 - trust))
    true = np.diff(below, axis=1, prepend=0, append=1)
    off = np.eye(len(SCALE)) * (1 - ERROR)
    for score in SCALE:
        inwards = [other for other in (score - 1, score + 1) if other in SCALE]
        off[score, inwards] = ERROR / len(inwards)
    return true @ off


if __name__ == "__main__":
    main()
