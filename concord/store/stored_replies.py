"""Said: what a judge has answered to one request before, and what graders said of units."""

from collections.abc import Sequence

from concord.model import Verdict
from concord.store.database import Store, marks
from concord.store.grades import CURRENT


def reply(store: Store, grader_id: int, part: str, repeat: int) -> str | None:
    """The good reply to an ask of a measure, exactly as received; None where there is none.

    `part` is the hash of the whole ask, so the item it was first asked about does not matter.
    """
    return store.value(
        "select raw from replies where grader_id = ? and part = ? and repeat = ?"
        " and status = 'scored' and length(part) = 16 limit 1",
        (grader_id, part, repeat),
    )


def verdicts(
    store: Store, grader_id: int, version: str, unit_ids: Sequence[int], repeat: int
) -> dict[int, Verdict]:
    """A grader's current verdicts on units under a criterion version, by unit id.

    Grades of those who were merged into the grader count as the grader's.
    """
    rows = store.rows(
        "select g.unit_id, g.score, g.reason, g.quote from grades g"
        " join graders r on r.id = g.grader_id"
        f" where g.unit_id in ({marks(unit_ids)}) and g.version = ? and g.repeat = ?"
        f" and ? in (r.id, r.merged_into) and g.status = 'scored' and {CURRENT} order by g.id",
        (*unit_ids, version, repeat, grader_id),
    )
    return {row[0]: Verdict(int(row[1]), row[2], row[3]) for row in rows}
