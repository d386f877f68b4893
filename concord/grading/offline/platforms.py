"""Packages returned from Label Studio or Argilla: their exports as rows.

Pure. Unfinished work is counted and reported: drafts, skipped and discarded answers, and
predictions of models. An export that does not distinguish these is rejected.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from concord.grading.offline.package_columns import CODE, NOTE, TEXTS, score_key
from concord.grading.offline.returned_rows import Back, Returned, plain_code
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, counted, said
from concord.model import MOST_SECONDS
from concord.rubrics.model import Rubric

LABEL_STUDIO, ARGILLA, ARGILLA_FLAT = "Label Studio", "Argilla", "Argilla, flattened"
_RESPONSES, _SUBMITTED = ".responses", "submitted"
_LEFT = {
    "draft": lambda n: counted(
        n,
        "draft is not submitted, so no grade yet.",
        "drafts are not submitted, so no grade yet.",
    ),
    "skipped": lambda n: counted(
        n,
        "answer is skipped there, so no grade.",
        "answers are skipped there, so no grade.",
    ),
    "discarded": lambda n: counted(
        n,
        "answer is discarded there, so no grade.",
        "answers are discarded there, so no grade.",
    ),
    "predicted": lambda n: counted(
        n,
        "prediction by a model there was not imported.",
        "predictions by a model there were not imported.",
    ),
}


def form(table: Table) -> str | None:
    """Return the platform whose export a file is; None for other files.

    Raises:
        Problem: An incomplete kind of export; the text names the one to make instead.
    """
    names = set(table.columns)
    if {"data", "annotations"} <= names:
        return LABEL_STUDIO
    if {"annotation_id", "annotator"} & names and CODE in names:
        raise Problem(
            "{file} is an export of Label Studio that does not say what was skipped. Export again "
            "there, in the form “JSON”.",
            file=table.source.name,
        )
    if {"fields", "responses"} <= names:
        return ARGILLA
    flat = any(name.startswith("score_") and name.endswith(_RESPONSES) for name in names)
    return ARGILLA_FLAT if flat and "id" in names else None


def codes(table: Table, kind: str) -> Iterator[str]:
    """Yield what an export has as row codes; '' for a record without one."""
    yield from (_code(_record(table, record), kind) for record in table.records())


def read(table: Table, kind: str, rubric: Rubric) -> Returned:
    """Read an export, one row per annotator and answer."""
    left: Counter[str] = Counter()
    rows, bad, count = [], [], 0
    for record in table.records():
        count += 1
        fields = _record(table, record)
        code = _code(fields, kind)
        data = fields.get({LABEL_STUDIO: "data", ARGILLA: "fields"}.get(kind, ""), fields)
        if record.fault or not isinstance(data, dict):
            problem = record.fault or said("it holds no texts. Export it again.")
            bad.append(table.bad(record, None, problem))
            continue
        texts = {name: str(data[name] or "") for name in TEXTS if name in data}
        spoken = _READ[kind](fields, rubric, left, table.source.name)
        rows += [Back(record, code, texts, *rest) for rest in spoken]
    notes = [_LEFT[what](n) for what, n in sorted(left.items())]
    columns = {CODE: CODE} | {score_key(c.name): score_key(c.name) for c in rubric.criteria}
    columns |= {name: name for name in TEXTS}
    return Returned(table, rows, bad, columns, notes, True, count)


def _record(table: Table, record: Record) -> dict[str, Any]:
    return dict(zip(table.columns, record.cells, strict=False))


def _code(told: dict, kind: str) -> str:
    data = told.get("data") if kind == LABEL_STUDIO else told
    key = CODE if kind == LABEL_STUDIO else "id"
    found = data.get(key) if isinstance(data, dict) else None
    return plain_code(found) if isinstance(found, str) else ""


def _annotations(told: dict, rubric: Rubric, left: Counter, name: str) -> Iterator[tuple]:
    """Yield the row fields of each finished annotation of a Label Studio task."""
    left.update({"draft": len(_list(told.get("drafts")))} if _list(told.get("drafts")) else {})
    guesses = _list(told.get("predictions"))
    left.update({"predicted": len(guesses)} if guesses else {})
    for one in _dicts(told.get("annotations")):
        if one.get("was_cancelled"):
            left["skipped"] += 1
            continue
        values = {part.get("from_name"): _chosen(part) for part in _dicts(one.get("result"))}
        scores = {c.name: values.get(score_key(c.name)) for c in rubric.criteria}
        seconds = one.get("lead_time")
        is_time = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        took = float(seconds) if is_time and 0 <= seconds <= MOST_SECONDS else None
        yield scores, (values.get(NOTE) or "").strip(), took, _annotator(one)


def _annotator(annotation: dict) -> str:
    """Return the annotator of an annotation: the address where the export has it, else the id."""
    found = annotation.get("completed_by")
    if isinstance(found, dict):
        found = found.get("email") or found.get("id")
    return str(found if found is not None else "")


def _chosen(part: dict) -> str | None:
    """Return the choice, rating, number or text of one Label Studio control."""
    value = part.get("value")
    if not isinstance(value, dict):
        return None
    found = next((value[k] for k in ("choices", "rating", "number", "text") if k in value), None)
    return _plain(found)


def _plain(found: Any) -> str | None:
    """A value of JSON as a cell; of a list all of it, so that two choices are seen to be two."""
    if isinstance(found, list):
        return ", ".join(str(one) for one in found) or None
    return None if found is None else str(found)


def _responses(told: dict, rubric: Rubric, left: Counter, name: str) -> Iterator[tuple]:
    """Yield each annotator's submitted responses to an Argilla record."""
    given = told.get("responses")
    annotators: dict[str, dict[str, tuple]] = {}
    if isinstance(given, list):  # as the server gives them
        for one in _dicts(given):
            values = one.get("values") if isinstance(one.get("values"), dict) else {}
            for question, value in values.items():
                found = value.get("value") if isinstance(value, dict) else value
                annotators.setdefault(str(one.get("user_id")), {})[question] = (
                    found,
                    one.get("status"),
                )
    else:
        for question, answers in (given if isinstance(given, dict) else {}).items():
            for one in _dicts(answers):
                pair = (one.get("value"), one.get("status"))
                annotators.setdefault(str(one.get("user_id")), {})[question] = pair
    yield from _submitted(annotators, rubric, left, name)


def _flattened(told: dict, rubric: Rubric, left: Counter, name: str) -> Iterator[tuple]:
    """The same of a record that Argilla flattened into columns."""
    annotators: dict[str, dict[str, tuple]] = {}
    for column, values in told.items():
        if not column.endswith(_RESPONSES):
            continue
        users = _list(told.get(f"{column}.users"))
        statuses = _list(told.get(f"{column}.status"))
        statuses += [None] * (len(users) - len(statuses))
        for user, value, status in zip(users, _list(values), statuses, strict=False):
            question = column.removesuffix(_RESPONSES)
            annotators.setdefault(str(user), {})[question] = (value, status)
    yield from _submitted(annotators, rubric, left, name)


def _submitted(annotators: dict, rubric: Rubric, left: Counter, name: str) -> Iterator[tuple]:
    for person, given in annotators.items():
        statuses = {status for _, status in given.values()}
        if None in statuses:
            raise Problem(
                "{name} does not say which responses were submitted, as Argilla's nested export "
                "does not. Write it again with `json.dump(dataset.records(with_responses=True)"
                ".to_list(flatten=True), file)`.",
                name=name,
            )
        if statuses != {_SUBMITTED}:
            left["discarded" if "discarded" in statuses else "draft"] += 1
            continue
        scores = {c.name: _plain(given.get(score_key(c.name), (None,))[0]) for c in rubric.criteria}
        yield scores, (_plain(given.get(NOTE, (None,))[0]) or "").strip(), None, person


def _list(found: Any) -> list:
    return list(found) if isinstance(found, list) else []


def _dicts(found: Any) -> Iterator[dict]:
    return (one for one in _list(found) if isinstance(one, dict))


_READ = {LABEL_STUDIO: _annotations, ARGILLA: _responses, ARGILLA_FLAT: _flattened}
