"""LangSmith: feedback, as `[f.dict() for f in client.list_feedback(run_ids=...)]`.

A feedback has `run_id`, `key`, `score`, `value`, `comment`, `correction` and
`feedback_source.type`: `app` is a person with `user_id` or `user_name`; `model`, `evaluator` and
`auto_eval` are judges, and `api` is whatever a program sent. `feedback_source.metadata` may name
the `model` and the `evaluator_name`.

With `comparative_experiment_id` it is one of a pair, which is a preference and no grade. The id of
the answer is that of the run; runs are imported as any table.
Source: langsmith 0.15, `langsmith/schemas.py`; no file of a server.
"""

from collections.abc import Iterator

from concord.importing.recognition.export import (
    Document,
    Findings,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    objects,
    part,
    text,
)
from concord.messages import said

_KINDS = {
    "app": "annotator", "model": "judge", "evaluator": "judge", "auto_eval": "judge",
    "api": "judge",
}  # fmt: skip


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"run_id", "key", "score", "feedback_source"} <= first.keys()


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for one in objects(document.data):
        source = one.get("feedback_source")
        kind = _KINDS.get(text(part(source, "type")))
        score = one.get("value") if one.get("score") is None else one["score"]
        if one.get("comparative_experiment_id"):
            findings.leave_out(said("feedback"), said("it is a preference between two runs"))
        elif not one.get("run_id"):
            findings.leave_out(said("feedback"), said("it is of no run"))
        elif kind is None or score is None or isinstance(score, dict | list):
            findings.leave_out(said("feedback"), said("it has no known source or no single value"))
        else:
            yield ToolAnswer(
                {"item_id": text(one["run_id"])}, (_grade(one, kind, score, findings),)
            )


def _grade(one, kind, score, findings: Findings) -> ToolGrade:
    source, name = one["feedback_source"], text(one.get("key"))
    about, comment = part(source, "metadata"), text(one.get("comment"))
    if kind == "annotator":
        who = text(part(source, "user_name") or part(source, "user_id"))
        return ToolGrade(kind, who or kind, name, score, comment, blind=False)
    scorer = text(part(about, "evaluator_name")) or f"LangSmith {source['type']}"
    judge = findings.judge(scorer, text(part(about, "model")), version=text(part(about, "version")))
    return ToolGrade(kind, judge, name, score, comment)


SOURCE = ToolSource(
    title=said("LangSmith feedback"),
    marks=('"run_id"', '"feedback_source"'),
    recognises=_recognises,
    read=_read,
    of="grades",
)
