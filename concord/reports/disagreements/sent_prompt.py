"""The prompt that a judge was sent for an answer."""

import json
from typing import Any, NamedTuple

from concord.judges import few_shot
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import messages, request, settings
from concord.messages import Problem, said
from concord.model import BASELINE
from concord.reports.disagreements.disagreements import Disagreement
from concord.reports.panel.panel import Panel
from concord.store import runs
from concord.store.database import Store


class PromptOfJudge(NamedTuple):
    """A judge's prompt for an answer: its messages, the rest as JSON, and where it comes from."""

    messages: list[dict[str, str]]
    rest: str
    source: str


def sent(store: Store, panel: Panel, one: Disagreement) -> PromptOfJudge:
    """The prompt for an answer: from the stored reply; else as the judge would send it now."""
    grader = panel.judges[one.key.judge]
    replies = [
        reply
        for reply in runs.of_item(store, one.stored.id, grader.id)
        if reply["part"] in ("", one.key.criterion)
    ]
    if replies:
        return _taken_apart(json.loads(replies[-1]["request"]), said("As it was sent."))
    judge = registry.stored(grader)
    if grader.name == BASELINE:
        nothing = said("The baseline is sent nothing: it computes its scores from the texts.")
        return PromptOfJudge([], "", nothing)
    if judge is not None and judge.kind == "combined":
        nothing = said("A combined judge is sent nothing: its scores are made from its members'.")
        return PromptOfJudge([], "", nothing)
    if judge is None:
        why = said("No prompt is stored: these grades do not come from a run of Concord.")
        return PromptOfJudge([], "", why)
    try:
        return _as_sent_now(store, panel, judge, one)
    except Problem as problem:
        return PromptOfJudge([], "", str(problem))


def _as_sent_now(store: Store, panel: Panel, judge: Judge, one: Disagreement) -> PromptOfJudge:
    names = parts(judge, panel.rubric)
    part = one.key.criterion if one.key.criterion in names else next(iter(names))
    examples = few_shot.gather(store, judge, panel.rubric, panel.sheet)
    body = request(judge, panel.rubric, one.stored.item, part, examples)
    source = said("No reply is stored; this is what the judge would be sent now.")
    return _taken_apart(body, source)


def _taken_apart(body: dict[str, Any], source: str) -> PromptOfJudge:
    rest = json.dumps(settings(body), ensure_ascii=False, indent=2)
    return PromptOfJudge(messages(body), rest, source)
