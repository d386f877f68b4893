"""Flips: the answers two variants score differently, and which of them annotators side with.

Scores are mapped to [0, 1]. A different score of another scale need be no different opinion, so a
flip is a difference of half a step of the coarser scale or more.
"""

import json
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

from concord.judges import few_shot
from concord.judges.checks.request_preview import spoken
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import messages, request
from concord.judges.prompting.request import settings as request_settings
from concord.messages import Numeral, counted, joined, said, small
from concord.reports.agreement.confusion import AnswerGrades, answer_grades
from concord.reports.comparison.paired_variants import scale_name, side_by_side, target_name
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.criterion_comparison import EACH
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.variants import Variant, mapped_scores
from concord.store import items, runs
from concord.store.database import Store

_FLIP = said("A flip is a difference of half a step of the coarser scale or more.")
FIRST, SECOND, EQUAL, UNGRADED = "first", "second", "equal", "ungraded"
_EQUAL = 1e-9
SIDED = {
    FIRST: small(said("From")),
    SECOND: small(said("To")),
    EQUAL: said("neither"),
    UNGRADED: said("not graded"),
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
    sides = {FIRST: _name(found.first), SECOND: _name(found.second)}
    counts = [(sides.get(one, SIDED[one]), found.count(one)) for one in SIDED]
    parts = (
        (Column(said("annotators nearer")), lambda one: one[0]),
        (Column(said("flips"), "count"), lambda one: one[1]),
    )
    tables = (table_of("nearer", counts, parts),) if found.flips else ()
    one, other = _name(found.first), _name(found.second)
    sides = said("From {one} to {other}.", one=one, other=other)
    return Document(_headline(found), (sides,), tables, (_FLIP,))


def _headline(found: Flips) -> str:
    if not found.n:
        return said("The two have scored no answer in common")
    about = {"on": target_name(found.target), "answers": counted(found.n, "answer")}
    if not found.flips:
        return said("None of {answers} flips on {on}", **about)
    return said(
        "{few:,} of {answers} flips on {on}"
        if len(found.flips) == 1
        else "{few:,} of {answers} flip on {on}",
        few=len(found.flips),
        **about,
    )


def table(found: Flips) -> Table:
    """Return a row for each flip, the largest first."""
    first, second = (scale_name(one.rubric.scale) for one in (found.first, found.second))
    parts = (
        (Column(said("from ({scale})", scale=first)), lambda flip: Numeral(f"{flip.first:.3g}")),
        (Column(said("to ({scale})", scale=second)), lambda flip: Numeral(f"{flip.second:.3g}")),
        (
            Column(said("annotators")),
            lambda flip: None if flip.annotator is None else Numeral(f"{flip.annotator:.3g}"),
        ),
        (Column(said("annotators nearer")), lambda flip: SIDED[flip.nearer]),
        (Column(said("difference")), lambda flip: Numeral(f"{100 * flip.difference:+.0f}%")),
        (Column(said("question")), lambda flip: flip.question + 1),
        (Column(said("answer by")), lambda flip: flip.answer_model),
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
    labels = [_with_scale(variant, annotators) for variant in (found.first, found.second)]
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


def _with_scale(variant: Variant, annotators: Panel) -> str:
    scale = variant.rubric.scale
    return (
        variant.label
        if scale == annotators.rubric.scale
        else joined(", ", [variant.label, scale_name(scale)])
    )


def _known(scores: np.ndarray) -> list[float | None]:
    return [None if np.isnan(score) else score for score in scores.tolist()]


def _nearer(one: np.ndarray, other: np.ndarray, mean: np.ndarray) -> list[str]:
    """Return which of two mapped scores is nearer to the annotators' mean, per answer."""
    apart = np.abs(one - mean) - np.abs(other - mean)
    cases = [np.isnan(mean), np.abs(apart) < _EQUAL, apart < 0]
    return np.select(cases, [UNGRADED, EQUAL, FIRST], SECOND).tolist()


def _name(variant: Variant) -> str:
    return named(variant.label, variant.judge.simulated)


SAME, OUT, IN, SKIPPED = "same", "out", "in", "skipped"
AROUND = 2
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+|\s+|[^\w\s]")
_ALIKE = 0.5


class Line(NamedTuple):
    """One line of a diff.

    Attributes:
        kind: `same`, `out` (of the first text alone), `in` (of the second), or `skipped`.
        parts: Runs of text and whether each was changed; of a skipped stretch, how many lines.
    """

    kind: str
    parts: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The line unchanged."""
        return "".join(text for text, _ in self.parts)


def diff(first: str, second: str, around: int = AROUND) -> list[Line]:
    """Return the line diff of two texts; long unchanged stretches are skipped.

    `around` is the number of unchanged lines of context around a change.

    Returns:
        Empty for equal texts.
    """
    old, new = first.splitlines(), second.splitlines()
    found: list[Line] = []
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if all(kind == "equal" for kind, *_ in codes):
        return found
    for place, (kind, i1, i2, j1, j2) in enumerate(codes):
        if kind == "equal":
            found += _context_lines(old[i1:i2], around, place == 0, place == len(codes) - 1)
        else:
            found += _changed(old[i1:i2], new[j1:j2])
    return found


def _context_lines(lines: list[str], around: int, at_start: bool, at_end: bool) -> list[Line]:
    head, tail = (0 if at_start else around), (0 if at_end else around)
    if len(lines) <= head + tail + 1:
        return [_plain(SAME, line) for line in lines]
    skipped = len(lines) - head - tail
    return [
        *(_plain(SAME, line) for line in lines[:head]),
        Line(SKIPPED, ((str(skipped), False),)),
        *(_plain(SAME, line) for line in lines[len(lines) - tail :]),
    ]


def _changed(old: list[str], new: list[str]) -> list[Line]:
    """Lines taken out and put in; those that are alike are marked word by word."""
    out, come = [_plain(OUT, line) for line in old], [_plain(IN, line) for line in new]
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        before, after = _WORDS.findall(one), _WORDS.findall(other)
        matched = SequenceMatcher(None, before, after, autojunk=False)
        if _alike(before, after) < _ALIKE:
            continue
        codes = matched.get_opcodes()
        out[place] = Line(OUT, _parts(before, [(k, i1, i2) for k, i1, i2, _, _ in codes]))
        come[place] = Line(IN, _parts(after, [(k, j1, j2) for k, _, _, j1, j2 in codes]))
    return [*out, *come]


def _alike(before: list[str], after: list[str]) -> float:
    """Return the similarity of two lines, 0 to 1, ignoring white space."""
    words = ([word for word in side if not word.isspace()] for side in (before, after))
    return SequenceMatcher(None, *words, autojunk=False).ratio()


def _parts(words: list[str], runs: list[tuple[str, int, int]]) -> tuple[tuple[str, bool], ...]:
    return tuple(
        ("".join(words[start:end]), kind != "equal") for kind, start, end in runs if end > start
    )


def _plain(kind: str, line: str) -> Line:
    return Line(kind, ((line, False),))


NOT_STORED = said("its grades came from a file, so its prompt is not known")
NO_PROMPT = said("the baseline reads no prompt")
COMBINED = said("a combined judge reads no prompt")


class VariantRequest(NamedTuple):
    """A variant's request for an answer.

    Attributes:
        text: All messages of all calls in order, each under its role.
        settings: Everything else of the request in words, by name.
        kept: True for the stored request; else it is rebuilt as a run would.
        why_none: Why it is not available; None where it is.
    """

    text: str = ""
    settings: Mapping[str, str] = {}
    kept: bool = False
    why_none: str | None = None


class Setting(NamedTuple):
    """A setting that differs; '' where a request does not send it."""

    name: str
    first: str
    second: str


def sent(store: Store, variant: Variant, item_id: int) -> VariantRequest:
    """The requests of a variant about an answer, as stored where it was asked."""
    if variant.judge.definition.get("members"):
        return VariantRequest(why_none=COMBINED)
    if variant.asked is None:
        return VariantRequest(why_none=NO_PROMPT if variant.floor else NOT_STORED)
    kept = _first_requests(store, variant, item_id)
    return _joined(kept or _made(store, variant, item_id), bool(kept))


def prompt_diff(first: VariantRequest, second: VariantRequest) -> list[Line]:
    """The second's messages against the first's; nothing where they are the same or unknown."""
    if first.why_none or second.why_none:
        return []
    return diff(first.text, second.text)


def setting_diff(first: VariantRequest, second: VariantRequest) -> list[Setting]:
    """The settings that differ, by name."""
    names = sorted({*first.settings, *second.settings})
    pairs = [Setting(n, first.settings.get(n, ""), second.settings.get(n, "")) for n in names]
    return [one for one in pairs if one.first != one.second]


def settings(first: VariantRequest, second: VariantRequest) -> Table:
    """Return a row for each setting that differs."""
    parts = (
        (Column(said("setting")), lambda one: one.name),
        (Column(SIDED[FIRST]), lambda one: one.first),
        (Column(SIDED[SECOND]), lambda one: one.second),
    )
    return table_of("settings-that-differ", setting_diff(first, second), parts)


def _first_requests(store: Store, variant: Variant, item_id: int) -> dict[str, dict]:
    """The stored request of each part as it was first sent, without what re-asks added."""
    rows = runs.of_item(store, item_id, variant.judge.id)
    first = [row for row in rows if row["repeat"] == 1]
    found = {row["part"]: _read(row["request"]) for row in reversed(first)}
    return {part: body for part, body in found.items() if body}


def _made(store: Store, variant: Variant, item_id: int) -> dict[str, dict]:
    """The request of each part as a run would make it now."""
    judge, rubric = variant.asked, variant.rubric
    item = items.item(store, item_id).item
    shown = tuple(few_shot.gather(store, judge, rubric, variant.panel.sheet))
    return {part: request(judge, rubric, item, part, shown) for part in parts(judge, rubric)}


def _read(text: str) -> dict | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) and {"messages", "questions"} & body.keys() else None


def _joined(bodies: Mapping[str, dict], kept: bool) -> VariantRequest:
    texts, settings = [], {}
    for part, body in bodies.items():
        about = f" (call for {part})" if part and len(bodies) > 1 else ""
        texts += [f"[{m['role']}{about}]\n{m['content']}" for m in messages(body)]
        rest = {k: v for k, v in request_settings(body).items() if k not in _APART}
        settings |= {key: spoken(value) for key, value in rest.items()} | _form(body)
    return VariantRequest(
        "\n\n".join(texts), settings | {said("calls per answer"): str(len(bodies))}, kept
    )


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
    return {said("form of the reply"): mode} | scores


_APART = ("tools", "tool_choice", "response_format")
