"""LangSmith: feedback, as `[f.dict() for f in client.list_feedback(run_ids=...)]`.

A feedback has `run_id`, `key`, `score`, `value`, `comment`, `correction` and
`feedback_source.type`: `app` is a person with `user_id` or `user_name`; `model`, `evaluator` and
`auto_eval` are judges, and `api` is whatever a program sent. `feedback_source.metadata` may name
the `model` and the `evaluator_name`.

With `comparative_experiment_id` it is one of a pair, which is a preference and no grade. The id of
the answer is that of the run (`langsmith_runs`).
Source: langsmith 0.15, `langsmith/schemas.py`; no file of a server.
"""

from collections.abc import Iterator

from concord.importing.recognition.export import (
    Document,
    Findings,
    ToolAnswer,
    ToolSource,
    objects,
    text,
)
from concord.importing.recognition.langsmith import grade
from concord.messages import said


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"run_id", "key", "score", "feedback_source"} <= first.keys()


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for one in objects(document.data):
        if not one.get("run_id"):
            findings.leave_out(said("feedback"), said("it belongs to no run"))
        elif given := grade(one, findings):
            yield ToolAnswer({"item_id": text(one["run_id"])}, (given,))


SOURCE = ToolSource(
    title=said("LangSmith feedback"),
    marks=('"run_id"', '"feedback_source"'),
    recognises=_recognises,
    read=_read,
    of="grades",
)
