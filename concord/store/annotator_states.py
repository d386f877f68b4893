"""Annotator states: whose grades of a sheet count, as leads decided.

Append-only: the newest row of an annotator on a sheet counts; without one they are included, or
pending where they typed their own name (`graders`). A row says whether an alert on the annotator
was open at that moment: excluding closes it, and including them all the same accepts it.
"""

from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem
from concord.store.database import Store

INCLUDED, PENDING, EXCLUDED = "included", "pending", "excluded"


class AnnotatorState(NamedTuple):
    """Whether an annotator's grades count, by whose decision, when and why.

    `alert` is true where an alert on the annotator was open when this was decided.
    """

    state: str
    alert: bool
    why: str
    by: str
    at: str

    @property
    def accepts_alert(self) -> bool:
        """True where the annotator was included in spite of an open alert."""
        return self.alert and self.state == INCLUDED


def of_sheet(store: Store, sheet_id: int) -> dict[int, AnnotatorState]:
    """Return the decided states of a sheet's annotators, by grader id."""
    rows = store.rows(
        "select coalesce(g.merged_into, g.id) as grader_id, s.state, s.alert, s.why, s.given_by,"
        " s.created_at from annotator_states s join graders g on g.id = s.grader_id"
        " where s.sheet_id = ? order by s.id",
        (sheet_id,),
    )
    return {row[0]: AnnotatorState(row[1], bool(row[2]), *tuple(row)[3:]) for row in rows}


def decide(
    store: Store,
    sheet_id: int,
    grader_id: int,
    state: str,
    by: str,
    why: str = "",
    alert: bool = False,
) -> None:
    """Include or exclude an annotator; a Problem where excluding or an open alert has no reason."""
    if not why.strip() and (state == EXCLUDED or alert):
        raise Problem("Say why: the reason is shown wherever the annotator's grades would count.")
    with store.write():
        store.insert(
            "annotator_states",
            sheet_id=sheet_id,
            grader_id=grader_id,
            state=state,
            alert=int(alert),
            why=why.strip(),
            given_by=by,
            created_at=now(),
        )
