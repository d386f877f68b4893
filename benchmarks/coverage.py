"""How often each interval holds the true value, on made-up sheets whose truth is known.

    python benchmarks/coverage.py [--sheets 2000] [--seed 20231] [--questions 30 50 100 200]
    python benchmarks/coverage.py --decisions [--sheets 4000]
    python benchmarks/coverage.py --margin [--sheets 4000]
    python benchmarks/coverage.py --plan [--sheets 1000]

Draws many sheets, computes every interval with the very functions the app uses, and prints tables
for docs/statistics.md: the share of the given intervals that hold the true value (nominally 95
percent), by how many answers questions have and how many questions there are, each the lowest of
four kinds of sheet.
Where an interval is withheld on more than one sheet in a hundred, the share on which it is given
follows in brackets; a dash stands where that is fewer than one in ten.

True grades of a question's answers are correlated .4 (normal copula), and balanced or skewed
70/22/5/3 from the best down; each annotator and the judge err by one point on 15 percent of
answers, their errors correlated .3 within a question, or those of the judge the same on all answers
of a question; the judge errs upwards on 6 of 10. One annotator graded every answer and a second one
every third question. Questions have equally many answers, or 1 to 6, or 1, 2, 3 and 8, or ten of
them on one question in ten and one on the others.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import decisions, planned_power, simulation  # noqa: E402
from concord.stats.core.estimate import Estimate  # noqa: E402
from concord.stats.core.pairs import Pairs, judge_pairs  # noqa: E402
from concord.stats.core.tables import share_of  # noqa: E402
from concord.stats.correction import rogan_gladen  # noqa: E402
from concord.stats.correction.ppi import Sample, ppi_mean  # noqa: E402
from concord.stats.intervals.resampling import Draws  # noqa: E402
from concord.stats.intervals.simultaneous import difference, simultaneous  # noqa: E402
from concord.stats.segments import by_segment  # noqa: E402
from concord.stats.statistics import STATISTICS, composite_figures, figures  # noqa: E402

SCALE, FAILING = (0, 1, 2, 3), (0, 1)
SPREADS = {"balanced": (0.25, 0.25, 0.25, 0.25), "70/22/5/3": (0.03, 0.05, 0.22, 0.70)}
SIZES = {
    "3": [3],
    "1-6": [1, 2, 3, 4, 5, 6],
    "1/2/3/8": [1, 2, 3, 8],
    "1 or 10": [10, *[1] * 9],
}
ALIKE, ERRORS_ALIKE, ERROR, UPWARDS = 0.4, 0.3, 0.15, 0.6
WEIGHTS = (0.6, 0.2, 0.2)
JUDGES, POOL, EVERY = 6, 5, 5
POPULATION = 200_000
OF_COMPOSITE = tuple(o.key for o in STATISTICS if o.composites)
ALL_HOLD = "exact of five judges minus a sixth's, all at once"
SEGMENTS, BY_SEGMENT = 8, "eight segments' exact minus the rest, all at once"

Found = Iterator[tuple[str, Estimate]]


class World(NamedTuple):
    """A kind of sheet: the spread of grades, and whether a judge errs on whole questions."""

    spread: str
    whole: bool


class Sheet(NamedTuple):
    """Scores by annotators and judges, (criteria, answers), and (answers,) the question of each."""

    person: np.ndarray
    second: np.ndarray
    judges: np.ndarray  # (judges, criteria, answers)
    cluster: np.ndarray

    def start(self, questions: int) -> "Sheet":
        """The answers to the first questions."""
        kept = self.cluster < questions
        return Sheet(*(one[..., kept] for one in self))


class Measured(NamedTuple):
    """Of an interval: the share of sheets that it holds on, and is given on."""

    held: float
    given: float


def main() -> None:
    """Measure every cell and print the tables."""
    options = _options()
    if options.plan:
        print(planned_power.table(options.sheets, options.seed))
    elif options.margin:
        print(decisions.margin_table(options.sheets, options.seed))
    elif options.decisions:
        print(decisions.tables(options.sheets, options.seed))
    else:
        print(measured(options))


def measured(options: argparse.Namespace) -> str:
    """The table of coverage."""
    random = np.random.default_rng(options.seed)
    worlds = [World(spread, whole) for spread, whole in product(SPREADS, (False, True))]
    truths = {world: true_values(random, world) for world in worlds}
    cells = {}
    for sizes, questions in product(SIZES, options.questions):
        random = np.random.default_rng([options.seed, questions, *SIZES[sizes]])
        cells[sizes, questions] = [
            cell(random, world, SIZES[sizes], questions, options.sheets, truths[world])
            for world in worlds
        ]
        print(f"measured: {sizes}, {questions} questions", file=sys.stderr)
    heads = ["figure", *(f"{sizes}, {questions}" for sizes, questions in cells)]
    names = [*truths[worlds[0]], ALL_HOLD, BY_SEGMENT]
    rows = [
        [name.replace("_", " "), *(_lowest([one[name] for one in own]) for own in cells.values())]
        for name in names
    ]
    return decisions.markdown(heads, rows)


def cell(
    random: np.random.Generator,
    world: World,
    sizes: list[int],
    questions: int,
    sheets: int,
    truth: dict[str, float],
) -> dict[str, Measured]:
    """Measure all intervals on sheets of one kind."""
    found = {name: [] for name in [*truth, ALL_HOLD, BY_SEGMENT]}
    draws = Draws(1000, int(random.integers(1 << 30)))
    for place in range(sheets):
        sheet = made_up(random, world, np.resize(sizes, questions * POOL))
        for name, one in every_figure(sheet, questions):
            found[name].append(([one], truth[name]))
        if place % EVERY == 0:  # these take longest
            found[ALL_HOLD].append((five_judges(sheet.start(questions), draws), 0.0))
            found[BY_SEGMENT].append((eight_segments(sheet), 0.0))
    return {name: _measured(families) for name, families in found.items()}


def _measured(families: list[tuple[list[Estimate], float]]) -> Measured:
    given = [(one, true) for one, true in families if all(each.low is not None for each in one)]
    if not given:
        return Measured(np.nan, 0.0)
    holds = [
        all(each.low - 1e-9 <= true <= each.high + 1e-9 for each in one) for one, true in given
    ]
    return Measured(float(np.mean(holds)), len(given) / len(families))


def every_figure(sheet: Sheet, questions: int) -> Found:
    """All estimates of one sheet; those that need a pool see all of it, the others its start."""
    graded = sheet.start(questions)
    yield from figures(pairs(graded), SCALE, FAILING).items()
    of_composite = composite_figures(composite_pairs(graded))
    yield from ((f"composite {name}", of_composite[name]) for name in OF_COMPOSITE)
    yield "PPI++ mean", corrected_mean(sheet, questions)
    yield "Rogan-Gladen share", corrected_share(sheet, questions)


def true_values(random: np.random.Generator, world: World) -> dict[str, float]:
    """What the figures would be with no end of questions: those of a very large sheet."""
    sheet = made_up(random, world, np.full(POPULATION, 2))
    truth = {name: one.value for name, one in figures(pairs(sheet), SCALE, FAILING).items()}
    composite = composite_figures(composite_pairs(sheet))
    truth |= {f"composite {name}": composite[name].value for name in OF_COMPOSITE}
    truth["PPI++ mean"] = float(sheet.person[0].mean())
    truth["Rogan-Gladen share"] = float((~np.isin(sheet.person[0], FAILING)).mean())
    return truth


def made_up(random: np.random.Generator, world: World, sizes: np.ndarray) -> Sheet:
    """A sheet of three criteria, six equal judges and two annotators."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    ends = stats.norm.ppf(np.cumsum(SPREADS[world.spread])[:-1])
    truth = np.searchsorted(ends, alike(random, len(WEIGHTS), cluster, ALIKE))
    judges = [erring(random, truth, cluster, UPWARDS, world.whole) for _ in range(JUDGES)]
    people = (erring(random, truth, cluster) for _ in range(2))
    return Sheet(*people, np.stack(judges), cluster)


def erring(
    random: np.random.Generator,
    truth: np.ndarray,
    cluster: np.ndarray,
    upwards: float = 0.5,
    whole: bool = False,
) -> np.ndarray:
    """What someone says who is off by one on a part of the answers; at an end, inwards."""
    latent = alike(random, len(truth), cluster, 1.0 if whole else ERRORS_ALIKE)
    up = random.random(truth.shape) < upwards
    step = np.where(up[:, np.searchsorted(cluster, cluster)] if whole else up, 1, -1)
    step = np.where(truth == SCALE[0], 1, np.where(truth == SCALE[-1], -1, step))
    return truth + (latent < stats.norm.ppf(ERROR)) * step


def alike(
    random: np.random.Generator, rows: int, cluster: np.ndarray, correlation: float
) -> np.ndarray:
    """(rows, answers) standard normal numbers, those of one question correlated."""
    shared = random.standard_normal((rows, cluster[-1] + 1))[:, cluster]
    own = random.standard_normal(shared.shape)
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own


def pairs(sheet: Sheet, judge: int = 0) -> Pairs:
    """The pairs of one judge and the annotators on the first criterion."""
    return pairs_of(sheet.judges[judge][0], sheet.person[0], sheet.second[0], sheet.cluster)


def composite_pairs(sheet: Sheet) -> Pairs:
    """The pairs of the first judge and the annotators on the weighted mean of the criteria."""
    every = (sheet.judges[0], sheet.person, sheet.second)
    return pairs_of(*(np.tensordot(WEIGHTS, scores, 1) for scores in every), sheet.cluster)


def five_judges(sheet: Sheet, draws: Draws) -> list[Estimate]:
    """Simultaneous intervals of five judges' exact agreement minus that of the first one."""
    same = sheet.judges[:, 0] == sheet.person[0]
    first, *others = (np.bincount(sheet.cluster, one).astype(float) for one in same)
    weight = np.bincount(sheet.cluster).astype(float)
    members = [difference(one, first, weight) for one in others]
    return simultaneous(members, 0.05, draws).estimates


def eight_segments(sheet: Sheet) -> list[Estimate]:
    """Each segment's exact agreement minus that of the rest, over all questions of the pool."""
    every = pairs(sheet)
    # In blocks of as many questions as there are segments, so that these are alike in size.
    segment = every.cluster // SEGMENTS % SEGMENTS
    found = by_segment(every, segment, SEGMENTS, SCALE, FAILING, ("exact",))
    return [one.differences["exact"].estimate for one in found.segments]


def corrected_mean(sheet: Sheet, questions: int) -> Estimate:
    """The annotators' mean over all answers, where they graded one question in five."""
    judge, person = sheet.judges[0, 0].astype(float), sheet.person[0].astype(float)
    person[sheet.cluster >= questions] = np.nan
    return ppi_mean(
        Sample(judge, person, np.ones(judge.size), sheet.cluster), (SCALE[0], SCALE[-1])
    )


def corrected_share(sheet: Sheet, questions: int) -> Estimate:
    """The share annotators would pass of the answers they did not grade."""
    judge, person = (~np.isin(scores, FAILING) for scores in (sheet.judges[0, 0], sheet.person[0]))
    known = sheet.cluster < questions
    sensitivity, passing = _rate(judge, person & known, sheet.cluster)
    specificity, failing = _rate(~judge, ~person & known, sheet.cluster)
    share, answers = _rate(judge, ~known, sheet.cluster)
    rates = rogan_gladen.Rates(sensitivity, specificity, passing, failing)
    return rogan_gladen.rogan_gladen(share, answers, rates)


def _rate(hits: np.ndarray, base: np.ndarray, cluster: np.ndarray) -> tuple[float, float]:
    """A share and how many independent answers it rests on."""
    above, below = (np.bincount(cluster, one).astype(float) for one in (hits & base, base))
    if (below > 0).sum() < 2:
        return 0.0, 0.0
    share, size, _ = share_of(above, below)
    return float(share), float(size)


def pairs_of(
    judge: np.ndarray, person: np.ndarray, second: np.ndarray, cluster: np.ndarray
) -> Pairs:
    """The pairs of a judge and two annotators, the second on every third question."""
    item, twice = np.arange(len(cluster)), cluster % 3 == 0
    score = np.concatenate([person, second[twice]])
    return judge_pairs(item, judge, np.concatenate([item, item[twice]]), score, cluster)


def _lowest(cells: list[Measured]) -> str:
    given = [one for one in cells if one.given >= 0.1]
    if not given:
        return "–"
    held, share = min((one.held, one.given) for one in given)
    said = f"{held:.3f}".lstrip("0")
    return said if share > 0.99 else f"{said} ({share:.2f})".replace("(0", "(")


def _options() -> argparse.Namespace:
    parser = simulation.parser(__doc__.partition("\n")[0], sheets=2000)
    parser.add_argument("--plan", action="store_true", help="promised and delivered power instead")
    parser.add_argument("--decisions", action="store_true", help="the procedure of choose instead")
    parser.add_argument("--margin", action="store_true", help="choose at the margin instead")
    parser.add_argument("--questions", type=int, nargs="+", default=[30, 50, 100, 200])
    return parser.parse_args()


if __name__ == "__main__":
    main()
