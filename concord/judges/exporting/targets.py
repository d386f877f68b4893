"""Targets: the tools that a judge can be exported for, each a template of the file it reads.

Values of a judge are written to a file as literals only: whatever a prompt or a name holds, it
cannot leave its quotation marks. The files send Concord's requests themselves.

The requests are those that the judge sends for an item of marks, with each mark replaced by a
placeholder. So a prompt is never written a second time, and a request that is filled in elsewhere
is the one that was calibrated.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from concord.judges.definition.model import FUNCTION, Judge, Shot
from concord.judges.prompting import delimiters, reply
from concord.judges.prompting.prompt import BEFORE_ANSWER, delimited, item_code
from concord.judges.prompting.request import fingerprint, request
from concord.messages import Problem, joined
from concord.model import Context, Item
from concord.rubrics.model import Rubric
from concord.store import decisions, graders
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


class Carried(NamedTuple):
    """A judge as it is exported.

    `calls` are the requests of an item: the `criteria` each asks about and its `body`, of which the
    texts of the messages, or the one text, are each a `string.Template` of `code`, `answer` and the
    other parts that the rubric shows. `certificate` has digest and expiry of the newest of exactly
    this judge; None without one.
    """

    judge: Judge
    rubric: Rubric
    fingerprint: str
    calls: list[dict[str, Any]]
    certificate: Mapping[str, Any] | None

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
            # The parts of an item in the order of its code, the answer last.
            "shown": [one for one in (*BEFORE_ANSWER, "reference") if one in self.rubric.shown],
            "criteria": criteria,
            "reading": self.judge.reading_rule(),
            "certificate": self.certificate and dict(self.certificate),
        }


def carried(store: Store, judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> Carried:
    """Return what the file of a judge carries; `shots` are the graded items it is shown.

    Raises:
        Problem: It is no model with a prompt, or reads its scores from log-probabilities.
    """
    if not judge.asks_rubric or (judge.reading and judge.chats):
        raise Problem(
            "{judge} cannot be exported: it is no model with a prompt, or has `reading`.",
            judge=judge.name,
        )
    known = fingerprint(judge, rubric, shots)
    calls = [
        {
            "criteria": [one.name for one in criteria],
            "body": slotted_request(judge, rubric, part, shots),
        }
        for part, criteria in judge.parts(rubric).items()
    ]
    grader = graders.find(store, "judge", f"{judge.name}@{known}")
    newest = grader and decisions.newest_certificate(store, grader.id)
    kept = newest and {k: newest[k] for k in ("digest", "certified", "criteria", "expires_at")}
    return Carried(judge, rubric, known, calls, kept or None)


def slotted_request(
    judge: Judge, rubric: Rubric, part: str, shots: Sequence[Shot]
) -> dict[str, Any]:
    """Return a request with placeholders in place of the item's texts and its code."""
    body = request(judge, rubric, _ITEM, part, shots)
    code = item_code(rubric, _ITEM)
    marks = {
        delimited(name, _ITEM, code).replace("$", "$$"): f"${name}"
        for name in (*rubric.shown, "answer")
    }
    # The code comes last: the texts it delimits hold it, too.
    marks[code] = "${code}"

    def slotted(text: str) -> str:
        text = text.replace("$", "$$")
        for mark, slot in marks.items():
            text = text.replace(mark, slot)
        return text

    if "messages" in body:
        asked = [one | {"content": slotted(one["content"])} for one in body["messages"]]
        return body | {"messages": asked}
    key = "input" if "input" in body else "state"
    return body | {key: slotted(body[key])}


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default; its template is `NAME.jinja`.
    """

    name: str
    title: str
    file: str = "judge.py"

    def write(self, carried: Carried) -> str:
        """Return the file's text."""
        keys = carried.calls[0]["body"]
        template = _environment().get_template(f"{self.name}.jinja")
        text = template.render(
            judge=carried.judge,
            rubric=carried.rubric,
            about=carried.about(),
            calls=carried.calls,
            host=urlsplit(carried.judge.url()).hostname,
            key=next(key for key in ("messages", "input", "state") if key in keys),
        )
        return text.rstrip() + "\n"


TARGETS = {
    one.name: one
    for one in (
        Target("deepeval", "a metric of DeepEval"),
        Target("inspect", "a scorer of Inspect"),
        Target("mlflow", "a scorer of MLflow"),
        Target("openevals", "an evaluator of openevals and LangSmith"),
        Target("promptfoo", "a Python assertion of promptfoo"),
        Target("pytest", "a test file that reads answers.jsonl", "test_judge.py"),
        Target("python", "a Python module"),
    )
}


def named(name: str) -> Target:
    """Return the target of that name; a Problem that lists them otherwise."""
    if name not in TARGETS:
        raise Problem(
            "There is no export for “{name}”. Name one of: {names}.",
            name=name,
            names=joined(", ", TARGETS),
        )
    return TARGETS[name]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # the files are no HTML; every value is written as a literal
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["literal"] = partial(pformat, width=96, sort_dicts=False)
    environment.globals |= {
        "function": FUNCTION,
        "unfinished": sorted(reply.FILTERED | reply.CUT_OFF | reply.BROKEN_OFF),
        "opening": delimiters.OPENING.pattern,
        "closing": delimiters.CLOSING.pattern,
        "token": delimiters.CHAT_TOKEN.pattern,
        "thought": reply.THOUGHT.pattern,
        "thinking": reply.THINKING.pattern,
    }
    return environment
