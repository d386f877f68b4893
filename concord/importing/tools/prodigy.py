"""Prodigy: annotated tasks, one per line, as `prodigy db-out DATASET > tasks.jsonl` writes them.

- answer: `text` or `html`, by `_input_hash`, which is the same for all annotators; the question and
  other fields by their names, also in `meta`. A task without a question is left out;
- grades of `_annotator_id`, else `_session_id`: the single choice in `accept`, where the task has
  `options` and `answer` is `accept`; else whether `answer` is `accept` or `reject`, as the
  criterion `label`. `ignore` is no grade, and nor is what was marked in the text (`spans`).

Source: prodi.gy/docs/api-interfaces.
"""

from collections.abc import Iterator, Mapping

from concord.importing.tool_export import (
    Accounted,
    Document,
    LeftOut,
    ToolGrade,
    ToolSource,
    graded_answer,
    members,
    part,
)

_OWN = {"text", "html", "answer", "accept", "options", "label", "meta", "spans", "tokens"}


def _read(document: Document) -> Accounted:
    for task in document.rows():
        given = {key: one for key, one in task.items() if key not in _OWN and key[:1] != "_"}
        given = members(task.get("meta")) | given | {"answer": part(task, "text", "html")}
        yield graded_answer("tasks", given, task.get("_input_hash"), _grades(task))


def _grades(task: Mapping) -> Iterator[ToolGrade | LeftOut]:
    verdict, choices = task.get("answer"), task.get("accept")
    has_options, criterion = "options" in task, task.get("label")
    who = part(task, "_annotator_id", "_session_id")
    if verdict not in ("accept", "reject") or (has_options and verdict == "reject"):
        yield LeftOut("tasks' grades", "the annotator rejected or ignored the task")
    elif not has_options and "spans" not in task:
        is_accepted = verdict == "accept"
        yield ToolGrade("annotator", criterion or "accepted", is_accepted, who=who, blind=None)
    elif isinstance(choices, list) and len(choices) == 1:
        yield ToolGrade("annotator", criterion or "choice", choices[0], who=who, blind=None)
    else:
        yield LeftOut("tasks' grades", "they have no single value")


SOURCES = (ToolSource("Prodigy tasks", ("_input_hash", "_task_hash", "answer"), _read),)
