"""Certificate: validity of a judge, by whose grades, on which data, and until when.

It is stored and passed on as a JSON document whose digest covers every key. Every statistic in it
can be recomputed from an export (`verification`), and `certificate_status` says when it is void.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import Annotated, Any

from pydantic import (
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from concord.definitions import digest
from concord.messages import Problem, Said, fault_message, joined, said
from concord.model import Grader
from concord.reports.decision import results
from concord.reports.decision.results import Choice
from concord.reports.document import as_json
from concord.reports.panel.provenance import short_label
from concord.store import certificates
from concord.store.database import Store

DAYS = 90
FORMAT = 3
CHANGED = "The certificate was changed after it was written."
_NOT_COVERED = ("id", "digest")


def _look(written: Mapping[str, Any]) -> Choice:
    """The look of a quoted decision; a ValueError where parts of it are missing."""
    try:
        return results.read(written)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a part is missing or has another name: {error}") from None


@dataclass(frozen=True)
class QuotedDecision:
    """A look at a decision as a certificate quotes it.

    Attributes:
        look: The whole look, as `choose --json`.
        stale: The grades have changed since the look.
        robustness: In how many sensitivity analyses the verdict is the same (`same`, `of`), and
            which single changes turn it (`falls`); None where there is no verdict to replay.
    """

    look: Annotated[Choice, PlainValidator(_look)]
    stale: bool = False
    robustness: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class JudgeIdentity:
    """Identity of a judge, as far as known.

    Attributes:
        fingerprint: '' where its grades came from a file.
        model: The requested model; None where unknown.
        reported: The models that the server named: `model`, `system_fingerprint`, in how many
            `replies`, and between which times (`since`, `until`).
        definition: The judge's file.
    """

    name: str
    kind: str
    fingerprint: str
    model: str | None
    reported: tuple[Mapping[str, Any], ...]
    definition: Mapping[str, Any]

    def has(self, label: str, fingerprint: str | None) -> bool:
        """True where a judge of a decision, whose label may end in its fingerprint, is this one."""
        return label.partition("@")[0] == self.name and (fingerprint or "") == self.fingerprint


@dataclass(frozen=True)
class RubricVersion:
    """The rubric, as it was; `criteria` have `name`, `version`, and `weight` as a fraction."""

    name: str
    digest: str
    scale: tuple[int, ...]
    criteria: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class CertifiedSheet:
    """The sheet, the file it came from, and how many answers it has."""

    name: str
    file: str
    sha256: str
    answers: int


@dataclass(frozen=True)
class Annotators:
    """The annotators that the figures rest on, with the shares of blind and unknown scores.

    `named` have `name`, number of `grades`, and how many of these were `blind`, given after
    `seeing` judges' grades, and `unknown`. `uncounted` are other annotators, with the reason.
    """

    named: tuple[Mapping[str, Any], ...]
    uncounted: Mapping[str, str]
    blind_share: float | None
    unknown_share: float | None


@dataclass(frozen=True)
class Questions:
    """The split that the figures are of, since when it was fixed, and the answering models.

    `opening` of held-out questions: its `id`, `purpose`, `at`, how many `questions`, and how many
    of these had been opened `before`.
    """

    split: str
    fixed_at: str
    opening: Mapping[str, Any] | None
    answer_models: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Contents of a certificate; the digest covers its JSON.

    Attributes:
        first_terms: The terms first fixed, and their verdict, by criterion.
        verdict: On the judge; None without a decision. `why_not`: why nothing is certified.
        criteria: The certified criteria.
        decision: The first decision it is based on; `further_decisions`, the others.
        decisions: The newest look at every decision about the judge on the sheet.
        tried: Every judge with grades on the sheet, by `name` and `fingerprint`.
        rows, by_answer_model, reliability: What is computed from grades: rows of the agreement
            report, one per criterion and the composite, and one per answering model.
        rests_on: The last row of every table the statistics are computed from.
        remarks, does_not_show: Caveats, and what it does not show.
    """

    format: int
    first_terms: Mapping[str, Mapping[str, Any]]
    certified: bool
    verdict: str | None = None
    why_not: str | None
    criteria: tuple[str, ...] = ()
    sentence: str = ""
    decision: QuotedDecision | None
    further_decisions: tuple[QuotedDecision, ...] = ()
    decisions: tuple[Mapping[str, Any], ...]
    judge: JudgeIdentity
    rubric: RubricVersion
    sheet: CertifiedSheet
    annotators: Annotators
    questions: Questions
    tried: tuple[Mapping[str, str], ...] = ()
    rows: tuple[Mapping[str, Any], ...]
    by_answer_model: tuple[Mapping[str, Any], ...]
    reliability: tuple[Mapping[str, Any], ...]
    made_at: str = ""
    expires_at: str
    rests_on: Mapping[str, int]
    remarks: tuple[str, ...] = ()
    does_not_show: tuple[str, ...] = ()

    @property
    def judge_label(self) -> str:
        """The judge's name, with the beginning of its fingerprint where others tried have it."""
        name, fingerprint = self.judge.name, self.judge.fingerprint
        if not fingerprint or [one["name"] for one in self.tried].count(name) < 2:
            return name
        return short_label(f"{name}@{fingerprint}")

    @property
    def quoted(self) -> list[QuotedDecision]:
        """The decisions it is based on."""
        return [one for one in (self.decision, *self.further_decisions) if one]

    @property
    def compared(self) -> list[Mapping[str, Any]]:
        """The rows of the certified criteria; that of the first one where there is none."""
        rows = [row for row in self.rows if row["criterion"] in self.criteria]
        return rows or [*self.rows[:1]]


@dataclass(frozen=True, kw_only=True)
class Certificate(Contents):
    """A certificate, with its digest and the JSON document as it was written.

    `id` is the number it is kept under; None where it was read from a file.
    """

    digest: str
    id: int | None = None
    document: Mapping[str, Any] = field(repr=False, compare=False)

    def to_json(self) -> Mapping[str, Any]:
        """Return the document as it was written."""
        return self.document

    @property
    def unchanged(self) -> bool:
        """True where its digest matches its contents."""
        written = {key: part for key, part in self.document.items() if key not in _NOT_COVERED}
        return digest(written) == self.digest


def signed(contents: Contents) -> Certificate:
    """Return the certificate of these contents, with its digest."""
    document = as_json(contents)
    return read(document | {"digest": digest(document)})


def read(document: Mapping[str, Any]) -> Certificate:
    """Return a certificate that was written before.

    Raises:
        Problem: The document is not a certificate.
    """
    try:
        found = _form().validate_python({**document, "document": document})
        for key, parts in _PARTS.items():
            for one in attrgetter(key)(found):
                if missing := parts - one.keys():
                    raise Problem(
                        "{where} of the certificate lacks {missing}.",
                        where=key,
                        missing=joined(", ", sorted(missing)),
                    )
        return found
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Problem(
            "{where} of the certificate: {reason}.",
            where=where,
            reason=fault_message(first),
        ) from None


def not_held(certificate: Certificate, judge: Grader | None) -> Said:
    """Return what a database lacks of a certificate: its judge, else its rubric."""
    if judge is None:
        return said("judge {name}", name=certificate.judge.name)
    return said("rubric {name}", name=certificate.rubric.name)


def of_sheet(store: Store, sheet_id: int) -> list[Certificate]:
    """Return every certificate of a sheet, newest first."""
    return [read({**body, "id": kept}) for kept, body in certificates.of_sheet(store, sheet_id)]


_PARTS = {
    "judge.reported": {"model", "system_fingerprint", "replies", "since", "until"},
    "rubric.criteria": {"name", "version", "weight"},
    "annotators.named": {"name", "grades", "blind", "seeing", "unknown"},
    "tried": {"name", "fingerprint"},
    "rows": {"criterion", "n", "questions", "left_out"},
    "by_answer_model": {"criterion", "answer_model", "n", "exact"},
}


@cache
def _form() -> TypeAdapter[Certificate]:
    return TypeAdapter(Certificate)
