"""What the file of an exported judge carries: its requests, settings, rubric and certificate.

The requests are those that the judge sends for an item of marks, with each mark replaced by a
placeholder. So a prompt is never written a second time, and a request that is filled in elsewhere
is the one that was calibrated.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge, Shot
from concord.judges.prompting import delimiters
from concord.judges.prompting.prompt import BEFORE_ANSWER, delimited, item_code, parts
from concord.judges.prompting.reply import THINKING, THOUGHT
from concord.judges.prompting.request import fingerprint, requester
from concord.messages import Problem, said
from concord.model import Context, Item
from concord.rubrics.model import Rubric
from concord.store import certificates, graders
from concord.store.database import Store

# No text of a judge holds these, so that each is found in a request where the item's text stands.
_MARK = "\ue000concord {}\ue001"
_ITEM = Item(
    own_id=None,
    question_id=None,
    cluster=None,
    question=_MARK.format("question"),
    contexts=(Context("", "", _MARK.format("context"), 1),),
    answer=_MARK.format("answer"),
    answer_model=None,
    reference=(_MARK.format("reference"),),
    reference_contexts=(),
    turns=({"role": "user", "content": _MARK.format("turn")},),
    synthetic=False,
    metadata={},
    row=1,
)
CODE = "code"


class Call(NamedTuple):
    """One request of an item: the criteria it asks about and its body.

    The texts of the body's messages, or its one text, are each a `string.Template` of `code`,
    `answer` and the other parts that the rubric shows.
    """

    criteria: tuple[str, ...]
    body: dict[str, Any]


class Carried(NamedTuple):
    """A judge as it is exported.

    `shown` are the parts of an item in the order of its code, the answer last; `certificate` is
    the newest of exactly this judge, None without one. `shots` are the graded items it is shown.
    """

    judge: Judge
    rubric: Rubric
    fingerprint: str
    shown: tuple[str, ...]
    calls: tuple[Call, ...]
    certificate: Mapping[str, Any] | None
    shots: tuple[Shot, ...] = ()

    def about(self) -> dict[str, Any]:
        """Return what identifies the judge, and by what its scores are read."""
        criteria = {
            one.name: {
                "weight": float(one.weight),
                "failing": sorted(self.rubric.failing(one)),
                "version": self.rubric.version(one),
            }
            for one in self.rubric.criteria
        }
        return {
            "name": self.judge.name,
            "fingerprint": self.fingerprint,
            "model": self.judge.model,
            "rubric": self.rubric.name,
            "scale": list(self.rubric.scale),
            "shown": list(self.shown),
            "criteria": criteria,
            "reading": self.judge.reading_rule(),
            "certificate": self.certificate and dict(self.certificate),
        }


def carried(store: Store, judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> Carried:
    """Return what the file of a judge carries; `shots` are the graded items it is shown.

    Raises:
        Problem: The judge cannot be exported; `refused` says why.
    """
    if why := refused(judge):
        raise Problem(why)
    known = fingerprint(judge, rubric, shots)
    shown = tuple(name for name in (*BEFORE_ANSWER, "reference") if name in rubric.shown)
    calls = tuple(
        Call(tuple(one.name for one in criteria), template(judge, rubric, part, shots))
        for part, criteria in parts(judge, rubric).items()
    )
    certificate = _certificate(store, judge.name, known)
    return Carried(judge, rubric, known, shown, calls, certificate, tuple(shots))


def refused(judge: Judge) -> str | None:
    """Return why a judge cannot be exported; None where it can.

    A combined judge, a metric judge and the baseline are no model with a prompt.
    """
    if judge.kind not in ("rubric", "holistic", "decision"):
        return said(
            "{judge} cannot be exported for another tool: it is no model with a prompt. Export a "
            "judge that grades by a rubric, or run this one here on the new answers.",
            judge=judge.name,
        )
    if judge.reading and judge.kind != "decision":
        return said(
            "{judge} reads its scores from log-probabilities, which an exported file does not. "
            "Export the judge without `reading`.",
            judge=judge.name,
        )
    return None


def patterns() -> dict[str, str]:
    """Return regular expressions by name: what is rewritten in texts, and a reply's thinking."""
    found = {
        "opening": delimiters.OPENING,
        "closing": delimiters.CLOSING,
        "token": delimiters.CHAT_TOKEN,
        "thought": THOUGHT,
        "thinking": THINKING,
    }
    return {name: pattern.pattern for name, pattern in found.items()}


def template(judge: Judge, rubric: Rubric, part: str, shots: Sequence[Shot]) -> dict[str, Any]:
    """Return a request with placeholders in place of the item's texts and its code."""
    body = requester(judge, rubric, part, shots)(_ITEM)
    code = item_code(rubric, _ITEM)
    marks = {
        delimited(name, _ITEM, code).replace("$", "$$"): f"${name}"
        for name in (*rubric.shown, "answer")
    }
    # The code comes last: the texts it delimits hold it, too.
    marks[code] = f"${{{CODE}}}"
    key = next(name for name in ("messages", "input", "state") if name in body)
    if key == "messages":
        filled = [one | {"content": _slotted(one["content"], marks)} for one in body[key]]
    else:
        filled = _slotted(body[key], marks)
    return body | {key: filled}


def _slotted(text: str, marks: Mapping[str, str]) -> str:
    text = text.replace("$", "$$")
    for mark, slot in marks.items():
        text = text.replace(mark, slot)
    return text


def _certificate(store: Store, name: str, known: str) -> dict[str, Any] | None:
    """Return digest and expiry of the newest certificate of a judge; None without one."""
    grader = graders.find(store, "judge", f"{name}@{known}")
    body = grader and certificates.newest(store, grader.id)
    if not body:
        return None
    return {key: body[key] for key in ("digest", "certified", "criteria", "expires_at")}
