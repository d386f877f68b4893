"""The prompt that a judge was sent for an answer: as stored, else as a run would send it now."""

import json
from typing import Any

from concord.judges import few_shot
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting.request import messages, request, settings
from concord.messages import Problem
from concord.model import BASELINE, Grader, Sheet
from concord.reports.disagreements.disagreements import Disagreement
from concord.reports.panel.panel import Panel
from concord.rubrics.model import Rubric
from concord.store import items, runs
from concord.store.database import Store

NOT_STORED = "its grades came from a file, so its prompt is not known"
NO_PROMPT = "the baseline reads no prompt"
COMBINED = "a combined judge reads no prompt"


def sent(store: Store, panel: Panel, one: Disagreement) -> dict[str, Any]:
    """Return the prompt for an answer and a criterion: its `messages`, the `rest` as JSON.

    `source` says where it comes from, or why there is none.
    """
    grader, none = panel.judges[one.key.judge], {"messages": [], "rest": ""}
    bodies, source = stored_requests(store, one.stored.id, grader.id), "As it was sent."
    if not bodies:
        if why := why_no_prompt(grader):
            return none | {"source": f"No prompt: {why}."}
        source = "No reply is stored; this is what the judge would be sent now."
        try:
            judge = registry.stored(grader)
            bodies = requests_now(store, judge, panel.rubric, panel.sheet, one.stored.id)
        except Problem as problem:
            return none | {"source": str(problem)}
    body = bodies.get(one.key.criterion) or next(iter(bodies.values()))
    rest = json.dumps(settings(body), ensure_ascii=False, indent=2)
    return {"messages": messages(body), "rest": rest, "source": source}


def why_no_prompt(grader: Grader) -> str | None:
    """Return why a judge has no prompt or an unknown one; None where it has one."""
    if grader.name == BASELINE:
        return NO_PROMPT
    if grader.definition.get("members"):
        return COMBINED
    return None if registry.stored(grader) else NOT_STORED


def stored_requests(store: Store, item_id: int, judge_id: int) -> dict[str, dict]:
    """Return the stored request of each part as it was first sent, without what re-asks added."""
    rows = runs.of_item(store, item_id, judge_id)
    first = [row for row in rows if row["repeat"] == 1]
    found = {row["part"]: _read(row["request"]) for row in reversed(first)}
    return {part: body for part, body in found.items() if body}


def requests_now(
    store: Store, judge: Judge, rubric: Rubric, sheet: Sheet, item_id: int
) -> dict[str, dict]:
    """Return the request of each part as a run would make it now."""
    item = items.item(store, item_id).item
    shown = tuple(few_shot.gather(store, judge, rubric, sheet))
    return {part: request(judge, rubric, item, part, shown) for part in judge.parts(rubric)}


def _read(text: str) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) and {"messages", "questions"} & body.keys() else None
