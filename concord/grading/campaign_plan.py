"""Campaign plan: assignment of a grading set's blocks to annotators. Pure and seeded.

A block has one seat, a shared block one per annotator. Whole blocks are shared, so the answers to
one question are shared together or not at all. Seats go to the annotator with the fewest, ties to
the one who shares least with the block's others, so that every pair of annotators shares about as
much. Shared blocks are assigned first, which spreads even a few of them evenly.
"""

import random
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

from concord.messages import Problem

# Blocks of no annotator's plan.
TRAINING = -1  # the training round, which counts in nothing
SINGLE = -2  # answers assigned one by one (`single_assignments`)


class Seat(NamedTuple):
    """One annotator's place at a block; `seat` 0 is the first of the block."""

    block: int
    seat: int


def seats(
    blocks: Collection[int], annotators_per_answer: int, shared: float, seed: int
) -> list[Seat]:
    """Return the seats of blocks: `annotators_per_answer` for shared ones, one for the others.

    `shared` is the share of the blocks that is shared, 0 to 1; above 0 it is at least one block.
    """
    numbers = sorted(blocks)
    count = max(round(shared * len(numbers)), int(shared > 0))
    chosen = set(random.Random(f"shared {seed}").sample(numbers, min(count, len(numbers))))
    return [
        Seat(block, seat)
        for block in numbers
        for seat in range(annotators_per_answer if block in chosen else 1)
    ]


def assigned_annotators(
    wanted: Sequence[Seat],
    annotators: Sequence[int],
    seed: int,
    held: Sequence[tuple[Seat, int]] = (),
) -> dict[Seat, int]:
    """Return the annotator of each seat; a Problem with too few annotators for a block.

    An annotator gets at most one seat per block; `held` are seats already assigned, which count
    towards an annotator's number. The seed breaks ties.
    """
    order, chance = list(annotators), random.Random(f"annotators {seed}")
    busy, met, at = Counter(), Counter(), {}
    for seat, person in held:
        _sit(seat, person, busy, met, at)
    found, asked = {}, Counter(seat.block for seat in wanted)
    # Blocks with most seats first, while every annotator is still free for them.
    for seat in sorted(wanted, key=lambda one: (-asked[one.block], one)):
        chance.shuffle(order)  # one order throughout would bring the same two together again
        free = [person for person in order if person not in at.get(seat.block, ())]
        if not free:
            raise Problem(
                "Block {n} needs one more annotator than there are. Add an annotator, or reduce "
                "the annotators per answer.",
                n=seat.block + 1,
            )
        partners = at.get(seat.block, ())
        # Even workloads come first; of equals, the one who shares the fewest blocks with the
        # others.
        found[seat] = min(
            free, key=lambda one: (busy[one], sum(met[one, other] for other in partners))
        )
        _sit(seat, found[seat], busy, met, at)
    return dict(sorted(found.items()))


def overlap(taken: dict[Seat, int]) -> Counter:
    """Return the number of blocks each pair of annotators shares, by ids in rising order."""
    at: dict[int, list[int]] = {}
    for seat, person in taken.items():
        at.setdefault(seat.block, []).append(person)
    return Counter(pair for those in at.values() for pair in combinations(sorted(those), 2))


def _sit(seat: Seat, person: int, busy: Counter, met: Counter, at: dict[int, list[int]]) -> None:
    for other in at.setdefault(seat.block, []):
        met[person, other] += 1
        met[other, person] += 1
    at[seat.block].append(person)
    busy[person] += 1
