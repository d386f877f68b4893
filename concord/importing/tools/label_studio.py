"""Label Studio: tasks of a project of one's own, as its JSON export.

- answer: `id` and `data`, whose fields are recognised by their names: it needs a question and an
  answer. Other fields of `data` are kept;
- grades: `annotations[]` with `completed_by` (a number, or an object with `email`),
  `was_cancelled` and `result[]`; of each result `from_name` is the criterion, and `value.rating`,
  `value.number` or the only one of `value.choices` the grade, unless it has several choices in any
  annotation: with the others alone, only easy answers would be left. `value.text` is the reason;
- grades of a model: `predictions[]` with `model_version` and `result[]`; only numbers of them are
  in the export of the page *Export*. Annotators who were shown one were not blind.

Labels of parts of a text (`start`, `end`) and rankings are no grades of an answer. Packages that
Concord made are returned with `grades`.
Source: exports of label-studio 1.23.

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
Source: exports of label-studio 1.23, label-studio-sdk 2.1 (`converter/`).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from concord.importing.tool_export import (
    Accounted,
    Document,
    Json,
    LeftOut,
    ToolGrade,
    ToolSource,
    graded_answer,
    is_comment,
    is_graded_answer,
    known_fields,
    members,
    objects,
    other_fields,
    parsed,
    part,
    text,
)

_OWN = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}
# The results of an annotation: the name of a question and its value.
Results = list[tuple[str, Mapping]]


def _are_tasks(document: Document) -> bool:
    return any(
        objects(one.get("annotations")) and is_graded_answer(one.get("data"))
        for one in document.rows()
    )


def _read_tasks(document: Document) -> Accounted:
    tasks = document.rows()
    several = _several(
        _results(one)
        for task in tasks
        for name in ("annotations", "predictions")
        for one in objects(task.get(name))
    )
    for task in tasks:
        yield graded_answer(
            "tasks", task.get("data"), task.get("id"), _grades_of_task(task, several)
        )


def _results(annotation: Mapping) -> Results:
    return [
        (text(one.get("from_name")), members(one.get("value")))
        for one in objects(annotation.get("result"))
    ]


def _grades_of_task(task: Mapping, several: set[str]) -> Iterator[ToolGrade | LeftOut]:
    predictions = task.get("predictions")
    if predictions and not objects(predictions):
        yield LeftOut("tasks' predictions", "only a snapshot has more than their numbers")
    for one in objects(predictions):
        yield from _grades(
            "judge", _results(one), several, who="prediction", version=one.get("model_version")
        )
    blind = False if predictions else None
    for one in objects(task.get("annotations")):
        if one.get("was_cancelled"):
            yield LeftOut("annotations", "the annotator skipped the task")
        else:
            who = part(one, "completed_by.email", "completed_by.id", "completed_by")
            yield from _grades("annotator", _results(one), several, who=who, blind=blind)


def _several(annotations: Iterable[Results]) -> set[str]:
    """The questions that have several choices in an annotation."""
    return {
        name
        for name, value in chain.from_iterable(annotations)
        if isinstance(value.get("choices"), list) and len(value["choices"]) > 1
    }


def _grades(
    kind: str, results: Results, several: set[str], **more: Any
) -> Iterator[ToolGrade | LeftOut]:
    """The grades of an annotation; its texts are the reason."""
    texts = [one["text"] for _, one in results if "text" in one and "start" not in one]
    lines = chain.from_iterable(one if isinstance(one, list) else [one] for one in texts)
    reason = "\n".join(map(text, lines))
    for name, value in results:
        choices = value.get("choices")
        if name in several:
            yield LeftOut("results", "their question has several choices in some annotations")
        elif "start" in value or not (choices or {"rating", "number", "text"} & value.keys()):
            yield LeftOut("results", "they mark parts of a text, or have several values")
        elif "text" not in value:
            choice = choices[0] if isinstance(choices, list) else choices
            score = value.get("rating", value.get("number", choice))
            yield ToolGrade(kind, name, score, reason, **more)


def _are_rows(document: Document) -> bool:
    first = (document.rows() or [{}])[0]
    return {"annotator", "annotation_id", "lead_time"} <= first.keys() and is_graded_answer(first)


def _read_rows(document: Document) -> Accounted:
    rows = [(row, *_results_of_row(row, document.form)) for row in document.rows()]
    several = _several(results for _, results, _ in rows)
    for row, results, has_places in rows:
        own = _OWN | dict(results).keys()
        task = {key: one for key, one in row.items() if key not in own}
        texts = [one for one in other_fields(task).values() if one not in (None, "")]
        why = "this file does not tell a choice from a text of the task: export JSON instead"
        unknown = LeftOut("texts", why, 0 if has_places else len(texts))
        grades = _grades("annotator", results, several, who=row.get("annotator"), blind=None)
        yield graded_answer("annotations", task, row.get("id"), chain([unknown], grades))


def _results_of_row(row: Mapping, form: str) -> tuple[Results, bool]:
    """The results of a row, and whether they are known by their place.

    That is not known where the task has an `id` of its own, which keeps the place among its other
    fields, and where keys are sorted: only lists and objects are results then.
    """
    keys = [*row]
    if form == "json" and "id" in keys and "annotator" in keys and keys != sorted(keys):
        between = keys[keys.index("id") + 1 : keys.index("annotator")]
        if not known_fields(dict.fromkeys(between)):
            return [(key, _value(row[key])) for key in between], True
    rest = {key: parsed(one) for key, one in other_fields(row).items() if key not in _OWN}
    return [(k, _value(one)) for k, one in rest.items() if isinstance(one, list | dict)], False


def _value(given: Json) -> Mapping:
    """The value of a result as tasks have it; a list of one object is that object."""
    if isinstance(given, list):
        return members(given[0]) if len(given) == 1 else {}
    if isinstance(given, dict):
        return given
    return {"text": given} if is_comment(given) else {"choices": given}


SOURCES = (
    ToolSource(
        "Label Studio tasks",
        ("annotations", "completed_by"),
        _read_tasks,
        fits=_are_tasks,
        forms=("json",),
    ),
    ToolSource(
        "Label Studio rows",
        ("annotation_id", "annotator", "lead_time"),
        _read_rows,
        fits=_are_rows,
        forms=("json", "csv"),
    ),
)
