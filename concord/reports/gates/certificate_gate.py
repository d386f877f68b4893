"""The gate on a judge's certificate in a file; nothing but `export` makes it recompute."""

from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path

from concord.clock import today
from concord.judges.definition import model
from concord.messages import Problem
from concord.reports.certificate import verification
from concord.reports.certificate.certificate import CHANGED
from concord.reports.certificate.certificate_status import CertificateStatus, status
from concord.reports.gates import agreement_gate
from concord.reports.gates.agreement_gate import FIGURES, Check, Gate
from concord.store.database import Store, open_store


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
    return agreement_gate.of_certificate(certificate, found, wanted, criterion)


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
            agreement_gate.check_wanted(minimums)
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
    shown = agreement_gate.floored(limit) if side == "lower" else agreement_gate.ceiled(limit)
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
