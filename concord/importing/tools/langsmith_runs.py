"""LangSmith: runs, as `[r.dict() for r in client.list_runs(...)]`, with their feedback.

- answer: `id`, `inputs`, `outputs`, `run_type`, `name`, `error`, `parent_run_id`,
  `reference_example_id`, and in `extra.metadata` `ls_model_name`. Read are root runs and runs with
  feedback;
- grades: `feedback[]`, each as in `langsmith`, where the feedback of a run was put there:
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
    ToolSource,
    objects,
    part,
    text,
)
from concord.importing.recognition.langsmith import grade
from concord.importing.recognition.payloads import answered, asked
from concord.messages import said


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"id", "inputs", "outputs", "run_type", "session_id"} <= first.keys()


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
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
            yield _answer(run, given, findings)


def _answer(run: Mapping, given: list[dict], findings: Findings) -> ToolAnswer:
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
        tuple(filter(None, (grade(one, findings) for one in given))),
        {"trace_id": run.get("trace_id"), "reference_example_id": run.get("reference_example_id")},
    )


SOURCE = ToolSource(
    title=said("LangSmith runs"),
    marks=('"run_type"', '"session_id"'),
    recognises=_recognises,
    read=_read,
)
