"""Places: the rows of graders' queues as they are laid out, behind those that are there."""

from collections.abc import Mapping, Sequence

from data.clock import now
from data.grading_sets import GradingSet
from data.store import Store

FIRST, REPEAT = 1, 2
PRACTICE = -1  # the block of what is practised, which counts in nothing
_COLUMNS = (
    *("set_id", "item_id", "grader_id", "block", "position", "repeat"),
    *("inclusion_probability", "created_at"),
)


def add(
    store: Store,
    grading_set: GradingSet,
    grader_id: int,
    block: int,
    queue: Sequence[tuple[int, bool]],
    probability: Mapping[int, float],
) -> None:
    """Lay out a block of a grader's queue; inside `write()`.

    Args:
        store: The open store.
        grading_set: The set.
        grader_id: Whose queue.
        block: The block's number.
        queue: The answers in order, and whether each is a hidden repeat.
        probability: Inclusion probability by answer; one that is not there, since it is mixed in,
            has that of another, so that it looks like the rest.
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
