"""Gates: confidence limits of a judge's agreement, or of a certificate's.

A script names the bounds. What is undefined does not pass. Nothing but `export` makes a gate
recompute a certificate.

A gate `holds` where every one of its `checks` does. Each has `criterion`, `figure`, `wanted`,
`value`, `low`, `high`, `why_none`, `holds` and `n`, the answers it is of, and its `bound`
(`at_least` of the lower confidence limit; `at_most` of the upper, for the false-alarm rate alone).
"""

import math
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.clock import today
from concord.judges.definition import model
from concord.messages import Problem, joined, said
from concord.model import Grader
from concord.reports.agreement.agreement import row
from concord.reports.cells import reasons
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import CHANGED, Certificate, load
from concord.reports.decision.verdict import Row
from concord.reports.document import Column, Document, as_json, table_of
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
    checks = _checks(found, wanted)
    return Row(
        holds=all(one.holds for one in checks),
        checks=checks,
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
    checks = _checks([found[name] for name in asked], wanted)
    stands = status.state == "holds" and criterion not in without
    return Row(
        holds=stands and all(one.holds for one in checks),
        checks=checks,
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


def document(found: Row) -> Document:
    """Return what is shown of a gate."""
    n, held = len(found.checks), sum(one.holds for one in found.checks)
    headline = f"{'Pass' if found.holds else 'Fail'}: {held} of {n} checks."
    parts = (
        ("criterion", "criterion"),
        ("statistic", lambda one: FIGURES[one.figure].head),
        (Column("estimate", "value"), "value"),
        (Column("95% limit", "value"), rounded_limit),
        ("required", lambda one: f"{'≥' if one.bound == AT_LEAST else '≤'} {one.wanted:g}"),
        (Column("answers", "count"), "n"),
        ("result", _result),
    )
    notes = [*reasons(one.why_none for one in found.checks)]
    if without := found.get("not_certified"):
        notes.insert(0, said("Not checked: {names}.", names=", ".join(without)))
    table = table_of("checks", found.checks, parts)
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
    """Raise a Problem where no minimum is given, or one that is not a share of a statistic."""
    nonsense = [
        name
        for name, least in wanted.items()
        if name not in FIGURES or not (isinstance(least, (int, float)) and 0 <= least <= 1)
    ]
    if nonsense or not wanted:
        raise Problem(
            "Minimums of a gate are shares from 0 to 1 of: {known}. Not understood: {names}.",
            known=joined(", ", FIGURES),
            names=joined(", ", nonsense) or "none is given",
        )


def _checks(rows: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> list[Row]:
    """Return each statistic of each row of the agreement report, as JSON, against its bound."""
    made = []
    for found in rows:
        for figure, least in wanted.items():
            of, held = FIGURES[figure], found.get(figure, {})
            estimate = {key: held.get(key) for key in _ESTIMATE}
            counts = [n for name in of.counts if (n := held.get(name)) is not None]
            # Withheld as it is elsewhere; the limits of so few answers are those of chance.
            if counts and min(counts) < FAILING_FLOOR and estimate["value"] is not None:
                why = said("it rests on fewer than {n} answers", n=FAILING_FLOOR)
                estimate = dict.fromkeys(_ESTIMATE) | {"why_none": why}
            low, high, up = estimate["low"], estimate["high"], of.higher_is_better
            holds = low is not None and (low >= least if up else high <= least)
            made.append(
                Row(
                    estimate,
                    criterion=found["criterion"],
                    figure=figure,
                    wanted=least,
                    bound=AT_LEAST if up else AT_MOST,
                    n=counts[0] if len(counts) == 1 else found["n"],
                    holds=holds,
                )
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
