"""How often each interval holds the true value, on made-up sheets whose truth is known.

    python benchmarks/coverage.py [--sheets 2000] [--seed 20231] [--questions 10 20 50 200]
    python benchmarks/coverage.py --decisions [--sheets 4000]
    python benchmarks/coverage.py --plan [--sheets 1000]

Draws many sheets, computes every interval with the very functions the app uses, and prints a table
for docs/statistics.md: the share of the given intervals that hold the true value (nominally 95
percent), by spread of grades and number of questions. Where an interval is withheld on more than
one sheet in a hundred, the share on which it is given follows in brackets; a dash stands where that
is fewer than one in ten.

A sheet has 3 answers to each question. True grades of a question's answers are correlated .4
(normal copula); each annotator and the judge err by one point on 15 percent of answers, their
errors
correlated .3 within a question, the judge upwards on 6 of 10. One annotator graded every answer
and a second one every third question. Grades are balanced, or skewed 70/22/5/3 from the best down.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import decisions, planned_power, simulation  # noqa: E402
from concord.stats.core.clustered import effective_size  # noqa: E402
from concord.stats.core.estimate import Estimate  # noqa: E402
from concord.stats.core.pairs import Pairs, judge_pairs  # noqa: E402
from concord.stats.correction import rogan_gladen  # noqa: E402
from concord.stats.correction.ppi import Sample, ppi_mean  # noqa: E402
from concord.stats.intervals.resampling import Draws  # noqa: E402
from concord.stats.intervals.simultaneous import difference, simultaneous  # noqa: E402
from concord.stats.segments import by_segment  # noqa: E402
from concord.stats.statistics import KEYS, STATISTICS, composite_figures, figures  # noqa: E402

SCALE, FAILING, ANSWERS = (0, 1, 2, 3), (0, 1), 3
SPREADS = {"balanced": (0.25, 0.25, 0.25, 0.25), "70/22/5/3": (0.03, 0.05, 0.22, 0.70)}
ALIKE, ERRORS_ALIKE, ERROR, UPWARDS = 0.4, 0.3, 0.15, 0.6
WEIGHTS = (0.6, 0.2, 0.2)
JUDGES, POOL = 6, 5
POPULATION = 200_000
ONE_CRITERION = KEYS
OF_COMPOSITE = tuple(o.key for o in STATISTICS if o.composites and not o.on_demand)
ALL_HOLD = "exact of five judges minus a sixth's, all at once"
SEGMENTS, BY_SEGMENT = 8, "eight segments' exact minus the rest, all at once"

Found = Iterator[tuple[str, Estimate]]


class Sheet(NamedTuple):
    """Scores of criteria by annotator and judge, all (criteria, questions, answers)."""

    truth: np.ndarray
    person: np.ndarray
    second: np.ndarray
    judges: np.ndarray  # (judges, criteria, questions, answers)


class Cell(NamedTuple):
    """One column of the table."""

    spread: str
    questions: int
    held: dict[str, float]
    given: dict[str, float]


def main() -> None:
    """Measure every cell and print the table."""
    options = _options()
    if options.plan:
        print(planned_power.table(options.sheets, options.seed))
        return
    if options.decisions:
        print(decisions.tables(options.sheets, options.seed))
        return
    random = np.random.default_rng(options.seed)
    cells = []
    for spread in SPREADS:
        truth = true_values(random, spread)
        for questions in options.questions:
            cells.append(metric(random, spread, questions, options.sheets, truth))
            print(f"measured: {spread}, {questions} questions", file=sys.stderr)
    print(table(cells))


def metric(
    random: np.random.Generator, spread: str, questions: int, sheets: int, truth: dict[str, float]
) -> Cell:
    """Share of sheets on which each interval is given, and holds the true value when it is."""
    names = [*truth, ALL_HOLD, BY_SEGMENT]
    held, given = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    draws = Draws(1000, int(random.integers(1 << 30)))
    for _ in range(sheets):
        sheet = made_up(random, spread, questions * POOL)
        for name, one in every_figure(sheet, questions):
            if one.low is not None:
                given[name] += 1
                held[name] += one.low - 1e-9 <= truth[name] <= one.high + 1e-9
        families = (
            (ALL_HOLD, five_judges(sheet, questions, draws), 0),
            (BY_SEGMENT, eight_segments(sheet), 0),
        )
        for name, family, true in families:
            if all(one.low is not None for one in family):
                given[name] += 1
                held[name] += all(one.low <= true <= one.high for one in family)
    shares = {name: held[name] / max(1, given[name]) for name in names}
    return Cell(spread, questions, shares, {name: given[name] / sheets for name in names})


def every_figure(sheet: Sheet, questions: int) -> Found:
    """All estimates of one sheet; those that need a pool see all of it, the others its start."""
    graded = Sheet(*(scores[..., :questions, :] for scores in sheet))
    of_criterion = figures(pairs(graded), SCALE, FAILING)
    yield from ((name, of_criterion[name]) for name in ONE_CRITERION)
    of_composite = composite_figures(composite_pairs(graded))
    yield from ((f"composite {name}", of_composite[name]) for name in OF_COMPOSITE)
    yield "PPI++ mean", corrected_mean(sheet, questions)
    yield "Rogan-Gladen share", corrected_share(sheet, questions)


def true_values(random: np.random.Generator, spread: str) -> dict[str, float]:
    """What the figures would be with no end of questions: those of a very large sheet."""
    sheet = made_up(random, spread, POPULATION)
    found = {name: one.value for name, one in figures(pairs(sheet), SCALE, FAILING).items()}
    composite = composite_figures(composite_pairs(sheet))
    truth = {name: found[name] for name in ONE_CRITERION}
    truth |= {f"composite {name}": composite[name].value for name in OF_COMPOSITE}
    truth["PPI++ mean"] = float(sheet.person[0].mean())
    truth["Rogan-Gladen share"] = float((~np.isin(sheet.person[0], FAILING)).mean())
    return truth


def made_up(random: np.random.Generator, spread: str, questions: int) -> Sheet:
    """A sheet of three criteria, six equal judges and two annotators."""
    ends = stats.norm.ppf(np.cumsum(SPREADS[spread])[:-1])
    shape = (len(WEIGHTS), questions, ANSWERS)
    truth = np.searchsorted(ends, alike(random, shape, ALIKE))
    judges = [erring(random, truth, UPWARDS) for _ in range(JUDGES)]
    return Sheet(truth, erring(random, truth), erring(random, truth), np.stack(judges))


def erring(random: np.random.Generator, truth: np.ndarray, upwards: float = 0.5) -> np.ndarray:
    """What someone says who is off by one on a part of the answers; at an end, inwards."""
    wrong = alike(random, truth.shape, ERRORS_ALIKE) < stats.norm.ppf(ERROR)
    step = np.where(random.random(truth.shape) < upwards, 1, -1)
    step = np.where(truth == SCALE[0], 1, np.where(truth == SCALE[-1], -1, step))
    return truth + wrong * step


def alike(random: np.random.Generator, shape: tuple[int, ...], correlation: float) -> np.ndarray:
    """Standard normal numbers, those of one question correlated."""
    shared = random.standard_normal((*shape[:-1], 1))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * random.standard_normal(shape)


def pairs(sheet: Sheet, judge: int = 0) -> Pairs:
    """The pairs of one judge and the annotators on the first criterion."""
    return _pairs(sheet.judges[judge][0], sheet.person[0], sheet.second[0])


def composite_pairs(sheet: Sheet) -> Pairs:
    """The pairs of the first judge and the annotators on the weighted mean of the criteria."""
    every = (sheet.judges[0], sheet.person, sheet.second)
    return _pairs(*(np.tensordot(WEIGHTS, scores, 1) for scores in every))


def five_judges(sheet: Sheet, questions: int, draws: Draws) -> list[Estimate]:
    """Simultaneous intervals of five judges' exact agreement minus that of the first one."""
    weight = np.full(questions, float(ANSWERS))
    same = sheet.judges[:, 0, :questions] == sheet.person[0, :questions]
    first, *others = same.sum(axis=-1) * 1.0
    members = [difference(one, first, weight) for one in others]
    return simultaneous(members, 0.05, draws).estimates


def eight_segments(sheet: Sheet) -> list[Estimate]:
    """Each segment's exact agreement minus that of the rest, over all questions of the pool."""
    every = pairs(sheet)
    found = by_segment(every, every.cluster % SEGMENTS, SEGMENTS, SCALE, FAILING, ("exact",))
    return [one.differences["exact"].estimate for one in found.segments]


def corrected_mean(sheet: Sheet, questions: int) -> Estimate:
    """The annotators' mean over all answers, where they graded one question in five."""
    judge, person = sheet.judges[0, 0].astype(float), sheet.person[0].astype(float)
    person[questions:] = np.nan
    cluster = np.repeat(np.arange(len(judge)), ANSWERS)
    sample = Sample(judge.ravel(), person.ravel(), np.ones(judge.size), cluster)
    return ppi_mean(sample, (SCALE[0], SCALE[-1]))


def corrected_share(sheet: Sheet, questions: int) -> Estimate:
    """The share annotators would pass of the answers they did not grade."""
    judge, person = (~np.isin(scores, FAILING) for scores in (sheet.judges[0, 0], sheet.person[0]))
    known, good = judge[:questions], person[:questions]
    sensitivity, passing = _rate(known & good, good)
    specificity, failing = _rate(~known & ~good, ~good)
    share, answers = _rate(judge[questions:], np.ones_like(judge[questions:]))
    rates = rogan_gladen.Rates(sensitivity, specificity, passing, failing)
    return rogan_gladen.rogan_gladen(share, answers, rates)


def table(cells: list[Cell]) -> str:
    """A markdown table, one row per figure and one column per cell."""
    heads = [f"{cell.spread}, {cell.questions}" for cell in cells]
    lines = ["| figure | " + " | ".join(heads) + " |", "|---" * (len(cells) + 1) + "|"]
    for name in cells[0].held:
        entries = " | ".join(_entry(cell, name) for cell in cells)
        lines.append(f"| {name.replace('_', ' ')} | {entries} |")
    return "\n".join(lines)


def _entry(cell: Cell, name: str) -> str:
    held, given = cell.held[name], cell.given[name]
    if given < 0.1:
        return "–"
    said = f"{held:.3f}".lstrip("0")
    return said if given > 0.99 else f"{said} ({given:.2f})".replace("(0", "(")


def _pairs(judge: np.ndarray, person: np.ndarray, second: np.ndarray) -> Pairs:
    cluster = np.repeat(np.arange(len(judge)), ANSWERS)
    item = np.arange(len(cluster))
    twice = cluster % 3 == 0
    score = np.concatenate([person.ravel(), second.ravel()[twice]])
    return judge_pairs(item, judge.ravel(), np.concatenate([item, item[twice]]), score, cluster)


def _rate(hits: np.ndarray, base: np.ndarray) -> tuple[float, float]:
    """A share and how many independent answers it rests on, from (questions, answers)."""
    above, below = hits.sum(axis=1), base.sum(axis=1)
    some = below > 0
    if some.sum() < 2:
        return 0.0, 0.0
    above, below = above[some], below[some]
    return above.sum() / below.sum(), effective_size(above, below, below.sum())


def _options() -> argparse.Namespace:
    parser = simulation.parser(__doc__.partition("\n")[0], sheets=2000)
    parser.add_argument("--plan", action="store_true", help="promised and delivered power instead")
    parser.add_argument("--decisions", action="store_true", help="the procedure of choose instead")
    parser.add_argument("--questions", type=int, nargs="+", default=[10, 20, 50, 200])
    return parser.parse_args()


if __name__ == "__main__":
    main()
