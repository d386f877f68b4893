"""Samples: the questions annotators grade, in blocks, and those held out. Pure and seeded.

Questions are the unit: a sampled question brings all its answers, so that clusters stay whole. The
strata are the sets of answering models that answered a question; allocation is proportional, so
every answering model keeps its share. Blocks hold whole questions and about `block_size` answers;
all annotators follow the blocks in the same order, so two who stop early overlap where it counts.
Within a block the order is shuffled per grader, with answers to one question kept apart.

A sample may favour questions suspected to hold a failing answer; then these are strata of their
own, and every statistic has to be weighted by the inverse of the inclusion probability stored with
each answer.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

SUSPECTED, OTHERS = "suspected", "not suspected"


class Question(NamedTuple):
    """A question as sampling needs it: its id, and its answers as (item id, model) pairs."""

    id: int
    answers: tuple[tuple[int, str], ...]

    def stratum(self) -> str:
        """The answering models of this question, as one label."""
        return " + ".join(sorted(model for _, model in self.answers))


class SampledAnswer(NamedTuple):
    """One answer of a grading set."""

    item_id: int
    block: int
    position: int
    inclusion_probability: float


class Draw(NamedTuple):
    """A grading set: its answers in order, and how many questions each stratum gave of how many."""

    answers: list[SampledAnswer]
    strata: dict[str, tuple[int, int]]


def draw(
    questions: list[Question],
    wanted: int | None,
    block_size: int,
    seed: int,
    first: Collection[int] = (),
) -> Draw:
    """Draw `wanted` questions (None: all), stratified by answering model, and lay them in blocks.

    Every question has the inclusion probability (drawn of its stratum) / (size of its stratum);
    each stratum gives at least one question where `wanted` allows. Those with one of the answers
    `first` get blocks of their own before the others, which does not change what is drawn.
    """
    strata = defaultdict(list)
    for question in sorted(questions):
        strata[question.stratum()].append(question)
    quota = shares({name: len(members) for name, members in strata.items()}, wanted)
    # Every kind of random choice has its own stream of the one seed. Changing a name changes which
    # questions a stored seed gives.
    return _laid(strata, quota, block_size, random.Random(f"draw {seed}"), first)


def enriched(
    questions: list[Question],
    suspected: Collection[int],
    wanted: int,
    extra: float,
    block_size: int,
    seed: int,
) -> Draw:
    """Sample `wanted` questions, oversampling suspected ones, and lay them out in blocks.

    `extra` of the sample (0 to 1) is reserved for suspected questions, the rest is proportional.
    Suspected ones and others are strata of their own, each stratified by answering model where
    every stratum can give a question; so every inclusion probability is known, and above 0 where
    `wanted` is 2 or more. All are taken where there are fewer; blocks have about `block_size`
    answers.
    """
    # Sorted, so that the sample depends on the seed and not on the order of the query.
    groups = {True: [], False: []}
    for question in sorted(questions):
        groups[question.id in suspected].append(question)
    taken = enrichment(len(groups[True]), len(groups[False]), wanted, extra)
    strata: dict[str, list[Question]] = {}
    quota: dict[str, int] = {}
    for (held, members), count in zip(groups.items(), taken, strict=True):
        own = _strata(members, count, SUSPECTED if held else OTHERS)
        strata |= own
        quota |= shares({name: len(those) for name, those in own.items()}, count)
    return _laid(strata, quota, block_size, random.Random(f"enriched {seed}"))


def enrichment(suspected: int, others: int, wanted: int, extra: float) -> tuple[int, int]:
    """Return how many suspected and other questions a sample takes.

    At least one of each available kind where `wanted` allows, so that no inclusion probability is
    0. `extra` is the share of the sample reserved for suspected questions, 0 to 1.
    """
    every = suspected + others
    wanted = min(wanted, every)
    if not suspected or not others:
        return min(wanted, suspected), min(wanted, others)
    likely = round(wanted * (extra + (1 - extra) * suspected / every))
    # At least one of each kind: an inclusion probability of 0 cannot be weighted by its inverse.
    least, most = max(1, wanted - others), min(suspected, wanted - 1)
    first = max(least, min(likely, most))
    return first, wanted - first


def oversampled_suspected(strata: Collection[str]) -> bool:
    """True where a sample with these strata favoured suspected questions."""
    return any(name.endswith((SUSPECTED, OTHERS)) for name in strata)


def shares(sizes: dict[str, int], wanted: int | None) -> dict[str, int]:
    """Return questions per stratum: proportional, by largest remainder, at least one."""
    total = sum(sizes.values())
    if wanted is None or wanted >= total:
        return dict(sizes)
    # Fractions, since remainders that are equal must tie by name on every machine.
    exact = {name: Fraction(wanted * size, total) for name, size in sizes.items()}
    quota = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(sizes, key=lambda name: (quota[name] - exact[name], name))
    for name in by_remainder[: wanted - sum(quota.values())]:
        quota[name] += 1
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        # With the name as a tie-break, so that a seed gives the same sample on every machine.
        richest = max(quota, key=lambda other: (quota[other], other))
        if quota[name] == 0 and quota[richest] > 1:
            quota[name], quota[richest] = 1, quota[richest] - 1
    return quota


def order(block: list[tuple[int, int]], seed: int, grader: str, number: int) -> list[int]:
    """Return one grader's order of a block of (item id, question id), same questions apart.

    Every question is shown once before any is shown again. The questions shown in the first half of
    a round come first in the next, so between two answers to one question there are at least half
    as many others as the block has questions.
    """
    shuffled = random.Random(f"order {seed} {grader} {number}")
    left = defaultdict(list)
    for item_id, question_id in sorted(block):
        left[question_id].append(item_id)
    for items in left.values():
        shuffled.shuffle(items)
    questions = sorted(left)
    shuffled.shuffle(questions)
    shown: list[int] = []
    while questions:
        shown += [left[question].pop() for question in questions]
        half = (len(questions) + 1) // 2
        parts = questions[:half], questions[half:]
        questions = []
        for part in parts:
            again = [question for question in part if left[question]]
            shuffled.shuffle(again)
            questions += again
    return shown


def repeats(ordered: list[int], share: float, seed: int, grader: str, number: int) -> list[int]:
    """Return the answers of a block to repeat later as hidden repeats, chosen by seed.

    Only the first two thirds of the grader's order can be repeated, so that even those of the last
    block do not return at once; that order is random, so every answer has the same probability.
    """
    early = ordered[: -(-2 * len(ordered) // 3)]
    count = repeat_count(len(ordered), share)
    places = random.Random(f"repeat {seed} {grader} {number}").sample(range(len(early)), count)
    return [early[place] for place in sorted(places)]


def repeat_count(size: int, share: float) -> int:
    """Return how many answers of a block of that size return later as hidden repeats."""
    return min(round(share * size), -(-2 * size // 3))


def mixed(
    ordered: list[int], due: list[int], seed: int, grader: str, number: int
) -> list[tuple[int, bool]]:
    """A block with the hidden repeats of the one before spread over its last two thirds.

    Returns:
        (item id, whether it is a repeat), in order; the repeats keep the order they have in `due`.
    """
    shuffled = random.Random(f"places {seed} {grader} {number}")
    places = sorted(shuffled.randint(len(ordered) // 3, len(ordered)) for _ in due)
    queue = [(item_id, False) for item_id in ordered]
    for shift, (place, item_id) in enumerate(zip(places, due, strict=True)):
        queue.insert(place + shift, (item_id, True))
    return queue


def with_gold(
    queue: list[tuple[int, bool]], known: Sequence[int], seed: int, grader: str, number: int
) -> list[tuple[int, bool]]:
    """Return a block with its gold items mixed in, at every place with the same chance.

    All else keeps its order, and gold items keep the order they have in `known`.
    """
    length = len(queue) + len(known)
    shuffled = random.Random(f"gold places {seed} {grader} {number}")
    places = sorted(shuffled.sample(range(length), len(known)))
    queue = list(queue)
    for place, item_id in zip(places, known, strict=True):
        queue.insert(place, (item_id, False))
    return queue


def _strata(members: list[Question], wanted: int, name: str) -> dict[str, list[Question]]:
    """A group's strata by answering model; the group itself where it gives too few for that."""
    strata = defaultdict(list)
    for question in members:
        strata[f"{question.stratum()}; {name}"].append(question)
    few = wanted < len(strata)
    return {name: members} if few else dict(strata)


def _laid(
    strata: dict[str, list[Question]],
    quota: dict[str, int],
    block_size: int,
    shuffled: random.Random,
    first: Collection[int] = (),
) -> Draw:
    """Draw each stratum's quota and lay all of it in blocks, in random order."""
    chosen, probability = [], {}
    for name, members in sorted(strata.items()):
        for question in shuffled.sample(members, quota[name]):
            chosen.append(question)
            probability[question.id] = quota[name] / len(members)
    shuffled.shuffle(chosen)
    answers: list[SampledAnswer] = []
    block = filled = 0
    last = {one.id for one in chosen if not any(item in first for item, _ in one.answers)}
    chosen.sort(key=lambda one: one.id in last)
    for place, question in enumerate(chosen):
        apart = place == len(chosen) - len(last)
        if filled and (apart or filled + len(question.answers) > block_size):
            block, filled = block + 1, 0
        filled += len(question.answers)
        for item_id, _ in question.answers:
            answers.append(SampledAnswer(item_id, block, len(answers), probability[question.id]))
    sizes = {name: (quota[name], len(members)) for name, members in sorted(strata.items())}
    return Draw(answers, sizes)


class Whole(NamedTuple):
    """Questions that are held out together or not at all, and the stratum they are sampled from."""

    questions: tuple[int, ...]
    stratum: str


class HoldOutSample(NamedTuple):
    """The questions drawn, and how many each stratum gave of how many."""

    questions: list[int]
    strata: dict[str, tuple[int, int]]


def draw_hold_out(families: Iterable[Whole], wanted: int, seed: int) -> HoldOutSample:
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
        drawn: list[int] = []
        for family in members:
            missing = quota[name] - len(drawn)
            if missing > 0 and 2 * missing >= len(family.questions):
                drawn += family.questions
        chosen += drawn
        taken[name] = (len(drawn), sizes[name])
    return HoldOutSample(sorted(chosen), taken)
