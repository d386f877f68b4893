"""Grades of a sheet as other tools take them: only the user sends these files.

A tool knows an answer by an id of its own. It is in the answer's extra fields, or is its own id
where the answer was imported from that tool. Grades without one are left out and counted, as are
grades without a score, repeats, simulated grades and means of several annotators. CSV has them all.

Sources: MLflow 3.17 `mlflow/entities/assessment.py`; Langfuse `POST /api/public/scores`; Phoenix
`POST /v1/span_annotations`; Inspect 0.3.285 `inspect_ai/scorer/_precomputed.py`.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet

from concord.exporting import grade_csv
from concord.exporting.exported_tables import GRADES
from concord.messages import Problem, Said, counted, joined, said
from concord.model import Item, Sheet
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Row, Store

_KINDS = {"person": "HUMAN", "judge": "LLM"}


class ToolGrade(NamedTuple):
    """A score, the item it is of, and the ids under which the tool has that item."""

    place: tuple[str, ...]
    item: Item
    row: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """HUMAN or LLM."""
        return _KINDS[self.row["grader_kind"]]

    @property
    def score(self) -> int | float:
        """The score, an integer where it is one."""
        return grade_csv.whole(self.row["score"])

    def about(self) -> dict[str, Any]:
        """Return who graded it, and under which version of the criterion."""
        names = {"grader": "grader", "criterion_version": "version", "graded_at": "created_at"}
        return {name: self.row[key] for name, key in names.items()}


class Written(NamedTuple):
    """A file of grades, how many are in it, and how many were left out, by reason."""

    content: bytes
    grades: int
    left_out: dict[str, int]


class Tool(NamedTuple):
    """A tool: how it knows an answer, and how its file is written.

    `title` is what the file is, in a few words, and `file` its name. `place` returns the ids of an
    item, None where it has none, and `missing` says so.
    """

    title: str
    file: str
    place: Callable[[Item], tuple[str, ...] | None]
    write: Callable[[Sequence[ToolGrade]], bytes]
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
    left_out: Counter[str] = Counter()
    versions = rubric and {*rubric.versions().values()}
    rows = [
        row
        for row in _chosen(store, sheet, graders)
        if versions is None or row["version"] in versions
    ]
    if closed:
        hidden = {
            one["id"] for one in items.item_index(store, sheet.id) if one["question_id"] in closed
        }
        rows, every = [row for row in rows if row["item_row"] not in hidden], len(rows)
        left_out += Counter({said("Held-out questions are left out."): every - len(rows)})
    found = rows if tool == CSV else list(_placed(store, rows, TOOLS[tool], left_out))
    if not found:
        why = joined(" ", reasons(left_out))
        raise Problem(
            "No grade of sheet “{sheet}” can be exported for {tool}. {why}",
            sheet=sheet.name,
            tool=tool,
            why=why or said("The sheet has no grades."),
        )
    if tool == CSV:
        content = grade_csv.content(rows, items.answer_names(store, sheet.id))
    else:
        content = TOOLS[tool].write(found)
    return Written(content, len(found), dict(left_out))


def reasons(left_out: Mapping[str, int]) -> list[Said]:
    """Return why grades were left out, each with their number."""
    return [said("{what}: {why}", what=counted(n, "grade"), why=why) for why, n in left_out.items()]


def graders(store: Store, sheet: Sheet) -> list[str]:
    """Return the names of those who have current grades of whole answers."""
    sql = f"select distinct grader from ({GRADES}) order by grader"
    return store.column(sql, {"sheet": sheet.id})


def _chosen(store: Store, sheet: Sheet, graders: Collection[str]) -> list[Row]:
    """Return the current grades of whole answers by the graders named."""
    rows = store.rows(GRADES, {"sheet": sheet.id})
    names = {row["grader"]: {row["grader"], row["grader"].partition("@")[0]} for row in rows}
    for name in graders:
        if not any(name in called for called in names.values()):
            raise Problem(
                "“{name}” has no grades on sheet “{sheet}”. Name one of: {names}.",
                name=name,
                sheet=sheet.name,
                names=joined(", ", sorted(names)) or said("none yet"),
            )
    return [row for row in rows if not graders or names[row["grader"]] & {*graders}]


def _placed(
    store: Store, rows: Sequence[Mapping[str, Any]], tool: Tool, left_out: Counter[str]
) -> Iterator[ToolGrade]:
    """Yield the grades that the tool can take; the others are counted."""
    known: dict[int, Item] = {}
    for row in rows:
        why = _unfit(row)
        if not why:
            if row["item_row"] not in known:
                known[row["item_row"]] = items.item(store, row["item_row"]).item
            item = known[row["item_row"]]
            place = tool.place(item)
            if place is not None:
                yield ToolGrade(place, item, row)
                continue
            why = tool.missing
        left_out[why] += 1


def _unfit(row: Mapping[str, Any]) -> str:
    """Return why a grade is no one's score of an answer; '' where it is."""
    if row["simulated"]:
        return said("Simulated grades are left out.")
    if row["grader_kind"] not in _KINDS:
        return said("Means of several annotators are left out.")
    if row["repeat"] > 1:
        return said("Repeats are left out.")
    return "" if row["status"] == "scored" else said("Grades without a score are left out.")


def _by_field(*names: str, own: str) -> Callable[[Item], tuple[str, ...] | None]:
    """Return how an item is found by an extra field, else by an id of its own of some form."""
    keys = [key for name in names for key in (name, f"metadata.{name}")]

    def place(item: Item) -> tuple[str, ...] | None:
        for key in keys:
            if item.metadata.get(key):
                return (str(item.metadata[key]),)
        return (item.own_id,) if re.fullmatch(own, item.own_id or "") else None

    return place


def _sample(item: Item) -> tuple[str, ...] | None:
    """Return id and epoch of a sample: an import of Inspect's logs makes one id of the two."""
    if not item.own_id:
        return None
    found = re.fullmatch(r"(.*) epoch (\d+)", item.own_id, re.DOTALL)
    return (found[1], found[2]) if found else (item.own_id, "1")


def _lines(records: Iterator[Mapping[str, Any]]) -> bytes:
    text = "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in records)
    return text.encode(errors="replace")


def _mlflow(grades: Sequence[ToolGrade]) -> bytes:
    """Assessments, one a line, as `Assessment.from_dictionary` reads them."""
    kinds = {"HUMAN": "HUMAN", "LLM": "LLM_JUDGE"}
    return _lines(
        {
            "trace_id": one.place[0],
            "assessment_name": one.row["criterion"],
            "source": {"source_type": kinds[one.kind], "source_id": one.row["grader"]},
            "feedback": {"value": one.score},
            "rationale": one.row["reason"],
            "create_time": one.row["created_at"],
            "last_update_time": one.row["created_at"],
            "metadata": {"criterion_version": one.row["version"]},
        }
        for one in grades
    )


def _langfuse(grades: Sequence[ToolGrade]) -> bytes:
    """Scores of `POST /api/public/scores`, one a line; the id makes a second sending an update.

    That takes a list of them from version 5 of the SDK on, and one before.
    """
    return _lines(
        {
            "id": f"concord-{one.row['version']}-{one.row['grader_row']}-{one.place[0]}",
            "traceId": one.place[0],
            "name": one.row["criterion"],
            "value": one.score,
            "dataType": "NUMERIC",
            "comment": one.row["reason"],
            "metadata": {"kind": one.kind, **one.about()},
        }
        for one in grades
    )


def _phoenix(grades: Sequence[ToolGrade]) -> bytes:
    """The body of `POST /v1/span_annotations`; the identifier keeps several annotators apart."""
    annotations = [
        {
            "span_id": one.place[0],
            "name": one.row["criterion"],
            "annotator_kind": one.kind,
            "identifier": one.row["grader"],
            "result": {"score": one.score, "explanation": one.row["reason"]},
            "metadata": one.about(),
        }
        for one in grades
    ]
    text = json.dumps({"data": annotations}, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode(errors="replace")


def _inspect(grades: Sequence[ToolGrade]) -> bytes:
    """Records of `precomputed_scores`, one a line: the scores of one grader by criterion."""
    graders = sorted({one.row["grader"] for one in grades})
    if len(graders) > 1:
        raise Problem(
            "Inspect takes one score for each sample, and several graded: {names}. Name one with "
            "--grader.",
            names=joined(", ", graders),
            on_screen=said("Inspect takes the scores of one grader. Choose one."),
        )
    samples: dict[tuple[str, ...], list[ToolGrade]] = {}
    for one in grades:
        mine = samples.setdefault(one.place, [])
        if any(one.row["criterion"] == other.row["criterion"] for other in mine):
            raise Problem(
                "{grader} graded {criterion} under several rubrics or wordings. Name one with "
                "--rubric.",
                grader=graders[0],
                criterion=one.row["criterion"],
                on_screen=said(
                    "{grader} graded {criterion} under several rubrics or wordings, and Inspect "
                    "takes one score. Choose another tool.",
                    grader=graders[0],
                    criterion=one.row["criterion"],
                ),
            )
        mine.append(one)
    return _lines(
        {
            "id": place[0],
            "epoch": int(place[1]),
            "value": {one.row["criterion"]: one.score for one in mine},
            "explanation": "\n".join(
                f"{one.row['criterion']}: {one.row['reason']}" for one in mine if one.row["reason"]
            ),
            "metadata": {"grader": graders[0]},
        }
        for place, mine in samples.items()
    )


def _parquet(grades: Sequence[ToolGrade]) -> bytes:
    """A Parquet file with a row for each grade, with its answer."""
    taken = ("criterion", "score", "reason", "grader", "blind", "version", "created_at")
    rows = [
        {
            "item_id": one.item.own_id,
            "question": one.item.question,
            "contexts": [each.text for each in one.item.contexts],
            "reference": list(one.item.reference),
            "answer": one.item.answer,
            "answer_model": one.item.answer_model,
            "grader_kind": "annotator" if one.kind == "HUMAN" else "judge",
            **{key: one.row[key] for key in taken},
        }
        for one in grades
    ]
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, _SCHEMA), file)
    return file.getvalue()


_TEXTS = pyarrow.list_(pyarrow.string())
_SCHEMA = pyarrow.schema(
    [
        *((name, pyarrow.string()) for name in ("item_id", "question")),
        *((name, _TEXTS) for name in ("contexts", "reference")),
        *((name, pyarrow.string()) for name in ("answer", "answer_model", "grader_kind")),
        *(("criterion", pyarrow.string()), ("score", pyarrow.float64())),
        *((name, pyarrow.string()) for name in ("reason", "grader")),
        *(("blind", pyarrow.int64()), ("version", pyarrow.string())),
        ("created_at", pyarrow.string()),
    ]
)
_NO_TRACE = said("Answers without a trace id are left out: add a column trace_id.")
CSV = "csv"
TOOLS = {
    "mlflow": Tool(
        said("assessments, by trace_id"),
        "grades.jsonl",
        _by_field("trace_id", own="tr-[0-9a-f]{32}"),
        _mlflow,
        _NO_TRACE,
    ),
    "langfuse": Tool(
        said("scores, by trace_id"),
        "grades.jsonl",
        _by_field("trace_id", "traceId", own="[0-9a-f]{32}"),
        _langfuse,
        _NO_TRACE,
    ),
    "phoenix": Tool(
        said("annotations, by span_id"),
        "grades.json",
        _by_field("span_id", "context.span_id", own="[0-9a-f]{16}"),
        _phoenix,
        said("Answers without a span id are left out: add a column span_id."),
    ),
    "inspect": Tool(
        said("scores of one grader, by item id"),
        "grades.jsonl",
        _sample,
        _inspect,
        said("Answers without an id of their own are left out."),
    ),
    "huggingface": Tool(
        said("Parquet, with the answers"), "grades.parquet", lambda item: (), _parquet
    ),
}
