"""The refutations for a terminal and for scripts: the verb `refuted`."""

from collections.abc import Mapping, Sequence

from concord.problems import Problem
from concord.reports.disagreements.work_list import person
from concord.reports.terminal import table
from concord.reports.units import contradicted_claims as units_contradicted_claims
from concord.reports.units.contradicted_claims import Found
from concord.rubrics.model import Rubric
from concord.store import answer_names
from concord.store.answer_names import short
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.store.units import contradicted_claims
from concord.store.units.contradicted_claims import CONFIRMED, OVERTURNED

_SHORT = 60  # of a unit or its evidence in a column, in characters
WORDS = {"confirmed": CONFIRMED, "overturned": OVERTURNED, "taken": ""}


def document(
    store: Store, sheet: Sheet, rubric: str | None, judge: str | None, limit: int, by: str | None
) -> dict:
    """The list and its precision, after noting who now sees it.

    Returns:
        What `units.contradicted_claims.document` gives, with `sheet`, `synthetic` and `total`.
    """
    found = units_contradicted_claims.read(store, sheet, _rubric(store, sheet, rubric), judge)
    if judge and not found.listed:
        raise Problem(f"No judge “{judge}” calls anything contradicted here. Leave --judge out.")
    shown = units_contradicted_claims.open_first(found)[:limit]
    units_contradicted_claims.opened(store, shown, person(store, by).id if by else None)
    named = {"sheet": sheet.name, "synthetic": sheet.synthetic, "total": len(found.listed)}
    called = answer_names.of_sheet(store, sheet.id)
    return named | units_contradicted_claims.document(found, called, limit)


def settle(
    store: Store,
    sheet: Sheet,
    rubric: str | None,
    said: Mapping[str, Sequence[int]],
    by: str,
    note: str,
) -> None:
    """Keep what an annotator says of refutations by id; a Problem where one is not in the list."""
    found = units_contradicted_claims.read(store, sheet, _rubric(store, sheet, rubric))
    _check(found, [one for ids in said.values() for one in ids])
    who = person(store, by)
    with store.write():
        for name, ids in said.items():
            for one in ids:
                contradicted_claims.settle(store, one, WORDS[name], who.id, note)


def text(found: Mapping) -> str:
    """The list as a table under its precision."""
    rows = found["refutations"]
    if not rows:
        return "No judge calls anything contradicted here."
    heads = ("id", "answer", "judge", "said", "unit", "evidence")
    lines = [
        (
            one["id"],
            one["called"],
            one["judge"],
            one["word"] or _elsewhere(one),
            short(one["unit"], _SHORT),
            short(one["quote"], _SHORT),
        )
        for one in rows
    ]
    left = found["total"] - len(rows)
    more = f"{left:,} more, not shown; --limit shows more." if left else ""
    said = " ".join(filter(None, (f"{found['sentence']}.", found["counts_often"])))
    return "\n\n".join(filter(None, (said, table(heads, lines), more)))


def _elsewhere(one: Mapping) -> str:
    """That nothing was said of it, and what was said of the same unit for other judges."""
    said = (f"{other['word']} for {other['judge'].partition('@')[0]}" for other in one["elsewhere"])
    return "; ".join(dict.fromkeys(said)).join("()") if one["elsewhere"] else "—"


def _rubric(store: Store, sheet: Sheet, name: str | None) -> Rubric:
    known = {rubric.name: rubric for rubric in units_contradicted_claims.rubrics(store, sheet)}
    if not known:
        raise Problem(
            "No judge has checked claims of this sheet yet. Run a judge for metrics, as in "
            "`judge rag-metrics`."
        )
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    there = f"There {'is' if len(known) == 1 else 'are'}: {', '.join(known)}."
    if name is None:
        raise Problem(f"Say which rubric is meant with --rubric. {there}")
    if name not in known:
        raise Problem(f"No judge refutes anything here under a rubric “{name}”. {there}")
    return known[name]


def _check(found: Found, ids: Sequence[int]) -> None:
    unknown = set(ids) - {one.grade_id for one in found.listed}
    if unknown:
        listed = ", ".join(map(str, sorted(unknown)))
        raise Problem(f"No refutation of this list has the id {listed}. The list shows the ids.")
    if len(ids) != len(set(ids)):
        raise Problem("One refutation is named twice. Confirm it, overturn it, or take it back.")
