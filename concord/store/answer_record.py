"""Everything the database holds about one answer: grades, adjudications, origin, and who grades it.

Not for an annotator's screen: who opens grades before giving their own no longer grades blind.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.store.database import Store, marks
from concord.store.grades import CURRENT
from concord.store.items import QUESTION_SPLIT
from concord.store.permissions import CLOSED, IS_OPEN
from concord.store.rubrics.rubric_versions import names_of_versions
from concord.text import marked_passages
from concord.text.marked_passages import Passage

# Of a row `c` of comments: an annotator's newest corrected answer, and not withdrawn.
CORRECTED = (
    "c.kind = 'correction' and c.text <> '' and not exists (select 1 from comments later"
    " where later.item_id = c.item_id and later.kind = 'correction' and later.id > c.id"
    " and later.grader_id is c.grader_id and later.repeat = c.repeat)"
)


class GivenGrade(NamedTuple):
    """A current grade of the whole answer, at an ISO time.

    `kind` is `person` or `judge`, `fingerprint` '' for annotators; `status` is `scored`, or why
    there is no score. Repeats count from 1; `blind`: None if unknown. `marked` are the passages
    marked as evidence; `rubric_language` is that of the translated rubric that was read, '' for the
    original.
    """

    grader: str
    fingerprint: str
    kind: str
    simulated: bool
    criterion: str
    version: str
    status: str
    score: float | None
    reason: str
    marked: tuple[Passage, ...]
    repeat: int
    blind: bool | None
    rubric_language: str
    created_at: str


class Adjudicated(NamedTuple):
    """An adjudication of a criterion, or a cause that was tagged (`triggered_by` is `judge`).

    `score`: None for a tag or a withdrawn adjudication; `who`: '' if unknown.
    It is `blind` where decided without judges' grades.
    """

    criterion: str
    score: float | None
    cause: str
    note: str
    who: str
    triggered_by: str
    blind: bool
    created_at: str


class Corrected(NamedTuple):
    """A corrected answer that an annotator wrote, at an ISO time; repeats count from 1."""

    who: str
    text: str
    repeat: int
    created_at: str


class SourceFile(NamedTuple):
    """A file that an answer was imported from, at an ISO time.

    `row` is that of the answer below the file's head, from 1; None where it was not stored.
    """

    name: str
    imported_at: str
    row: int | None


class Origin(NamedTuple):
    """Origin of an answer.

    `files` are those that have the answer, oldest first. `split` is that of its question; ids
    and clusters are the file's own, '' where it has none; `sets` are the grading sets that contain
    the answer.
    """

    files: tuple[SourceFile, ...]
    split: str
    question_id: str
    cluster: str
    sets: tuple[str, ...]


class Waiting(NamedTuple):
    """State of an answer in a grading set: who has still to grade it.

    `annotators` have it in their queue, or will, without all grades; `unassigned` is true in a
    grading set without annotators, where no annotator graded it yet.
    """

    annotators: tuple[str, ...]
    unassigned: bool

    def __bool__(self) -> bool:
        return bool(self.annotators) or self.unassigned


def grades(store: Store, item_id: int) -> tuple[GivenGrade, ...]:
    """Return every current grade of the whole answer, annotators' first, by whatever rubric.

    Metric values and verdicts on units or on lists of them are left out.
    """
    rows = store.rows(
        f"""select r.name as grader, r.fingerprint, r.kind, r.simulated, c.name as criterion,
        g.version, g.status, g.score, g.reason, g.quote, g.marked_passages, g.repeat, g.blind,
        g.rubric_language, g.created_at from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        join criteria c on c.version = g.version where g.item_id = ? and g.unit_id is null
        and g.status <> 'withdrawn' and {CURRENT}
        and not exists (select 1 from measured m where m.grade_id = g.id)
        and not exists (select 1 from list_checks l where l.grade_id = g.id)
        order by r.kind desc, r.name, r.fingerprint, g.repeat, g.id""",
        (item_id,),
    )
    names = names_of_versions(store)
    return tuple(
        _grade({**row, "criterion": names.get(row["version"], row["criterion"])})
        for row in map(dict, rows)
    )


def adjudications(store: Store, item_id: int) -> tuple[Adjudicated, ...]:
    """Return every adjudication of the whole answer and every tagged cause, newest first."""
    rows = store.rows(
        """select c.name as criterion, a.version, a.score, a.cause, a.note,
        coalesce(w.name, '') as who, a.triggered_by, a.blind, a.created_at from adjudications a
        join criteria c on c.version = a.version left join graders t on t.id = a.grader_id
        left join graders w on w.id = coalesce(t.merged_into, t.id)
        where a.item_id = ? and a.unit_id is null order by a.id desc""",
        (item_id,),
    )
    names = names_of_versions(store)
    settled = []
    for row in map(dict, rows):
        criterion = names.get(row.pop("version"), row.pop("criterion"))
        settled.append(Adjudicated(**{**row, "criterion": criterion, "blind": bool(row["blind"])}))
    return tuple(settled)


def corrections(store: Store, item_id: int) -> tuple[Corrected, ...]:
    """Return the newest corrected answer of each annotator, except withdrawn ones."""
    rows = store.rows(
        f"""select coalesce(w.name, c.said_by), c.text, c.repeat, c.created_at from comments c
        left join graders t on t.id = c.grader_id
        left join graders w on w.id = coalesce(t.merged_into, t.id)
        where c.item_id = ? and {CORRECTED} order by c.id""",
        (item_id,),
    )
    return tuple(Corrected(*row) for row in rows)


def origin(store: Store, item_id: int) -> Origin:
    """Return where an answer is from, the split of its question, and its grading sets."""
    row = store.row(
        f"""select i.sheet_id, q.own_id, q.cluster,
        {QUESTION_SPLIT} as split
        from items i join questions q on q.id = i.question_id where i.id = ?""",
        (item_id,),
    )
    held = store.rows(
        """select m.source_name, m.imported_at, t.row from import_items t
        join imports m on m.id = t.import_id where t.item_id = ? and m.undone_at is null
        order by m.id""",
        (item_id,),
    )
    sets = store.rows(
        """select s.name from grading_sets s join grading_set_items m on m.set_id = s.id
        where m.item_id = ? order by s.id""",
        (item_id,),
    )
    return Origin(
        tuple(SourceFile(*file) for file in held),
        row["split"],
        row["own_id"] or "",
        row["cluster"] or "",
        tuple(one["name"] for one in sets),
    )


def waiting(store: Store, item_id: int) -> Waiting:
    """Return the annotators in each grading set who have not graded every criterion of an answer.

    Blocks are assigned one by one, so an annotator of a set will be given all of its answers, and
    one of a campaign those of their blocks.
    """
    rows = store.rows(
        f"""with due as ({_DUE}) select distinct r.name from due d
        join grading_sets s on s.id = d.set_id join rubrics b on b.id = s.rubric_id
        join graders r on r.id = d.grader_id where not r.simulated
        and (select count(distinct c.name) from grades g join criteria c on c.version = g.version
          where g.item_id = :item and g.grader_id = d.grader_id and g.repeat = d.repeat
          and g.status <> 'withdrawn' and {CURRENT}) < json_array_length(b.body, '$.criteria')
        order by r.name""",
        {"item": item_id},
    )
    unassigned = store.value(
        f"""with due as ({_DUE}) select exists (select 1 from {_IN_SETS}
        and m.set_id not in (select set_id from due))
        and not exists (select 1 from grades g join graders r on r.id = g.grader_id
        where g.item_id = :item and r.kind = 'person' and not r.simulated)""",
        {"item": item_id},
    )
    return Waiting(tuple(row["name"] for row in rows), bool(unassigned))


_IN_SETS = f"grading_set_items m where m.item_id = :item and m.item_id not in {CLOSED}"
# Who has an answer in their queue, or will have it: set_id, grader_id, repeat.
_DUE = f"""select a.set_id, a.grader_id, a.repeat from assignments a
      where a.item_id = :item and {IS_OPEN}
    union select a.set_id, a.grader_id, 1 from assignments a
      where a.set_id in (select m.set_id from {_IN_SETS})
      and a.set_id not in (select set_id from campaigns)
    union select v.set_id, v.grader_id, 1 from (select m.set_id, m.block from {_IN_SETS}) m
      join block_moves v on v.set_id = m.set_id and v.block = m.block where true
      and v.grader_id is not null and not exists (select 1 from block_moves later
      where later.set_id = v.set_id and later.block = v.block and later.seat = v.seat
      and later.id > v.id) and not exists (select 1 from set_graders gone
      where gone.set_id = v.set_id and gone.grader_id = v.grader_id and not gone.joins
      and not exists (select 1 from set_graders later where later.set_id = gone.set_id
      and later.grader_id = gone.grader_id and later.id > gone.id))"""


def _grade(row: dict) -> GivenGrade:
    marked = marked_passages.of_grade(row.pop("quote"), row.pop("marked_passages"))
    blind = None if row["blind"] is None else bool(row["blind"])
    known = {"simulated": bool(row["simulated"]), "blind": blind, "marked": marked}
    return GivenGrade(**{**row, **known})


class ListedScore(NamedTuple):
    """A current grade of an annotator or a judge under a wording of a criterion.

    `score` is None without one.
    """

    item_id: int
    criterion: str
    version: str
    kind: str
    grader: str
    score: float | None


def scores(store: Store, item_ids: Sequence[int]) -> tuple[ListedScore, ...]:
    """Return every current first grade of whole answers, by answer, oldest first; no metrics."""
    rows = store.rows(
        f"""select g.item_id, c.name as criterion, g.version, r.kind, r.name as grader, g.score
        from grades g join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        join criteria c on c.version = g.version where g.item_id in ({marks(item_ids)})
        and r.kind in ('person', 'judge') and g.unit_id is null and g.repeat = 1
        and g.status <> 'withdrawn' and {CURRENT}
        and not exists (select 1 from measured m where m.grade_id = g.id)
        and not exists (select 1 from list_checks l where l.grade_id = g.id) order by g.id""",
        tuple(item_ids),
    )
    names = names_of_versions(store)
    return tuple(
        ListedScore(**{**row, "criterion": names.get(row["version"], row["criterion"])})
        for row in map(dict, rows)
    )
