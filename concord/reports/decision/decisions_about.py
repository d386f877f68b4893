"""Decided on: every decision about a judge on a sheet, as a certificate lists them."""

from collections.abc import Mapping

from concord.messages import said
from concord.reports.cells import share
from concord.reports.decision.verdict import VERDICTS
from concord.store import decisions
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.sheets import Sheet


def decided(store: Store, sheet: Sheet, judge: Grader) -> list[dict]:
    """The newest look at every decision about a judge on a sheet, the newest first.

    Returns:
        Each with `criterion`, `rubric`, `verdict`, `figure` (its name), `estimate` (its value and
        interval), `against`, `margin`, `minimum`, `fixed_at` and `looked_at`.
    """
    looks = [one.result for one in decisions.newest_looks(store, sheet.id)]
    found = ((result, of_judge(result, judge)) for result in looks)
    return [
        {
            **{key: result[key] for key in ("criterion", "rubric", "against", "margin", "minimum")},
            "verdict": row["verdict"],
            "figure": result["figure"],
            "estimate": {key: row["exact"][key] for key in ("value", "low", "high")},
            "fixed_at": result["fixed_at"],
            "looked_at": result["looked_at"],
        }
        for result, row in found
        if row
    ]


def of_judge(result: Mapping, judge: Grader) -> dict | None:
    """The row of a look that is about a judge; a namesake with other settings is another judge."""
    names = (judge.name, judge.label())
    for row in result["judges"]:
        if row["judge"] in names and row["fingerprint"] == judge.fingerprint:
            return row
    return None


def verdict_on(result: Mapping, judge: Grader) -> str | None:
    """What a look found of a judge; None where it was not compared."""
    row = of_judge(result, judge)
    return row and row["verdict"]


def in_lines(body: Mapping) -> list[str]:
    """The decisions that a certificate lists, a line each; none where it was written before."""
    rows = body.get("decisions") or []
    told = [
        said(
            "{criterion}: {verdict}, {figure} {estimate}, compared with {against}, {day}",
            criterion=row["criterion"],
            verdict=VERDICTS[row["verdict"]],
            figure=row["figure"],
            estimate=share(row["estimate"]),
            against=row["against"],
            day=row["looked_at"][:10],
        )
        for row in rows
    ]
    return [said("Decisions about this judge on this sheet:"), *told] if told else []
