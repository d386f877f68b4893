"""How early an annotator alert is raised, and how often about an honest annotator.

    python benchmarks/annotator_alerts.py [--campaigns 300] [--seed 20231]

Prints the tables of docs/statistics.md. A campaign has five annotators with 84 answers each, two
annotators per answer, three criteria and two answers per question, assigned in blocks of 14 as
Concord does; each one grades the own blocks in order, all at the same pace, with 8 gold items mixed
in and 8 hidden repeats (half of them remembered), or without. What is tested of a stage does not
change once all have reached it, so that the finished campaign has every alert that a look at any
time would have shown.

Honest annotators are alike (off by one point on 20% of the scores), or differ: in leniency (SD .15
on the scale of a standard normal trait, and .1 by criterion) and in noise (SD .25 to .6, which is
20% to 40% of even grades wrong), with errors that are alike on a question and over the criteria.
The first annotator is one of them, or presses keys at random (`random`), is honest for 15 answers
and then gives two of the three scores of an answer one level higher (`drifter`), presses at random
on 40% of the answers (`careless`), always gives the highest score (`constant`), or gives every
score one too low (`shifted`). All of them take their time.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.grading import campaigns  # noqa: E402
from concord.stats.reliability import annotator_alerts as rule  # noqa: E402

SPREADS = {
    "even": (0.25, 0.25, 0.25, 0.25),
    "10/20/30/40": (0.1, 0.2, 0.3, 0.4),
    "3/5/22/70": (0.03, 0.05, 0.22, 0.70),
}
CELLS = [
    *((spread, people, True) for spread in SPREADS for people in ("alike", "differ")),
    *(("even", people, False) for people in ("alike", "differ")),
]
KINDS = ("random", "drifter", "careless", "constant", "shifted")
ANNOTATORS, EACH, BLOCK, CRITERIA, TOP = 5, 84, 14, 3, 3
NOISE = 0.25, 0.6
GOLD = REPEATS = 8
BY = {"random": 40, "drifter": 60}  # the answers by which an alert is counted; else at the end


def main() -> None:
    """Measure every cell and print the table."""
    options = simulation.parser(__doc__, campaigns=300).parse_args()
    columns = [f"{kind} by {BY[kind]}" if kind in BY else kind for kind in KINDS]
    columns += ["others", "honest", "shift noted"]
    print(f"| grades | annotators | gold, repeats | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 3) + "|")
    for spread, people, extras in CELLS:
        name = f"{spread} | {people} | {'yes' if extras else 'no'}"
        random = np.random.default_rng(options.seed)
        shares = cell(random, spread, people, extras, options.campaigns)
        print(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def cell(
    random: np.random.Generator, spread: str, people: str, extras: bool, campaigns: int
) -> list[float]:
    """Return the shares of campaigns with an alert about the first annotator of each kind.

    Then those with one about another annotator of such a campaign, about anyone in an honest one,
    and with a note of the shifted annotator.
    """
    found = {name: [] for name in (*KINDS, "others", "honest", "noted")}
    for kind in (*KINDS, None) * campaigns:
        given = campaign(random, spread, people, extras, kind)
        alerts = {i: test.n for i, test in enumerate(rule.tests(given)) if test.code}
        first = alerts.pop(0, EACH + 1)
        if kind is None:
            found["honest"].append(bool(alerts) or first <= EACH)
            continue
        found[kind].append(first <= BY.get(kind, EACH))
        found["others"].append(bool(alerts))
        if kind == "shifted":
            found["noted"].append(rule.noted(*rule.shifts(given)[0]))
    return [float(np.mean(each)) for each in found.values()]


def campaign(
    random: np.random.Generator, spread: str, people: str, extras: bool, kind: str | None
) -> rule.Given:
    """Return a finished campaign; each annotator's answers are in the order of grading."""
    answers, gold = ANNOTATORS * EACH // 2, GOLD * extras
    trait = _alike(random, (0.2, 0.2, 0.2, 0.4), answers + gold)
    cuts = stats.norm.ppf(np.cumsum(SPREADS[spread])[:-1])
    rows = []
    for i, own in enumerate(_assigned(random, answers)):
        places = np.sort(random.integers(0, EACH, gold))
        order = np.insert(own, places, answers + random.permutation(gold))
        first, again = (given[order] for given in _scores(random, trait, cuts, people))
        if i == 0 and kind:
            first, again = (_bad(random, kind, given) for given in (first, again))
        number = np.arange(len(order))
        twice = random.permutation(number[: EACH - 20])[: REPEATS * extras]
        remembered = random.random(len(order)) < (0 if i == 0 and kind == "random" else 0.5)
        again[remembered] = first[remembered]
        once = np.delete(number, twice)
        again[once] = np.nan
        later = np.where(np.isin(number, once), np.nan, number + 20.5)
        rows.append((np.full(len(order), i), order, number + 0.0, first, again, later))
    known = answers + np.arange(gold)
    truth, none = np.searchsorted(cuts, trait[known]).astype(float), np.full(gold, np.nan)
    rows.append((np.full(gold, ANNOTATORS), known, none, truth, 0 * truth + np.nan, none))
    columns = (np.concatenate(column) for column in zip(*rows, strict=True))
    return rule.Given(*columns, np.arange(len(trait)) // 2, ANNOTATORS, (0, TOP))


def _assigned(random: np.random.Generator, answers: int) -> list[np.ndarray]:
    """The answers of each annotator: own blocks in order, shuffled within."""
    seed = int(random.integers(10**6))
    seats = campaigns.seats_of_blocks(range(answers // BLOCK), 2, 1.0, seed)
    taken = campaigns.assigned_annotators(seats, range(ANNOTATORS), seed)
    blocks = np.arange(answers).reshape(-1, BLOCK)
    return [
        random.permuted(
            blocks[sorted(seat.block for seat, who in taken.items() if who == i)], axis=1
        ).ravel()
        for i in range(ANNOTATORS)
    ]


def _alike(random: np.random.Generator, shares: Sequence[float], answers: int) -> np.ndarray:
    """(answers, criteria) standard normal numbers.

    The `shares` of their variance: of a question and criterion, a question, an answer, and rest.
    """
    sizes = (-(-answers // 2), CRITERIA), (-(-answers // 2), 1), (answers, 1), (answers, CRITERIA)
    parts = [
        np.sqrt(share) * random.normal(size=size) for share, size in zip(shares, sizes, strict=True)
    ]
    return sum(
        part if len(part) == answers else np.repeat(part, 2, axis=0)[:answers] for part in parts
    )


def _scores(
    random: np.random.Generator, trait: np.ndarray, cuts: np.ndarray, people: str
) -> list[np.ndarray]:
    """An honest annotator's scores of answers in order, and those of a second grading."""
    if people == "alike":
        truth = np.searchsorted(cuts, trait)
        off = random.choice([-1, 0, 1], (2, *truth.shape), p=[0.1, 0.8, 0.1])
        return [*np.clip(truth + off, 0, TOP).astype(float)]
    lenience = random.normal(0, 0.15) + random.normal(0, 0.1, CRITERIA)
    noise = np.exp(random.uniform(*np.log(NOISE)))
    errors = (_alike(random, (0, 0.2, 0.2, 0.6), len(trait)) for _ in range(2))
    return [np.searchsorted(cuts, trait + lenience + noise * one).astype(float) for one in errors]


def _bad(random: np.random.Generator, kind: str, scores: np.ndarray) -> np.ndarray:
    """What a bad annotator gives in place of honest scores, in the order of grading."""
    pressed = random.integers(0, TOP + 1, scores.shape).astype(float)
    if kind == "random":
        return pressed
    if kind == "careless":
        return np.where(random.random((len(scores), 1)) < 0.4, pressed, scores)
    if kind == "constant":
        return np.full(scores.shape, float(TOP))
    if kind == "shifted":
        return np.maximum(scores - 1, 0)
    raised = random.random(scores.shape).argsort(axis=1) < 2
    late = np.arange(len(scores))[:, None] >= 15
    return np.where(raised & late, np.minimum(scores + 1, TOP), scores)


if __name__ == "__main__":
    main()
