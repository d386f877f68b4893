"""Prompts that two variants were sent for one answer, and their differences."""

import json
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from concord.judges import few_shot
from concord.judges.checks.request_preview import spoken
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import messages, request
from concord.judges.prompting.request import settings as request_settings
from concord.messages import said
from concord.reports.comparison.changed_scores import FIRST, SECOND, SIDED
from concord.reports.document import Column, Table, table_of
from concord.reports.panel.variants import Variant
from concord.store import items, runs
from concord.store.database import Store

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
