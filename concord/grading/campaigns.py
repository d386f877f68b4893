"""Campaigns: grading sets whose blocks are assigned to annotators, with a deadline.

Without a campaign every annotator follows all blocks of a set. The newest move of a seat decides
who has it, so the history of assignments is kept. The deadline is the only value changed in place:
no statistic depends on it.

The plan is pure and seeded. A block has one seat, a shared block one per annotator. Whole blocks
are shared, so the answers to one question are shared together or not at all. Seats go to the
annotator with the fewest, ties to the one who shares least with the block's others, so that every
pair of annotators shares about as much. Shared blocks are assigned first, which spreads even a few
of them evenly.
"""

import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import NamedTuple

from concord.clock import now, today
from concord.grading import annotators as pauses
from concord.grading import grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem
from concord.store import graders
from concord.store.database import Store
from concord.store.permissions import CLOSED

TRAINING = -1  # in place of a block: the training round, which counts in nothing


class Seat(NamedTuple):
    """One annotator's place at a block; `seat` 0 is the first of the block."""

    block: int
    seat: int


def seats_of_blocks(
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


def _sit(seat: Seat, person: int, busy: Counter, met: Counter, at: dict[int, list[int]]) -> None:
    for other in at.setdefault(seat.block, []):
        met[person, other] += 1
        met[other, person] += 1
    at[seat.block].append(person)
    busy[person] += 1


_NEWEST = """not exists (select 1 from block_moves later where later.set_id = b.set_id
    and later.block = b.block and later.seat = b.seat and later.id > b.id)"""


class Campaign(NamedTuple):
    """Assignment of a grading set since a moment; the deadline is a date as YYYY-MM-DD, or None."""

    annotators_per_answer: int
    deadline: str | None
    since: str


def is_past(deadline: str | None) -> bool:
    """Return whether a due date, as YYYY-MM-DD, has passed; False without one."""
    return deadline is not None and deadline < str(today())


class LeftBlocks(NamedTuple):
    """Blocks of an annotator who left.

    `given` is the new annotator of each reassigned seat, `unassigned` the blocks not begun that no
    other annotator takes, `begun` the blocks begun and not finished, whose ungraded answers are
    unassigned until a move.
    """

    given: dict[Seat, int]
    unassigned: list[int]
    begun: list[int]


def day(text: str) -> str | None:
    """Return a day as stored, None where empty; a Problem for an invalid date."""
    word = text.strip()
    try:
        return date.fromisoformat(word).isoformat() if word else None
    except ValueError:
        raise Problem(
            "“{word}” is not a date. Write year, month and day, as in 2026-12-24.", word=word
        ) from None


def begin(
    store: Store,
    grading_set: GradingSet,
    annotators: Sequence[int],
    annotators_per_answer: int = 2,
    shared: float = 1.0,
    deadline: str | None = None,
    by: str = "",
    blocks: int | None = None,
) -> dict[Seat, int]:
    """Assign a set that is not begun yet; return the grader id of each seat.

    Its questions are laid anew in `blocks` of about one size; None keeps those it has.
    """
    if annotators_per_answer > len(annotators):
        raise Problem(
            "{n} annotators per answer were requested, but there are {annotators}. Add "
            "annotators, or reduce the annotators per answer.",
            n=annotators_per_answer,
            annotators=len(annotators),
        )
    with store.write():
        # Under the write lock: an annotator could begin the set between the check and the
        # assignment. The training round is no beginning.
        begun = "select 1 from assignments where set_id = ? and block >= 0"
        if find(store, grading_set.id) or store.has(begun, (grading_set.id,)):
            raise Problem(
                "“{set}” is assigned or begun already. Move its blocks, or create a new grading "
                "set.",
                set=grading_set.name,
            )
        store.insert(
            "campaigns",
            set_id=grading_set.id,
            people_per_answer=annotators_per_answer,
            shared=shared,
            deadline=deadline,
            made_by=by,
            created_at=now(),
        )
        if blocks:  # after the row above, by which sizes are counted anew
            _in_blocks(store, grading_set, blocks)
        wanted = seats_of_blocks(
            [*grading_sets.block_sizes(store, grading_set)],
            annotators_per_answer,
            shared,
            grading_set.seed,
        )
        taken = assigned_annotators(wanted, annotators, grading_set.seed)
        for person in annotators:
            grading_sets.join(store, grading_set, person, by)
        for seat, person in taken.items():
            _move(store, grading_set, seat, person, by, "")
    return taken


def blocks_for(answers: int, questions: int, annotators: int) -> int:
    """Return the number of blocks of which all annotators get as many. Pure."""
    rounds = -(-answers // (annotators * grading_sets.BLOCK_SIZE))
    return max(1, min(questions, annotators * rounds))


def _in_blocks(store: Store, grading_set: GradingSet, blocks: int) -> None:
    """Lay the questions of a set that nobody has begun in other blocks, in the order they have."""
    rows = store.rows(
        """select m.item_id, i.question_id from grading_set_items m join items i on i.id = m.item_id
        where m.set_id = ? order by m.position""",
        (grading_set.id,),
    )
    questions: dict[int, list[int]] = {}
    for row in rows:
        questions.setdefault(row["question_id"], []).append(row["item_id"])
    number = last = before = 0
    for items in questions.values():
        # The block in which the middle of the question falls where all are of one size.
        place = (2 * before + len(items)) * blocks // (2 * len(rows))
        number, last, before = number + (place > last), place, before + len(items)
        store.execute(
            """update grading_set_items set block = ? where set_id = ?
            and item_id in (select value from json_each(?))""",
            (number, grading_set.id, json.dumps(items)),
        )
    values = -(-len(rows) // blocks), grading_set.id
    store.execute("update grading_sets set block_size = ? where id = ?", values)


def ahead(done: int, total: int, since: str, deadline: str | None) -> int | None:
    """Return how many answers somebody is ahead of an even pace to a due date, below 0 behind.

    The pace runs from the moment `since` to the end of the due date; None without one.
    """
    if not deadline:
        return None
    days = [date.fromisoformat(one[:10]).toordinal() for one in (since, str(today()), deadline)]
    passed, given = days[1] - days[0], days[2] - days[0] + 1
    return done - int(total * min(1.0, passed / max(1, given)))


def find(store: Store, set_id: int) -> Campaign | None:
    """Return a set's campaign; None where every annotator follows all blocks."""
    row = store.row(
        "select people_per_answer, deadline, created_at from campaigns where set_id = ?", (set_id,)
    )
    return Campaign(*row) if row else None


def set_deadline(store: Store, grading_set: GradingSet, deadline: str | None) -> None:
    """Set the day to be done by, or take it away with None."""
    must_be_assigned(store, grading_set)
    with store.write():
        values = deadline, grading_set.id
        store.execute("update campaigns set deadline = ? where set_id = ?", values)


def taken(store: Store, set_id: int) -> dict[Seat, int | None]:
    """Return the current grader id of each seat; None for a vacant one."""
    rows = store.rows(
        f"""select b.block, b.seat, b.grader_id from block_moves b where b.set_id = ? and {_NEWEST}
        order by b.block, b.seat""",
        (set_id,),
    )
    return {Seat(row["block"], row["seat"]): row["grader_id"] for row in rows}


def unassigned(store: Store, set_id: int) -> list[int]:
    """Return the blocks with a vacant seat, in order; a block with two of them twice."""
    return [seat.block for seat, person in taken(store, set_id).items() if person is None]


def blocks_of(store: Store, grading_set: GradingSet, grader_id: int) -> list[int]:
    """Return the blocks an annotator follows, in order: those of a campaign, else all."""
    if find(store, grading_set.id) is None:
        return [*grading_sets.block_sizes(store, grading_set)]
    seats = taken(store, grading_set.id)
    return sorted(seat.block for seat, person in seats.items() if person == grader_id)


def has_left(store: Store, grading_set: GradingSet, grader_id: int) -> bool:
    """True for an annotator who was removed from a campaign: nothing is left to grade there."""
    left = grading_sets.has_left(store, grading_set.id, grader_id)
    return left and find(store, grading_set.id) is not None


def count(store: Store, grading_set: GradingSet) -> int:
    """Return the number of blocks of a set."""
    return len(grading_sets.block_sizes(store, grading_set))


def move(
    store: Store,
    grading_set: GradingSet,
    block: int,
    source: int | None,
    target: int,
    by: str,
    why: str,
) -> None:
    """Reassign one seat of a block; grades already given there stay.

    Ungraded answers of the block leave the first annotator's queue. `source` None is a vacant seat.
    """
    must_be_assigned(store, grading_set)
    with store.write():
        seats = taken(store, grading_set.id)
        here = {person: seat for seat, person in seats.items() if seat.block == block}
        if source not in here or target in here:
            raise Problem(
                "Block {n} cannot move like that. Name an annotator who has it, and one who has "
                "not.",
                n=block + 1,
            )
        grading_sets.join(store, grading_set, target, by)
        _move(store, grading_set, here[source], target, by, why)
        if source is not None:
            _forget(store, grading_set, source, block)


def move_to(
    store: Store,
    grading_set: GradingSet,
    blocks: Iterable[int],
    source: int | None,
    name: str,
    by: str,
    why: str,
) -> str:
    """Do what `move` does for several blocks, all or none, to an annotator who may be new.

    Return the name as it is stored.
    """
    with store.write():
        target = named(store, name)
        for block in blocks:
            move(store, grading_set, block, source, target, by, why)
    return graders.get(store, target).name


def movable(store: Store, grading_set: GradingSet, source: int | None, name: str) -> list[int]:
    """Return the unfinished blocks of an annotator that another by name can take, in order.

    Those with a vacant place where `source` is None. A Problem where there are none.
    """
    seats, target = taken(store, grading_set.id), graders.annotator(store, name)
    theirs = {seat.block for seat, person in seats.items() if target and person == target.id}
    own = sorted({seat.block for seat, person in seats.items() if person == source} - theirs)
    if source is not None:
        own = unfinished_blocks(store, grading_set, source, own)
    if not own:
        raise Problem("Nothing is left that {name} could take. Choose another one.", name=name)
    return own


def named(store: Store, name: str) -> int:
    """Return the id of an annotator by name, new ones included; a Problem for a simulated one."""
    found = graders.annotator(store, name)
    if found and found.simulated:
        raise Problem(
            "“{name}” belongs to a simulated grader. Choose another name.", name=found.name
        )
    return found.id if found else graders.ensure(store, "person", name)


def graded(store: Store, grading_set: GradingSet, grader_id: int, block: int) -> tuple[int, int]:
    """Return how many answers of a block an annotator has graded by some criterion, of how many."""
    rows = f"select count(distinct item_id) from assignments where {_OWN} and {_HAS_GRADE}"
    values = {"set": grading_set.id, "grader": grader_id, "block": block}
    in_block = f""" and item_id in (select item_id from grading_set_items where set_id = :set)
        and item_id not in {CLOSED}"""
    size = grading_sets.block_sizes(store, grading_set).get(block, 0)
    return store.value(f"{rows} and repeat = 1{in_block}", values), size


def unfinished_blocks(
    store: Store, grading_set: GradingSet, grader_id: int, blocks: Iterable[int]
) -> list[int]:
    """Return those of an annotator's blocks in which they have not graded every answer."""
    done = {block: graded(store, grading_set, grader_id, block) for block in sorted(blocks)}
    return [block for block, (n, of) in done.items() if n < of]


def leave(
    store: Store, grading_set: GradingSet, grader_id: int, by: str, why: str = ""
) -> LeftBlocks:
    """Let an annotator leave: blocks not begun go to the others.

    A block with any grade of the annotator keeps its seat, so that their grades still count as a
    begun queue; its ungraded answers leave the queue and are unassigned until the block is moved
    or the annotator returns. A seat stays vacant where every remaining annotator is paused or
    already has one at the block.
    """
    must_be_assigned(store, grading_set)
    with store.write():
        seats = taken(store, grading_set.id)
        own = [seat for seat, person in seats.items() if person == grader_id]
        here = {row["id"] for row in grading_sets.of_set(store, grading_set.id)}
        if grader_id not in here:
            raise Problem(
                "{name} has no block of “{set}”. Name an annotator who has one.",
                name=graders.get(store, grader_id).name,
                set=grading_set.name,
            )
        begun = {s.block for s in own if graded(store, grading_set, grader_id, s.block)[0]}
        untouched = [seat for seat in own if seat.block not in begun]
        others = {person for person in seats.values() if person in here} - {grader_id}
        others = {person for person in others if not pauses.pause_of(store, person)}
        for seat in untouched:
            _move(store, grading_set, seat, None, by, why)
        found = _given_on(store, grading_set, untouched, others)
        for seat, person in found.items():
            _move(store, grading_set, seat, person, by, why)
        _forget(store, grading_set, grader_id)
        grading_sets.leave(store, grading_set, grader_id, by, why)
        unfinished = unfinished_blocks(store, grading_set, grader_id, begun)
    return LeftBlocks(found, [s.block for s in untouched if s not in found], unfinished)


def _given_on(
    store: Store, grading_set: GradingSet, empty: list[Seat], others: set[int]
) -> dict[Seat, int]:
    """Return the new annotators of vacant seats, none with two seats of a block."""
    held = [(seat, one) for seat, one in taken(store, grading_set.id).items() if one is not None]
    found: dict[Seat, int] = {}

    def free(seat: Seat) -> set[int]:
        return others - {person for at, person in held if at.block == seat.block}

    for seat in sorted(empty, key=lambda one: (len(free(one)), one)):  # the fewest options first
        if free(seat):
            found |= assigned_annotators([seat], sorted(free(seat)), grading_set.seed, held)
            held.append((seat, found[seat]))
    return found


def must_be_assigned(store: Store, grading_set: GradingSet) -> None:
    """Raise a Problem for a set without a campaign."""
    if find(store, grading_set.id) is None:
        raise Problem(
            "“{set}” is not assigned to annotators yet. Assign it first.", set=grading_set.name
        )


def _move(store, grading_set, seat: Seat, person: int | None, by: str, why: str) -> None:
    store.insert(
        "block_moves",
        set_id=grading_set.id,
        block=seat.block,
        seat=seat.seat,
        grader_id=person,
        why=why,
        given_by=by,
        created_at=now(),
    )


_OWN = "set_id = :set and grader_id = :grader and block = :block"
_WITHOUT_FIRST = (
    "repeat > 1 and not exists (select 1 from assignments one where one.set_id = assignments.set_id"
    " and one.grader_id = assignments.grader_id and one.item_id = assignments.item_id"
    " and one.repeat = 1)"
)
_HAS_GRADE = """exists (select 1 from grades g where g.item_id = assignments.item_id
    and g.grader_id = assignments.grader_id and g.repeat = assignments.repeat)"""


def _forget(
    store: Store, grading_set: GradingSet, grader_id: int, block: int | None = None
) -> None:
    """Remove an annotator's ungraded answers of a block, or of all, from the queue.

    A hidden repeat goes with the answer that it would have repeated.
    """
    values = {"set": grading_set.id, "grader": grader_id, "block": block}
    own = f"set_id = :set and grader_id = :grader and block <> {TRAINING}"
    of = f"{_OWN} or {own} and :block is null"
    store.execute(f"delete from assignments where ({of}) and not {_HAS_GRADE}", values)
    store.execute(
        f"delete from assignments where {own} and {_WITHOUT_FIRST} and not {_HAS_GRADE}", values
    )
