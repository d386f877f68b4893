"""Label Studio: tasks of a project of one's own, as its JSON export.

- answer: `id` and `data`, whose fields are recognised by their names: it needs a question and an
  answer. Other fields of `data` are kept;
- grades: `annotations[]` with `completed_by` (a number, or an object with `email`),
  `was_cancelled` and `result[]`; of each result `from_name` is the criterion, and `value.rating`,
  `value.number` or the only one of `value.choices` the grade. `value.text` is the reason;
- grades of a model: `predictions[]` with `model_version` and `result[]`. Annotators who were shown
  one were not blind.

Labels of parts of a text (`start`, `end`) and rankings are no grades of an answer. Packages that
Concord made are returned with `grades`.
Source: label-studio-sdk 2.1, `converter/`.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    members,
    objects,
    part,
    text,
)
from concord.importing.recognition.payloads import is_graded_answer, known_fields, other_fields
from concord.messages import said


def _recognises(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    if not {"data", "annotations"} <= first.keys() or not objects(first["annotations"]):
        return False
    return is_graded_answer(first["data"])


def _read(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    for task in objects(document.data):
        known = known_fields(task.get("data"))
        if not {"question", "answer"} <= known.keys():
            findings.leave_out(said("tasks"), said("they have no question or no answer"))
            continue
        grades = (*_judges(task, findings), *_people(task, findings))
        yield ToolAnswer({"item_id": text(task.get("id")), **known}, grades,
                         other_fields(task["data"]))  # fmt: skip


def _people(task: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    blind = False if objects(task.get("predictions")) else None
    for one in objects(task.get("annotations")):
        if one.get("was_cancelled"):
            findings.leave_out(said("annotations"), said("the annotator skipped the task"))
            continue
        by = one.get("completed_by")
        who = text(part(by, "email") or part(by, "id") or by) or "annotator"
        for name, value, reason in _values(one, findings):
            yield ToolGrade("annotator", who, name, value, reason, blind=blind)


def _judges(task: Mapping, findings: Findings) -> Iterator[ToolGrade]:
    for one in objects(task.get("predictions")):
        judge = findings.judge("prediction", version=text(one.get("model_version")))
        for name, value, reason in _values(one, findings):
            yield ToolGrade("judge", judge, name, value, reason)


def _values(one: Mapping, findings: Findings) -> list[tuple[str, Json, str]]:
    """The grades of an annotation: criterion, value and reason."""
    results = objects(one.get("result"))
    texts = {text(r.get("from_name")): part(r, "value", "text") for r in results}
    reason = "\n".join(
        line if isinstance(line, str) else text(line)
        for given in texts.values() if given is not None
        for line in (given if isinstance(given, list) else [given])
    )  # fmt: skip
    found = []
    for result in results:
        value = members(result.get("value"))
        choices = value.get("choices")
        is_one = isinstance(choices, list) and len(choices) == 1
        given = next((value[key] for key in ("rating", "number") if key in value), None)
        given = choices[0] if given is None and is_one else given
        if given is None or "start" in value:
            if "text" not in value or "start" in value:
                findings.leave_out(
                    said("results"), said("they mark parts of a text, or have several values")
                )
            continue
        found.append((text(result.get("from_name")), given, reason))
    return found


SOURCE = ToolSource(
    title=said("Label Studio tasks"),
    marks=('"annotations"', '"completed_by"'),
    recognises=_recognises,
    read=_read,
    forms=("json",),
)
