"""Simulated decisions: how often the procedure of `choose` errs, and its power.

    python benchmarks/coverage.py --decisions [--sheets 2000]
    python benchmarks/coverage.py --margin [--sheets 4000]

Draws sheets whose judges lie exactly on the limit of a condition, so that calling one of them good
enough is an error, and calling one of them not good enough is an error too; and sheets whose judges
are as good as the reference judge, which gives the power; and sheets of two annotators, one of whom
may grade at random. Everything is done by the functions that decide in the app.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from concord.reports.decision.choose import next_look
from concord.stats.core.minimums import VERDICT_FLOOR
from concord.stats.core.tables import effective_number
from concord.stats.decision.conditions import (
    ACCURACY,
    CEILING,
    DIFFERENCE,
    KAPPA,
    MINIMUM,
    Grades,
    ProcedureTerms,
    decide,
)
from concord.stats.decision.deciding_figure import FIGURES

SCALE, FAILING, SIZE = (0, 1, 2, 3), (0, 1), 4
SPREADS = {
    "balanced": (0.25, 0.25, 0.25, 0.25),
    "70/22/5/3": (0.03, 0.05, 0.22, 0.70),
    "90/6/2/2": (0.02, 0.02, 0.06, 0.90),
}
OF_LIMITS = ("balanced", "70/22/5/3")
TRUTH_ALIKE, ERRORS_ALIKE, JUDGES_ALIKE = 0.4, 0.3, 0.3
AT_ONCE, UNREAD = 3_000_000, 2.0
MARGINS = {
    **dict.fromkeys(("exact", "within_one", "balanced_accuracy"), 0.10),
    **dict.fromkeys(("qwk", "tau_b", "mae"), 0.15),
}

SIZES_NEXT_TO = {2: (20, 30, 40, 60, 90), 1: (60, 90)}  # questions by answers per question


class World(NamedTuple):
    """How grades come about.

    Attributes:
        spread: A key of `SPREADS`.
        answers: Of the questions in turn.
        annotators: 1, or 2 on every answer.
        error: Of an annotator, a share of answers.
        reference: The reference judge's error.
        far: The share of a judge's errors that are by two points.
        second: Of two annotators, `honest`, `uniform` (each score equally often, whatever the
            answer) or `constant` (always the highest score).
        lost: The share of whole questions on which a candidate, which otherwise gives the grades of
            the reference judge, is two points off; 0 for candidates with errors of their own.
        gained: The share of the reference judge's errors which such a candidate does not make.
    """

    spread: str = "balanced"
    answers: tuple[int, ...] = (2,)
    annotators: int = 1
    error: float = 0.1
    reference: float = 0.1
    far: float = 0.2
    second: str = "honest"
    lost: float = 0.0
    gained: float = 0.0


def sheets(
    random: np.random.Generator, world: World, questions: int, errors: Sequence[float], number: int
) -> Grades:
    """Return many sheets of judges with these error rates, the first one being the reference."""
    most = max(world.answers)
    shape = (number, 1, questions, most)
    ends = stats.norm.ppf(np.cumsum(SPREADS[world.spread])[:-1])
    truth = np.searchsorted(ends, _alike(random, shape, TRUTH_ALIKE))
    people = (number, world.annotators, questions, most)
    annotators = _erring(random, truth, _alike(random, people, ERRORS_ALIKE), world.error, 0.2)
    if world.second == "uniform":
        annotators[:, 1] = random.integers(0, SIZE, annotators[:, 1].shape)
    if world.second == "constant":
        annotators[:, 1] = SIZE - 1
    of_judges = (number, len(errors), questions, most)
    hard = _alike(random, shape, ERRORS_ALIKE)  # what is hard for one judge is hard for others
    latent = np.sqrt(JUDGES_ALIKE) * hard
    latent = latent + np.sqrt(1 - JUDGES_ALIKE) * _alike(random, of_judges, ERRORS_ALIKE)
    rate = np.asarray(errors)[:, None, None]
    judges = _erring(random, truth, latent, rate, world.far)
    # A judge with more errors than answers has not read them: it grades at random.
    blind = np.searchsorted(ends, _alike(random, of_judges, TRUTH_ALIKE))
    judges = np.where(rate > 1, blind, judges)
    if world.lost:
        reference, person = judges[:, :1], annotators[:, :1]
        own = np.where(random.random(reference.shape) < world.gained, person, reference)
        off = random.random((number, 1, questions, 1)) < world.lost
        judges[:, 1:] = np.where(off, np.where(person < 2, person + 2, person - 2), own)
    kept = np.arange(most) < np.resize(world.answers, questions)[:, None]
    each = [_tables(one[:, None], judges, kept) for one in np.moveaxis(annotators, 1, 0)]
    tables = sum(each) / world.annotators
    if world.annotators == 1:
        none = np.zeros((number, questions, SIZE, SIZE))
        return Grades(tables, np.zeros_like(tables), none, SCALE, FAILING)
    between = _tables(annotators[:, :1], annotators[:, 1:], kept)[:, 0]
    between = (between + np.swapaxes(between, -1, -2)) / 2
    return Grades(tables, tables, between, SCALE, FAILING, squares=tables / world.annotators)


def _alike(random: np.random.Generator, shape: tuple[int, ...], correlation: float) -> np.ndarray:
    shared = random.standard_normal((*shape[:-1], 1))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * random.standard_normal(shape)


def _erring(
    random: np.random.Generator, truth: np.ndarray, latent: np.ndarray, rate: float, far: float
) -> np.ndarray:
    """Grades that are off by one or two points on a part of the answers; at an end, inwards."""
    wrong = special.ndtr(latent) < rate
    step = np.where(random.random(latent.shape) < 0.5, 1, -1)
    step = step * np.where(random.random(latent.shape) < far, 2, 1)
    return _moved(truth, wrong * step)


def _moved(truth: np.ndarray, step: np.ndarray | int) -> np.ndarray:
    grade = truth + step
    grade = np.where((grade < 0) | (grade >= SIZE), truth - step, grade)
    return np.clip(grade, 0, SIZE - 1)


def _tables(annotator: np.ndarray, judge: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """(S, J, G, K, K) counts of (S, J, G, A) grades, of the answers in a (G, A) mask."""
    annotator, judge, kept = np.broadcast_arrays(annotator, judge, kept)
    rows = judge.size // judge.shape[-1]
    place = np.repeat(np.arange(rows), judge.shape[-1]).reshape(judge.shape)
    cell = (place * SIZE**2 + annotator * SIZE + judge)[kept]
    found = np.bincount(cell, minlength=rows * SIZE**2).astype(float)
    return found.reshape(*judge.shape[:-1], SIZE, SIZE)


def value(world: World, figure: str, error: float) -> float:
    """The true figure, with its sign, of a judge with this error rate."""
    annotator, judge = _given(world.error, 0.2), _given(error, world.far)
    joint = np.einsum("t,ta,tj->aj", SPREADS[world.spread], annotator, judge)
    return float(FIGURES[figure].better(FIGURES[figure].sums(joint, SCALE, FAILING)))


def _given(error: float, far: float) -> np.ndarray:
    """(K, K) chance of each grade, in columns, for each true grade."""
    found = (1 - error) * np.eye(SIZE)
    truth = np.arange(SIZE)
    for step, chance in ((1, 1 - far), (-1, 1 - far), (2, far), (-2, far)):
        np.add.at(found, (truth, _moved(truth, step)), error * chance / 2)
    return found


@cache
def error_at(world: World, figure: str, wanted: float) -> float:
    """The error rate of a judge whose figure is the wanted one."""
    low, high = 0.0, 0.95
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if value(world, figure, middle) > wanted else (low, middle)
    return (low + high) / 2


class Rates(NamedTuple):
    """Shares of sheets.

    Attributes:
        good: A candidate is good enough.
        bad: A candidate is not good enough.
        first: The first candidate is good enough.
        covered: The 95% CI of the first one's figure holds the true value, where it is given.
        given: It is given.
    """

    good: float
    bad: float
    first: float
    covered: float
    given: float


class Limit(NamedTuple):
    """A condition whose limit the candidates lie exactly on.

    Attributes:
        name: Of the condition.
        terms: That make it the one that decides.
        errors: Of the reference judge and of one candidate.
        world: How grades come about.
        truth: The true value of what the condition tests.
    """

    name: str
    terms: ProcedureTerms
    errors: tuple[float, float]
    world: World
    truth: float


def rates(
    random: np.random.Generator,
    limit: Limit,
    questions: int,
    judges: int,
    number: int,
    looks: Sequence[int] = (),
) -> Rates:
    """Return how often the procedure says what of so many candidates.

    Args:
        random: The generator.
        limit: The condition, and the judges.
        questions: Planned.
        judges: Number of candidates.
        number: Of sheets.
        looks: Questions at each look, rising; once at all of them without.
    """
    errors = (limit.errors[0], *limit.errors[1:] * judges)
    looks = looks or (questions,)
    chunk = max(1, AT_ONCE // (questions * len(errors) * SIZE**2))
    found = []
    for start in range(0, number, chunk):
        made = sheets(random, limit.world, questions, errors, min(chunk, number - start))
        found.append(_seen(made, limit, questions, looks))
    good, bad, first, covered, given = np.concatenate(found, axis=1)
    held = covered.sum() / max(given.sum(), 1)
    return Rates(
        *(float(one) for one in (good.mean(), bad.mean(), first.mean(), held, given.mean()))
    )


def _seen(made: Grades, limit: Limit, questions: int, looks: Sequence[int]) -> np.ndarray:
    """(5, S) verdicts over all looks, and the coverage of the last one's interval."""
    good = bad = np.zeros(made.judges.shape[:2], bool)
    for place, size in enumerate(looks):
        part = made._replace(
            judges=made.judges[:, :, :size],
            shared=made.shared[:, :, :size],
            annotators=made.annotators[:, :size],
        )
        shares = tuple(one / questions for one in looks[: place + 1])
        decided = decide(part, limit.terms, shares)
        good, bad = good | decided.good, bad | decided.bad
    tested = decided.conditions[limit.name].condition.tested
    given = ~np.isnan(tested.low[:, 1])
    covered = given & (tested.low[:, 1] <= limit.truth) & (limit.truth <= tested.high[:, 1])
    return np.stack(
        [good[:, 1:].any(axis=1), bad[:, 1:].any(axis=1), good[:, 1], covered, given]
    ).astype(float)


def differences() -> Iterator[tuple[str, str, Limit]]:
    """Spread, figure, and candidates that are worse than the reference by just the margin."""
    for spread in OF_LIMITS:
        for figure, margin in MARGINS.items():
            # Within one point hardly differs between judges that are seldom off by two.
            world = World(spread, far=0.5 if figure == "within_one" else 0.2)
            level = value(world, figure, world.reference)
            error = error_at(world, figure, level - margin)
            terms = ProcedureTerms(figure, margin)
            if figure == "within_one" and spread != "balanced":
                terms = terms._replace(minimum=0.5)  # the best constant has .97 there
            yield spread, figure, Limit(DIFFERENCE, terms, (world.reference, error), world, -margin)


def others() -> Iterator[tuple[str, Limit]]:
    """What decides, and candidates that lie just on the limit of another condition."""
    wide = ProcedureTerms("exact", 1.0)
    for figure in ("exact", "qwk", "mae"):
        world = World()
        least = value(world, figure, 0.2)
        terms = wide._replace(figure=figure, margin=3.0, minimum=FIGURES[figure].sign * least)
        yield f"minimum of {figure}", Limit(MINIMUM, terms, (0.05, 0.2), world, least)
    two = World(annotators=2)
    for figure in ("exact", "qwk"):
        level = value(two._replace(far=0.2), figure, two.error)
        error = error_at(two, figure, level - MARGINS[figure])
        terms = ProcedureTerms(figure, MARGINS[figure])
        yield (
            f"human ceiling, {figure}",
            Limit(CEILING, terms, (error, error), two, -MARGINS[figure]),
        )
    for name, key, limit in ((KAPPA, "qwk", 0.0), (ACCURACY, "balanced_accuracy", 0.5)):
        terms = wide._replace(minimum=0.01)
        yield f"{key} at chance", Limit(name, terms, (0.1, UNREAD), World(), limit)


def next_to(figure: str, reference: float, answers: int = 2) -> Limit:
    """Candidates worse by just the margin than a reference judge with this error rate."""
    world = World(
        answers=(answers,), reference=reference, far=0.5 if figure == "within_one" else 0.2
    )
    error = error_at(world, figure, value(world, figure, reference) - MARGINS[figure])
    terms = ProcedureTerms(figure, MARGINS[figure])
    return Limit(DIFFERENCE, terms, (reference, error), world, -MARGINS[figure])


def references_table(number: int, seed: int) -> str:
    """Type I error of good enough next to reference judges that seldom err, or never."""
    rows = []
    plans = [(answers, size) for answers, sizes in SIZES_NEXT_TO.items() for size in sizes]
    for figure, reference in product(MARGINS, (0.0, 0.02, 0.05)):
        random = np.random.default_rng([seed, 500 + len(rows)])
        found = [
            rates(random, next_to(figure, reference, answers), size, 1, number).good
            for answers, size in plans
        ]
        rows.append([_named(figure), f"{reference:.0%}", *map(_share, found)])
    return markdown(["figure", "errs", *(f"{size} of {n}" for n, size in plans)], rows)


def equal(spread: str = "balanced", figure: str = "exact", annotators: int = 1) -> Limit:
    """Candidates that are exactly as good as the reference."""
    world = World(spread, annotators=annotators)
    return Limit(DIFFERENCE, ProcedureTerms(figure, MARGINS[figure]), (0.1, 0.1), world, 0.0)


def error_table(number: int, seed: int) -> str:
    """Type I error of both verdicts where candidates lie on the limit of the difference."""
    plans = [  # judges, questions, looks
        *((judges, size, ()) for judges, size in ((1, 20), (1, 40), (1, 90), (4, 60), (9, 60))),
        (1, 80, (20, 40, 60, 80)),
        (1, 540, (20, 60, 180, 540)),
        (9, 80, (20, 40, 60, 80)),
    ]
    named = ((f"{_named(figure)}, {spread}", limit) for spread, figure, limit in differences())
    return _on_limits(named, plans, number, seed)


def limits_table(number: int, seed: int) -> str:
    """The same where they lie on the limit of another condition."""
    plans = [(judges, size, ()) for judges, size in ((1, 20), (1, 40), (1, 90), (4, 60))]
    return _on_limits(others(), plans, number, seed, 100)


def _on_limits(
    named: Iterable[tuple[str, Limit]], plans: Sequence[tuple], number: int, seed: int, at: int = 0
) -> str:
    """Good enough / not good enough by plan, and the coverage of the third one's interval."""
    rows = []
    for name, limit in named:
        random = np.random.default_rng([seed, at + len(rows)])
        found = [
            rates(random, limit, size, judges, number // slower(judges, size), looks)
            for judges, size, looks in plans
        ]
        cells = (f"{_share(one.good)} / {_share(one.bad)}" for one in found)
        rows.append([name, *cells, _share(found[2].covered)])
    heads = ["/".join(map(str, looks or (size,))) for _, size, looks in plans]
    heads = [f"{judges} judge, {head}" for head, (judges, *_) in zip(heads, plans, strict=True)]
    return markdown(["limit", *heads, "95% CI, 90"], rows)


def slower(judges: int, size: int) -> int:
    """How many times fewer sheets are drawn of a plan that takes long."""
    return 4 if size > 200 else 2 if judges > 4 else 1


def power_table(number: int, seed: int) -> str:
    """The share of sheets in which the first of several equally good candidates is found."""
    rows, sizes = [], (40, 60, 90, 150)
    for figure, judges in product(MARGINS, (1, 4, 9)):
        random, limit = np.random.default_rng([seed, 200 + len(rows)]), equal(figure=figure)
        found = [rates(random, limit, n, judges, number // judges + 100).first for n in sizes]
        rows.append([_named(figure), str(judges), *map(_share, found)])
    return markdown(["figure", "judges", *(f"{size} questions" for size in sizes)], rows)


PLANS = {
    "looks at 30 and 60 of 60": ((60, 30), (60, 60)),
    "the same, then 90 and 120 graded": ((60, 30), (60, 60), (60, 90), (60, 120)),
    "the same, then 120 of 120": ((60, 30), (60, 60), (120, 120)),
    "60 of 60, then 120 of 120": ((60, 60), (120, 120)),
    "60 of 60, then 600 of 600": ((60, 60), (600, 600)),
    "30 of 60, then 120 of 120": ((60, 30), (120, 120)),
}


def plans_table(number: int, seed: int) -> str:
    """The type I error of decisions with several plans, of those that count and of all.

    The statistic of a look is normal, with one independent increment per question.
    """
    rows = []
    for name, looks in PLANS.items():
        random, seen = np.random.default_rng([seed, len(rows)]), []
        total, first = np.zeros(number), looks[0][0]
        counted, ever = np.zeros(number, bool), np.zeros(number, bool)
        for plan, questions in looks:
            grown = max(0, questions - max(seen, default=0))
            total += np.sqrt(grown) * random.standard_normal(number)
            this = next_look(seen, questions, plan)
            if this.level:  # else no planned question is new, and the verdict stays
                rejects = total / np.sqrt(questions) > special.ndtri(1 - this.level)
                ever |= rejects
                counted |= rejects & (plan == first)
            seen.append(questions)
        rows.append([name, _share(counted.mean()), _share(ever.mean())])
    return markdown(["looks", "confirmatory", "with exploratory"], rows)


UNEQUAL = {"1/2/3/8": (1, 2, 3, 8), "1 or 10": (10, *[1] * 9)}
OF_MARGIN = ("exact", "qwk", "within_one", "balanced_accuracy", "mae")
LOST, LOST_AT = (0.04, 0.06, 0.08), (40, 60, 100)
LOST_ERROR, GAINED = 0.15, (0.0, 0.1, 0.2)


def margin_table(number: int, seed: int) -> str:
    """Type I error of a candidate that loses whole questions, and power, with unequal questions.

    The margin is the true difference. Each cell is the highest of three shares of gains elsewhere.
    There is no verdict below 20 effective questions.
    """
    rows = []
    for (name, answers), spread in product(UNEQUAL.items(), OF_LIMITS):
        sizes = [
            size
            for size in LOST_AT
            if effective_number(np.resize(answers, size).astype(float)) >= VERDICT_FLOOR
        ]
        cells = {
            (lost, size): [
                _lost(World(spread, answers, lost=lost, gained=gained), size, number, seed)
                for gained in GAINED
            ]
            for lost, size in product(LOST, sizes)
        }
        for figure in OF_MARGIN:
            passed = {at: max(one[figure] for one in found) for at, found in cells.items()}
            limit = equal(spread, figure)
            limit = limit._replace(world=limit.world._replace(answers=answers))
            alike = {
                size: rates(np.random.default_rng([seed, 7]), limit, size, 1, number // 4)
                for size in sizes
            }
            shares = [passed.get(at) for at in product(LOST, LOST_AT)]
            for key in ("first", "covered"):
                shares += [getattr(alike.get(size), key, None) for size in LOST_AT]
            written = ["–" if one is None else _share(one) for one in shares]
            rows.append([f"{_named(figure)}, {spread}", name, *written])
    heads = [f"{lost:.0%} of {size}" for lost, size in product(LOST, LOST_AT)]
    heads += [f"{name}, {size}" for name in ("power", "95% CI") for size in LOST_AT]
    return markdown(["figure", "answers", *heads], rows)


@cache
def _margins(world: World, seed: int) -> dict[str, float]:
    """How much worse the candidate is in truth, by figure: on a very large sheet."""
    random, errors = np.random.default_rng(seed), (LOST_ERROR, LOST_ERROR)
    whole = sheets(random, world, 300_000, errors, 1).total()[0]
    values = {key: FIGURES[key].of(whole, SCALE, FAILING) * FIGURES[key].sign for key in OF_MARGIN}
    return {key: float(reference - candidate) for key, (reference, candidate) in values.items()}


def _lost(world: World, questions: int, number: int, seed: int) -> dict[str, float]:
    """How often a candidate passes with the margin that it is worse by, in each figure."""
    random = np.random.default_rng([seed, questions])
    errors = (LOST_ERROR, LOST_ERROR)
    margins = _margins(world._replace(answers=(1,)), seed)
    passed = {key: [] for key in margins}
    for start in range(0, number, 1000):
        made = sheets(random, world, questions, errors, min(1000, number - start))
        for key, margin in margins.items():
            if margin > 0:
                terms = ProcedureTerms(key, margin, minimum=9.0 if key == "mae" else 0.01)
                passed[key].append(decide(made, terms).good[:, 1])
    return {key: float(np.concatenate(own).mean()) if own else 0.0 for key, own in passed.items()}


def tables(number: int, seed: int) -> str:
    """All tables."""
    made = (error_table, references_table, limits_table, power_table, annotators_table)
    found = [plans_table(1000 * number, seed), *(one(number, seed) for one in made)]
    return "\n\n".join(found)


def annotators_table(number: int, seed: int) -> str:
    """How often a judge is good enough by two annotators.

    The judges err on 10% and the minimum is low, so that little else stands in the way.
    """
    rows, terms = [], ProcedureTerms("exact", 0.10, minimum=0.2)
    plans = [*product(("honest", "uniform", "constant"), (40, 90))]
    for spread, error in product(SPREADS, (0.1, 0.3)):
        random, cells = np.random.default_rng([seed, 300 + len(rows)]), []
        for second, size in plans:
            world = World(spread, annotators=2, error=error, second=second)
            made = sheets(random, world, size, (0.1, 0.1), number)
            cells.append(_share(decide(made, terms).good[:, 1].mean()))
        rows.append([spread, f"{error:.0%}", *cells])
    heads = [f"one {second}, {size}" for second, size in plans]
    return markdown(["grades", "annotators err", *heads], rows)


def _named(figure: str) -> str:
    return figure.replace("_", " ")


def _share(number: float) -> str:
    return f"{number:.3f}".lstrip("0") if number < 1 else "1"


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are written already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
