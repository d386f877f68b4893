"""Grading sets in the store: which answers people grade, and how they were drawn."""

import json
from typing import NamedTuple

from data import draw
from data.clock import now
from data.roles import leaked
from data.store import Store
from problems import Problem

BLOCK_SIZE = 30
REPEAT_SHARE = 0.1


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


def strata(store: Store, set_id: int) -> dict[str, tuple[int, int]]:
    """How many questions each stratum gave of how many, by its answering models."""
    described = store.value("select strata from grading_sets where id = ?", (set_id,))
    return {name: tuple(counts) for name, counts in json.loads(described).items()}


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
