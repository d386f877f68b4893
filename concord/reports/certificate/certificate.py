"""Certificate: validity of a judge, by whose grades, on which data, and until when.

It is stored and passed on as a JSON document whose digest covers every key. Every statistic in it
can be recomputed from an export, and `certificate_status` says when it is void.
Its page in HTML, which prints on paper and loads nothing, is read in a minute.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, Template

from concord.clock import day_of
from concord.definitions import digest
from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import Problem, capital, counted, message_of, said, system_fault
from concord.model import Grader, Sheet
from concord.reports.cells import plain_share, written
from concord.reports.decision.choose import NOT_COMPARED
from concord.reports.decision.document import (
    RESULTS,
    changed_text,
    condition_title,
    counted_of,
    kinds,
    limit_text,
    margin_text,
)
from concord.reports.decision.verdict import GOOD_ENOUGH, VERDICTS, Row, row_of
from concord.reports.document import Column, Document, Table, as_json
from concord.reports.panel.wording import short_label
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.decision.conditions import VETOES
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.statistics import BY_KEY as STATISTICS
from concord.store import decisions, graders, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

DAYS = 90
FORMAT = 3
CHANGED = "The certificate was changed after it was written."
_NOT_COVERED = ("id", "digest")


class Certificate(Row):
    """A certificate; its keys are attributes.

    Keys:
        first_terms: The terms first fixed, and their verdict, by criterion.
        certified, verdict: On the judge, None without a decision; `why_not` nothing is certified.
        criteria: The certified criteria.
        sentence: The verdicts in words; `remarks`, `does_not_show`: caveats.
        decision: The first decision it is based on: the `look`, as `choose --json`; `stale`, the
            grades have changed since; `robustness`, the sensitivity analysis of its verdict.
            `further_decisions`, those on other criteria.
        decisions: The newest look at every decision about the judge on the sheet.
        judge: `name`, `kind`, `fingerprint` ('' where its grades came from a file), requested
            `model`, `definition` (its file), and the models that the server `reported`: `model`,
            `system_fingerprint`, in how many `replies`, and between which times.
        rubric: `name`, `digest`, `scale` and `criteria` (`name`, `version`, `weight`).
        sheet: `name`, `file`, `sha256` and number of `answers`.
        annotators: `named`, with `name` and number of `grades`, of which `blind`, `seeing` (given
            after judges' grades were seen) and `unknown`; `uncounted`, others with the reason; and
            `blind_share` and `unknown_share` of the grades.
        questions: The `split` that the figures are of, and since when it was fixed (`fixed_at`);
            the `opening` of held-out questions; and `answer_models`.
        tried: Every judge with grades on the sheet, by `name` and `fingerprint`.
        rows, by_answer_model, reliability: What is computed from grades: rows of the agreement
            report, one per criterion and the composite, and one per answering model.
        rests_on: The last row of every table the statistics are computed from.
        id: The number it is kept under; absent where it was read from a file.
    """

    document: Mapping[str, Any]

    @property
    def judge_label(self) -> str:
        """The judge's name, with the beginning of its fingerprint."""
        return short_label(f"{self.judge.name}@{self.judge.fingerprint}".strip("@"))

    @property
    def quoted(self) -> list[Row]:
        """The decisions it is based on."""
        return [one for one in (self.decision, *self.further_decisions) if one]

    def is_of(self, row: Row) -> bool:
        """True where a judge of a look, whose label may end in its fingerprint, is this one."""
        name, fingerprint = row.judge.partition("@")[0], row.fingerprint or ""
        return (name, fingerprint) == (self.judge.name, self.judge.fingerprint)

    @property
    def unchanged(self) -> bool:
        """True where its digest matches its contents, as they were written."""
        written = {key: part for key, part in self.document.items() if key not in _NOT_COVERED}
        return digest(written) == self.digest


def signed(contents: Mapping[str, Any]) -> Certificate:
    """Return the certificate of these contents, with its digest."""
    document = with_reasons(as_json(contents))
    return read(document | {"digest": digest(document)})


def read(document: Mapping[str, Any]) -> Certificate:
    """Return a certificate that was written before; `document` is kept as it was written."""
    found = Certificate(row_of(read_reasons(dict(document))))
    found.__dict__["document"] = document
    return found


def load(path: str | Path) -> Certificate:
    """Return a certificate from its file.

    Raises:
        Problem: The file is not a certificate, or of an unknown format.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise Problem(
                "{path} has another format than {known}. Verify it with the version that wrote it.",
                path=path,
                known=FORMAT,
            )
        found = read(document)
        summary(found)  # what cannot be shown lacks a part, or has another one in its place
        itemgetter("made_at", "expires_at", "why_not", "digest")(found)
    except OSError as error:
        raise Problem(
            "{path} cannot be read: {why}. Check the path.", path=path, why=system_fault(error)
        ) from None
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise Problem(
            "{path} is not a certificate. Write one with `certificate JUDGE --json > FILE`.",
            path=path,
        ) from None
    return found


class Subject(NamedTuple):
    """What a certificate is about, as a database holds it, and the last grade it rests on."""

    sheet: Sheet
    rubric: Rubric
    judge: Grader
    last: int


def subject(store: Store, certificate: Certificate) -> Subject:
    """Return what a certificate is about; raise a Problem where a part of it is not here."""
    sheet = sheets.chosen(store, certificate.sheet.name)
    rubric = rubric_versions.of_digest(store, certificate.rubric.name, certificate.rubric.digest)
    name, identity = certificate.judge.name, certificate.judge.fingerprint
    label = f"{name}@{identity}" if identity else name
    judge = graders.find(store, certificate.judge.kind, label)
    if rubric is None or judge is None:
        lacks = f"judge {name}" if judge is None else f"rubric {certificate.rubric.name}"
        raise Problem(
            "This database or export does not hold the {lacks} of the certificate. Name the one "
            "that it was made from.",
            lacks=lacks,
        )
    return Subject(sheet, rubric, judge, certificate.rests_on["grades"])


def of_sheet(store: Store, sheet_id: int) -> list[Certificate]:
    """Return every certificate of a sheet, newest first."""
    return [
        read({**body, "id": kept})
        for kept, body in decisions.certificates_of_sheet(store, sheet_id)
    ]


def title(one: Certificate) -> str:
    """Return the title: only what certifies something is a certificate, of its criteria."""
    kind = "Certificate" if one.certified else "Calibration record"
    criteria = f": {', '.join(one.criteria)}" if one.criteria else ""
    return f"{kind} of {one.judge_label}{criteria}"


def summary(one: Certificate) -> Table:
    """Return first terms, figures, annotators, judges tried and looks, and what was not tested."""
    rows = [(f"First terms, {name}", first_text(of)) for name, of in one.first_terms.items()]
    for each in one.quoted:
        prefix = f"{each.look.criterion}: " if len(one.quoted) > 1 else ""
        rows += [(capital(prefix + name), text) for name, text in _decided(one, each)]
    scored = [f"{each.name} ({each.grades} scores)" for each in one.annotators.named]
    uncounted = [f"{name}: {message_of(why)}" for name, why in one.annotators.uncounted.items()]
    blind, unknown = one.annotators.blind_share, one.annotators.unknown_share
    tried = [short_label(f"{each.name}@{each.fingerprint}".strip("@")) for each in one.tried]
    every = {
        "Annotators": ", ".join(scored),
        "Blind to judges": blind != 1 and ("unknown" if unknown == 1 else plain_share(blind)),
        "Annotators not counted": "; ".join(uncounted),
        "Judges tried": f"{len(tried)}: {', '.join(tried)}",
        "Fingerprint": one.judge.fingerprint,
        "Model": one.judge.model,
        "Rubric": one.rubric.name,
        "Sheet": f"{one.sheet.name}, {one.sheet.answers} answers, split: {one.questions.split}",
    }
    rows += [row for row in every.items() if row[1]]
    return Table("summary", (Column("what"), Column("finding")), tuple(rows))


_FIRST = (
    "{title}; margin {margin}; minimum {minimum}; against {against}; annotators: {who}; {planned} "
    "planned; fixed {day}: {verdict}"
)


def first_text(first: Mapping[str, Any]) -> str:
    """Return the first terms and their verdict in one line."""
    key, who, least = first["figure"], first["annotators"], first["minimum"]
    return _FIRST.format(
        title=FIGURES[key].title,
        margin=margin_text(key, first["margin"]),
        minimum=limit_text(key, least) if least else "none",
        against=short_label(first["against"]),
        who=who if isinstance(who, str) else ", ".join(who),
        planned=first["planned"],
        day=day_of(first["when"]),
        verdict=VERDICTS[first["verdict"]],
    )


_LOOK = "{looks} of at most {most}; {clusters} of {planned_questions} planned questions"


def _decided(one: Certificate, each: Row) -> Iterator[tuple[str, str]]:
    """Yield what was found in a decision: figures and what they are read against, and its look."""
    look, row = each.look, next(filter(one.is_of, each.look.judges), None)
    yield "interim look", _LOOK.format(**look, most=LOOKS_AT_MOST)
    if look.changed_terms:
        yield "first terms not kept", changed_text(look.changed_terms)
    if not (row and row.conditions):
        return
    kind = kinds(look)[0]
    size = f"{counted(look.answers, 'answer')}, {counted(look.questions, 'question')}"
    yield FIGURES[look.figure].title, f"{written(row.value, kind)} (95% CI): {size}"
    yield "majority-class baseline", written(look.baseline, kind)
    overlap = counted(look.overlap, "answer")
    yield "inter-annotator agreement", f"{written(look.ceiling, kind)} on {overlap}"
    for key in VETOES:
        share, n = Estimate(*map(row[key].get, Estimate._fields)), counted_of(row, key) or 0
        found = f"{written(share, 'share')} of {n}"
        if n < FAILING_FLOOR:
            found = f"too few ({n})"
        least = f"; minimum {plain_share(look[key])}" if look[key] else ""
        yield STATISTICS[key].title, found + least
    other = [
        f"{condition_title(look, name)}: {RESULTS[tested.state]}"
        for name, tested in row.conditions.items()
        if tested.state != "clear" and (tested.state != "none" or tested.estimate.why_none)
    ]
    met = sum(tested.state == "clear" for tested in row.conditions.values())
    yield "conditions met", "; ".join([str(met), *other])
    held = each.robustness
    falls = [
        fall["changed"]
        for fall in held.analyses
        if fall["verdict"] not in (held.verdict, NOT_COMPARED)
    ]
    agree = "{same} of {of} sensitivity analyses".format(**held)
    yield "robustness", "; not ".join(filter(None, (agree, ", ".join(falls))))


def document(one: Certificate) -> Document:
    """Return what a terminal shows of a certificate."""
    state = said("Certified until {day}.", day=day_of(one.expires_at))
    if one.why_not:
        state = said("Nothing is certified: {why}.", why=message_of(one.why_not))
    limits = said("It does not show: {what}", what=" ".join(one.does_not_show))
    notes = (*one.remarks, limits)
    return Document(title(one), (state, *filter(None, [one.sentence])), (summary(one),), notes)


def page(one: Certificate, state: str = "", reasons: Iterable[str] = (), whole: bool = True) -> str:
    """Return the certificate as an HTML document, with its style.

    Args:
        one: The certificate.
        state: The state where it no longer holds: `void` or `expired`.
        reasons: Why, in sentences.
        whole: Return a document of its own, not a part of one.
    """
    fallen = state in ("void", "expired")
    # It is called, and coloured, good enough only while that is certified.
    hidden = one.verdict == GOOD_ENOUGH and (fallen or not one.certified)
    return _template().render(
        one=one,
        whole=whole,
        title=title(one),
        state=state.upper() if fallen else "",
        reasons=list(reasons),
        verdict="" if hidden else one.verdict or "",
        facts=summary(one).rows,
    )


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).get_template("certificate.jinja")
