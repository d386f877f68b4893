"""Grades of a sheet as CSV, and as other tools take them: only the user sends these files.

CSV has every current grade of a whole answer, and `grades` reads it back. A tool knows an answer by
an id of its own. It is in the answer's extra fields, or is its own id where the answer was imported
from that tool. Grades without one are left out and counted, as are grades without a score, repeats,
simulated grades and means of several annotators.

Sources: MLflow 3.17 `mlflow/entities/assessment.py`; Langfuse `POST /api/public/scores`; Phoenix
`POST /v1/span_annotations`; Inspect 0.3.285 `inspect_ai/scorer/_precomputed.py`.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet

from concord.exporting.exported_tables import GRADES
from concord.importing.readers import formula_escaping
from concord.messages import Problem, counted, joined, said
from concord.model import Item, Sheet
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Row, Store

CSV = "csv"
_COLUMNS = (
    "item_id question_id question cluster answer_model grader grader_kind criterion score status"
    " reason quote marked_passages blind repeat seconds rubric_language simulated probabilities"
    " outside_mass probabilities_source criterion_version graded_at"
)


class Written(NamedTuple):
    """A file of grades, how many are in it, and how many were left out, by reason."""

    content: bytes
    grades: int
    left_out: dict[str, int]


class Tool(NamedTuple):
    """A tool: how it knows an answer, and how its file is written.

    `title` is what the file is, in a few words, and `file` its name. The tool's id of an answer is
    in an extra field of one of the names `fields`, else the answer's own id where that has the form
    `own`; `missing` says that it has none.
    """

    title: str
    file: str
    fields: Sequence[str]
    own: str
    write: Callable[[Sequence[Mapping[str, Any]]], bytes]
    missing: str = ""


def write(
    store: Store,
    sheet: Sheet,
    tool: str,
    graders: Collection[str] = (),
    rubric: Rubric | None = None,
    closed: Collection[int] = (),
) -> Written:
    """Return the grades of a sheet as CSV, or as the file of a tool.

    Args:
        store: The open store.
        sheet: The sheet.
        tool: `CSV`, or a name of `TOOLS`.
        graders: Whose grades; empty for everyone's.
        rubric: Only grades under the current wording of this rubric.
        closed: Ids of questions whose grades stay closed: they are left out and counted.

    Raises:
        Problem: There is no such tool or grader, or no grade to export.
    """
    if tool not in (CSV, *TOOLS):
        raise Problem(
            "Grades cannot be exported for “{tool}”. Name one of: {names}.",
            tool=tool,
            names=joined(", ", (CSV, *TOOLS)),
        )
    rows = store.rows(GRADES, {"sheet": sheet.id})
    # A grader is named with a fingerprint or without.
    names = {row["grader"]: {row["grader"], row["grader"].partition("@")[0]} for row in rows}
    for name in graders:
        if name not in set().union(*names.values()):
            raise Problem(
                "“{name}” has no grades on sheet “{sheet}”. Name one of: {names}.",
                name=name,
                sheet=sheet.name,
                names=joined(", ", sorted(names)) or "none yet",
            )
    hidden = {
        each["id"] for each in items.item_index(store, sheet.id) if each["question_id"] in closed
    }
    versions = rubric and rubric.versions().values()
    item_of = cache(lambda item_row: items.item(store, item_row).item)
    left_out: Counter[str] = Counter()
    grades: list[Mapping[str, Any]] = []
    for row in rows:
        if graders and not names[row["grader"]] & {*graders}:
            continue
        if rubric and row["version"] not in versions:
            continue
        why = "Held-out questions are left out." if row["item_row"] in hidden else ""
        if tool == CSV:
            grade = row
        elif not (why := why or _unfit(row)):
            item = item_of(row["item_row"])
            place = _place(TOOLS[tool], item)
            why = TOOLS[tool].missing if place is None else ""
            grade = _tool_grade(row, item, place)
        if why:
            left_out[why] += 1
        else:
            grades.append(grade)
    if not grades:
        why = joined(" ", reasons(left_out))
        raise Problem(
            "No grade of sheet “{sheet}” can be exported for {tool}. {why}",
            sheet=sheet.name,
            tool=tool,
            why=why or "The sheet has no grades.",
        )
    if tool == CSV:
        content = as_csv(grades, items.answer_names(store, sheet.id))
    else:
        content = TOOLS[tool].write(grades)
    return Written(content, len(grades), dict(left_out))


def as_csv(rows: Iterable[Mapping[str, Any]], names: Mapping[int, str]) -> bytes:
    """Return rows of `GRADES` as CSV, with a byte order mark for spreadsheets.

    `names` is what each answer is called, by item id (`items.answer_names`).
    """
    columns = _COLUMNS.split()
    cells = []
    for row in rows:
        cell = {
            **row,
            "item_id": names[row["item_row"]],
            "grader_kind": row["grader_kind"].replace("person", "annotator"),
            "score": _whole(row["score"]),
            "criterion_version": row["version"],
            "graded_at": row["created_at"],
        }
        cells.append([*map(cell.get, columns)])
    return formula_escaping.to_csv(columns, cells).encode("utf-8-sig", errors="replace")


def reasons(left_out: Mapping[str, int]) -> list[str]:
    """Return why grades were left out, each with their number."""
    return [said("{what}: {why}", what=counted(n, "grade"), why=why) for why, n in left_out.items()]


def graders(store: Store, sheet: Sheet) -> list[str]:
    """Return the names of those who have current grades of whole answers."""
    sql = f"select distinct grader from ({GRADES}) order by grader"
    return store.column(sql, {"sheet": sheet.id})


def _unfit(row: Row) -> str:
    """Return why a grade is no one's score of an answer; '' where it is."""
    if row["simulated"]:
        return "Simulated grades are left out."
    if row["grader_kind"] not in ("person", "judge"):
        return "Means of several annotators are left out."
    if row["repeat"] > 1:
        return "Repeats are left out."
    return "" if row["status"] == "scored" else "Grades without a score are left out."


def _place(tool: Tool, item: Item) -> str | None:
    for name in tool.fields:
        for key in (name, f"metadata.{name}"):
            if item.metadata.get(key):
                return str(item.metadata[key])
    own = item.own_id or ""
    return own if re.fullmatch(tool.own, own, re.DOTALL) else None


def _tool_grade(row: Row, item: Item, place: str | None) -> dict[str, Any]:
    """Return what the files of tools hold of a grade: a row of `GRADES`, its answer and ids."""
    person = row["grader_kind"] == "person"
    return {
        **row,
        "place": place,
        # Sent a second time, it is an update.
        "score_id": f"concord-{row['version']}-{row['grader_row']}-{place}",
        "score": _whole(row["score"]),
        "grader_kind": "annotator" if person else "judge",
        "kind": "HUMAN" if person else "LLM",
        "source_type": "HUMAN" if person else "LLM_JUDGE",
        "contexts": [each.text for each in item.contexts],
        "reference": item.reference,
        "answer": item.answer,
    }


def _whole(score: float | None) -> float | None:
    """Return a score, an integer where it is one."""
    return int(score) if score is not None and score == int(score) else score


def _filled(form: Any, grade: Mapping[str, Any]) -> Any:
    """Return a form with what a grade holds in place of each key of it; other texts stay."""
    if isinstance(form, str):
        return grade.get(form, form)
    return {name: _filled(part, grade) for name, part in form.items()}


def _lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    text = "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in records)
    return text.encode(errors="replace")


def _inspect(grades: Sequence[Mapping[str, Any]]) -> bytes:
    """Records of `precomputed_scores`, one a line: the scores of one grader by criterion.

    An import of Inspect's logs makes one id of a sample's id and epoch.
    """
    graders = sorted({grade["grader"] for grade in grades})
    samples: dict[str, dict[str, Mapping[str, Any]]] = {}
    for grade in grades:
        samples.setdefault(grade["place"], {})[grade["criterion"]] = grade
    if len(graders) > 1 or sum(map(len, samples.values())) < len(grades):
        raise Problem(
            "Inspect takes one score of a criterion for each sample. Choose one rubric, and one of "
            "those who graded: {names}.",
            names=joined(", ", graders),
        )
    return _lines(
        {
            "id": name,
            "epoch": int(epoch or 1),
            "value": {criterion: grade["score"] for criterion, grade in mine.items()},
            "explanation": "\n".join(
                f"{criterion}: {grade['reason']}"
                for criterion, grade in mine.items()
                if grade["reason"]
            ),
            "metadata": {"grader": graders[0]},
        }
        for place, mine in samples.items()
        for name, epoch in re.findall(r"(?s)^(.*?)(?: epoch (\d+))?\Z", place)
    )


def _parquet(grades: Sequence[Mapping[str, Any]]) -> bytes:
    """A Parquet file with a row for each grade, with its answer."""
    types = {"score": "double", "blind": "int64"}
    types |= dict.fromkeys(("contexts", "reference"), pyarrow.list_(pyarrow.string()))
    names = (
        "item_id question contexts reference answer answer_model grader_kind criterion score reason"
        " grader blind version created_at"
    )
    schema = pyarrow.schema([(name, types.get(name, "string")) for name in names.split()])
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(grades, schema), file)
    return file.getvalue()


_ABOUT = {"grader": "grader", "criterion_version": "version", "graded_at": "created_at"}
# As `Assessment.from_dictionary` reads it.
_ASSESSMENT = {
    "trace_id": "place",
    "assessment_name": "criterion",
    "source": {"source_type": "source_type", "source_id": "grader"},
    "feedback": {"value": "score"},
    "rationale": "reason",
    "create_time": "created_at",
    "last_update_time": "created_at",
    "metadata": {"criterion_version": "version"},
}
# Of `POST /api/public/scores`, which takes a list from version 5 of the SDK on, and one before.
_SCORE = {
    "id": "score_id",
    "traceId": "place",
    "name": "criterion",
    "value": "score",
    "dataType": "NUMERIC",
    "comment": "reason",
    "metadata": {"kind": "kind", **_ABOUT},
}
_ANNOTATION = {
    "span_id": "place",
    "name": "criterion",
    "annotator_kind": "kind",
    "identifier": "grader",
    "result": {"score": "score", "explanation": "reason"},
    "metadata": _ABOUT,
}
_NO_TRACE = "Answers without a trace id are left out: add a column trace_id."
TOOLS = {
    "mlflow": Tool(
        "assessments, by trace_id",
        "grades.jsonl",
        ("trace_id",),
        "tr-[0-9a-f]{32}",
        lambda grades: _lines(_filled(_ASSESSMENT, grade) for grade in grades),
        _NO_TRACE,
    ),
    "langfuse": Tool(
        "scores, by trace_id",
        "grades.jsonl",
        ("trace_id", "traceId"),
        "[0-9a-f]{32}",
        lambda grades: _lines(_filled(_SCORE, grade) for grade in grades),
        _NO_TRACE,
    ),
    "phoenix": Tool(
        "annotations, by span_id",
        "grades.json",
        ("span_id", "context.span_id"),
        "[0-9a-f]{16}",
        # Of the body of `POST /v1/span_annotations`; the identifier keeps annotators apart.
        lambda grades: _lines([{"data": [_filled(_ANNOTATION, grade) for grade in grades]}]),
        "Answers without a span id are left out: add a column span_id.",
    ),
    "inspect": Tool(
        "scores of one grader, by item id",
        "grades.jsonl",
        (),
        ".+",
        _inspect,
        "Answers without an id of their own are left out.",
    ),
    "huggingface": Tool("Parquet, with the answers", "grades.parquet", (), ".*", _parquet),
}
