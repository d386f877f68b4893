"""Grading sets in the store: the answers annotators grade, how they were sampled, and for whom.

Who signs in grades the sets that are open to them; grades of those who left are kept. Without
authentication anyone with the address of a set can grade it. Once a lead closes a set, the database
takes no annotator's grade of its answers under any words of its rubric, until a lead opens it.
"""

import json
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from concord.clock import now
from concord.grading.item_view import NO_ACCESS
from concord.messages import Problem, joined, said
from concord.rubrics.model import from_body
from concord.sampling import sample
from concord.sampling.sample import Draw
from concord.sampling.splits import leaked
from concord.store.database import Row, Store
from concord.store.permissions import CLOSED
from concord.store.units import list_checks

BLOCK_SIZE = 30
REPEAT_SHARE = 0.1
_MOST_KEPT = 256
FIRST_QUESTIONS, FIRST_ANSWERS = 12, 36


class GradingSet(NamedTuple):
    """A seeded sample of questions of one sheet, under one rubric.

    `questions` and `answers` are those to grade. The others, `apart`, are answers that the few-shot
    pool closed after the set was created: no annotator grades them.
    """

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
    apart: int = 0


class _Size(NamedTuple):
    """Answers to grade by block, their questions, and the answers set apart."""

    blocks: Mapping[int, int]
    questions: int
    apart: int


_kept_sizes: OrderedDict[tuple, _Size] = OrderedDict()


_COLUMNS = (
    "s.id, s.sheet_id, s.rubric_id, s.name, s.kind, s.seed, s.questions, s.block_size,"
    " s.repeat_share, 0 as answers, s.created_at"
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
    first: Collection[int] = (),
) -> GradingSet:
    """Draw a grading set of so many questions (None: the whole sheet) and store it.

    The questions of the answers `first` come first.
    """
    found = drawn(store, sheet_id, questions, block_size, seed, first)
    whole = all(a == b for a, b in found.strata.values())
    given = rubric_id, name, seed, "whole" if whole else "draw", found, block_size, repeat_share
    with store.write():
        return keep(store, sheet_id, *given)


def drawn(
    store: Store,
    sheet_id: int,
    questions: int | None,
    block_size: int,
    seed: int,
    first: Collection[int] = (),
) -> Draw:
    """Return what `create` would store."""
    return sample.draw(drawable(store, sheet_id), checked(questions), block_size, seed, first)


def checked(questions: int | None) -> int | None:
    """Return the number of questions; a Problem where it is not a positive number."""
    if questions is not None and questions < 1:
        raise Problem("A grading set needs at least one question. Ask for more.")
    return questions


def first_questions(questions: Collection[sample.Question]) -> int:
    """Return the number of questions of a first set: 12, or what takes about 36 answers. Pure."""
    answers = sum(len(one.answers) for one in questions)
    enough = -(-FIRST_ANSWERS * len(questions) // answers)
    return min(len(questions), max(FIRST_QUESTIONS, enough))


def keep(
    store: Store,
    sheet_id: int,
    rubric_id: int,
    name: str,
    seed: int,
    kind: str,
    drawn: Draw,
    block_size: int = BLOCK_SIZE,
    repeat_share: float = REPEAT_SHARE,
) -> GradingSet:
    """Store a draw as a grading set of the `kind` 'whole' or 'draw'; inside `write()`.

    A Problem where its name is taken, or where the rubric's scores have no meanings.
    """
    body = store.value("select body from rubrics where id = ?", (rubric_id,))
    from_body(body).check_meanings()
    taken = (sheet_id, name)
    if store.value("select 1 from grading_sets where sheet_id = ? and name = ?", taken):
        raise Problem(
            "This sheet has a grading set “{name}” already. Choose another name.", name=name
        )
    set_id = store.insert(
        "grading_sets",
        sheet_id=sheet_id,
        rubric_id=rubric_id,
        name=name,
        seed=seed,
        kind=kind,
        block_size=block_size,
        repeat_share=repeat_share,
        questions=sum(taken for taken, _ in drawn.strata.values()),
        strata=json.dumps(drawn.strata, ensure_ascii=False),
        created_at=now(),
    )
    store.insert_many(
        "grading_set_items",
        ("set_id", "item_id", "block", "position", "inclusion_probability"),
        [(set_id, *answer) for answer in drawn.answers],
    )
    return get(store, set_id)


def drawable(store: Store, sheet_id: int) -> list[sample.Question]:
    """The questions annotators may grade: those shown to judges as examples are left out."""
    closed = leaked(store, sheet_id)
    answers: dict[int, list[tuple[int, str]]] = {}
    for row in store.rows(
        """select question_id, id, coalesce(answer_model, '') as model from items
        where sheet_id = ? order by id""",
        (sheet_id,),
    ):
        if row["question_id"] not in closed:
            answers.setdefault(row["question_id"], []).append((row["id"], row["model"]))
    if not answers:
        raise Problem("This sheet has no question that may be graded. Check the splits.")
    return [sample.Question(question, tuple(items)) for question, items in answers.items()]


def remove(store: Store, set_id: int) -> None:
    """Delete a set that is not begun yet; a Problem where it is."""
    with store.write():
        if store.value("select 1 from assignments where set_id = ?", (set_id,)):
            raise Problem("An annotator has started to grade this set, so it cannot be withdrawn.")
        store.execute("delete from grading_sets where id = ?", (set_id,))


class Closing(NamedTuple):
    """Since when a set is closed, and by whom."""

    since: str
    by: str


def closing(store: Store, set_id: int) -> Closing | None:
    """Return since when a set is closed; None while it is open."""
    newest = "select closed, created_at, given_by from set_closings where set_id = ? order by id"
    row = store.row(f"{newest} desc", (set_id,))
    return Closing(*row[1:]) if row and row[0] else None


def close(store: Store, grading_set: GradingSet, closed: bool, by: str) -> None:
    """Close a set or open it again, as a lead; nothing where that is so already."""
    store.must_lead()
    with store.write():
        if closed == bool(closing(store, grading_set.id)):
            return
        bodies = store.column(
            "select o.body from rubrics r join rubrics o on o.name = r.name where r.id = ?",
            (grading_set.rubric_id,),
        )
        versions = {one for body in bodies for one in from_body(body).versions().values()}
        units = kind_of(store, grading_set)
        versions |= {list_checks.version(units)} if units else set()
        store.insert(
            "set_closings",
            set_id=grading_set.id,
            closed=int(closed),
            versions=json.dumps(sorted(versions)),
            given_by=by,
            created_at=now(),
        )


def get(store: Store, set_id: int) -> GradingSet:
    """The grading set of that id."""
    row = store.row(f"select {_COLUMNS} from grading_sets s where s.id = ?", (set_id,))
    if row is None:
        raise Problem(NO_ACCESS)
    return _counted(store, row)


def _counted(store: Store, row: Row) -> GradingSet:
    size = _size(store, row["id"], row["created_at"])
    return GradingSet(*row)._replace(
        questions=size.questions, answers=sum(size.blocks.values()), apart=size.apart
    )


def named(store: Store, sheet_id: int, name: str) -> GradingSet:
    """Return the grading set of that name of a sheet; a Problem that lists them where unknown."""
    every = of_sheet(store, sheet_id)
    found = next((one for one in every if one.name == name), None)
    if found:
        return found
    known = joined(", ", [one.name for one in every]) or said("none")
    raise Problem(
        "The sheet has no grading set {name}. Its grading sets are: {known}. `plan --draw` creates "
        "one.",
        name=name,
        known=known,
    )


def items(store: Store, set_id: int) -> set[int]:
    """The ids of a set's answers."""
    return set(store.column("select item_id from grading_set_items where set_id = ?", (set_id,)))


def of_sheet(store: Store, sheet_id: int) -> list[GradingSet]:
    """The grading sets of a sheet, oldest first."""
    return [
        _counted(store, row)
        for row in store.rows(
            f"select {_COLUMNS} from grading_sets s where sheet_id = ? order by s.id",
            (sheet_id,),
        )
    ]


def next_name(sets: list[GradingSet]) -> str:
    """A free name for one more grading set of a sheet."""
    taken = {one.name for one in sets}
    names = (f"Set {n}" for n in range(1, len(sets) + 2))
    return next(name for name in names if name not in taken)


def strata(store: Store, set_id: int) -> dict[str, tuple[int, int]]:
    """Return (sampled, available) questions of each stratum, by its answering models."""
    described = store.value("select strata from grading_sets where id = ?", (set_id,))
    return {name: tuple(counts) for name, counts in json.loads(described).items()}


def block_sizes(store: Store, grading_set: GradingSet) -> Mapping[int, int]:
    """Return the number of answers to grade by block, as this connection sees them; in order.

    A block whose every answer was set apart is left out.
    """
    return _size(store, grading_set.id, grading_set.created_at).blocks


def _size(store: Store, set_id: int, created_at: str) -> _Size:
    """Count a set's answers; once per process, since every key press asks for them.

    They change only where questions move between splits, where an import is undone or comes back,
    and where other blocks are laid (`campaigns.begin`).
    """
    laid = store.row(
        """select h.moves, (select count(*) from campaigns c where c.set_id = s.id)
        from grading_sets s join sheets h on h.id = s.sheet_id where s.id = ?""",
        (set_id,),
    )
    splits = store.row("select count(*), max(id) from question_roles")
    named = (store.path, store.identity(), store.who, set_id, created_at)
    key = (*named, *laid, *splits)
    found = _kept_sizes.get(key)
    if found is None:
        rows = store.rows(
            f"""select m.block, m.item_id in {CLOSED} as apart, i.question_id, count(*) as answers
            from grading_set_items m join items i on i.id = m.item_id where m.set_id = ?
            group by m.block, apart, i.question_id order by m.block""",
            (set_id,),
        )
        blocks = Counter()
        for row in rows:
            if not row["apart"]:
                blocks[row["block"]] += row["answers"]
        found = _kept_sizes[key] = _Size(
            MappingProxyType(dict(blocks)),
            len({row["question_id"] for row in rows if not row["apart"]}),
            sum(row["answers"] for row in rows if row["apart"]),
        )
        while len(_kept_sizes) > _MOST_KEPT:
            _kept_sizes.popitem(last=False)
    return found


def kind_of(store: Store, grading_set: GradingSet) -> str:
    """The kind of units that a set's rubric is for; '' where it is for whole answers."""
    return store.value(
        "select coalesce(json_extract(body, '$.units'), '') from rubrics where id = ?",
        (grading_set.rubric_id,),
    )


_NEWEST = """not exists (select 1 from set_graders later where later.set_id = s.set_id
    and later.grader_id = s.grader_id and later.id > s.id)"""


def join(store: Store, grading_set: GradingSet, grader_id: int, by: str) -> None:
    """Open a set to an annotator; nothing where it is open already."""
    _set(store, grading_set, grader_id, True, by, "")


def leave(store: Store, grading_set: GradingSet, grader_id: int, by: str, why: str = "") -> None:
    """Close a set to an annotator, whose grades stay; no effect where closed already."""
    _set(store, grading_set, grader_id, False, by, why)


def of_set(store: Store, set_id: int) -> list[Row]:
    """Return the annotators a set is open to: id, name and since when, by name."""
    return store.rows(
        f"""select r.id, r.name, s.created_at as since from set_graders s
        join graders r on r.id = s.grader_id
        where s.set_id = ? and s.joins and {_NEWEST} order by r.name""",
        (set_id,),
    )


def has_left(store: Store, set_id: int, grader_id: int) -> bool:
    """True for an annotator whom a set was open to and is no more."""
    return store.has(
        f"""select 1 from set_graders s where s.set_id = ? and s.grader_id = ? and not s.joins
        and {_NEWEST}""",
        (set_id, grader_id),
    )


def left_sheet(store: Store, sheet_id: int) -> set[int]:
    """Return the annotators who left a set of a sheet and are in none of it."""
    rows = store.column(
        f"""select s.grader_id from set_graders s join grading_sets g on g.id = s.set_id
        where g.sheet_id = ? and {_NEWEST} group by s.grader_id having not max(s.joins)""",
        (sheet_id,),
    )
    return {*rows}


def sets_of(store: Store, grader_id: int) -> list[int]:
    """The sets that are open to an annotator, in the order in which they were opened."""
    return store.column(
        f"""select s.set_id from set_graders s where s.grader_id = ? and s.joins and {_NEWEST}
        order by s.id""",
        (grader_id,),
    )


def _set(store, grading_set, grader_id, joins, by, why) -> None:
    with store.write():
        if (grading_set.id in sets_of(store, grader_id)) != joins:
            store.insert(
                "set_graders",
                set_id=grading_set.id,
                grader_id=grader_id,
                joins=int(joins),
                why=why,
                given_by=by,
                created_at=now(),
            )
