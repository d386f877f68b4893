"""Gates: confidence limits of a judge's agreement, of a certificate's, or of a metric's mean.

A script names the bounds. What is undefined does not pass. Nothing but `export` makes a gate
recompute a certificate. A metric's mean says how high it is, not whether it tracks annotators.

A gate `holds` where every one of its `checks` does. Each has `wanted`, `value`, `low`, `high`,
`why_none`, `holds` and `n`, the answers it is of, and its `bound` (`at_least` of the lower
confidence limit, `at_most` of the upper). Of a judge: the `criterion` and the `figure` (the
false-alarm rate alone has a maximum). Of a metric: the `judge`, the `switches` that make the
reading, `method`, `questions` and `left_out` by status.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord import metrics
from concord.clock import today
from concord.judges.definition import model
from concord.messages import Problem, joined, said
from concord.model import Grader, Sheet
from concord.reports.agreement.agreement import row
from concord.reports.cells import reasons
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import CHANGED, Certificate, load
from concord.reports.decision.verdict import Row
from concord.reports.document import Column, Document, as_json, table_of
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metrics import limits, reading, rows
from concord.reports.panel.choice import MET, NOT_MET
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.statistics import STATISTICS
from concord.store.database import Store, open_store

if TYPE_CHECKING:
    from concord.reports.certificate.certificate_status import CertificateStatus

AT_LEAST, AT_MOST = "at_least", "at_most"
FIGURES = {one.key: one for one in STATISTICS if one.gate}
_ESTIMATE = ("value", "low", "high", "why_none")


def gate_judge(
    panel: Panel, judge: Grader, wanted: Mapping[str, float], criterion: str | None = None
) -> Row:
    """Compare the confidence limits of a judge's agreement with their bounds.

    Args:
        panel: The sheet under a rubric.
        judge: A judge who graded it, from `choice.judge_of`.
        wanted: The minimum share by statistic (a key of `FIGURES`), in [0, 1].
        criterion: The only criterion that counts; every one otherwise. The composite never counts.

    Raises:
        Problem: No minimum is given, or the rubric has no such criterion.
    """
    check_wanted(wanted)
    names = [panel.rubric.criterion(criterion).name] if criterion else [*panel.rubric.versions()]
    found = [as_json(row(ground(panel, name, EACH), judge)) for name in names]
    return _gate(
        _checks(found, wanted),
        sheet=panel.sheet.name,
        rubric=panel.rubric.name,
        judge=judge.name,
        fingerprint=judge.fingerprint,
        simulated=judge.simulated,
        synthetic=panel.sheet.synthetic,
    )


def gate_certificate(
    store: Store,
    file: str | Path,
    judge_file: str | Path | None,
    wanted: Mapping[str, float],
    criterion: str | None = None,
) -> Row:
    """Gate on a certificate as it is today.

    Args:
        store: The store; what it knows of the judge, the rubric and rechecks counts too.
        file: The certificate's file.
        judge_file: The judge's file, to compare with the certified judge; None to leave it out.
        wanted: As of `gate_judge`; may be empty.
        criterion: The only criterion that counts; every certified one otherwise.

    Returns:
        As `gate_judge`, with the certificate's `state`, the `reasons` why it does not hold, its
        `criteria`, and those of the rubric that it is not of (`not_certified`), so not checked.

    Raises:
        Problem: A file cannot be read, or the certificate has no such criterion.
    """
    # Rechecks run judges, whose network no gate on grades needs.
    from concord.reports.certificate.certificate_status import CertificateStatus, status

    certificate = load(file)
    found = status(store, certificate, today(), model.load(judge_file) if judge_file else None)
    if not certificate.unchanged:
        found = CertificateStatus("void", [CHANGED, *found.reasons])
    return of_certificate(certificate, found, wanted, criterion)


def of_certificate(
    certificate: Certificate,
    status: "CertificateStatus",
    wanted: Mapping[str, float],
    criterion: str | None = None,
) -> Row:
    """Compare the limits in a certificate of a known status; see `gate_certificate`."""
    found = {one["criterion"]: one for one in certificate.document["rows"]}
    found.pop(COMPOSITE, None)
    if criterion not in (None, *found):
        raise Problem(
            "The certificate has no criterion “{criterion}”. It has: {names}.",
            criterion=criterion,
            names=joined(", ", found),
        )
    covered, reasons = certificate.criteria, [*status.reasons]
    without = [one for one in found if certificate.certified and one not in covered]
    asked = [one for one in found if criterion in (None, one) and one not in without]
    if criterion in without:
        reasons.append(said("The certificate does not cover {criterion}.", criterion=criterion))
    return _gate(
        _checks([found[name] for name in asked], wanted),
        status.state == "holds" and criterion not in without,
        sheet=certificate.sheet.name,
        rubric=certificate.rubric.name,
        judge=certificate.judge.name,
        fingerprint=certificate.judge.fingerprint,
        simulated=False,
        state=status.state,
        criteria=covered,
        reasons=reasons,
        not_certified=without,
    )


def gate_metric(
    sheet: Sheet,
    found: Readings,
    name: str,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: str | None = None,
) -> Row:
    """Compare the confidence limits of a metric's mean with bounds.

    `at_least` is the minimum of the lower limit, `at_most` the maximum of the upper one. `judge`
    restricts the values to one judge, by name or label.

    Raises:
        Problem: Nothing or nonsense is wanted, or the metric has no value on the sheet.
    """
    wanted = {k: v for k, v in ((AT_LEAST, at_least), (AT_MOST, at_most)) if v is not None}
    metric = metrics.available().get(name)
    if metric is None:
        known = joined(", ", metrics.available())
        raise Problem("There is no metric “{name}”. Available: {known}.", name=name, known=known)
    if not wanted:
        raise Problem("The gate needs a bound for {name}: --at-least or --at-most.", name=name)
    low = -math.inf if metric.low is None else metric.low
    high = math.inf if metric.high is None else metric.high
    for value in wanted.values():
        if not (math.isfinite(value) and low <= value <= high):
            raise Problem(
                "{name}: {value:g} is not a value it can have ({limits}).",
                name=name,
                value=value,
                limits=limits(metric),
            )
    of = [one for one in rows(found) if one.metric == name]
    mine = [one for one in of if judge in (None, one.judge, one.judge.partition("@")[0])]
    if not mine:
        raise Problem(
            "{metric} has no value on this sheet by this judge. Judges that gave one: {listed}. "
            "Run a judge that computes it.",
            metric=name,
            listed=joined(", ", dict.fromkeys(one.judge for one in of)) or "none",
        )
    more = ("judge", "switches", "n", "questions")
    checks = [
        _check(
            value,
            bound,
            {key: getattr(one, key) for key in more} | one.mean._asdict(),
            left_out=Counter(one.left_out) + Counter({"not_asked": one.not_asked}),
        )
        for one in mine
        for bound, value in wanted.items()
    ]
    return _gate(checks, sheet=sheet.name, metric=name, synthetic=sheet.synthetic)


def _check(wanted: float, bound: str, estimate: Mapping[str, Any], **more: Any) -> Row:
    """Return whether the lower limit of an estimate is at least, or its upper at most, a bound."""
    low, high = estimate["low"], estimate["high"]
    holds = low is not None and low >= wanted
    if bound == AT_MOST:
        holds = high is not None and high <= wanted
    return Row(estimate, wanted=wanted, bound=bound, holds=holds, **more)


def _gate(checks: list[Row], holds: bool = True, **more: Any) -> Row:
    return Row(holds=holds and all(one.holds for one in checks), checks=checks, **more)


def document(found: Row) -> Document:
    """Return what is shown of a gate."""
    n, held = len(found.checks), sum(one.holds for one in found.checks)
    headline = f"{'Pass' if found.holds else 'Fail'}: {held} of {n} checks."
    parts = (
        ("criterion", lambda one: one.get("criterion")),
        ("statistic", lambda one: FIGURES[one.figure].head if "figure" in one else None),
        ("judge", lambda one: one.get("judge")),
        ("variant", lambda one: reading(one.switches) if "switches" in one else None),
        (Column("estimate", "value"), "value"),
        (Column("95% limit", "value"), rounded_limit),
        ("required", lambda one: f"{'≥' if one.bound == AT_LEAST else '≤'} {one.wanted:g}"),
        (Column("answers", "count"), "n"),
        ("result", _result),
    )
    notes = [*reasons(one.why_none for one in found.checks)]
    if without := found.get("not_certified"):
        notes.insert(0, said("Not checked: {names}.", names=", ".join(without)))
    table = table_of("checks", found.checks, parts, found.get("metric", ""), sparse=True)
    return Document(headline, tuple(found.get("reasons", ())), (table,), tuple(notes))


def rounded_limit(check: Row) -> float | None:
    """Return the limit that counts, rounded so that none seems to pass and does not."""
    end, rounded = ("low", math.floor) if check.bound == AT_LEAST else ("high", math.ceil)
    # Rounded first: 0.3 - 0.02 is a little below 0.28 and would be floored to 0.279.
    return check[end] and rounded(round(check[end] * 1000, 6)) / 1000


def _result(check: Row) -> str:
    """Pass, fail, or inconclusive without a limit to compare; that does not pass either."""
    if rounded_limit(check) is None:
        return "inconclusive"
    return MET if check.holds else NOT_MET


def check_wanted(wanted: Mapping[str, float]) -> None:
    """Raise a Problem where no minimum is given, or one that is not a share.

    A test may give anything: the types of `wanted` are checked nowhere before.
    """
    if not wanted:
        options = joined(", ", (one.option for one in FIGURES.values()))
        raise Problem("The gate has no minimum to test. Give one of {options}.", options=options)
    for figure, least in wanted.items():
        if figure not in FIGURES:
            known = joined(", ", FIGURES)
            raise Problem("“{name}” is no statistic: {known}.", name=figure, known=known)
        if not (isinstance(least, (int, float)) and 0 <= least <= 1):
            raise Problem(
                "{figure}: “{least}” is not a share. Give a number from 0 to 1.",
                figure=figure,
                least=least,
            )


def _checks(rows: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> list[Row]:
    """Return each statistic of each row of the agreement report, as JSON, against its bound."""
    made = []
    for found in rows:
        for figure, least in wanted.items():
            # A certificate that was written before the figure existed does not hold it.
            held = found.get(figure) or {"why_none": "the certificate does not hold it"}
            estimate, counts = {key: held.get(key) for key in _ESTIMATE}, FIGURES[figure].counts
            of = [n for name in counts if (n := held.get(name)) is not None]
            # Withheld as it is elsewhere; the limits of so few answers are those of chance.
            if of and min(of) < FAILING_FLOOR and estimate["value"] is not None:
                why = said("it rests on fewer than {n} answers", n=FAILING_FLOOR)
                estimate = dict.fromkeys(_ESTIMATE) | {"why_none": why}
            n = held.get(counts[0]) if len(counts) == 1 else found["n"]
            bound = AT_LEAST if FIGURES[figure].higher_is_better else AT_MOST
            made.append(
                _check(least, bound, estimate, criterion=found["criterion"], figure=figure, n=n)
            )
    return made


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
    file = fspath(certificate)
    try:
        if minimums:
            check_wanted(minimums)
        with open_store(database) as store:
            found = gate_certificate(store, file, fspath(judge_file), minimums, criterion)
        whys = [*found.reasons]
        for one in found.checks:
            if not one.holds:
                limit, of = rounded_limit(one), FIGURES[one.figure].title
                told = "undefined" if limit is None else f"{limit:.3f}; needed: {one.wanted:g}"
                whys.append(f"{one.criterion}, {of}: {told}.")
        if export is not None and not whys:
            made = certification.verify(load(file), fspath(export))
            if not made["holds"]:
                whys = [certification.verification_document(made).headline]
    except Problem as problem:
        return str(problem)
    text = "{file} does not certify {judge}: {whys}"
    return text.format(file=file, judge=found.judge, whys=" ".join(whys)) if whys else ""
