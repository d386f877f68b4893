"""Exposure of questions, which limits their splits: what was shown, seen and opened."""

import json
from typing import NamedTuple

from concord.model import EVALUATION, FEW_SHOT, HELD_OUT
from concord.rubrics.model import from_body, presets
from concord.sampling.leak_guard import Origin, families, rubric_origins
from concord.sampling.split_moves import Family
from concord.store.database import Store
from concord.store.grades import CURRENT
from concord.store.items import QUESTION_SPLIT

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
