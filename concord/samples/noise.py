"""The noise model of the simulated graders: ordinal shifts away from the author's grade.

For an author's grade t the chance of moving off is `move[t]`, with a random effect of the question
and of its document added on the log-odds; the same effects hold for every simulated grader, so that
their errors pile up on the same questions. A move goes up with chance `up` where both directions
are open, by two scores with chance `far` where there is room, else by one.
"""

import math
from statistics import NormalDist
from typing import Literal

from concord.definitions import Frozen
from concord.samples.defects import uniform

TOP = 3


class Simulated(Frozen):
    """One simulated grader; `move` is indexed by the author's grade 0-3, all others are shares."""

    name: str
    kind: Literal["person", "judge"]
    share: float
    move: tuple[float, float, float, float]
    up: float
    far: float
    obeys_injections: bool
    reason: str


class Decider(Frozen):
    """One simulated decision judge, which gives a probability of each score.

    It sees the author's grade plus `bias` with a normal error of standard deviation `error_sd`, and
    believes its error to have `belief_sd`: a smaller one makes it overconfident.
    """

    name: str
    bias: float
    error_sd: float
    belief_sd: float
    reason: str


class Noise(Frozen):
    """The seed, the spread of the random effects (log-odds) and the graders."""

    seed: int
    question_sd: float
    document_sd: float
    graders: tuple[Simulated, ...]
    deciders: tuple[Decider, ...]


def graded(noise: Noise, grader: Simulated, question_ids: list[str]) -> frozenset[str]:
    """The questions a grader gets to: a draw of exactly `share` of them, rounded."""
    order = sorted(question_ids, key=lambda each: uniform(noise.seed, grader.name, "draw", each))
    return frozenset(order[: round(grader.share * len(order))])


def effect(noise: Noise, question_id: str, document: str) -> float:
    """Return how much a question raises the log-odds of an error, for every simulated grader."""
    question = _normal(noise.seed, "question", question_id)
    return noise.question_sd * question + noise.document_sd * _normal(
        noise.seed, "document", document
    )


def shifted(grader: Simulated, grade: int, effect: float, draws: tuple[float, ...]) -> int:
    """The grader's score for an author's `grade`; `draws` are three numbers in [0, 1)."""
    moves, direction, distance = draws
    if moves >= _raised(grader.move[grade], effect):
        return grade
    up = grade == 0 or (grade < TOP and direction < grader.up)
    room = TOP - grade if up else grade
    steps = 2 if distance < grader.far and room >= 2 else 1
    return grade + steps if up else grade - steps


def draws(noise: Noise, grader: Simulated, item_id: str, criterion: str) -> tuple[float, ...]:
    """The three numbers that decide one grade."""
    key = (grader.name, item_id, criterion)
    return tuple(uniform(noise.seed, *key, part) for part in ("move", "direction", "distance"))


def believed(
    noise: Noise, decider: Decider, grade: int, effect: float, item_id: str, criterion: str
) -> tuple[float, ...]:
    """The probability of each score 0-3, to three decimals, for an author's `grade`.

    An effect of the question (log-odds) widens its error as it raises that of other graders.
    """
    error = _normal(noise.seed, decider.name, item_id, criterion) * math.exp(effect / 4)
    seen = grade + decider.bias + decider.error_sd * error
    weights = [
        math.exp(-0.5 * ((score - seen) / decider.belief_sd) ** 2) for score in range(TOP + 1)
    ]
    return tuple(round(weight / sum(weights), 3) for weight in weights)


def _raised(share: float, effect: float) -> float:
    """A share in (0, 1) with `effect` added to its log-odds."""
    return 1 / (1 + math.exp(-(math.log(share / (1 - share)) + effect)))


def _normal(seed: int, *key: str) -> float:
    """A standard normal number; the half step keeps it off 0, where it is not defined."""
    return NormalDist().inv_cdf(uniform(seed, *key) + 2**-65)
