"""LangSmith: feedback, as `[f.dict() for f in client.list_feedback(run_ids=...)]`.

A feedback has `run_id`, `key`, `score`, `value`, `comment`, `correction` and
`feedback_source.type`: `app` is a person with `user_id` or `user_name`; `model`, `evaluator` and
`auto_eval` are judges, and `api` is whatever a program sent. `feedback_source.metadata` may name
the `model` and the `evaluator_name`.

With `comparative_experiment_id` it is one of a pair, which is a preference and no grade. The id of
the answer is that of the run. A frame of feedback in CSV has `feedback_source` as text of Python,
which is no data, and is refused.
Runs, as `[r.dict() for r in client.list_runs(...)]`, with their feedback.

- answer: `id`, `inputs`, `outputs`, `run_type`, `name`, `error`, `parent_run_id`,
  `reference_example_id`, and in `extra.metadata` `ls_model_name`. Read are root runs and runs with
  feedback;
- grades: `feedback[]`, each as above, where the feedback of a run was put there:
  `{**r.dict(), "feedback": [f.dict() for f in client.list_feedback(run_ids=[r.id])]}`.

`feedback_stats` has averages by key without authors. Such scores are refused: which of them are of
people cannot be known.
Source: langsmith 0.15, `langsmith/schemas.py`; no file of a server.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    answered,
    asked,
    objects,
    parsed,
    part,
    text,
)
from concord.messages import Problem, said

_KINDS = {
    "app": "annotator", "model": "judge", "evaluator": "judge", "auto_eval": "judge",
    "api": "judge",
}  # fmt: skip


def _is_feedback(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"run_id", "key", "score", "feedback_source"} <= first.keys()


def _read_feedback(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for one in objects(document.data):
        one = one | {"feedback_source": parsed(one.get("feedback_source"))}
        if isinstance(one["feedback_source"], str) and one["feedback_source"]:
            raise Problem(
                "{file} does not say who gave the feedback: its column feedback_source is text of "
                "Python. Save the feedback as JSON, each as feedback.model_dump(mode='json').",
                file=document.name,
                fault_code="no_source",
            )
        if not one.get("run_id"):
            findings.leave_out(said("feedback"), said("it belongs to no run"))
        elif given := feedback_grade(one, findings):
            yield ToolAnswer({"item_id": text(one["run_id"])}, (given,))


_FEEDBACK = ToolSource(
    title=said("LangSmith feedback"),
    marks=("run_id", "feedback_source"),
    recognises=_is_feedback,
    read=_read_feedback,
    of="grades",
    forms=("json", "jsonl", "csv"),
)


def _are_runs(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"id", "inputs", "outputs", "run_type", "session_id"} <= first.keys()


def _read_runs(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for run in objects(document.data):
        given = objects(run.get("feedback"))
        if run.get("feedback_stats") and not given:
            findings.leave_out(
                said("runs' feedback"),
                said(
                    "feedback_stats are averages without authors: export the feedback too, and "
                    "import it with “grades”"
                ),
            )
        if run.get("parent_run_id") and not given:
            findings.leave_out(said("runs"), said("they are within a trace and have no feedback"))
        elif run.get("error") or not run.get("outputs"):
            findings.leave_out(said("runs"), said("they have no output"))
        else:
            yield _of_run(run, given, findings)


def _of_run(run: Mapping, given: list[dict], findings: Findings) -> ToolAnswer:
    call, about = asked(run.get("inputs")), part(run, "extra", "metadata")
    return ToolAnswer(
        {
            "item_id": text(run.get("id")),
            "question": call.question,
            "turns": call.turns,
            "contexts": call.contexts,
            "answer": answered(run["outputs"]),
            "answer_model": text(part(about, "ls_model_name") or run.get("name")),
        },
        tuple(filter(None, (feedback_grade(one, findings) for one in given))),
        {"trace_id": run.get("trace_id"), "reference_example_id": run.get("reference_example_id")},
    )


_RUNS = ToolSource(
    title=said("LangSmith runs"),
    marks=('"run_type"', '"session_id"'),
    recognises=_are_runs,
    read=_read_runs,
)


def feedback_grade(feedback: Mapping, findings: Findings) -> ToolGrade | None:
    """The grade that a feedback is; None for one that is left out."""
    source, name = feedback.get("feedback_source"), text(feedback.get("key"))
    kind, score = _KINDS.get(text(part(source, "type"))), feedback.get("score")
    score = feedback.get("value") if score in (None, "") else score
    if feedback.get("comparative_experiment_id"):
        findings.leave_out(said("feedback"), said("it is a preference between two runs"))
        return None
    if kind is None or score in (None, "") or isinstance(score, dict | list):
        findings.leave_out(said("feedback"), said("it has no known source or no single value"))
        return None
    about, comment = part(source, "metadata"), text(feedback.get("comment"))
    if kind == "annotator":
        who = text(part(source, "user_name") or part(source, "user_id"))
        return ToolGrade(kind, who or kind, name, score, comment, blind=False)
    scorer = text(part(about, "evaluator_name")) or f"LangSmith {text(source['type'])}"
    judge = findings.judge(scorer, part(about, "model"), version=text(part(about, "version")))
    return ToolGrade(kind, judge, name, score, comment)


SOURCES = (_FEEDBACK, _RUNS)
