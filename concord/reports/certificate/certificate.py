"""Certificate: validity of a judge, by whose grades, on which data, and until when.

It is stored and passed on as a JSON document whose digest covers every key. Every statistic in it
can be recomputed from an export (`verification`), and `certificate_status` says when it is void.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from concord.definitions import digest
from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import Problem
from concord.model import Grader, Sheet
from concord.reports.decision.results import Row, row_of
from concord.reports.document import as_json
from concord.reports.panel.provenance import short_label
from concord.rubrics.model import Rubric
from concord.store import certificates, graders, sheets
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
        """The judge's name, with the beginning of its fingerprint where others tried have it."""
        name, fingerprint = self.judge.name, self.judge.fingerprint
        if not fingerprint or [one["name"] for one in self.tried].count(name) < 2:
            return name
        return short_label(f"{name}@{fingerprint}")

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
    return [read({**body, "id": kept}) for kept, body in certificates.of_sheet(store, sheet_id)]
