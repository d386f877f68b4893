"""Promised and delivered power: does a plan from a pilot, or from assumptions, hold?

    python benchmarks/coverage.py --plan [--sheets 1000]

Draws pilots from a population whose judges are equally good, and has the plan of each promise the
power at a number of questions. What is delivered comes from complete decisions on sheets of that
size, drawn from the same population without the plan.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks import decisions
from benchmarks.decisions import FAILING, MARGINS, SCALE, World
from concord.stats.decision.conditions import Grades, ProcedureTerms
from concord.stats.planning import Assumed, Plan, curve, equally_good, made

ERROR, SEED, TIMES = 0.1, 31, 60
TWO, UNEQUAL = (2,), (1, 2, 3, 8)
# Figure, grades, answers, annotators, judges, looks, and a number of questions.
SCENARIOS = (
    ("exact", "balanced", TWO, 1, 1, 1, 60),
    ("exact", "70/22/5/3", TWO, 1, 1, 1, 60),
    ("exact", "balanced", UNEQUAL, 1, 1, 1, 60),
    ("exact", "70/22/5/3", UNEQUAL, 1, 1, 1, 60),
    ("exact", "balanced", (10, *[1] * 9), 1, 1, 1, 150),
    ("exact", "balanced", TWO, 1, 4, 1, 80),
    ("exact", "balanced", UNEQUAL, 1, 1, 4, 80),
    ("within_one", "balanced", UNEQUAL, 1, 1, 1, 45),
    ("balanced_accuracy", "balanced", UNEQUAL, 1, 1, 1, 45),
    ("qwk", "balanced", UNEQUAL, 1, 1, 1, 60),
    ("tau_b", "balanced", UNEQUAL, 1, 1, 1, 60),
    ("mae", "balanced", UNEQUAL, 1, 1, 1, 60),
    ("exact", "balanced", UNEQUAL, 2, 1, 1, 100),
)
PILOTS = (40, 60, 100, 200)


def table(sheets: int, seed: int) -> str:
    """Return promised power, on the mean over pilots with the middle 80%, and delivered power."""
    rows = [_row(scenario, sheets, [seed, place]) for place, scenario in enumerate(SCENARIOS)]
    heads = ["figure", "answers", "annotators", "judges", "looks", "questions"]
    heads += [f"pilot of {size}" for size in PILOTS] + ["assumed", "delivered"]
    return decisions.markdown(heads, rows)


def _row(scenario: tuple, sheets: int, seed: list[int]) -> list[str]:
    figure, spread, answers, annotators, judges, looks, questions = scenario
    world = World(spread, answers, annotators=annotators)
    plan = Plan(ProcedureTerms(figure, MARGINS[figure]), looks)
    random = np.random.default_rng(seed)
    cells = [
        _written([_promised(random, world, plan, judges, size, questions) for _ in range(TIMES)])
        for size in PILOTS
    ]
    assumed = f"{_assumed(world, plan, judges, questions):.2f}".replace("0.", ".")
    limit = decisions.equal(spread, figure, annotators)
    limit = limit._replace(world=limit.world._replace(answers=answers))
    delivered = decisions.rates(random, limit, questions, judges, sheets, plan.sizes(questions))
    name = f"{figure.replace('_', ' ')}, {spread}"
    sizes = "1 or 10" if len(answers) > 4 else "/".join(map(str, answers))
    counts = (sizes, annotators, judges, looks, questions)
    return [name, *map(str, counts), *cells, assumed, f"{delivered.first:.2f}".replace("0.", ".")]


def _promised(
    random: np.random.Generator, world: World, plan: Plan, judges: int, size: int, questions: int
) -> float:
    """What a pilot of so many questions promises."""
    drawn = decisions.sheets(random, world, size, (ERROR, ERROR), 1)
    own = {name: table[0] for name, table in drawn.by_judge().items()}
    one = drawn._replace(**own, annotators=drawn.annotators[0])
    return _power(one, plan, judges, questions, pilot=True)


def _assumed(world: World, plan: Plan, judges: int, questions: int) -> float:
    """What the right assumptions promise."""
    share = decisions.value(world, "exact", ERROR)
    failing = float(sum(decisions.SPREADS[world.spread][score] for score in FAILING))
    of = Assumed(share, share, failing, 0.3, world.answers, world.annotators)
    return _power(made(of, SCALE, FAILING, 2000), plan, judges, questions, pilot=False)


def _power(grades: Grades, plan: Plan, judges: int, questions: int, pilot: bool) -> float:
    pool = equally_good(grades, pilot).with_candidates(judges, plan.terms.figure, SEED)
    return curve(pool, plan, (questions,), 200 if pilot else 2000)[0].good


def _written(promised: Sequence[float]) -> str:
    low, high = np.quantile(promised, [0.1, 0.9])
    return f"{np.mean(promised):.2f} ({low:.2f}-{high:.2f})".replace("0.", ".")
