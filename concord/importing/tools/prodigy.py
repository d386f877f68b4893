"""Prodigy: annotated tasks, one per line, as `prodigy db-out DATASET > tasks.jsonl` writes them.

- answer: `text` or `html`, by `_input_hash`, which is the same for all annotators; the question and
  other fields by their names, also in `meta`. A task without a question is left out;
- grades of `_annotator_id`, else `_session_id`: the single choice in `accept`, where the task has
  `options` and `answer` is `accept`; else whether `answer` is `accept` or `reject`, as the
  criterion `label`. `ignore` is no grade, and nor is what was marked in the text (`spans`).

Source: prodi.gy/docs/api-interfaces.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    known_fields,
    members,
    objects,
    other_fields,
    text,
)
from concord.messages import said

_OWN = {"text", "html", "answer", "accept", "options", "label", "meta", "spans", "tokens"}


def _tasks(data: Json) -> list[dict]:
    return objects(data) or objects([data])


def _recognises(document: Document) -> bool:
    first = (_tasks(document.data) or [{}])[0]
    is_task = {"_input_hash", "_task_hash", "answer"} <= first.keys()
    return is_task and not {"text", "html"}.isdisjoint(first)


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for task in _tasks(document.data):
        given = {key: one for key, one in task.items() if key not in _OWN and key[:1] != "_"}
        given = members(task.get("meta")) | given
        known = known_fields(given)
        if not known.get("question"):
            findings.leave_out(said("tasks"), said("they have no question"))
            continue
        item = {"item_id": text(task.get("_input_hash"))}
        answer = {"answer": text(task.get("text") or task.get("html"))}
        yield ToolAnswer(known | item | answer, tuple(_grades(task, findings)), other_fields(given))


def _grades(task: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    verdict, choices = text(task.get("answer")), task.get("accept")
    who = text(task.get("_annotator_id") or task.get("_session_id")) or "annotator"
    criterion = text(task.get("label"))
    if verdict not in ("accept", "reject") or ("options" in task and verdict == "reject"):
        findings.leave_out(
            said("tasks' grades"), said("the annotator rejected or ignored the task")
        )
    elif "options" not in task and "spans" not in task:
        yield ToolGrade("annotator", who, criterion or "accepted", verdict == "accept")
    elif isinstance(choices, list) and len(choices) == 1:
        yield ToolGrade("annotator", who, criterion or "choice", choices[0])
    else:
        findings.leave_out(said("tasks' grades"), said("they have no single value"))


SOURCES = (
    ToolSource(
        title=said("Prodigy tasks"),
        marks=('"_input_hash"', '"_task_hash"', '"answer"'),
        recognises=_recognises,
        read=_read,
    ),
)
