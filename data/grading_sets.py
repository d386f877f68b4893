"""Grading sets in the store: what people grade, in which blocks, and each grader's own queue."""

import json
from typing import NamedTuple

from data import draw
from data.clock import now
from data.roles import leaked
from data.store import Row, Store
from problems import Problem

BLOCK_SIZE = 30
REPEAT_SHARE = 0.1
FIRST, REPEAT = 1, 2


class GradingSet(NamedTuple):
    """A seeded draw of questions of one sheet, under one rubric."""

    id: int
    sheet_id: int
    rubric_id: int
    name: str
    kind: str
    seed: int
    questions: int
    block_size: int
    repeat_share: float
    answers: int
    created_at: str


class Assigned(NamedTuple):
    """One answer in a grader's queue; `repeat` is 2 for a hidden repeat."""

    item_id: int
    block: int
    position: int
    repeat: int
    done: bool


class Progress(NamedTuple):
    """How far a grader is: answers done and in all (hidden repeats included)."""

    done: int
    total: int


_COLUMNS = (
    "s.id, s.sheet_id, s.rubric_id, s.name, s.kind, s.seed, s.questions, s.block_size,"
    " s.repeat_share, (select count(*) from grading_set_items m where m.set_id = s.id) as answers,"
    " s.created_at"
)


def create(
    store: Store,
    sheet_id: int,
    rubric_id: int,
    name: str,
    questions: int | None,
    seed: int,
    block_size: int = BLOCK_SIZE,
    repeat_share: float = REPEAT_SHARE,
) -> GradingSet:
    """Draw a grading set of so many questions (None: the whole sheet) and store it."""
    if questions is not None and questions < 1:
        raise Problem("A grading set needs at least one question. Ask for more.")
    if store.value("select 1 from grading_sets where sheet_id=? and name=?", (sheet_id, name)):
        raise Problem(f"This sheet has a grading set “{name}” already. Choose another name.")
    drawn = draw.draw(_questions(store, sheet_id), questions, block_size, seed)
    with store.write():
        set_id = store.insert(
            "grading_sets",
            sheet_id=sheet_id,
            rubric_id=rubric_id,
            name=name,
            kind="whole" if all(a == b for a, b in drawn.strata.values()) else "draw",
            seed=seed,
            questions=sum(taken for taken, _ in drawn.strata.values()),
            block_size=block_size,
            repeat_share=repeat_share,
            strata=json.dumps(drawn.strata, ensure_ascii=False),
            created_at=now(),
        )
        store.insert_many(
            "grading_set_items",
            ("set_id", "item_id", "block", "position", "inclusion_probability"),
            [(set_id, *answer) for answer in drawn.answers],
        )
    return get(store, set_id)


def get(store: Store, set_id: int) -> GradingSet:
    """The grading set of that id."""
    row = store.row(f"select {_COLUMNS} from grading_sets s where s.id = ?", (set_id,))
    if row is None:
        raise Problem("This grading set no longer exists. Ask for a new link.")
    return GradingSet(*row)


def of_sheet(store: Store, sheet_id: int) -> list[GradingSet]:
    """The grading sets of a sheet, oldest first."""
    return [
        GradingSet(*row)
        for row in store.rows(
            f"select {_COLUMNS} from grading_sets s where sheet_id = ? order by s.id", (sheet_id,)
        )
    ]


def queue(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str], size: int
) -> list[Assigned]:
    """The next answers for a grader that still lack a grade, in order, at most `size`.

    The next block is laid out for the grader when fewer than `size` are left of those before.
    """
    while True:
        waiting = _waiting(store, grading_set.id, grader_id, versions, size)
        if len(waiting) >= size or not _lay_block(store, grading_set, grader_id):
            return waiting


def neighbours(
    store: Store, set_id: int, grader_id: int, position: int, back: int
) -> list[Assigned]:
    """The answers of the queue just before a position, graded or not, for going back."""
    rows = store.rows(
        "select item_id, block, position, repeat from assignments where set_id = ? and"
        " grader_id = ? and position < ? order by position desc limit ?",
        (set_id, grader_id, position, back),
    )
    return [Assigned(*row, done=True) for row in reversed(rows)]


def postpone(store: Store, set_id: int, grader_id: int, item_id: int, repeat: int) -> None:
    """Move an answer to the end of what has been laid out for the grader so far."""
    with store.write():
        store.execute(
            "update assignments set position = (select max(position) + 1 from assignments"
            " where set_id = :set and grader_id = :grader)"
            " where set_id = :set and grader_id = :grader and item_id = :item and repeat = :repeat",
            {"set": set_id, "grader": grader_id, "item": item_id, "repeat": repeat},
        )


def progress(
    store: Store, grading_set: GradingSet, grader_id: int, versions: list[str]
) -> Progress:
    """How many answers of the set the grader has settled on every criterion, of how many."""
    done = store.value(
        f"select count(*) from assignments a where set_id = ? and grader_id = ? and {_done()}",
        (grading_set.id, grader_id, json.dumps(versions), len(versions)),
    )
    laid = store.value(
        "select count(*) from assignments where set_id = ? and grader_id = ? and repeat = ?",
        (grading_set.id, grader_id, REPEAT),
    )
    to_come = _blocks_not_laid(store, grading_set, grader_id)
    repeats = laid + round(grading_set.repeat_share * to_come)
    return Progress(done, grading_set.answers + repeats)


def pace(store: Store, grader_id: int, last: int = 60) -> float | None:
    """Median seconds the grader took per answer over the last grades; None before the fifth."""
    rows = store.rows(
        "select item_id, repeat, sum(seconds) as seconds from (select item_id, repeat, seconds"
        " from grades where grader_id = ? and seconds is not null order by id desc limit ?)"
        " group by item_id, repeat",
        (grader_id, last),
    )
    times = sorted(row["seconds"] for row in rows)
    return times[len(times) // 2] if len(times) >= 5 else None


def _questions(store: Store, sheet_id: int) -> list[draw.Question]:
    """The questions people may grade: those shown to judges as examples are left out."""
    closed = leaked(store, sheet_id)
    answers: dict[int, list[tuple[int, str]]] = {}
    for row in store.rows(
        "select question_id, id, coalesce(answer_model, '') as model from items"
        " where sheet_id = ? order by id",
        (sheet_id,),
    ):
        if row["question_id"] not in closed:
            answers.setdefault(row["question_id"], []).append((row["id"], row["model"]))
    if not answers:
        raise Problem("This sheet has no question that may be graded. Check the roles.")
    return [draw.Question(question, tuple(items)) for question, items in answers.items()]


def _done() -> str:
    """SQL: the grader settled every criterion of the assignment (parameters: versions, count)."""
    return (
        "(select count(distinct g.version) from grades g where g.item_id = a.item_id"
        " and g.grader_id = a.grader_id and g.repeat = a.repeat and g.unit_id is null"
        " and g.version in (select value from json_each(?)) and g.status <> 'withdrawn'"
        " and not exists (select 1 from grades later where later.supersedes = g.id)) = ?"
    )


def _waiting(
    store: Store, set_id: int, grader_id: int, versions: list[str], size: int
) -> list[Assigned]:
    rows = store.rows(
        "select item_id, block, position, repeat from assignments a"
        f" where set_id = ? and grader_id = ? and not {_done()} order by position limit ?",
        (set_id, grader_id, json.dumps(versions), len(versions), size),
    )
    return [Assigned(*row, done=False) for row in rows]


def _lay_block(store: Store, grading_set: GradingSet, grader_id: int) -> bool:
    """Lay out the grader's next block behind the last one; False where there is none left."""
    with store.write():
        last = store.row(
            "select max(block) as block, max(position) as position from assignments"
            " where set_id = ? and grader_id = ?",
            (grading_set.id, grader_id),
        )
        number = -1 if last["block"] is None else last["block"]
        position = -1 if last["position"] is None else last["position"]
        block = _block(store, grading_set.id, number + 1)
        due = _due_repeats(store, grading_set, grader_id, number)
        if not block and not due:
            return False
        grader = str(grader_id)
        ordered = draw.order(
            [(row["item_id"], row["question_id"]) for row in block],
            grading_set.seed,
            grader,
            number + 1,
        )
        queue = draw.mixed(ordered, due, grading_set.seed, grader, number + 1)
        probability = {row["item_id"]: row["inclusion_probability"] for row in block}
        _insert_queue(store, grading_set, grader_id, number + 1, position + 1, queue, probability)
        return True


def _insert_queue(
    store: Store,
    grading_set: GradingSet,
    grader_id: int,
    block: int,
    position: int,
    queue: list[tuple[int, bool]],
    probability: dict[int, float],
) -> None:
    store.insert_many(
        "assignments",
        (
            "set_id",
            "item_id",
            "grader_id",
            "block",
            "position",
            "repeat",
            "inclusion_probability",
            "created_at",
        ),
        [
            (
                grading_set.id,
                item_id,
                grader_id,
                block,
                position + place,
                REPEAT if again else FIRST,
                probability.get(item_id, 1.0) if not again else grading_set.repeat_share,
                now(),
            )
            for place, (item_id, again) in enumerate(queue)
        ],
    )


def _block(store: Store, set_id: int, number: int) -> list[Row]:
    return store.rows(
        "select m.item_id, i.question_id, m.inclusion_probability from grading_set_items m"
        " join items i on i.id = m.item_id where set_id = ? and block = ? order by position",
        (set_id, number),
    )


def _due_repeats(store: Store, grading_set: GradingSet, grader_id: int, number: int) -> list[int]:
    """The answers of block `number` that come back hidden in the block after it."""
    before = [row["item_id"] for row in _block(store, grading_set.id, number)]
    return draw.repeats(before, grading_set.repeat_share, grading_set.seed, str(grader_id), number)


def _blocks_not_laid(store: Store, grading_set: GradingSet, grader_id: int) -> int:
    """How many answers stand in blocks whose hidden repeats are still to come."""
    return store.value(
        "select count(*) from grading_set_items where set_id = ? and block >="
        " (select coalesce(max(block), 0) from assignments where set_id = ? and grader_id = ?)",
        (grading_set.id, grading_set.id, grader_id),
    )
