"""Flips: the answers two variants score differently, and which of them annotators side with.

Scores are mapped to [0, 1]. A different score of another scale need be no different opinion, so a
flip is a difference of half a step of the coarser scale or more.
"""

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any, NamedTuple

import numpy as np

from concord.judges.checks.request_preview import spoken
from concord.judges.prompting.request import messages
from concord.judges.prompting.request import settings as request_settings
from concord.messages import Numeral, counted, said, small
from concord.reports.agreement.confusion import AnswerGrades, answer_grades
from concord.reports.comparison.compare import scale_name, side_by_side, target_name
from concord.reports.disagreements.sent_prompt import requests_now, stored_requests, why_no_prompt
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.criterion_comparison import EACH
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.variants import Variant, mapped_scores
from concord.store.database import Store

_FLIP = "A flip is a difference of half a step of the coarser scale or more."
FIRST, SECOND, EQUAL, UNGRADED = "first", "second", "equal", "ungraded"
_EQUAL = 1e-9
SIDED = {
    FIRST: small("From"),
    SECOND: small("To"),
    EQUAL: "neither",
    UNGRADED: "not graded",
}


class Flip(NamedTuple):
    """One answer that two variants score differently.

    Attributes:
        question: Index of its question.
        answer_model: Its answering model; '' where unknown.
        first: The first variant's score on its own scale.
        second: The second's.
        difference: The second mapped minus the first mapped, -1 to 1.
        annotators: The annotators' mean, mapped; None where no annotator graded it.
        annotator: The same on the annotators' own scale.
        nearer: `first`, `second`, `equal`, or `ungraded`.
    """

    item_id: int
    question: int
    answer_model: str
    first: float
    second: float
    difference: float
    annotators: float | None
    annotator: float | None
    nearer: str


class Flips(NamedTuple):
    """All changed scores of two variants, largest change first.

    Attributes:
        target: A criterion of the annotators', or `composite`.
        n: Number of answers both scored.
        flips: Largest difference first; of equal ones those that annotators graded first.
    """

    first: Variant
    second: Variant
    target: str
    n: int
    flips: tuple[Flip, ...]

    def count(self, nearer: str) -> int:
        """Return how many changed scores have this `nearer`."""
        return sum(flip.nearer == nearer for flip in self.flips)


def flips(
    first: Variant, second: Variant, annotators: Panel, target: str, kind: str = EACH
) -> Flips | None:
    """The flips; None where one of the two does not grade the target."""
    if first.why_not(target, annotators) or second.why_not(target, annotators):
        return None
    marks = [variant.marks(target, annotators) for variant in (first, second)]
    scales = [variant.rubric.scale for variant in (first, second)]
    one, other = (mapped_scores(m.score, s) for m, s in zip(marks, scales, strict=True))
    both = marks[0].scored & marks[1].scored & annotators.open
    # The largest step of the coarser scale, mapped.
    step = max(np.diff(scale).max() / (scale[-1] - scale[0]) for scale in scales)
    hit = np.flatnonzero(both & (np.abs(other - one) >= step / 2 - _EQUAL))
    mean = side_by_side([first, second], annotators, target, kind).on.annotators.means()[hit]
    lowest, highest = annotators.rubric.scale[0], annotators.rubric.scale[-1]
    found = map(
        Flip,
        annotators.items["id"].iloc[hit].tolist(),
        annotators.items["question"].iloc[hit].tolist(),
        annotators.items["answer_model"].iloc[hit].tolist(),
        marks[0].score[hit].tolist(),
        marks[1].score[hit].tolist(),
        (other - one)[hit].tolist(),
        _known(mean),
        _known(lowest + mean * (highest - lowest)),
        _nearer(one[hit], other[hit], mean),
    )
    # Rounded, so that rounding errors of mapped scores do not decide between equal differences.
    ordered = sorted(
        found,
        key=lambda flip: (-round(abs(flip.difference), 9), flip.nearer == UNGRADED, flip.item_id),
    )
    return Flips(first, second, target, int(both.sum()), tuple(ordered))


def document(found: Flips) -> Document:
    """Return how many scores flip, and to which variant the annotators are nearer."""
    names = [named(one.label, one.judge.simulated) for one in (found.first, found.second)]
    sides = dict(zip((FIRST, SECOND), names, strict=True))
    counts = [(sides.get(one, SIDED[one]), found.count(one)) for one in SIDED]
    columns = Column("annotators nearer"), Column("flips", "count")
    tables = (Table("nearer", columns, tuple(counts)),) if found.flips else ()
    headline = "The two have scored no answer in common"
    if found.n:
        few, answers = len(found.flips), counted(found.n, "answer")
        headline = f"{few:,} of {answers} {'flips' if few == 1 else 'flip'}"
        headline = f"{headline} on {target_name(found.target)}"
    return Document(headline, (f"From {names[0]} to {names[1]}. {_FLIP}",), tables)


def table(found: Flips) -> Table:
    """Return a row for each flip, the largest first."""
    first, second = (scale_name(one.rubric.scale) for one in (found.first, found.second))
    parts = (
        (said("from ({scale})", scale=first), lambda flip: Numeral(f"{flip.first:.3g}")),
        (said("to ({scale})", scale=second), lambda flip: Numeral(f"{flip.second:.3g}")),
        (
            "annotators",
            lambda flip: None if flip.annotator is None else Numeral(f"{flip.annotator:.3g}"),
        ),
        ("annotators nearer", lambda flip: SIDED[flip.nearer]),
        ("difference", lambda flip: Numeral(f"{100 * flip.difference:+.0f}%")),
        ("question", lambda flip: flip.question + 1),
        ("answer by", "answer_model"),
    )
    return table_of("flips", found.flips, parts)


def both_answer_grades(
    store: Store, found: Flips, annotators: Panel, item_ids: list[int]
) -> list[AnswerGrades]:
    """Answers with what the two variants and the annotators said of them."""
    sides = [
        answer_grades(store, variant.panel, variant.judge.id, item_ids)
        for variant in (found.first, found.second)
    ]
    labels = [
        f"{variant.label}, {scale_name(variant.rubric.scale)}"
        for variant in (found.first, found.second)
    ]
    by_annotators = answer_grades(store, annotators, found.first.judge.id, item_ids)
    return [
        graded._replace(
            judge=[
                given._replace(grader=label)
                for label, one in zip(labels, variants, strict=True)
                for given in one.judge
            ]
        )
        for graded, *variants in zip(by_annotators, *sides, strict=True)
    ]


def _known(scores: np.ndarray) -> list[float | None]:
    return [None if np.isnan(score) else score for score in scores.tolist()]


def _nearer(one: np.ndarray, other: np.ndarray, mean: np.ndarray) -> list[str]:
    """Return which of two mapped scores is nearer to the annotators' mean, per answer."""
    apart = np.abs(one - mean) - np.abs(other - mean)
    cases = [np.isnan(mean), np.abs(apart) < _EQUAL, apart < 0]
    return np.select(cases, [UNGRADED, EQUAL, FIRST], SECOND).tolist()


class VariantRequest(NamedTuple):
    """A variant's request for an answer.

    Attributes:
        text: All messages of all calls in order, each under its role.
        settings: Everything else of the request in words, by name.
        why_none: Why it is not available; None where it is.
    """

    text: str = ""
    settings: Mapping[str, str] = {}
    why_none: str | None = None


def sent(store: Store, variant: Variant, item_id: int) -> VariantRequest:
    """The requests of a variant about an answer, as stored where it was asked."""
    if why := why_no_prompt(variant.judge):
        return VariantRequest(why_none=why)
    kept = stored_requests(store, item_id, variant.judge.id)
    sheet = variant.panel.sheet
    bodies = kept or requests_now(store, variant.asked, variant.rubric, sheet, item_id)
    return _joined(bodies)


def prompt_diff(first: VariantRequest, second: VariantRequest) -> list[str]:
    """The second's messages against the first's as a unified diff; [] where equal or unknown."""
    if first.why_none or second.why_none:
        return []
    sides = (first.text.splitlines(), second.text.splitlines())
    return list(unified_diff(*sides, SIDED[FIRST], SIDED[SECOND], n=2, lineterm=""))


def settings(first: VariantRequest, second: VariantRequest) -> Table:
    """Return a row for each setting that differs; '' where a request does not send it."""
    names = sorted({*first.settings, *second.settings})
    rows = ((n, first.settings.get(n, ""), second.settings.get(n, "")) for n in names)
    columns = Column("setting"), Column(SIDED[FIRST]), Column(SIDED[SECOND])
    return Table("settings", columns, tuple(row for row in rows if row[1] != row[2]))


def _joined(bodies: Mapping[str, dict]) -> VariantRequest:
    texts, settings = [], {}
    for part, body in bodies.items():
        about = f" (call for {part})" if part and len(bodies) > 1 else ""
        texts += [f"[{m['role']}{about}]\n{m['content']}" for m in messages(body)]
        rest = {k: v for k, v in request_settings(body).items() if k not in _APART}
        settings |= {key: spoken(value) for key, value in rest.items()} | _form(body)
    return VariantRequest("\n\n".join(texts), settings | {"calls per answer": str(len(bodies))})


def _form(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the requested reply format, and the allowed scores of each criterion."""
    if "questions" in body:
        return {}
    if "tools" in body:
        mode, schema = "tool", body["tools"][0]["function"]["parameters"]
    else:
        asked = body.get("response_format", {})
        mode, schema = asked.get("type", "text"), asked.get("json_schema", {}).get("schema", {})
    scores = {
        said("scores of {criterion}", criterion=name): spoken(grade["properties"]["score"]["enum"])
        for name, grade in schema.get("properties", {}).items()
    }
    return {"form of the reply": mode} | scores


_APART = ("tools", "tool_choice", "response_format")
