"""How often an honest annotator is warned of, and how often one who presses keys at random.

    python benchmarks/annotators.py [--campaigns 100] [--seed 20231]

Prints the table of docs/statistics.md. A campaign has five annotators with 100 answers each, two to
a question, true grades of a question correlated .4: all the same 100 answers, or 250 answers that
two of them grade each. Honest annotators are off by one point on the given share of answers. In
the first campaign all are honest (`weak`: one of them is off on 45%); in the second one presses
keys at random (`uniform`), and in the third one always gives the highest score (`constant`).
"""

import sys
from itertools import combinations
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.stats.reliability.annotator_check import check  # noqa: E402

SCALE, ANNOTATORS, ALIKE = (0, 1, 2, 3), 5, 0.4
SPREADS = {
    "balanced": (0.25, 0.25, 0.25, 0.25),
    "70/22/5/3": (0.03, 0.05, 0.22, 0.70),
    "90/6/2/2": (0.02, 0.02, 0.06, 0.90),
}
ERRORS = {"20%": (0.2,) * 5, "50%": (0.5,) * 5, "20%, weak": (0.2, 0.2, 0.2, 0.2, 0.45)}
QUESTIONS = {"all the same": 50, "two each": 125}


def main() -> None:
    """Measure every cell and print the table."""
    options = simulation.parser(__doc__, campaigns=100).parse_args()
    random = np.random.default_rng(options.seed)
    print("| grades | answers | off by one | honest warned of | uniform | constant |")
    print("|---|---|---|---|---|---|")
    for spread in SPREADS:
        for design in QUESTIONS:
            for name, errors in ERRORS.items():
                found = cell(random, spread, design, errors, options.campaigns)
                shares = " | ".join(f"{share:.3f}" for share in found)
                print(f"| {spread} | {design} | {name} | {shares} |", flush=True)


def cell(
    random: np.random.Generator, spread: str, design: str, errors: tuple, campaigns: int
) -> tuple[float, ...]:
    """The share of honest annotators, and of each kind of bad ones, that are warned of."""
    honest = uniform = constant = 0
    for _ in range(campaigns):
        scores, cluster = campaign(random, spread, QUESTIONS[design], errors)
        graded = ~np.isnan(drawn(scores, design))
        honest += sum(warned(scores, graded, cluster))
        bad = scores.copy()
        bad[0] = random.integers(0, len(SCALE), scores.shape[1])
        one, *others = warned(bad, graded, cluster)
        uniform, honest = uniform + one, honest + sum(others)
        bad[0] = SCALE[-1]
        one, *others = warned(bad, graded, cluster)
        constant, honest = constant + one, honest + sum(others)
    return honest / (13 * campaigns), uniform / campaigns, constant / campaigns


def warned(scores: np.ndarray, graded: np.ndarray, cluster: np.ndarray) -> list[bool]:
    """Whether each annotator is warned of."""
    found = check(np.where(graded, scores, np.nan), cluster, SCALE)
    return [one.warnings != () for one in found]


def campaign(
    random: np.random.Generator, spread: str, questions: int, errors: tuple
) -> tuple[np.ndarray, np.ndarray]:
    """(annotators, answers) scores of honest annotators, and the clusters."""
    shared, own = random.normal(size=(questions, 1)), random.normal(size=(questions, 2))
    hidden = stats.norm.cdf(np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own).ravel()
    truth = np.searchsorted(np.cumsum(SPREADS[spread])[:-1], hidden)
    size = (len(errors), len(truth))
    off = np.where(random.random(size) < 0.5, 1, -1)
    wrong = random.random(size) < np.array(errors)[:, None]
    scores = np.clip(truth + np.where(wrong, off, 0), SCALE[0], SCALE[-1]).astype(float)
    return scores, np.arange(len(truth)) // 2


def drawn(scores: np.ndarray, design: str) -> np.ndarray:
    """The scores that are given under a design, the others NaN."""
    if design == "all the same":
        return scores
    pairs = list(combinations(range(ANNOTATORS), 2))
    given = np.full(scores.shape, np.nan)
    for answer in range(scores.shape[1]):
        pair = list(pairs[answer % len(pairs)])
        given[pair, answer] = scores[pair, answer]
    return given


if __name__ == "__main__":
    main()
