"""Gate: whether a judge's agreement clears what a script demands; what is undefined does not."""

import math
from collections.abc import Mapping

from concord.problems import Problem
from concord.reports.agreement.rows import row
from concord.reports.certificate.certificate_page import criteria
from concord.reports.certificate.certificate_status import Standing
from concord.reports.document import as_json
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH, reference
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import criterion_of, how_many, plural
from concord.stats.statistics import shown
from concord.store.graders import Grader
from concord.store.json_names import renamed

FIGURES = {one.key: one for one in shown("gate")}


def gate(
    panel: Panel, judge: Grader, wanted: dict[str, float], criterion: str | None = None
) -> dict:
    """Hold the lower limits of a judge's figures against what is wanted of them.

    Args:
        panel: The sheet under a rubric.
        judge: A judge who graded it, from `judge_of`.
        wanted: The least share by figure (a key of `FIGURES`), in [0, 1].
        criterion: The only criterion that counts; every one otherwise. The composite never counts.

    Returns:
        `holds` and `checks`, one per criterion and figure, each with a sentence. A check holds when
        the lower limit of the interval is at least what is wanted.

    Raises:
        Problem: Nothing is wanted, or the rubric has no such criterion.
    """
    check_wanted(wanted)
    criteria = panel.rubric.criteria
    names = [panel.rubric.criterion(criterion).name] if criterion else [c.name for c in criteria]
    rows = [as_json(row(panel, judge, name, reference(panel, name, EACH), EACH)) for name in names]
    checks = [_check(found, figure, least) for found in rows for figure, least in wanted.items()]
    return {
        "holds": all(check["holds"] for check in checks),
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "judge": judge.name,
        "fingerprint": judge.fingerprint,
        "simulated": judge.simulated,
        "checks": checks,
    }


def of_certificate(
    body: Mapping, standing: Standing, wanted: dict[str, float], criterion: str | None = None
) -> dict:
    """Whether a certificate stands, and its lower limits clear what is wanted, if anything is.

    Args:
        body: The certificate.
        standing: Whether it holds today.
        wanted: The least share by figure, as in `gate`; may be empty.
        criterion: The only criterion that counts; every one otherwise.

    Returns:
        As `gate`, with `state` and `reasons` of the standing.
    """
    body = renamed(body)
    rows = [row for row in body["rows"] if row["criterion"] != COMPOSITE]
    names = [row["criterion"] for row in rows]
    if criterion is not None and criterion not in names:
        raise Problem(
            f"The certificate has no criterion “{criterion}”. It has: {', '.join(names)}."
        )
    rows = [row for row in rows if criterion in (None, row["criterion"])]
    checks = [_check(found, figure, least) for found in rows for figure, least in wanted.items()]
    reasons, of = list(standing.reasons), criteria(body)
    if body["certified"] and criterion not in (None, *of):
        reasons.append(f"The certificate is of {', '.join(of)}, not of {criterion}.")
    holds = standing.state == "holds" and reasons == standing.reasons
    return {
        "holds": holds and all(check["holds"] for check in checks),
        "state": standing.state,
        "criteria": of,
        "reasons": reasons,
        "sheet": body["sheet"]["name"],
        "rubric": body["rubric"]["name"],
        "judge": body["judge"]["name"],
        "fingerprint": body["judge"]["fingerprint"],
        "simulated": False,
        "checks": checks,
    }


def check_wanted(wanted: dict[str, float]) -> None:
    """A Problem where nothing is wanted, or more than a share can be."""
    if not wanted:
        *first, last = (one.option for one in FIGURES.values())
        raise Problem(
            f"The gate has no minimum to test. Give {', '.join(first)} or {last} with a share such "
            "as 0.7."
        )
    for figure, least in wanted.items():
        if not (math.isfinite(least) and 0 <= least <= 1):
            raise Problem(
                f"{FIGURES[figure].title}: {least:g} is not a share. Give a number from 0 to 1."
            )


def _check(found: dict, figure: str, least: float) -> dict:
    """One figure of one criterion against what is wanted of it."""
    estimate = found[figure]
    holds = estimate["low"] is not None and estimate["low"] >= least
    return {
        "criterion": found["criterion"],
        "figure": figure,
        "wanted": least,
        **{key: estimate[key] for key in ("value", "low", "high", "why_none")},
        "n": found["n"],
        "holds": holds,
        "sentence": _sentence(found, figure, least, holds),
    }


def _sentence(found: dict, figure: str, least: float, holds: bool) -> str:
    """The outcome in words; limits are rounded down, so that none seems to clear and does not."""
    estimate = found[figure]
    judge, units = named(found["judge"], found["simulated"]), found.get("units")
    name = f"{judge}, {criterion_of(units, found['criterion'])}, {FIGURES[figure].head}"
    if estimate["value"] is None:
        return f"{name}: undefined ({estimate['why_none']}), so it does not clear {least:.4g}."
    told = f"{name}: {estimate['value']:.3f}"
    if estimate["low"] is None:
        return f"{told} without an interval ({estimate['why_none']}): does not clear {least:.4g}."
    low = math.floor(estimate["low"] * 1000) / 1000
    verb = "clears" if holds else "does not clear"
    failing = f"{found['failing']} failing {plural(units)}"
    of = failing if FIGURES[figure].of_failing else how_many(units, found["n"])
    return f"{told} on {of}; the lower limit {low:.3f} {verb} {least:.4g}."
