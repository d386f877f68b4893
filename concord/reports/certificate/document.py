"""The document of a certificate, and its page in HTML, which prints on paper and loads nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from concord.clock import day_of
from concord.language.minus_sign import with_minus
from concord.messages import day, joined, said
from concord.reports.cells import plain_share, shown, written
from concord.reports.certificate.certificate import Certificate, DecisionAbout
from concord.reports.certificate.summary import evidence, summary
from concord.reports.decision.results import GOOD_ENOUGH, VERDICTS
from concord.reports.decision.terms import limit_text, margin_text
from concord.reports.document import Column, Document, Kind, Table
from concord.resources import COMMAND
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.statistics import Statistic
from concord.stats.statistics import shown as in_place

_FALLEN = ("void", "expired")
_IN_ONE_LINE = re.compile(r"(\[\S+,|<) (?=\S)")  # a CI; a p value below a bound


def title(one: Certificate) -> str:
    """Return the title: only what certifies something is a certificate, of its criteria."""
    return said(
        "Certificate of {judge}: {criteria}"
        if one.certified
        else "Calibration record of {judge}: {criteria}"
        if one.of
        else "Calibration record of {judge}",
        judge=one.judge_label,
        criteria=joined(", ", one.of),
    )


def document(one: Certificate) -> Document:
    """Return what a terminal shows of a certificate; `page` has the whole."""
    why = said("Nothing is certified: {why}.", why=one.why_not) if one.why_not else ""
    until = said("Certified until {day}.", day=day_of(one.expires_at)) if one.certified else ""
    return Document(
        title(one),
        tuple(filter(None, (why, until, one.sentence))),
        (
            summary(one),
            *(table for each in evidence(one) for table in each.tables),
            decisions_table(one.decisions or (), one.judge.name),
        ),
        (*(note for each in evidence(one) for note in each.notes), *one.remarks, _ends(one)),
    )


def decisions_table(rows: Iterable[DecisionAbout], judge: str) -> Table:
    """Return every decision about a judge of this name, good or not."""
    columns = (
        Column(said("criterion")),
        Column(said("verdict")),
        Column(said("figure")),
        Column(said("estimate, CI")),
        Column(said("answers"), "count"),
        Column(said("compared with")),
        Column(said("margin")),
        Column(said("minimum")),
        Column(said("date")),
    )
    cells = (
        (
            row.criterion,
            said("{verdict}, exploratory", verdict=VERDICTS[row.verdict])
            if not row.confirmatory
            else VERDICTS[row.verdict],
            FIGURES[row.figure].title,
            _estimate(row),
            row.answers,
            said("none: it is the reference judge")
            if row.against.partition("@")[0] == judge
            else row.against,
            margin_text(row.figure, row.margin),
            limit_text(row.figure, row.minimum),
            day(row.looked_at),
        )
        for row in rows
    )
    return Table(
        "decisions", columns, tuple(cells), said("Decisions about this judge on this sheet")
    )


def _estimate(row: DecisionAbout) -> str:
    found = Estimate(row.estimate.value, row.estimate.low, row.estimate.high)
    return written(found, "share" if FIGURES[row.figure].kind == "share" else "number")


def page(one: Certificate, state: str = "", reasons: Iterable[str] = ()) -> str:
    """Return the certificate as an HTML document; arguments as for `article`."""
    return article(one, state, reasons, whole=True)


def article(
    one: Certificate, state: str = "", reasons: Iterable[str] = (), whole: bool = False
) -> str:
    """Return the certificate as the content of an HTML page, with its style.

    Args:
        one: The certificate.
        state: The state where it no longer holds: `void` or `expired`.
        reasons: Why, in sentences.
        whole: Return a document of its own, not a part of one.
    """
    fallen = state in _FALLEN
    # It is called, and coloured, good enough only while that is certified.
    hidden = one.verdict == GOOD_ENOUGH and (fallen or not one.certified)
    return _template().render(
        one=one,
        whole=whole,
        title=title(one),
        state=state.upper() if fallen else "",
        reasons=list(reasons),
        verdict="" if hidden else one.verdict or "",
        verdicts=VERDICTS,
        decisions=_cells(decisions_table(one.decisions or (), one.judge.name)),
        agreement=_agreement(one.rows),
        by_model=_by_model(one),
        facts=summary(one).rows,
        evidence=[(each, [(t.title, _cells(t)) for t in each.tables]) for each in evidence(one)],
        estimate=lambda value: written(value, "share"),
        command=COMMAND,
    )


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_as_read
    ).get_template("certificate.jinja")


def _as_read(value: Any) -> Any:
    """Return a value of the page, with the minus signs of screens and no line break in a figure."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _IN_ONE_LINE.sub("\\1\N{NO-BREAK SPACE}", with_minus(value, value))


def _ends(one: Certificate) -> str:
    """Return the limitations of the certificate, in a sentence."""
    return said("It does not show: {those}", those=joined(" ", one.does_not_show))


def _cells(table: Table) -> tuple[list[str], list[list[str | int]]]:
    return shown(table) if table.rows else ([], [])


def _agreement(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: a statistic per line, a column per criterion and one for the composite."""
    rows = [row for row in rows if row["n"]]
    lines = [["answers", *(row["n"] for row in rows)]]
    lines += [
        [one.title, *(counted_figure(row, one) for row in rows)]
        for one in in_place("certificate")
        if all(one.key in row for row in rows)
    ]
    lines += [
        [
            "failures as disagreements, exact",
            *(_figure(row["worst_case"]["exact"], "share") for row in rows),
        ],
        [
            "inter-annotator agreement, exact",
            *(_figure(row["ceiling"]["exact"], "share") for row in rows),
        ],
        [
            "majority-class baseline, exact",
            *(plain_share(row["majority_baseline"]["exact"]) for row in rows),
        ],
    ]
    return ["figure", *(row["criterion"] for row in rows)], lines


def _by_model(one: Certificate) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: the criterion of the worst answering model, for each of them."""
    # A certificate written before a figure existed does not hold it.
    columns = [
        each for each in in_place("table") if all(each.key in row for row in one.by_answer_model)
    ]
    lines = [
        [row["answer_model"], row["n"], *(counted_figure(row, each) for each in columns)]
        for row in one.by_answer_model
        if one.worst_answer_model and row["criterion"] == one.worst_answer_model.criterion
    ]
    return ["answering model", "n", *(each.head for each in columns)], lines


def counted_figure(row: Mapping[str, Any], one: Statistic) -> str:
    """Return a statistic of a row; of failing answers with their number, as `83% of 12`.

    Withheld where they are too few for a share, as in the summary.
    """
    found = _figure(row[one.key], one.kind)
    counts = [row[one.key].get(name) for name in one.counts]
    if not counts or None in counts or row[one.key]["value"] is None:
        return found
    if min(counts) < FAILING_FLOOR:
        return said("too few ({n})", n=min(counts))
    return f"{found} of {' and '.join(map(str, counts))}"


def _figure(estimate: Mapping[str, Any], kind: Kind) -> str:
    """An estimate of a row, which is JSON, with its interval."""
    return written(Estimate(*(estimate[end] for end in ("value", "low", "high"))), kind)


def commands(one: Certificate, file: str) -> str:
    """Return the commands that verify a certificate in a file and use it in a build."""
    lines = [
        f"{COMMAND} export EXPORT",
        f"{COMMAND} verify {file} --from EXPORT",
        f"{COMMAND} gate --certificate {file}",
    ]
    if one.judge.definition and "members" not in one.judge.definition:
        lines.append(f"{COMMAND} recheck {file} --yes")
    return "\n".join(lines)
