"""Exposure of questions, and the moves between splits that it forbids, with the reason.

What judges were shown is never scored; a held-out question stays unseen until a certificate opens
it; and a question cannot be removed from the statistics because of a judge's grades. The rule
applies to a whole family: the questions that share a cluster or a text, in any sheet.
"""

import json
from typing import NamedTuple

from concord.messages import quoted, said
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT
from concord.rubrics.model import from_body, presets
from concord.sampling.leak_guard import Origin, families, rubric_origins
from concord.store.database import Store
from concord.store.grades import CURRENT
from concord.store.items import QUESTION_SPLIT

LEAVING_HELD_OUT = (
    "It is held out, and no certificate has opened it yet. Write the certificate first; then the "
    "question can move to another split."
)
SHOWN = (
    "A judge was shown it, or a question with the same text or cluster, so its answers can no "
    "longer test a judge. Leave it in the few-shot pool."
)
KNOWN = (
    "Annotators know the score of an answer to it, or to a question with the same text or cluster: "
    "it was used in a training round or as a gold item. Leave it in the few-shot pool."
)
LOOKED_AT = (
    "Someone has read its answers, or those of a question with the same text or cluster, together "
    "with judges' grades. Choose a question for which no one has opened those grades."
)
AN_EXAMPLE = (
    "It, or a question with the same text or cluster, is or was in the few-shot pool, so judges "
    "and the authors of their prompts may know it. Choose another question."
)
OPENED = (
    "A certificate has opened it, so it is no longer unseen. Choose a question that no certificate "
    "has opened."
)
AMONG_HELD_OUT = (
    "A question with the same text or cluster is held out, and judges would be shown what must "
    "stay unseen. Choose another question."
)


class Family(NamedTuple):
    """Facts about a question's family, itself included, before the move.

    Attributes:
        shown: A judge was shown one of them in a run.
        was_example: One of them is or was in the few-shot pool, or is an example of a rubric.
        closed: One of them is in the few-shot pool now, so that none of them is in any figure.
        looked_at: Someone read the grades of judges for an answer to one of them.
        opened: A certificate opened one of them.
        held_out: One of those that do not move along is held out.
        left_behind: The sheets in which one that does not move along stays in evaluation.
        known: An answer to one of them is or was in a training round or a gold item.
    """

    shown: bool = False
    was_example: bool = False
    closed: bool = False
    looked_at: bool = False
    opened: bool = False
    held_out: bool = False
    left_behind: tuple[str, ...] = ()
    known: bool = False


def refusal(sheet: str, split: str, to: str, opened: bool, family: Family) -> str | None:
    """Return why a question must not move from its split to another; None where it may.

    `opened` tells whether a certificate has opened the question itself.
    """
    if split == to:
        return None
    reasons = {
        EVALUATION: (
            (split == FEW_SHOT and family.shown, SHOWN),
            (split == FEW_SHOT and family.known, KNOWN),
        ),
        HELD_OUT: (
            (family.opened, OPENED),
            (family.shown or family.was_example, AN_EXAMPLE),
            (family.looked_at, LOOKED_AT),
        ),
        FEW_SHOT: (
            (family.held_out, AMONG_HELD_OUT),
            (family.looked_at and not family.closed, LOOKED_AT),
        ),
    }
    for holds, why in ((split == HELD_OUT and not opened, LEAVING_HELD_OUT), *reasons[to]):
        if holds:
            return why
    left = family.left_behind
    if to == EVALUATION or not left or (to == FEW_SHOT and left == (sheet,)):
        return None
    return said(
        "Questions with the same text or cluster would stay in {sheets}. Move all of them at once.",
        sheets=quoted(left, " and "),
    )


# By attribute of `Family`: the questions of which it holds.
_TOUCHED = {
    # A run showed an answer to a judge as an example.
    "shown": """
        select i.question_id from runs r, json_each(r.examples) e join items i on i.id = e.value
    """,
    # It ever had the split; the texts of a rubric's examples are added.
    "was_example": "select question_id from question_roles where role = 'examples'",
    # Someone read what judges said of an answer.
    "looked_at": """
        select i.question_id from openings o join items i on i.id = o.item_id
        union select i.question_id from adjudications a join items i on i.id = a.item_id
        where a.triggered_by = 'judge' or a.blind = 0
    """,
    "opened": "select question_id from sealed_opening_questions",
    # An answer is or was for training, or a known one in queues.
    "known": """
        select i.question_id from practice_answers p join items i on i.id = p.item_id
        union select i.question_id from gold_answers p join items i on i.id = p.item_id
    """,
}


class SheetQuestion(NamedTuple):
    """A question of any sheet: where it is from, its split, and which family it belongs to.

    One that undoing an import took out is `undone`: what happened to it counts, where it is not.
    """

    id: int
    sheet: str
    split: str
    origin: Origin
    family: int
    undone: bool = False


class Facts(NamedTuple):
    """Exposure of questions: the facts of each family, and the questions opened by certificates."""

    families: dict[int, Family]
    opened: set[int]

    def of(self, question: SheetQuestion) -> Family:
        """Return the facts of a question's family."""
        return self.families[question.family]


def read(store: Store) -> list[SheetQuestion]:
    """Return every question of every sheet."""
    rows = store.rows(
        f"""select q.id, s.name, s.undone_import is not null as undone, q.text_hash, q.cluster,
        {QUESTION_SPLIT} as split
        from questions q join sheets s on s.id = q.sheet_id order by q.id"""
    )
    origins = [Origin(row["text_hash"], row["cluster"]) for row in rows]
    return [
        SheetQuestion(row["id"], row["name"], row["split"], origin, family, bool(row["undone"]))
        for row, origin, family in zip(rows, origins, families(origins), strict=True)
    ]


def facts(store: Store, questions: list[SheetQuestion], moving: set[int]) -> Facts:
    """Return the facts of the families of the questions that move."""
    touched = {fact: set(store.column(sql)) for fact, sql in _TOUCHED.items()}
    rubrics = [*presets().values(), *map(from_body, store.column("select body from rubrics"))]
    texts = {origin.text_hash for rubric in rubrics for origin in rubric_origins(rubric)}
    touched["was_example"] |= {q.id for q in questions if q.origin.text_hash in texts}
    members: dict[int, list[SheetQuestion]] = {q.family: [] for q in questions if q.id in moving}
    for question in questions:
        if question.family in members:
            members[question.family].append(question)
    known = {}
    for family, those in members.items():
        ids = {q.id for q in those}
        staying = [q for q in those if q.id not in moving]
        known[family] = Family(
            **{fact: not ids.isdisjoint(found) for fact, found in touched.items()},
            closed=any(q.split == FEW_SHOT for q in those),
            held_out=any(q.split == HELD_OUT for q in staying),
            left_behind=tuple(
                sorted({q.sheet for q in staying if q.split == EVALUATION and not q.undone})
            ),
        )
    return Facts(known, touched["opened"])


def looked_at(store: Store, sheet_id: int) -> int:
    """Return of how many questions of a sheet someone read what judges said of an answer."""
    return store.value(
        f"select count(*) from questions where sheet_id = ? and id in ({_TOUCHED['looked_at']})",
        [sheet_id],
    )


def counts(store: Store, question_ids: set[int]) -> tuple[int, int, int]:
    """Return the numbers of answers, of annotators' and of judges' current grades of questions."""
    row = store.row(
        f"""select count(distinct i.id), count(g.id) filter (where r.kind = 'person'),
        count(g.id) filter (where r.kind <> 'person') from items i
        left join grades g on g.item_id = i.id and g.unit_id is null and g.status <> 'withdrawn'
        and {CURRENT} left join graders r on r.id = g.grader_id
        where i.question_id in (select value from json_each(?))""",
        (json.dumps([*question_ids]),),
    )
    return tuple(row)


def newest(store: Store) -> tuple:
    """Changes whenever any of these facts may have changed."""
    tables = ("questions", "question_roles", "runs", "openings", "adjudications", "rubrics")
    tables += ("practice_answers", "gold_answers")
    numbers = [store.value(f"select max(id) from {table}") for table in tables]
    numbers.append(store.value("select sum(moves) from sheets"))
    return (store.identity(), *numbers, store.value("select max(id) from sealed_openings"))


def names(store: Store, question_ids: list[int]) -> dict[int, str]:
    """Return the display names of questions: the sheet's own id, else their number."""
    rows = store.rows(
        """select id, coalesce(own_id, '' || id) from questions
        where id in (select value from json_each(?)) order by id""",
        (json.dumps(question_ids),),
    )
    return dict(rows)
