"""Annotators' scores of a few answers side by side, for leads: no judge's grade is among them."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.store.database import Store, marks
from concord.store.grades import CURRENT
from concord.store.rubrics.rubric_versions import names_of_versions

# Of all keys on a criterion of an answer, as the grading times have them.
_SECONDS = (
    "(select sum(t.seconds) from grades t"
    " where t.item_id = g.item_id and t.version = g.version and t.grader_id = g.grader_id"
    " and t.repeat = 1 and t.unit_id is null) as seconds"
)


@dataclass(frozen=True)
class AnnotatorScore:
    """An annotator's current grade under a wording of a criterion.

    `score` is None without one, `seconds` (of all its key presses) where none has a time.
    """

    item_id: int
    criterion: str
    version: str
    annotator: str
    score: float | None
    seconds: float | None = None


def of_answers(store: Store, item_ids: Sequence[int]) -> tuple[AnnotatorScore, ...]:
    """Return every annotator's current first grades of whole answers, by answer, oldest first."""
    rows = store.rows(
        "select g.item_id, c.name as criterion, g.version, r.name as annotator, g.score,"
        f" {_SECONDS}"
        " from grades g join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        f" join criteria c on c.version = g.version where g.item_id in ({marks(item_ids)})"
        " and r.kind = 'person' and g.unit_id is null and g.repeat = 1"
        f" and g.status <> 'withdrawn' and {CURRENT}"
        " and not exists (select 1 from list_checks l where l.grade_id = g.id) order by g.id",
        tuple(item_ids),
    )
    names = names_of_versions(store)
    return tuple(
        AnnotatorScore(**{**row, "criterion": names.get(row["version"], row["criterion"])})
        for row in map(dict, rows)
    )
