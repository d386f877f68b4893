"""Figures of a certificate: what is computed from grades and decisions, and can be recomputed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from concord.exporting.reason_codes import with_reasons
from concord.model import Grader, Sheet
from concord.reports.agreement import agreement
from concord.reports.certificate.certificate import DecisionAbout, Figures, Interval, WorstModel
from concord.reports.decision.results import Choice, JudgeFound, read
from concord.reports.document import as_json
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import MEAN
from concord.stats.core.estimate import Estimate
from concord.stats.decision.deciding_figure import EXACT
from concord.store import decisions
from concord.store.database import Store


class _OfJudge(Protocol):
    judge: str
    fingerprint: str | None


Row = TypeVar("Row", bound=_OfJudge)


def figures(panel: Panel, judge: Grader, criterion: str) -> Figures:
    """Return everything in a certificate that is computed from grades.

    Args:
        panel: The questions it rests on.
        judge: The judge.
        criterion: The one by which the worst answering model is found.
    """
    alone = replace(panel, judges={judge.id: judge})
    found = with_reasons(as_json(agreement.report(alone, by_answer_model=True)))
    of_annotators = [row for row in found["rows"] if row["reference"] != MEAN]
    by_model = tuple(row for row in of_annotators if row["answer_model"])
    return Figures(
        tuple(row for row in of_annotators if not row["answer_model"]),
        by_model,
        _worst(by_model, criterion),
        tuple(found["reliability"]),
    )


def _worst(rows: Sequence[Mapping[str, Any]], criterion: str) -> WorstModel | None:
    known = [r for r in rows if r["criterion"] == criterion and r["exact"]["value"] is not None]
    if not known:
        return None
    row = min(known, key=lambda row: row["exact"]["value"])
    exact = Estimate(*map(row["exact"].get, Estimate._fields))
    return WorstModel(row["answer_model"], criterion, row["n"], exact, row["failing"])


def decided(store: Store, sheet: Sheet, judge: Grader) -> tuple[DecisionAbout, ...]:
    """Return the newest look at every decision about a judge on a sheet, the newest first."""
    looks = [read(one.result) for one in decisions.newest_looks(store, sheet.id)]
    found = ((look, of_judge(look.judges, judge)) for look in looks)
    return tuple(
        DecisionAbout(
            criterion=look.criterion,
            rubric=look.rubric,
            against=look.against,
            margin=look.margin,
            minimum=look.minimum,
            verdict=row.verdict,
            figure=look.figure,
            estimate=_decided(look, row),
            fixed_at=look.fixed_at,
            looked_at=look.looked_at,
            answers=look.answers,
            questions=look.questions,
            confirmatory=look.confirmatory,
        )
        for look, row in found
        if row
    )


def _decided(look: Choice, row: JudgeFound) -> Interval:
    """The deciding figure."""
    found = row.exact if look.figure == EXACT else row.value
    return Interval(found.value, found.low, found.high)


def of_judge(rows: tuple[Row, ...], judge: Grader) -> Row | None:
    """Return the row about a judge; a namesake with other settings is another judge."""
    names = (judge.name, judge.label())
    same = (row for row in rows if row.judge in names and row.fingerprint == judge.fingerprint)
    return next(same, None)
