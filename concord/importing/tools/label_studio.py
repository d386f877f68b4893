"""Label Studio: tasks of a project of one's own, as its JSON export.

- answer: `id` and `data`, whose fields are recognised by their names: it needs a question and an
  answer. Other fields of `data` are kept;
- grades: `annotations[]` with `completed_by` (a number, or an object with `email`),
  `was_cancelled` and `result[]`; of each result `from_name` is the criterion, and `value.rating`,
  `value.number` or the only one of `value.choices` the grade, unless it has several choices in any
  annotation: with the others alone, only easy answers would be left. `value.text` is the reason;
- grades of a model: `predictions[]` with `model_version` and `result[]`. Annotators who were shown
  one were not blind.

Labels of parts of a text (`start`, `end`) and rankings are no grades of an answer. Packages that
Concord made are returned with `grades`.
Source: label-studio-sdk 2.1, `converter/`.

The JSON-MIN and CSV exports of a project of one's own, a row per annotation.

A row has the `data` of its task, recognised by the names of its fields: it needs a question and an
answer; then `id`, the results of the annotation by `from_name`, and `annotator` (an e-mail or a
number), `annotation_id`, `created_at`, `updated_at`, `lead_time`:

- a rating or a number is a list of one object, `[{"rating": 4}]`, in CSV as JSON;
- a choice and a text are plain text, several of them `{"choices": [...]}` and `{"text": [...]}`. A
  text of more than three words, or of several lines, is the reason.

In JSON-MIN the results are between `id` and `annotator`. The columns of CSV are sorted, and so are
the keys of JSON that was saved so: a choice cannot be told from a text of the task there, and such
columns are kept with the answer, and no grades.
Neither export has predictions or skipped tasks.
Source: label-studio-sdk 2.1, `converter/converter.py`, `converter/exports/csv2.py`.
"""

from collections.abc import Iterator, Mapping

from concord.importing.recognition.export import (
    Document,
    Findings,
    Json,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    is_graded_answer,
    known_fields,
    members,
    objects,
    other_fields,
    parsed,
    part,
    text,
)
from concord.messages import said

_NO_GRADE = "they mark parts of a text, or have several values"
_SEVERAL = "their question has several choices in some annotations"
_OWN = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}


def _are_tasks(document: Document) -> bool:
    return any(
        objects(one.get("annotations")) and is_graded_answer(one.get("data"))
        for one in objects(document.data)
    )


def _read_tasks(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    several = {
        text(result.get("from_name"))
        for task in objects(document.data)
        for one in (*objects(task.get("annotations")), *objects(task.get("predictions")))
        for result in objects(one.get("result"))
        if _has_several(result.get("value"))
    }
    for task in objects(document.data):
        known = known_fields(task.get("data"))
        if not {"question", "answer"} <= known.keys():
            findings.leave_out(said("tasks"), said("they have no question or no answer"))
            continue
        grades = (*_judges(task, several, findings), *_people(task, several, findings))
        yield ToolAnswer({"item_id": text(task.get("id")), **known}, grades,
                         other_fields(task["data"]))  # fmt: skip


def _has_several(value: Json) -> bool:
    choices = part(value, "choices")
    return isinstance(choices, list) and len(choices) > 1


def _people(task: Mapping, several: set[str], findings: Findings) -> Iterator[ToolGrade]:
    blind = False if objects(task.get("predictions")) else None
    for one in objects(task.get("annotations")):
        if one.get("was_cancelled"):
            findings.leave_out(said("annotations"), said("the annotator skipped the task"))
            continue
        by = one.get("completed_by")
        who = text(part(by, "email") or part(by, "id") or by) or "annotator"
        for name, value, reason in _values(one, several, findings):
            yield ToolGrade("annotator", who, name, value, reason, blind=blind)


def _judges(task: Mapping, several: set[str], findings: Findings) -> Iterator[ToolGrade]:
    for one in objects(task.get("predictions")):
        judge = findings.judge("prediction", version=text(one.get("model_version")))
        for name, value, reason in _values(one, several, findings):
            yield ToolGrade("judge", judge, name, value, reason)


def _values(one: Mapping, several: set[str], findings: Findings) -> list[tuple[str, Json, str]]:
    """The grades of an annotation: criterion, value and reason; none of questions of `several`."""
    results = objects(one.get("result"))
    texts = {text(r.get("from_name")): part(r, "value", "text") for r in results}
    reason = "\n".join(
        line if isinstance(line, str) else text(line)
        for given in texts.values() if given is not None
        for line in (given if isinstance(given, list) else [given])
    )  # fmt: skip
    found = []
    for result in results:
        value, name = members(result.get("value")), text(result.get("from_name"))
        choices = value.get("choices")
        is_one = isinstance(choices, list) and len(choices) == 1
        given = next((value[key] for key in ("rating", "number") if key in value), None)
        given = choices[0] if given is None and is_one else given
        if name in several:
            findings.leave_out(said("results"), said(_SEVERAL))
        elif given is None or "start" in value:
            if "text" not in value or "start" in value:
                findings.leave_out(said("results"), said(_NO_GRADE))
        else:
            found.append((name, given, reason))
    return found


_TASKS = ToolSource(
    title=said("Label Studio tasks"),
    marks=('"annotations"', '"completed_by"'),
    recognises=_are_tasks,
    read=_read_tasks,
    forms=("json",),
)


def _are_rows(document: Document) -> bool:
    first = (objects(document.data) or [{}])[0]
    return {"annotator", "annotation_id", "lead_time"} <= first.keys() and is_graded_answer(first)


def _read_rows(document: Document, findings: Findings) -> Iterator[ToolAnswer]:
    every = objects(document.data)
    several = {key for row in every for key, one in row.items() if _has_several(parsed(one))}
    for row in every:
        known = known_fields({key: one for key, one in row.items() if key not in _OWN})
        if not known.get("question") or known.get("answer") is None:
            findings.leave_out(said("annotations"), said("they have no question or no answer"))
            continue
        results = _results(row) if document.form == "json" else None
        if results is None:
            results = _marked(row, findings)
        task = {key: one for key, one in row.items() if key not in {*results, *_OWN}}
        grades = tuple(_grades(text(row.get("annotator")), results, several, findings))
        yield ToolAnswer({**known_fields(task), "item_id": text(row.get("id"))}, grades,
                         other_fields(task))  # fmt: skip


def _results(row: Mapping) -> dict[str, Json] | None:
    """The results of a row of JSON-MIN, by their place.

    None where the task has an `id` of its own, which keeps the place among its other fields, and
    where keys are sorted.
    """
    keys = [*row]
    if "id" not in keys or "annotator" not in keys:
        return None
    between = keys[keys.index("id") + 1 : keys.index("annotator")]
    is_sorted = keys == sorted(keys)
    return (
        None if is_sorted or known_fields(dict.fromkeys(between)) else {k: row[k] for k in between}
    )


def _marked(row: Mapping, findings: Findings) -> dict[str, Json]:
    """The results of a row of CSV that are lists or objects."""
    rest = {key: parsed(one) for key, one in other_fields(row).items() if key not in _OWN}
    found = {key: one for key, one in rest.items() if isinstance(one, list | dict)}
    plain = sum(1 for key, one in rest.items() if key not in found and one not in (None, ""))
    findings.leave_out(
        said("texts"),
        said("this file does not tell a choice from a text of the task: export JSON instead"),
        plain,
    )
    return found


def _grades(
    who: str, results: Mapping, several: set[str], findings: Findings
) -> Iterator[ToolGrade]:
    reason = "\n".join(line for one in results.values() for line in _comment(one))
    for name, value in results.items():
        grade = _single(value)
        if _comment(value):
            continue
        if name in several:
            findings.leave_out(said("results"), said(_SEVERAL))
        elif grade is None:
            findings.leave_out(said("results"), said(_NO_GRADE))
        else:
            yield ToolGrade("annotator", who or "annotator", name, grade, reason)


def _single(value: Json) -> Json:
    """The one rating, number or choice that a result is; None for any other."""
    given = objects(value)
    if len(given) == 1 and "start" not in given[0]:
        (value,) = given
        return next((value[key] for key in ("rating", "number") if key in value), None)
    return None if value in (None, "") or isinstance(value, list | dict) else value


def _comment(value: Json) -> list[str]:
    """The lines of a result that is a text; none for any other."""
    if isinstance(value, str):
        return [value] if len(value.split()) > 3 else []
    lines = part(value, "text")
    return list(map(text, lines)) if isinstance(lines, list) else []


_ROWS = ToolSource(
    title=said("Label Studio rows"),
    marks=("annotation_id", "annotator", "lead_time"),
    recognises=_are_rows,
    read=_read_rows,
    forms=("json", "csv"),
)


SOURCES = (_TASKS, _ROWS)
