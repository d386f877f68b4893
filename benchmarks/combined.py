"""Combined judges on made-up sheets: do their intervals hold the truth, and does `choose` err?

    python benchmarks/combined.py [--sheets 1000] [--seed 20231] [--questions 60 150]

A fitted rule is scored out of fold: each question by a fit to the others. What is used afterwards
is one fit to all of them, so the interval of the cross-fitted agreement has to hold the true
agreement of that refit, which is that on a very large sheet and differs from sheet to sheet. The
first table is the share of sheets on which it does (nominally 95 percent).

The second table is how often `choose` calls the fitted judge good enough although the refit is
worse than the reference judge by exactly the margin, which is set so on each sheet; at most 5
percent of the sheets may.

Sheets are those of `probabilities.py`: questions of 1 to 3 answers, an annotator who errs on 15
percent, a second one on every third question. Three members see the quality of an answer with an
error of standard deviation .7, .7 and 1, correlated .3 between members; they give the expected
score. The third is harsh by half a standard deviation, and cut points are fitted to it alone.
"""

import sys
from pathlib import Path
from typing import NamedTuple

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import simulation  # noqa: E402
from benchmarks.coverage import ALIKE, ERRORS_ALIKE, SPREADS, alike, erring  # noqa: E402
from concord.judges.training_grades import deal  # noqa: E402
from concord.stats.core.pairs import Pairs, judge_pairs  # noqa: E402
from concord.stats.decision import conditions  # noqa: E402
from concord.stats.decision.conditions import decide  # noqa: E402
from concord.stats.probabilities.combining import Grades, cross_fitted  # noqa: E402
from concord.stats.statistics import figures  # noqa: E402

SCALE, FAILING, ANSWERS, SIZES = (0, 1, 2, 3), (0, 1), 3, (60, 150)
RULES = ("weighted", "ordinal", "cut_points")
NOISE, HARSH, REFERENCE, ALIKE_MEMBERS = (0.7, 0.7, 1.0), (0.0, 0.0, 0.5), 0.35, 0.3
POPULATION = 20_000


class Sheet(NamedTuple):
    """Members' expected scores (n, 3), a reference judge (n,), and grades by answer."""

    members: np.ndarray
    reference: np.ndarray
    cluster: np.ndarray
    graded: np.ndarray  # (g,) the answer of each grade
    score: np.ndarray  # (g,)

    def pairs(self, judge: np.ndarray) -> Pairs:
        """The pairs of a judge's scores with the grades."""
        item = np.arange(len(judge))
        return judge_pairs(item, judge, self.graded, self.score, self.cluster)


def main() -> None:
    """Measure every cell and print both tables."""
    parser = simulation.parser(__doc__.partition("\n")[0], sheets=1000)
    parser.add_argument("--questions", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    columns = {}
    for spread in SPREADS:
        large = made_up(np.random.default_rng(options.seed), spread, POPULATION)
        for questions in options.questions:
            random = np.random.default_rng([options.seed, questions])
            drawn = [made_up(random, spread, questions) for _ in range(options.sheets)]
            columns[f"{spread}, {questions}"] = {
                rule: [once(sheet, large, rule) for sheet in drawn] for rule in RULES
            }
            print(f"measured: {spread}, {questions}", file=sys.stderr)
    for place, title in enumerate(("coverage", "called good enough at the margin")):
        print("| " + " | ".join([title, *columns]) + " |\n" + "|---" * (len(columns) + 1) + "|")
        for rule in RULES:
            shares = (np.mean(column[rule], axis=0)[place] for column in columns.values())
            cells = (f"{share:.3f}".removeprefix("0") for share in shares)
            print("| " + " | ".join([rule.replace("_", " "), *cells]) + " |")


def once(sheet: Sheet, large: Sheet, rule: str) -> tuple[bool, bool]:
    """Fit a rule to a sheet: does its interval hold the truth, and is it called good enough?"""
    own = [2] if rule == "cut_points" else [0, 1, 2]
    groups = [str(one) for one in sheet.cluster]
    folds = deal(groups, sheet.graded.tolist())
    fold = np.array([folds[one] for one in groups])
    grades = Grades.of(sheet.graded, sheet.score)
    scores, refit = cross_fitted(rule, sheet.members[:, own], grades, fold, SCALE)
    true = _exact(large.pairs(refit(large.members[:, own])))
    pairs = sheet.pairs(scores)
    estimate = figures(pairs, SCALE, FAILING, names=("exact",))["exact"]
    margin = _exact(large.pairs(large.reference)) - true
    tables = np.stack([sheet.pairs(sheet.reference).tables(SCALE), pairs.tables(SCALE)])
    none = np.zeros_like(tables)
    decided = decide(
        conditions.Grades(tables[None], none[None], none[0][None], SCALE, FAILING),
        conditions.ProcedureTerms("exact", margin),
    )
    held = estimate.low - 1e-9 <= true <= estimate.high + 1e-9
    return held, bool(decided.good[0, 1])


def made_up(random: np.random.Generator, spread: str, questions: int) -> Sheet:
    """A sheet of questions with 1 to 3 answers each."""
    ends = stats.norm.ppf(np.cumsum(SPREADS[spread])[:-1])
    every = np.repeat(np.arange(questions), ANSWERS)
    quality = alike(random, 1, every, ALIKE)
    truth = np.searchsorted(ends, quality)
    there = (np.arange(ANSWERS) < random.integers(1, ANSWERS + 1, questions)[:, None]).ravel()
    shared = alike(random, 1, every, ERRORS_ALIKE)

    def seen(noise: float) -> np.ndarray:
        own = alike(random, 1, every, ERRORS_ALIKE)
        error = np.sqrt(ALIKE_MEMBERS) * shared + np.sqrt(1 - ALIKE_MEMBERS) * own
        return (quality + noise * error)[0, there]

    members = [
        _expected(seen(noise) - harsh, noise, ends)
        for noise, harsh in zip(NOISE, HARSH, strict=True)
    ]
    reference = np.searchsorted((ends * np.sqrt(1 + REFERENCE**2)), seen(REFERENCE))
    cluster = every[there]
    item = np.arange(len(cluster))
    twice = cluster % 3 == 0
    person, second = (erring(random, truth, every)[0, there] for _ in range(2))
    return Sheet(
        np.stack(members, axis=1),
        reference,
        cluster,
        np.concatenate([item, item[twice]]),
        np.concatenate([person, second[twice]]),
    )


def _expected(seen: np.ndarray, noise: float, ends: np.ndarray) -> np.ndarray:
    """(n,) the expected true grade, given what a member sees."""
    trust = 1 / (1 + noise**2)
    below = stats.norm.cdf((ends - trust * seen[:, None]) / np.sqrt(1 - trust))
    return np.diff(below, axis=1, prepend=0, append=1) @ np.array(SCALE)


def _exact(pairs: Pairs) -> float:
    return float(np.average(pairs.judge == pairs.annotator, weights=pairs.weight))


if __name__ == "__main__":
    main()
