"""Adjudicator's view: a connection that cannot read judges' grades, for blind adjudication.

Through it `grades` contains annotators' grades only and `adjudications` only what annotators
adjudicated; models' replies and all that derives from them are denied. It may add adjudications and
change nothing else, so a judge's grade cannot be passed off as an annotator's. The restriction
holds for every module that reads through the connection, so no screen on top can show a judge by
mistake.
"""

from concord.store import permissions
from concord.store.database import Store

# Visible rows of each table, by a condition on its rows `t`.
ROWS = {
    "grades": "t.grader_id in (select p.id from main.graders p where p.kind = 'person')",
    "adjudications": "t.triggered_by in ('people', 'draw')",
}
SHUT = {
    # Also what only derives from judges' grades: a decision or a certificate would show which way a
    # judge lies.
    *("replies", "asked", "measured", "distributions", "batches", "batch_questions"),
    *("looks", "certificates", "decisions"),
}
# A preset is stored when it is first named, and an adjudicator when theirs is first typed.
ADDS = {"adjudications", "rubrics", "criteria", "graders"}


def blind(store: Store) -> None:
    """Restrict the connection to what an adjudicator may read: nothing that judges produced.

    That of an annotator whom a lead assigned to adjudicate is narrower already.
    """
    if not (store.who and store.who.role == permissions.ADJUDICATOR):
        permissions.narrow(store.connection, ROWS, SHUT, ADDS)
