"""A combined judge on a sheet: its members and its fit."""

from concord.judges.combined.combine import combine
from concord.judges.definition.model import Judge
from concord.judges.kinds.combined import FITTED, RULE_WORDS
from concord.messages import joined, said
from concord.model import Grader, Sheet
from concord.reports.decision.cost import cost
from concord.reports.document import Column, Document, table_of
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def document(store: Store, sheet: Sheet, judge: Judge, grader: Grader | None) -> Document:
    """Return what a combined judge is made of.

    Raises:
        Problem: A member has no grades on the sheet.
    """
    _, rubric = rubric_versions.argument(store, judge.rubric)
    found = combine(store, sheet, rubric, judge)
    notes = [said("{name}: {why}", name=name, why=why) for name, why in found.lacking.items()]
    if grader is not None and grader.fingerprint != found.fingerprint and judge.rule in FITTED:
        notes.append("The grades have changed since: run it again for a new fit.")
    members = (
        ("member", lambda one: one.label()),
        (Column("USD per 1,000", "usd"), lambda one: cost(store, sheet, one).per_1000),
    )
    fit = (
        ("criterion", lambda row: row[0]),
        ("weights", lambda row: ", ".join(f"{one:.3g}" for one in row[1].weights)),
        ("cut points", lambda row: ", ".join(f"{one:.3g}" for one in row[1].points)),
        (Column("answers fitted to", "count"), lambda row: row[1].answers),
    )
    tables = (
        table_of("members", found.members, members),
        table_of("fit", found.fit.criteria.items() if found.fit else (), fit),
    )
    names = joined(", ", [one.name for one in found.members])
    title = said("{rule} of {members}", rule=RULE_WORDS[judge.rule], members=names)
    return Document(title, tables=tuple(one for one in tables if one.rows), notes=tuple(notes))
