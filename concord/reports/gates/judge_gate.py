"""Gates on a judge: its lower confidence limits, or a certificate, against a script's minimums.

What is undefined does not pass. Nothing but `export` makes the gate recompute a certificate.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from concord.clock import today
from concord.judges.definition import model
from concord.messages import Problem, Said, joined, said
from concord.model import Grader
from concord.reports.agreement.rows import row
from concord.reports.certificate import verification
from concord.reports.certificate.certificate import CHANGED, Certificate
from concord.reports.certificate.certificate_status import CertificateStatus, status
from concord.reports.document import OPTIONAL, Column, Document, as_json, table_of
from concord.reports.panel.criterion_comparison import EACH, reference
from concord.reports.panel.decision_conditions import MET, NOT_MET
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.statistics import shown
from concord.store.database import Store, open_store

# Of a certificate that was written before the figure existed.
_UNKNOWN = Estimate(None, why_none="the certificate does not hold it")._asdict()
FIGURES = {one.key: one for one in shown("gate")}


@dataclass(frozen=True)
class Check:
    """One statistic of one criterion compared with its minimum.

    Attributes:
        figure: The key of the statistic, in [0, 1].
        wanted: The minimum of the lower confidence limit; of the false-alarm rate the maximum of
            the upper one.
        n: The answers it is a share of: of recall those that annotators failed, of precision those
            that the judge failed, of the false-alarm rate those that annotators passed; None where
            a certificate does not hold it.
    """

    criterion: str
    figure: str
    wanted: float
    value: float | None
    low: float | None
    high: float | None
    why_none: str | None
    n: int | None
    holds: bool


@dataclass(frozen=True)
class Gate:
    """The result of a gate; it holds where every check does.

    Attributes:
        reasons: Why the certificate does not hold.
        synthetic: How many answers of the sheet are synthetic; None for a certificate.
        not_certified: Criteria of the rubric that the certificate is not of, so not checked; None
            without a certificate.
    """

    holds: bool
    sheet: str
    rubric: str
    judge: str
    fingerprint: str
    simulated: bool
    checks: tuple[Check, ...]
    state: str | None = field(default=None, metadata=OPTIONAL)
    criteria: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    reasons: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    synthetic: int | None = field(default=None, metadata=OPTIONAL)
    not_certified: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)


def gate_judge(
    panel: Panel, judge: Grader, wanted: Mapping[str, float], criterion: str | None = None
) -> Gate:
    """Compare the lower confidence limits of a judge's agreement with their minimums.

    Args:
        panel: The sheet under a rubric.
        judge: A judge who graded it, from `candidates.judge_of`.
        wanted: The minimum share by statistic (a key of `FIGURES`), in [0, 1].
        criterion: The only criterion that counts; every one otherwise. The composite never counts.

    Raises:
        Problem: No minimum is given, or the rubric has no such criterion.
    """
    check_wanted(wanted)
    criteria = panel.rubric.criteria
    names = [panel.rubric.criterion(criterion).name] if criterion else [c.name for c in criteria]
    rows = (as_json(row(panel, judge, name, reference(panel, name, EACH), EACH)) for name in names)
    checks = _checks(rows, wanted)
    return Gate(
        holds=all(check.holds for check in checks),
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        judge=judge.name,
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        checks=checks,
        synthetic=panel.sheet.synthetic,
    )


def of_certificate(
    certificate: Certificate,
    status: CertificateStatus,
    wanted: Mapping[str, float],
    criterion: str | None = None,
) -> Gate:
    """Compare the lower confidence limits in a certificate with their minimums, if there are any.

    `wanted` may be empty, unlike that of `gate`. Only criteria that are certified are checked.
    """
    rows = [row for row in certificate.rows if row["criterion"] != COMPOSITE]
    names = [row["criterion"] for row in rows]
    if criterion is not None and criterion not in names:
        raise Problem(
            "The certificate has no criterion “{criterion}”. It has: {names}.",
            criterion=criterion,
            names=joined(", ", names),
        )
    without = [name for name in names if certificate.certified and name not in certificate.criteria]
    checked = [name for name in names if criterion in (None, name) and name not in without]
    checks = _checks((row for row in rows if row["criterion"] in checked), wanted)
    reasons = list(status.reasons)
    if criterion in without:
        reasons.append(
            said(
                "The certificate covers {criteria}, not {criterion}.",
                criteria=joined(", ", certificate.criteria),
                criterion=criterion,
            )
        )
    holds = status.state == "holds" and reasons == status.reasons
    return Gate(
        holds=holds and all(check.holds for check in checks),
        sheet=certificate.sheet.name,
        rubric=certificate.rubric.name,
        judge=certificate.judge.name,
        fingerprint=certificate.judge.fingerprint,
        simulated=False,
        checks=checks,
        state=status.state,
        criteria=certificate.criteria,
        reasons=tuple(reasons),
        not_certified=tuple(without),
    )


def document(found: Gate) -> Document:
    """Return what is shown of a gate."""
    failed = sum(not check.holds for check in found.checks)
    if failed or not (found.holds or found.reasons):
        headline = said(
            "The gate fails: {failed} of {n} checks.", failed=failed, n=len(found.checks)
        )
    elif found.state:
        headline = "The certificate is valid." if found.holds else "The gate fails."
    else:
        headline = said("The gate passes: {n} of {n} checks.", n=len(found.checks))
    parts = (
        (Column("criterion"), "criterion"),
        (Column("statistic"), lambda check: FIGURES[check.figure].head),
        (Column("estimate", "value"), "value"),
        (Column("lower limit", "value"), lambda check: floored(check.low)),
        (
            Column("minimum", "precise"),
            lambda check: check.wanted if _is_minimum(check.figure) else None,
        ),
        *(_MAXIMA if any(not _is_minimum(check.figure) for check in found.checks) else ()),
        (Column("answers", "count"), "n"),
        (Column("result"), _result),
    )
    notes = list(_undefined(found))
    if found.not_certified:
        names = joined(", ", found.not_certified)
        notes.insert(0, said("Not certified, so not checked: {criteria}.", criteria=names))
    return Document(
        headline, found.reasons or (), (table_of("checks", found.checks, parts),), tuple(notes)
    )


def _undefined(found: Gate) -> Iterator[str]:
    """Yield each reason for a missing limit, with the criteria it is of, and what can be done."""
    criteria: dict[str, list[str]] = {}
    for check in found.checks:
        if check.why_none:
            criteria.setdefault(check.why_none, []).append(check.criterion)
    for why, names in criteria.items():
        yield said(
            "Undefined on {criteria}: {why}.", criteria=joined(", ", dict.fromkeys(names)), why=why
        )
    if criteria and not found.state and len({check.criterion for check in found.checks}) > 1:
        yield (
            "An undefined limit does not pass. Grade more answers on these criteria, or test one "
            "criterion alone with --criterion."
        )


def _result(check: Check) -> Said:
    """Pass, fail, or inconclusive without a limit to compare; that does not pass either."""
    if (check.low if _is_minimum(check.figure) else check.high) is None:
        return "inconclusive"
    return MET if check.holds else NOT_MET


def _is_minimum(figure: str) -> bool:
    return FIGURES[figure].higher_is_better


_MAXIMA = (
    (Column("upper limit", "value"), lambda check: ceiled(check.high)),
    (
        Column("maximum", "precise"),
        lambda check: None if _is_minimum(check.figure) else check.wanted,
    ),
)


def check_wanted(wanted: Mapping[str, float]) -> None:
    """Raise a Problem where no minimum is given, or one that is not a share.

    A test may give anything: the types of `wanted` are checked nowhere before.
    """
    if not wanted:
        *first, last = (one.option for one in FIGURES.values())
        raise Problem(
            "The gate has no minimum to test. Give {options} or {last} with a share such as 0.7.",
            options=joined(", ", first),
            last=last,
        )
    for figure, least in wanted.items():
        known = isinstance(least, (int, float)) and math.isfinite(least)
        if not (known and 0 <= least <= 1):
            raise Problem(
                "{figure}: “{least}” is not a share. Give a number from 0 to 1.",
                figure=FIGURES[figure].title,
                least=least,
            )


def _checks(rows: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> tuple[Check, ...]:
    return tuple(_check(row, figure, least) for row in rows for figure, least in wanted.items())


def _check(found: Mapping[str, Any], figure: str, least: float) -> Check:
    """One statistic of a row of the agreement report, as JSON."""
    estimate = found.get(figure, _UNKNOWN)
    of = [n for name in FIGURES[figure].counts if (n := estimate.get(name)) is not None]
    # Withheld as it is elsewhere; the limits of so few answers are mostly those of chance.
    if of and min(of) < FAILING_FLOOR and estimate["value"] is not None:
        why = said("it rests on {n} answers and requires {least}", n=min(of), least=FAILING_FLOOR)
        estimate = {**estimate, **undefined(why)._asdict()}
    if _is_minimum(figure):
        holds = estimate["low"] is not None and estimate["low"] >= least
    else:
        holds = estimate["high"] is not None and estimate["high"] <= least
    return Check(
        criterion=found["criterion"],
        figure=figure,
        wanted=least,
        **{key: estimate[key] for key in ("value", "low", "high", "why_none")},
        n=_answers(found, figure),
        holds=holds,
    )


def _answers(found: Mapping[str, Any], figure: str) -> int | None:
    """The number of answers a statistic is a share of; of recall those that annotators failed."""
    counts = FIGURES[figure].counts
    return found.get(figure, _UNKNOWN).get(counts[0]) if len(counts) == 1 else found["n"]


def floored(limit: float | None) -> float | None:
    """Return a limit rounded down to three decimals, so that none seems to pass and does not."""
    # Rounded first: 0.3 - 0.02 is a little below 0.28 and would be floored to 0.279.
    return None if limit is None else math.floor(round(limit * 1000, 6)) / 1000


def ceiled(limit: float | None) -> float | None:
    """Return a limit rounded up to three decimals, so that none seems to pass and does not."""
    return None if limit is None else math.ceil(round(limit * 1000, 6)) / 1000


def gate(
    store: Store,
    file: str | Path,
    judge_file: str | Path | None,
    wanted: Mapping[str, float],
    criterion: str | None = None,
) -> Gate:
    """Gate on a certificate as it is today.

    Args:
        store: The store; what it knows of the judge, the rubric and rechecks counts too.
        file: The certificate's file.
        judge_file: The judge's file, to compare with the certified judge; None to leave it out.
        wanted: As of `agreement_gate.of_certificate`.
        criterion: As of `agreement_gate.of_certificate`.

    Raises:
        Problem: A file cannot be read, or as of `agreement_gate.of_certificate`.
    """
    certificate = verification.load(file)
    judge = model.load(judge_file) if judge_file else None
    found = status(store, certificate, today(), judge)
    if not certificate.unchanged:
        found = CertificateStatus("void", [CHANGED, *found.reasons])
    return of_certificate(certificate, found, wanted, criterion)


def fault(
    database: Path,
    certificate: str | PathLike[str],
    judge_file: str | PathLike[str],
    minimums: Mapping[str, float],
    criterion: str | None = None,
    export: str | PathLike[str] | None = None,
) -> str:
    """Return why a build must not rely on a judge, as one sentence or more; '' where it may.

    Args:
        database: A file for an empty database, so that no other is opened.
        certificate: The certificate's file.
        judge_file: The judge's file as the build uses it.
        minimums: The minimum of the lower 95% confidence limit by statistic, in [0, 1].
        criterion: The only criterion that counts; every certified one otherwise.
        export: What `export` wrote, to recompute every figure from; None not to.
    """
    unknown = [name for name in minimums if name not in FIGURES]
    if unknown:
        return f"“{unknown[0]}” is no statistic of the gate. It tests {', '.join(FIGURES)}."
    file = fspath(certificate)
    try:
        if minimums:
            check_wanted(minimums)
        with open_store(database) as store:
            found = gate(store, file, fspath(judge_file), minimums, criterion)
        reasons = [*_reasons(found)]
        if export is not None and not reasons:
            reasons += _differences(file, fspath(export))
    except Problem as problem:
        return str(problem)
    return f"{file} does not certify {found.judge}: {' '.join(reasons)}" if reasons else ""


def _reasons(found: Gate) -> Iterator[str]:
    yield from found.reasons or ()
    yield from (_missed(check) for check in found.checks if not check.holds)


def _missed(check: Check) -> str:
    figure = FIGURES[check.figure]
    side, limit = ("lower", check.low) if figure.higher_is_better else ("upper", check.high)
    if limit is None:
        return f"The {side} limit of {figure.title} ({check.criterion}) is undefined."
    shown = floored(limit) if side == "lower" else ceiled(limit)
    relation = "below" if side == "lower" else "above"
    return (
        f"The {side} limit of {figure.title} ({check.criterion}) is {shown:.3f}, {relation} "
        f"{check.wanted:g}."
    )


def _differences(file: str, export: str) -> Iterator[str]:
    found = verification.verify(verification.load(file), export)
    if not found.holds:
        yield (
            f"{len(found.differences)} of its {found.figures} values are not reproduced by "
            f"{export}."
        )
