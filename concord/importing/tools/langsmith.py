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
Source: langsmith 0.15, `langsmith/schemas.py`.
"""

from collections.abc import Mapping

from concord.importing.tool_export import (
    Accounted,
    Document,
    LeftOut,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    call,
    objects,
    parsed,
    part,
)

_MARKS = ("run_id", "key", "score", "feedback_source")


def _has_text_of_python(document: Document) -> bool:
    first = (document.rows() or [{}])[0]
    source = parsed(first.get("feedback_source"))
    return {*_MARKS} <= first.keys() and isinstance(source, str) and bool(source)


def _read_feedback(document: Document) -> Accounted:
    for one in document.rows():
        if one.get("run_id"):
            yield ToolAnswer({"item_id": one["run_id"]}, [_grade(one)])
        else:
            yield LeftOut("feedback", "it belongs to no run")


def _grade(feedback: Mapping) -> ToolGrade | LeftOut:
    if feedback.get("comparative_experiment_id"):
        return LeftOut("feedback", "it is a preference between two runs")
    source = parsed(feedback.get("feedback_source"))
    kind = part(source, "type")
    who = part(source, "metadata.evaluator_name") or f"LangSmith {kind}"
    return ToolGrade(
        kind,
        feedback.get("key"),
        part(feedback, "score", "value"),
        feedback.get("comment"),
        part(source, "user_name", "user_id") if kind == "app" else who,
        part(source, "metadata.model"),
        part(source, "metadata.version"),
    )


def _read_runs(document: Document) -> Accounted:
    for run in document.rows():
        given = objects(run.get("feedback"))
        if run.get("feedback_stats") and not given:
            yield LeftOut(
                "runs' feedback",
                "feedback_stats are averages without authors: export the feedback too, and import "
                "it with “grades”",
            )
        if run.get("parent_run_id") and not given:
            yield LeftOut("runs", "they are within a trace and have no feedback")
        elif run.get("error") or not run.get("outputs"):
            yield LeftOut("runs", "they have no output")
        else:
            fields = call(
                run.get("inputs"),
                run["outputs"],
                item_id=run.get("id"),
                answer_model=part(run, "extra.metadata.ls_model_name", "name"),
            )
            more = {name: run.get(name) for name in ("trace_id", "reference_example_id")}
            yield ToolAnswer(fields, map(_grade, given), more)


SOURCES = (
    ToolSource(
        "LangSmith feedback",
        ("run_id", "feedback_source"),
        fits=_has_text_of_python,
        forms=("csv",),
        refused=(
            "no_source",
            "{file} does not say who gave the feedback: its column feedback_source is text of "
            "Python. Save the feedback as JSON, each as feedback.model_dump(mode='json').",
        ),
    ),
    ToolSource(
        "LangSmith feedback", _MARKS, _read_feedback, of="grades", forms=("json", "jsonl", "csv")
    ),
    ToolSource("LangSmith runs", ("id", "inputs", "outputs", "run_type", "session_id"), _read_runs),
)
