"""Queues in the store: each grader's own way through a grading set, laid out block by block.

Under a rubric of units an answer is handed out once there is a list of its units, and is done when
each unit of the newest list has a grade and, where a model made the list, the list was checked.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from concord.clock import now
from concord.grading import campaigns, gold_items, grading_sets
from concord.grading.campaigns import TRAINING
from concord.grading.grading_sets import GradingSet
from concord.sampling import sample
from concord.store.database import Row, Store
from concord.store.grades import CURRENT
from concord.store.permissions import CLOSED, IS_OPEN
from concord.store.rubrics import rubric_versions
from concord.store.units.list_checks import IS_CHECKED
from concord.store.units.units import NEWEST

FIRST, REPEAT = 1, 2
_NOBODY = 0  # the id of no annotator
_COLUMNS = (
    *("set_id", "item_id", "grader_id", "block", "position", "repeat"),
    *("inclusion_probability", "created_at"),
)


class Assigned(NamedTuple):
    """One place in a grader's queue; `repeat` is 2 for a hidden repeat."""

    id: int
    item_id: int
    block: int
    position: int
    repeat: int
    done: bool

    @property
    def is_training(self) -> bool:
        """True for an answer of the training round, which enters no statistics."""
        return self.block == TRAINING


class Progress(NamedTuple):
    """Progress of a grader: answers done and in total, gold items included, training excluded."""

    done: int
    total: int


def queue(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str], ahead: int
) -> list[Assigned]:
    """Return the answers assigned to a grader so far, in order, with `done` for graded ones.

    An answer is done where every criterion is graded. The training round comes first. Further
    blocks are assigned while fewer than `ahead` answers are left to grade.
    """
    if campaigns.has_left(store, grading_set, grader_id):
        return _laid(store, grading_set, grader_id, versions)
    _lay_training(store, grading_set, grader_id, versions)
    while True:
        laid = _laid(store, grading_set, grader_id, versions)
        left = sum(not place.done for place in laid)
        if left >= ahead:
            return laid
        if not _lay_next(store, grading_set, grader_id):
            # Read again: another tab may have been assigned the last of them since.
            return _laid(store, grading_set, grader_id, versions)


def lay_out(store: Store, grading_set: GradingSet, grader_id: int) -> None:
    """Assign all remaining blocks to a grader; other writers can act between blocks."""
    if not campaigns.has_left(store, grading_set, grader_id):
        # One transaction per block: keypresses of others wait for one of them at most.
        while _lay_next(store, grading_set, grader_id):
            pass


def assigned(store: Store, set_id: int, grader_id: int, place_id: int) -> Row | None:
    """Return item, repeat and block of a place in a grader's queue; None where it is not theirs."""
    return store.row(
        """select id, item_id, repeat, block from assignments where id = ? and set_id = ?
        and grader_id = ?""",
        (place_id, set_id, grader_id),
    )


def postpone(store: Store, set_id: int, grader_id: int, place_id: int) -> None:
    """Move a place to the end of the grader's queue as assigned so far."""
    with store.write():
        if assigned(store, set_id, grader_id, place_id):
            last = store.value(
                "select max(position) from assignments where set_id = ? and grader_id = ?",
                (set_id, grader_id),
            )
            # Exactly the form that an annotator's connection may send (`permissions`).
            store.execute(
                "update main.assignments set position = ? where id = ?", (last + 1, place_id)
            )


def begun(store: Store, set_id: int) -> set[int]:
    """Return the ids of the annotators who have a part of a set in their queue."""
    return {*store.column("select distinct grader_id from assignments where set_id = ?", (set_id,))}


def progress(
    store: Store,
    grading_set: GradingSet,
    grader_id: int,
    versions: list[str],
    laid: list[Assigned],
) -> Progress:
    """Return a grader's progress in a set; `laid` is the grader's queue.

    In a set graded unit by unit only answers that were decomposed count. The training round does
    not count. An answer that was graded before, in another set or a file, counts as done whether
    it is in the queue yet or not.
    """
    laid = [place for place in laid if not place.is_training]
    done = sum(place.done for place in laid)
    if campaigns.has_left(store, grading_set, grader_id):
        return Progress(done, len(laid))
    repeats = sum(place.repeat == REPEAT for place in laid)
    answers, to_come = _answers(store, grading_set, grader_id, laid)
    before = _graded_before(store, grading_set, grader_id, versions)
    return Progress(done + before, answers + repeats + to_come)


def done(store: Store, grading_set: GradingSet, grader_id: int, versions: list[str]) -> Progress:
    """Return what `progress` does without assigning anything, for monitoring."""
    laid = _laid(store, grading_set, grader_id, versions)
    return progress(store, grading_set, grader_id, versions, laid)


def of_sheet(store: Store, sheet_id: int) -> Progress:
    """Return what is graded of all that the grading sets of a sheet assign."""
    found = [of_set(store, one) for one in grading_sets.of_sheet(store, sheet_id)]
    return Progress(sum(one.done for one in found), sum(one.total for one in found))


def of_set(store: Store, grading_set: GradingSet) -> Progress:
    """Return what is graded of all that a grading set assigns."""
    versions = list(rubric_versions.get(store, grading_set.rubric_id).versions().values())
    people = everyone(store, grading_set.id)
    found = [done(store, grading_set, person, versions) for person in people]
    return Progress(sum(one.done for one in found), sum(one.total for one in found))


def everyone(store: Store, set_id: int) -> set[int]:
    """Return who may grade in a set, and who began it and left.

    In a campaign that is who has a block, an answer or a grade of it, be it as one who left.
    """
    if campaigns.find(store, set_id) is None:
        return begun(store, set_id).union(row["id"] for row in grading_sets.of_set(store, set_id))
    queued = f"select distinct grader_id from assignments where set_id = ? and block <> {TRAINING}"
    holders = {*campaigns.taken(store, set_id).values()} - {None}
    return holders.union(store.column(queued, (set_id,)))


def pace(store: Store, grader_id: int, last: int = 60) -> float | None:
    """Median seconds the grader took per answer over the last grades; None before the fifth."""
    rows = store.rows(
        """select item_id, repeat, sum(seconds) as seconds from (select item_id, repeat, seconds
        from grades where grader_id = ? and seconds is not null order by id desc limit ?)
        group by item_id, repeat""",
        (grader_id, last),
    )
    times = sorted(row["seconds"] for row in rows)
    # The median: one break over lunch would dominate a mean.
    return times[len(times) // 2] if len(times) >= 5 else None


def seconds_spent(
    store: Store, set_id: int, grader_id: int, blocks: Collection[int]
) -> dict[int, float]:
    """Return the seconds that the grades of each of these blocks took a grader."""
    rows = store.rows(
        """select a.block, total(g.seconds) from assignments a join grades g
        on g.item_id = a.item_id
        and g.grader_id = a.grader_id and g.repeat = a.repeat and g.created_at >= a.created_at
        where a.set_id = ? and a.grader_id = ? and a.block in (select value from json_each(?))
        group by a.block""",
        (set_id, grader_id, json.dumps(sorted(blocks))),
    )
    return dict.fromkeys(blocks, 0.0) | dict(map(tuple, rows))


def _laid(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str]
) -> list[Assigned]:
    kind = grading_sets.kind_of(store, grading_set)
    if kind:
        rows = assigned_places(store, grading_set.id, grader_id, kind, *versions)
    else:
        rows = _of_answers(store, grading_set.id, grader_id, versions)
    places = [Assigned(*row[:5], bool(row[5])) for row in rows]
    # Who was removed from a campaign keeps what is graded; the rest is unassigned.
    left = campaigns.has_left(store, grading_set, grader_id)
    return [place for place in places if place.done] if left else places


def _of_answers(store: Store, set_id: int, grader_id: int, versions: list[str]) -> list[Row]:
    return store.rows(
        f"""select a.id, a.item_id, a.block, a.position, a.repeat,
        (select count(distinct g.version) from grades g where g.item_id = a.item_id
          and g.grader_id = a.grader_id and g.repeat = a.repeat and g.unit_id is null
          and g.version in (select value from json_each(:versions)) and g.status <> 'withdrawn'
          and {CURRENT}) = :count from assignments a
        where a.set_id = :set and a.grader_id = :grader and {IS_OPEN}
        and (a.block <> {TRAINING} or exists (select 1 from practice_answers t
          where t.set_id = a.set_id and t.item_id = a.item_id and t.versions = :versions
          and {gold_items.IN_TRAINING})) order by a.block <> {TRAINING},
          a.position""",
        {
            "versions": json.dumps(versions),
            "count": len(versions),
            "set": set_id,
            "grader": grader_id,
        },
    )


def _lay_training(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str]
) -> None:
    """Assign the grader's training round, as far as it is missing."""
    asked = gold_items.training_answers(store, grading_set.id, versions)
    if not asked:
        return
    with store.write():
        laid = store.column(
            "select item_id from assignments where set_id = ? and grader_id = ?",
            (grading_set.id, grader_id),
        )
        # Also after the round has begun: the team may add training items, but never twice.
        new = [item for item in asked if item not in laid]
        if new:
            queue = [(item, False) for item in new]
            _lay_out(store, grading_set, grader_id, TRAINING, queue, {})


def _lay_next(store: Store, grading_set: GradingSet, grader_id: int) -> bool:
    """Assign the answers missing from the grader's blocks, else the next block."""
    return _lay_missing(store, grading_set, grader_id) or _lay_block(store, grading_set, grader_id)


def _lay_missing(store: Store, grading_set: GradingSet, grader_id: int) -> bool:
    """Assign what the grader's blocks lack, each under its block; False where nothing is missing.

    Answers that were set apart when a block was laid out, or that left it with a block that was
    moved to another annotator and back.
    """
    with store.write():
        missing = _missing(store, grading_set, grader_id)
        for block in dict.fromkeys(row["block"] for row in missing):
            own = {r["item_id"]: r["inclusion_probability"] for r in missing if r["block"] == block}
            queue = [(item_id, False) for item_id in own]
            _lay_out(store, grading_set, grader_id, block, queue, own)
        return bool(missing)


def _missing(store: Store, grading_set: GradingSet, grader_id: int) -> list[Row]:
    """The answers to grade of a grader's blocks that were laid out without them."""
    own = campaigns.blocks_of(store, grading_set, grader_id)
    laid = [one for one in _blocks(store, grading_set, grader_id) if one in own]
    return store.rows(
        f"""select m.item_id, m.block, m.inclusion_probability from grading_set_items m
        where m.set_id = :set and m.block in (select value from json_each(:laid))
        and m.item_id not in {CLOSED} and not exists (select 1 from assignments a
          where a.set_id = m.set_id and a.item_id = m.item_id and a.grader_id = :grader)
        order by m.block, m.position""",
        {"set": grading_set.id, "laid": json.dumps(laid), "grader": grader_id},
    )


def _lay_block(store: Store, grading_set: GradingSet, grader_id: int) -> bool:
    """Assign the grader's next block; False where none is left."""
    with store.write():
        laid = _blocks(store, grading_set, grader_id)
        last = laid[-1] if laid else -1
        left = _unlaid(store, grading_set, grader_id, laid)
        # After the last block an empty one, for repeats.
        number = (
            left[0]
            if left
            else max([*grading_sets.block_sizes(store, grading_set), *laid], default=-1) + 1
        )
        seed, grader = grading_set.seed, str(grader_id)
        waiting = gold_items.not_yet_queued(store, grading_set.id, grader_id)
        known = gold_items.due(waiting, len(left), seed, grader)
        ordered, probability = _ordered(store, grading_set, grader_id, number)
        before, _ = _ordered(store, grading_set, grader_id, last)
        due = sample.repeats(before, grading_set.repeat_share, seed, grader, last)
        queue = sample.mixed(ordered, due, seed, grader, number)
        # Last, so that gold items are as likely among the repeats as anywhere else.
        queue = sample.with_gold(queue, known, seed, grader, number)
        _lay_out(store, grading_set, grader_id, number, queue, probability)
        return bool(queue)


def _lay_out(
    store: Store,
    grading_set: GradingSet,
    grader_id: int,
    block: int,
    queue: Sequence[tuple[int, bool]],
    probability: Mapping[int, float],
) -> None:
    """Assign a block to a grader's queue; inside `write()`.

    The `queue` has the answers in order, with True for hidden repeats. `probability` is by answer;
    a gold item without one gets that of another answer, so that it is not recognisable.
    """
    usual = next(iter(probability.values()), 1.0)
    position = 1 + store.value(
        "select coalesce(max(position), -1) from assignments where set_id = ? and grader_id = ?",
        (grading_set.id, grader_id),
    )
    store.insert_many(
        "assignments",
        _COLUMNS,
        [
            (
                grading_set.id,
                item_id,
                grader_id,
                block,
                position + place,
                REPEAT if again else FIRST,
                grading_set.repeat_share if again else probability.get(item_id, usual),
                now(),
            )
            for place, (item_id, again) in enumerate(queue)
        ],
    )


def _blocks(store: Store, grading_set: GradingSet, grader_id: int) -> list[int]:
    """The blocks that were laid out for a grader, in order; the last may hold repeats alone."""
    return store.column(
        """select block from assignments where set_id = ? and grader_id = ? and block >= 0
        group by block order by min(id)""",
        (grading_set.id, grader_id),
    )


def _unlaid(
    store: Store, grading_set: GradingSet, grader_id: int, laid: Collection[int]
) -> list[int]:
    """Return the blocks a grader has still to be given, in order; each has an answer to grade."""
    own, sizes = (
        campaigns.blocks_of(store, grading_set, grader_id),
        grading_sets.block_sizes(store, grading_set),
    )
    return [block for block in own if block in sizes and block not in laid]


def _ordered(
    store: Store, grading_set: GradingSet, grader_id: int, number: int
) -> tuple[list[int], dict[int, float]]:
    """Return a block in the grader's own order, and its inclusion probabilities by item.

    Gold items are not part of it.
    """
    block = store.rows(
        f"""select m.item_id, i.question_id, m.inclusion_probability from grading_set_items m
        join items i on i.id = m.item_id where set_id = ? and block = ?
        and m.item_id not in {CLOSED} order by position""",
        (grading_set.id, number),
    )
    ordered = sample.order(
        [(row["item_id"], row["question_id"]) for row in block],
        grading_set.seed,
        str(grader_id),
        number,
    )
    return ordered, {row["item_id"]: row["inclusion_probability"] for row in block}


def of_newcomer(store: Store, grading_set: GradingSet) -> int:
    """Return how many answers an annotator who begins a set is to grade, as `progress` counts them.

    Hidden repeats and gold items are included; 0 where a campaign assigns answers by name.
    """
    return progress(store, grading_set, _NOBODY, [], []).total


def _graded_before(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str]
) -> int:
    """Return how many answers that are still to come into a queue the grader has graded already."""
    laid = _blocks(store, grading_set, grader_id)
    unlaid = _unlaid(store, grading_set, grader_id, laid)
    if not unlaid or not versions:
        return 0
    kind = grading_sets.kind_of(store, grading_set)
    if kind:
        return graded_by_unit(store, grading_set.id, grader_id, kind, *versions, blocks=unlaid)
    return store.value(
        f"""select count(*) from (select g.item_id from grades g where g.grader_id = :grader
        and g.repeat = 1 and g.unit_id is null and g.status <> 'withdrawn'
        and g.version in (select value from json_each(:versions)) and {CURRENT}
        and (g.item_id in (select value from json_each(:gold)) or exists
          (select 1 from grading_set_items m where m.set_id = :set and m.item_id = g.item_id
          and m.block in (select value from json_each(:blocks)) and m.item_id not in {CLOSED}))
        and not exists (select 1 from assignments a where a.set_id = :set
          and a.item_id = g.item_id and a.grader_id = :grader)
        group by g.item_id having count(distinct g.version) = :count)""",
        {
            "grader": grader_id,
            "versions": json.dumps(versions),
            "gold": json.dumps(gold_items.not_yet_queued(store, grading_set.id, grader_id)),
            "set": grading_set.id,
            "blocks": json.dumps(unlaid),
            "count": len(versions),
        },
    )


def _answers(
    store: Store, grading_set: GradingSet, grader_id: int, places: list[Assigned]
) -> tuple[int, int]:
    """Return how many answers can be graded, and how many hidden repeats are still to come.

    `places` are those assigned already.
    """
    laid = _blocks(store, grading_set, grader_id)
    every = {*campaigns.blocks_of(store, grading_set, grader_id), *laid}
    left = every.difference(laid[:-1])
    kind = grading_sets.kind_of(store, grading_set)
    if kind:
        ready = (
            decomposition_progress(store, grading_set.id, kind, b).ready for b in (every, left)
        )
        answers, open_ones = ready
        return answers, round(grading_set.repeat_share * open_ones)
    unlaid = _unlaid(store, grading_set, grader_id, laid)
    known = len(gold_items.not_yet_queued(store, grading_set.id, grader_id)) if unlaid else 0
    sizes = grading_sets.block_sizes(store, grading_set)
    again = sum(sample.repeat_count(sizes.get(b, 0), grading_set.repeat_share) for b in left)
    firsts = sum(place.repeat == FIRST for place in places)
    to_come = sum(sizes.get(b, 0) for b in unlaid)
    missing = len(_missing(store, grading_set, grader_id))
    return firsts + to_come + known + missing, again


_LISTS = f"""with lists as (select d.id, d.item_id, (select count(distinct p.unit_id)
    from decomposition_units p where p.decomposition_id = d.id) as units,
    {IS_CHECKED} as checked from decompositions d where d.kind = :kind and {NEWEST})"""
_HAS_STEPS = "(l.units > 0 or l.checked)"
_GIVEN = (
    f"g.grader_id = a.grader_id and g.repeat = a.repeat and g.status <> 'withdrawn' and {CURRENT}"
)

_IS_DONE = f"""(select count(distinct g.unit_id) from grades g join decomposition_units p
      on p.unit_id = g.unit_id and p.decomposition_id = l.id
      where g.item_id = a.item_id and g.version = :version and {_GIVEN}) = l.units
    and (not l.checked or exists (select 1 from list_checks c join grades g
      on g.id = c.grade_id where c.decomposition_id = l.id and {_GIVEN}))"""


class DecompositionProgress(NamedTuple):
    """Decomposition progress of a set's answers.

    `ready` have a list of units to grade, `nothing` have no such units, by a rule, and `apart` are
    not decomposed yet.
    """

    ready: int
    nothing: int
    apart: int


def assigned_places(
    store: Store, set_id: int, grader_id: int, kind: str, version: str
) -> list[Row]:
    """Return the assigned places of a grader whose answers can be graded, in order.

    Columns id, item_id, block, position, repeat and whether it is done.
    """
    return store.rows(
        f"{_LISTS} select a.id, a.item_id, a.block, a.position, a.repeat, {_IS_DONE}"
        " from assignments a join lists l on l.item_id = a.item_id"
        f" where a.set_id = :set and a.grader_id = :grader and {_HAS_STEPS} and {IS_OPEN}"
        " order by a.position",
        {"kind": kind, "version": version, "set": set_id, "grader": grader_id},
    )


def graded_by_unit(
    store: Store, set_id: int, grader_id: int, kind: str, version: str, blocks: Collection[int]
) -> int:
    """Count the answers of blocks to come whose units a grader has graded already."""
    return store.value(
        f"{_LISTS} select count(*) from (select m.item_id, :grader as grader_id, 1 as repeat"
        "  from grading_set_items m where m.set_id = :set"
        f"  and m.block in (select value from json_each(:blocks)) and m.item_id not in {CLOSED}"
        "  and not exists (select 1 from assignments o where o.set_id = m.set_id"
        "   and o.item_id = m.item_id and o.grader_id = :grader)) a"
        f" join lists l on l.item_id = a.item_id where {_HAS_STEPS} and {_IS_DONE}",
        {
            "kind": kind,
            "version": version,
            "set": set_id,
            "grader": grader_id,
            "blocks": json.dumps(sorted(blocks)),
        },
    )


def decomposition_progress(
    store: Store, set_id: int, kind: str, blocks: Collection[int] | None = None
) -> DecompositionProgress:
    """Count the decomposed answers of a set's blocks (None: of all)."""
    ready, nothing, apart = store.row(
        f"{_LISTS} select coalesce(sum({_HAS_STEPS}), 0), coalesce(sum(not {_HAS_STEPS}), 0),"
        " coalesce(sum(l.id is null), 0) from grading_set_items m"
        " left join lists l on l.item_id = m.item_id where m.set_id = :set"
        f" and m.item_id not in {CLOSED}"
        " and (:blocks is null or m.block in (select value from json_each(:blocks)))",
        {
            "kind": kind,
            "set": set_id,
            "blocks": None if blocks is None else json.dumps(sorted(blocks)),
        },
    )
    return DecompositionProgress(ready, nothing, apart)
