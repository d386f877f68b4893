"""Blinding: a connection that cannot reach what judges said, for whoever settles what people said.

Under the name of `grades` it sees people's grades alone, under that of `adjudications` what people
settled among themselves; what models replied, and what was made of it, it is refused. It adds what
is settled and changes nothing, so that no judge's grade can be made a person's. It holds for every
module that reads through the connection, so the screen on top cannot show a judge by mistake.
"""

from concord.store import permissions
from concord.store.database import Store

# What the connection sees of each table, by a condition on its rows `t`.
ROWS = {
    "grades": "t.grader_id in (select p.id from main.graders p where p.kind = 'person')",
    "adjudications": "t.triggered_by in ('people', 'draw')",
}
SHUT = {
    *("replies", "asked", "measured", "batches", "batch_questions"),
    *("looks", "certificates", "decisions"),
}
ADDS = {"adjudications", "rubrics", "criteria"}  # a preset is stored when it is first named


def blind(store: Store) -> None:
    """From now on reach nothing of what a judge said, and else what one could reach before."""
    permissions.narrow(store.connection, ROWS, SHUT, ADDS)
