"""How often an alert is raised about an honest annotator, and about one who presses at random.

    python benchmarks/annotator_alerts.py [--campaigns 200] [--seed 20231]

Prints the tables of docs/statistics.md. A campaign has five annotators with 100 answers each, two
to a question, three criteria, 10 gold items and 10 hidden repeats each, and times of all answers.
Honest annotators are off by one point on the given share of grades, also on gold items and repeats,
and read at a median of 6 to 18 letters a second. In the first campaign all are honest (`weak`: one
is off on 45%); in the second one presses keys at random at an honest pace (`uniform`); in the third
one always gives the highest score (`constant`); in the fourth one turns to random keys after half
of the answers (`tired`); in the fifth one grades honestly but in a tenth of the time (`hasty`).

The second table is of campaigns with one who presses at random, graded block by block: 250 answers
in blocks as Concord deals them (`dealt`), or with one honest partner alone (`one partner`), or with
this partner on four answers in five (`mostly one`); with gold items and repeats and without.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402

from benchmarks import simulation  # noqa: E402
from benchmarks.annotators import ANNOTATORS, QUESTIONS, SCALE, SPREADS, campaign, drawn  # noqa: E402
from concord.grading import campaign_plan  # noqa: E402
from concord.grading.grading_sets import BLOCK_SIZE  # noqa: E402
from concord.stats.core.pairs import Pairs, annotators_pairs, judge_pairs  # noqa: E402
from concord.stats.reliability import annotator_alerts as rule  # noqa: E402

ERRORS = {"20%": (0.2,) * 5, "50%": (0.5,) * 5, "20%, weak": (0.45, 0.2, 0.2, 0.2, 0.2)}
CRITERIA, GOLD, REPEATS = 3, 10, 10
# Who share how many answers where the first two are each other's only, or main, partner.
PARTNERS = {
    "one partner": {(0, 1): 100, (2, 3): 50, (3, 4): 50, (2, 4): 50},
    "mostly one": {(0, 1): 80, (0, 2): 20, (1, 3): 20, (2, 3): 40, (3, 4): 50, (2, 4): 40},
}
DEALT = ("dealt", *PARTNERS)
KINDS = ("uniform", "constant", "tired", "hasty")
FASTEST, PACES, SD = 30.0, (6, 18), 0.4  # letters a second; medians; SD of the log


def main() -> None:
    """Measure every cell and print the table."""
    options = simulation.parser(__doc__, campaigns=200).parse_args()
    random = np.random.default_rng(options.seed)
    print("| grades | answers | off by one | honest | weak | " + " | ".join(KINDS) + " |")
    print("|---" * (5 + len(KINDS)) + "|")
    for spread in SPREADS:
        for design in QUESTIONS:
            for name, errors in ERRORS.items():
                found = cell(random, spread, design, errors, options.campaigns)
                shares = " | ".join("" if one is None else f"{one:.3f}" for one in found)
                print(f"| {spread} | {design} | {name} | {shares} |", flush=True)
    print("\n| grades | partners | gold and repeats | random | first partner | honest |")
    print("|---" * 6 + "|")
    for spread in SPREADS:
        for design in DEALT:
            for name, with_known in (("yes", True), ("no", False)):
                found = beside_random(random, spread, design, with_known, options.campaigns)
                shares = " | ".join(f"{one:.3f}" for one in found)
                print(f"| {spread} | {design} | {name} | {shares} |", flush=True)


def cell(
    random: np.random.Generator, spread: str, design: str, errors: tuple, campaigns: int
) -> list[float | None]:
    """Return the share of honest annotators with an alert, of weak ones, and of each bad kind."""
    weak = errors[0] != errors[1]
    bad = {kind: 0 for kind in KINDS}
    honest = of = weaker = 0
    for _ in range(campaigns):
        for kind in (None, *KINDS):
            one, *others = map(bool, raised(random, spread, design, errors, kind))
            honest, of = honest + sum(others), of + len(others)
            if kind:
                bad[kind] += one
            elif weak:
                weaker += one
            else:
                honest, of = honest + one, of + 1
    shares = [bad[kind] / campaigns for kind in KINDS]
    return [honest / of, weaker / campaigns if weak else None, *shares]


def beside_random(
    random: np.random.Generator, spread: str, design: str, with_known: bool, campaigns: int
) -> tuple[float, float, float]:
    """Return the share with an alert: random ones, the second annotator, all honest ones."""
    errors = ERRORS["20%"]
    found = [
        [bool(one) for one in raised(random, spread, design, errors, "uniform", with_known)]
        for _ in range(campaigns)
    ]
    pressed, second, *_ = np.mean(found, axis=0)
    return pressed, second, np.mean([honest for _, *honest in found])


def raised(
    random: np.random.Generator,
    spread: str,
    design: str,
    errors: tuple,
    kind: str | None,
    with_known: bool = True,
) -> list[list[str]]:
    """Return the alerts about each annotator of one campaign; the first one is of that kind.

    Without `with_known` nobody has gold items and hidden repeats.
    """
    tests: list[dict[str, rule.Worse]] = [{} for _ in range(ANNOTATORS)]
    given = _given(random, design)
    questions = given.shape[1] // 2
    thirds = _thirds(random, given, in_order=design in DEALT)
    for criterion in range(CRITERIA):
        # An annotator without errors gives the true grades; the others follow them twice over.
        every, cluster = campaign(random, spread, questions, (0.0, *errors, *errors))
        truth, first, second = every[0], every[1 : ANNOTATORS + 1], every[ANNOTATORS + 1 :]
        gold = campaign(random, spread, GOLD // 2, (0.0, *errors))[0]
        for scores in (first, second, gold[1:]):
            _press(random, kind, scores[0], thirds[0] if len(scores[0]) == len(truth) else None)
        ratings = np.where(given, first, np.nan)
        again = ratings == second
        hits = (gold[1:] == gold[0]).sum(axis=1)
        same = [_repeated(random, again[one], thirds[one]) for one in range(ANNOTATORS)]
        for one in range(ANNOTATORS):
            found = rule.of_criterion(*_pairs(ratings, cluster, one), thirds[one])
            if with_known:
                found[rule.GOLD] = _compared(rule.GOLD, hits, one, GOLD)
                found[rule.REPEATS] = _compared(rule.REPEATS, np.array(same), one, REPEATS)
            tests[one] |= {f"{name} {criterion}": test for name, test in found.items()}
    for one, found in enumerate(tests):
        pace = random.uniform(*PACES) * np.exp(random.normal(0, SD, 100))
        pace = 10 * pace if kind == "hasty" and not one else pace
        found[rule.SPEED] = rule.too_fast(int((pace > FASTEST).sum()), 100)
    return [rule.alerts(found) for found in tests]


def _given(random: np.random.Generator, design: str) -> np.ndarray:
    """(annotators, answers) which answers each annotator grades."""
    if design in QUESTIONS:
        return ~np.isnan(drawn(np.zeros((ANNOTATORS, 2 * QUESTIONS[design])), design))
    given = np.zeros((ANNOTATORS, 250), bool)
    if design in PARTNERS:
        pairs = np.repeat(list(PARTNERS[design]), list(PARTNERS[design].values()), axis=0)
        given[pairs.T, np.arange(250)] = True
        return given
    seed, blocks = int(random.integers(10**6)), range(-(-250 // BLOCK_SIZE))
    seats = campaign_plan.seats(blocks, 2, 1.0, seed)
    for seat, person in campaign_plan.assigned_annotators(seats, range(ANNOTATORS), seed).items():
        given[person, seat.block * BLOCK_SIZE : (seat.block + 1) * BLOCK_SIZE] = True
    return given


def _thirds(random: np.random.Generator, given: np.ndarray, in_order: bool) -> np.ndarray:
    """(annotators, answers) the third of each annotator's own grades, else in random order; or -1.

    `in_order` is true where the answers are graded one after the other.
    """
    thirds = np.full(given.shape, -1)
    for own, row in zip(given, thirds, strict=True):
        items = np.flatnonzero(own)
        for part, those in enumerate(
            np.array_split(items if in_order else random.permutation(items), 3)
        ):
            row[those] = part
    return thirds


def _press(
    random: np.random.Generator, kind: str | None, scores: np.ndarray, third: np.ndarray | None
) -> None:
    """Put what a bad annotator presses in place of honest scores."""
    if kind == "uniform":
        scores[:] = random.integers(0, len(SCALE), len(scores))
    elif kind == "constant":
        scores[:] = SCALE[-1]
    elif kind == "tired":
        late = random.random(len(scores)) < 0.5
        late = late if third is None else (third == 2) | (third == 1) & late
        scores[late] = random.integers(0, len(SCALE), late.sum())


def _repeated(random: np.random.Generator, same: np.ndarray, third: np.ndarray) -> int:
    """How many of the annotator's hidden repeats get the same score again."""
    return int(same[random.choice(np.flatnonzero(third >= 0), REPEATS, replace=False)].sum())


def _pairs(ratings: np.ndarray, cluster: np.ndarray, one: int) -> tuple[rule.Shared, Pairs]:
    who, item = np.nonzero(~np.isnan(ratings))
    score, mine = ratings[who, item], who == one
    own = judge_pairs(item[mine], score[mine], item[~mine], score[~mine], cluster)
    # Who instead of what they gave, in the same order.
    partner = judge_pairs(item[mine], score[mine], item[~mine], who[~mine], cluster).annotator
    return rule.Shared(own, partner), annotators_pairs(item[~mine], score[~mine], cluster)


def _compared(figure: str, right: np.ndarray, one: int, n: int) -> rule.Worse:
    others = len(right) - 1
    own = int(right[one])
    return rule.worse_shares(figure, own, n, int(right.sum()) - own, others * n)


if __name__ == "__main__":
    main()
