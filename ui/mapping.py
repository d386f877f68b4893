"""Which column is which: what was recognised, prefilled, and everything open to change."""

import streamlit as st

from data.files.columns import ColumnMap, answer_candidates, column_map, score_candidates
from data.files.fields import GRADE_FIELDS, ITEM_FIELDS, SEVERAL
from data.files.table import Table
from data.grade_columns import needed
from data.sheet import head, required
from problems import Problem
from rubrics.model import Rubric

LONG, WIDE = "One row per answer", "One column per answering model"
_LABELS = {
    "item_id": "Item id",
    "question_id": "Question id",
    "cluster": "Cluster (document)",
    "question": "Question",
    "contexts": "Contexts",
    "context_ids": "Ids of the contexts",
    "document_ids": "Documents of the contexts",
    "answer": "Answer",
    "answer_model": "Answering model",
    "reference": "Reference answer",
    "reference_contexts": "Reference contexts",
    "relevant_ids": "Relevant ids",
    "rubric": "Rubric of the item",
    "judge_date": "Date to judge from",
    "turns": "Earlier turns",
    "synthetic": "Synthetic?",
    "unit": "Part of the answer",
    "unit_id": "Id of the part",
    "unit_number": "Number of the part",
    "unit_row": "Row of the part in an export",
    "list_row": "Row of the list in an export",
    "criterion": "Criterion",
    "grader": "Grader",
    "grader_kind": "Kind of grader",
    "score": "Score",
    "label": "Label",
    "status": "Status",
    "reason": "Reason",
    "quote": "Evidence",
    "repeat": "Repeat",
    "blind": "Blind?",
    "seconds": "Seconds",
    "simulated": "Simulated?",
}
_ITEM_FIRST = ("question", "answer", "contexts", "answer_model")
_GRADE_FIRST = ("item_id", "criterion", "grader", "grader_kind", "score")
_UNIT_FIRST = ("item_id", "unit", "grader", "grader_kind", "criterion", "label", "score")


def item_columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    """The column map of an answer sheet as the user has it on screen.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    found = column_map(table.columns)
    candidates = answer_candidates(found, _records(table)) if found.column("question") else ()
    shape = st.segmented_control(
        "Shape", [LONG, WIDE], default=WIDE if candidates else LONG, key=f"{key}.shape",
        required=True,
    )  # fmt: skip
    wide = shape == WIDE
    first = [field for field in _ITEM_FIRST if not (wide and field in ("answer", "answer_model"))]
    said = _fields(table, found, ITEM_FIELDS, first, key)
    if wide:
        said = [word for word in said if not word.startswith(("answer=", "answer_model="))]
        said += ["answer=", "answer_model=", *_answers(table, candidates, key)]
    else:
        said += _scores(table, column_map(table.columns, said), rubric, key)
    columns = column_map(table.columns, said)
    needed = required(table, columns)
    if "question" in needed and not columns.column("question"):
        raise Problem("No column holds the question yet. Choose it above.")
    if "answer" in needed and not columns.answers and not columns.column("answer"):
        what = "the answers: choose one column for each answering model" if wide else "the answer"
        raise Problem(f"No column holds {what} yet. Choose it above.")
    return columns


def grade_columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    """The column map of a file of grades as the user has it on screen.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    found = column_map(table.columns, fields=GRADE_FIELDS)
    front = _UNIT_FIRST if rubric.units else _GRADE_FIRST
    first = [field for field in front if field in found.fields or not _per_grader(found)]
    said = _fields(table, found, GRADE_FIELDS, first, key)
    said += _scores(table, column_map(table.columns, said, GRADE_FIELDS), rubric, key)
    columns = column_map(table.columns, said, GRADE_FIELDS)
    if not {"item_id", "question_id", "question"} & columns.fields.keys():
        raise Problem("No column says which answer a grade is for. Choose the item id above.")
    wanted = needed(columns, (rubric,))
    missing = [_LABELS[f].lower() for f in GRADE_FIELDS if f in wanted - columns.fields.keys()]
    if missing:
        raise Problem(
            f"No column is chosen yet for: {', '.join(missing)}. Choose it above, or name the "
            "columns that each hold one grader's scores."
        )
    return columns


def _per_grader(found: ColumnMap) -> bool:
    """Whether the file looks like one column of scores per grader."""
    return not {"score", "label"} & {*found.fields, *found.ambiguous}


def _fields(
    table: Table, found: ColumnMap, fields: dict[str, str], first: list[str], key: str
) -> list[str]:
    """A picker for every field; what is needed most in front, the rest folded."""
    said = []
    columns = st.columns(min(len(first), 4) or 1)
    for place, field in enumerate(first):
        with columns[place % len(columns)]:
            said += _field(table, found, field, key)
    rest = [field for field in fields if field not in first]
    known = [_LABELS[field] for field in rest if field in found.fields]
    label = f"Other columns ({', '.join(known)})" if known else "Other columns"
    with st.expander(label):
        columns = st.columns(4)
        for place, field in enumerate(rest):
            with columns[place % len(columns)]:
                said += _field(table, found, field, key)
    return said


def _field(table: Table, found: ColumnMap, field: str, key: str) -> list[str]:
    """The picker of one field, as `FIELD=COLUMN` words; `FIELD=` leaves it out."""
    names, label = list(table.columns), _LABELS[field]
    recognised = list(found.fields.get(field, ()))
    unsure = found.ambiguous.get(field)
    help_text = f"Could be {' or '.join(unsure)}: choose." if unsure else None
    if field in SEVERAL:
        chosen = st.multiselect(
            label, names, recognised, key=f"{key}.{field}", help=help_text, placeholder="None"
        )
    else:
        index = names.index(recognised[0]) if recognised else None
        one = st.selectbox(
            label, names, index, key=f"{key}.{field}", help=help_text, placeholder="None"
        )
        chosen = [one] if one else []
    if unsure and not chosen:
        st.caption(f":orange[{help_text}]")
    return [f"{field}={column}" for column in chosen] or [f"{field}="]


def _answers(table: Table, candidates: tuple[str, ...], key: str) -> list[str]:
    """The columns of a wide sheet that hold answers, each with its answering model's name."""
    chosen = st.multiselect("Columns with answers", table.columns, candidates, key=f"{key}.answers")
    words = []
    places = st.columns(3)
    for place, column in enumerate(chosen):
        model = places[place % len(places)].text_input(
            f"Answering model of “{column}”", column, key=f"{key}.model.{column}"
        )
        words.append(f"answer:{model.strip() or column}={column}")
    return words


def _scores(table: Table, columns: ColumnMap, rubric: Rubric, key: str) -> list[str]:
    """Columns that each hold one grader's scores; proposed where they look so, never assumed."""
    criteria = [criterion.name for criterion in rubric.criteria]
    proposed = {hit.column: hit for hit in score_candidates(columns, criteria)}
    label = "Grades in this file, one column per grader"
    with st.expander(f"{label}: {', '.join(proposed)}?" if proposed else label):
        st.caption(
            f"Each chosen column becomes grades of one grader under {rubric.name}. "
            + ("These look like it, and are taken only if you choose them." if proposed else "")
        )
        chosen = st.multiselect("Columns with grades", columns.leftovers, key=f"{key}.scores")
        return [_score(column, proposed.get(column), criteria, key) for column in chosen]


def _score(column: str, proposed, criteria: list[str], key: str) -> str:
    """One column of scores as a `score:KIND:GRADER:CRITERION=COLUMN` word."""
    left, middle, right = st.columns(3)
    grader = left.text_input(
        f"Who graded in “{column}”?", proposed.grader if proposed else column,
        key=f"{key}.grader.{column}",
    )  # fmt: skip
    kind = middle.selectbox(
        "Person or judge?", ["person", "judge"], key=f"{key}.kind.{column}",
        index=1 if proposed and proposed.kind == "judge" else 0,
    )  # fmt: skip
    criterion = right.selectbox(
        "Criterion", criteria, key=f"{key}.criterion.{column}",
        index=criteria.index(proposed.criterion) if proposed else 0,
    )  # fmt: skip
    return f"score:{kind}:{grader.strip() or column}:{criterion}={column}"


def _records(table: Table) -> list[dict]:
    return [dict(zip(table.columns, record.cells, strict=False)) for record in head(table)]
