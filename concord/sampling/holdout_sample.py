"""Random sample of questions to hold out: seeded, by family, stratified. Pure."""

import random
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from concord.sampling.sample import shares


class Whole(NamedTuple):
    """Questions that are held out together or not at all, and the stratum they are sampled from."""

    questions: tuple[int, ...]
    stratum: str


class HoldOutSample(NamedTuple):
    """The questions drawn, and how many each stratum gave of how many."""

    questions: list[int]
    strata: dict[str, tuple[int, int]]


def draw(families: Iterable[Whole], wanted: int, seed: int) -> HoldOutSample:
    """Draw about `wanted` questions, every stratum in proportion to its questions.

    Families are taken in a random order until the next would overshoot a stratum's share by more
    than stopping falls short, so that with families of one question it is exactly `wanted`.
    """
    # The word belongs to the seed: another one would give another sample for the same seed.
    shuffled = random.Random(f"seal {seed}")
    strata = defaultdict(list)
    for family in sorted(families):
        strata[family.stratum].append(family)
    sizes = {name: sum(len(f.questions) for f in those) for name, those in strata.items()}
    quota = shares(sizes, wanted)
    chosen, taken = [], {}
    for name, members in sorted(strata.items()):
        shuffled.shuffle(members)
        drawn = _up_to(members, quota[name])
        chosen += drawn
        taken[name] = (len(drawn), sizes[name])
    return HoldOutSample(sorted(chosen), taken)


def _up_to(families: list[Whole], wanted: int) -> list[int]:
    """The questions of the first families, as near to `wanted` as whole families come."""
    taken: list[int] = []
    for family in families:
        missing = wanted - len(taken)
        if 2 * missing >= len(family.questions) and missing > 0:
            taken += family.questions
    return taken
