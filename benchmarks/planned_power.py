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
from concord.stats.decision.conditions import ProcedureTerms
from concord.stats.decision.grades import Grades
from concord.stats.planning.assumed_questions import Assumed, made
from concord.stats.planning.question_pool import equally_good
from concord.stats.planning.simulated_power import Plan, curve

ERROR, SEED = 0.1, 31
SCENARIOS = (
    ("exact", "balanced", 1, 1, 1, 60),
    ("exact", "balanced", 2, 1, 1, 90),
    ("exact", "balanced", 1, 4, 1, 60),
    ("exact", "balanced", 1, 1, 4, 80),
    ("exact", "70/22/5/3", 1, 1, 1, 60),
    ("within_one", "balanced", 1, 1, 1, 40),
    ("balanced_accuracy", "balanced", 1, 1, 1, 50),
    ("qwk", "balanced", 1, 1, 1, 40),
    ("tau_b", "balanced", 1, 1, 1, 40),
    ("mae", "balanced", 1, 4, 1, 60),
    ("exact", "balanced", 2, 4, 1, 120),
)
PILOTS = (30, 40, 60, 100, 200)


def table(sheets: int, seed: int) -> str:
    """Return promised power, on the mean over pilots with the middle 80%, and delivered power."""
    rows = [_row(scenario, sheets, [seed, place]) for place, scenario in enumerate(SCENARIOS)]
    heads = ["figure", "annotators", "judges", "looks", "questions"]
    heads += [f"pilot of {size}" for size in PILOTS] + ["assumed", "delivered"]
    return decisions.markdown(heads, rows)


def _row(scenario: tuple[str, str, int, int, int, int], sheets: int, seed: list[int]) -> list[str]:
    figure, spread, annotators, judges, looks, questions = scenario
    world = World(spread, annotators=annotators)
    plan = Plan(ProcedureTerms(figure, MARGINS[figure]), looks)
    random = np.random.default_rng(seed)
    cells = [
        _written([_promised(random, world, plan, judges, size, questions) for _ in range(24)])
        for size in PILOTS
    ]
    assumed = f"{_assumed(world, plan, judges, questions):.2f}"
    limit = decisions.equal(spread, figure, annotators)
    delivered = decisions.rates(random, limit, questions, judges, sheets, plan.sizes(questions))
    name = f"{figure.replace('_', ' ')}, {spread}"
    counts = (annotators, judges, looks, questions)
    return [name, *map(str, counts), *cells, assumed, f"{delivered.first:.2f}"]


def _promised(
    random: np.random.Generator, world: World, plan: Plan, judges: int, size: int, questions: int
) -> float:
    """What a pilot of so many questions promises."""
    drawn = decisions.sheets(random, world, size, (ERROR, ERROR), 1)
    one = drawn._replace(
        judges=drawn.judges[0], shared=drawn.shared[0], annotators=drawn.annotators[0]
    )
    return _power(one, plan, judges, questions, pilot=True)


def _assumed(world: World, plan: Plan, judges: int, questions: int) -> float:
    """What the right assumptions promise."""
    share = decisions.value(world, "exact", ERROR)
    failing = float(sum(decisions.SPREADS[world.spread][score] for score in FAILING))
    of = Assumed(share, share, failing, 0.3, world.answers, world.annotators)
    return _power(made(of, SCALE, FAILING, 2000), plan, judges, questions, pilot=False)


def _power(grades: Grades, plan: Plan, judges: int, questions: int, pilot: bool) -> float:
    pool = equally_good(grades, pilot).with_candidates(judges, plan.terms.figure, SEED)
    return curve(pool, plan, (questions,), 400)[0].good


def _written(promised: Sequence[float]) -> str:
    low, high = np.quantile(promised, [0.1, 0.9])
    return f"{np.mean(promised):.2f} ({low:.2f}-{high:.2f})"
