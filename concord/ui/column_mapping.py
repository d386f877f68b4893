"""Column mapping: recognised columns, prefilled and open to change."""

import streamlit as st

from concord.importing.answer_columns import head, required
from concord.importing.columns import ColumnMap, answer_candidates, column_map
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS, SEVERAL
from concord.importing.grade_columns import needed
from concord.importing.proposals.candidates import score_candidates
from concord.importing.readers.table import Table
from concord.messages import joined, said, small
from concord.problems import Problem
from concord.rubrics.model import Rubric
from concord.ui.language import plain, say

LONG, WIDE = said("One row per answer"), said("One column per answering model")
_KINDS = {"person": said("annotator"), "judge": said("judge")}
_LABELS = {
    "item_id": said("Item id"),
    "question_id": said("Question id"),
    "cluster": said("Cluster (document)"),
    "question": said("Question"),
    "contexts": said("Contexts"),
    "context_ids": said("Ids of the contexts"),
    "document_ids": said("Documents of the contexts"),
    "answer": said("Answer"),
    "answer_model": said("Answering model"),
    "reference": said("Reference answer"),
    "reference_contexts": said("Reference contexts"),
    "relevant_ids": said("Relevant ids"),
    "rubric": said("Rubric of the item"),
    "judge_date": said("Date to judge from"),
    "turns": said("Earlier turns"),
    "synthetic": said("Synthetic?"),
    "unit": said("Part of the answer"),
    "unit_id": said("Id of the part"),
    "unit_number": said("Number of the part"),
    "unit_row": said("Row of the part in an export"),
    "list_row": said("Row of the list in an export"),
    "criterion": said("Criterion"),
    "grader": said("Grader"),
    "grader_kind": said("Kind of grader"),
    "score": said("Score"),
    "label": said("Label"),
    "status": said("Status"),
    "reason": said("Reason"),
    "quote": said("Evidence"),
    "repeat": said("Repeat"),
    "blind": said("Blind?"),
    "seconds": said("Seconds"),
    "simulated": said("Simulated?"),
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
        say("Shape"), [LONG, WIDE], default=WIDE if candidates else LONG, key=f"{key}.shape",
        format_func=say, required=True,
    )  # fmt: skip
    wide = shape == WIDE
    first = [field for field in _ITEM_FIRST if not (wide and field in ("answer", "answer_model"))]
    words = _fields(table, found, ITEM_FIELDS, first, key)
    if wide:
        words = [word for word in words if not word.startswith(("answer=", "answer_model="))]
        words += ["answer=", "answer_model=", *_answers(table, candidates, key)]
    else:
        words += _scores(table, column_map(table.columns, words), rubric, key)
    columns = column_map(table.columns, words)
    needed = required(table, columns)
    if "question" in needed and not columns.column("question"):
        raise Problem(said("No column holds the question yet. Choose it above."))
    if "answer" in needed and not columns.answers and not columns.column("answer"):
        raise Problem(
            said(
                "No column holds answers yet. Choose one above for each answering model."
                if wide
                else "No column holds the answer yet. Choose it above."
            )
        )
    return columns


def grade_columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    """The column map of a file of grades as the user has it on screen.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    found = column_map(table.columns, fields=GRADE_FIELDS)
    front = _UNIT_FIRST if rubric.units else _GRADE_FIRST
    first = [field for field in front if field in found.fields or not _per_grader(found)]
    words = _fields(table, found, GRADE_FIELDS, first, key)
    words += _scores(table, column_map(table.columns, words, GRADE_FIELDS), rubric, key)
    columns = column_map(table.columns, words, GRADE_FIELDS)
    if not {"item_id", "question_id", "question"} & columns.fields.keys():
        raise Problem(said("No column says which answer a grade is for. Choose the item id above."))
    wanted = needed(columns, (rubric,))
    missing = [small(_LABELS[f]) for f in GRADE_FIELDS if f in wanted - columns.fields.keys()]
    if missing:
        raise Problem(
            said(
                "No column is chosen yet for: {fields}. Choose it above, or name the columns that "
                "each hold one grader's scores.",
                fields=joined(", ", missing),
            )
        )
    return columns


def _per_grader(found: ColumnMap) -> bool:
    """True for a file that looks like one column of scores per grader."""
    return not {"score", "label"} & {*found.fields, *found.ambiguous}


def _fields(
    table: Table, found: ColumnMap, fields: dict[str, str], first: list[str], key: str
) -> list[str]:
    """A picker for every field; what is needed most in front, the rest folded."""
    words = []
    columns = st.columns(min(len(first), 4) or 1)
    for place, field in enumerate(first):
        with columns[place % len(columns)]:
            words += _field(table, found, field, key)
    rest = [field for field in fields if field not in first]
    known = [_LABELS[field] for field in rest if field in found.fields]
    label = said("Other columns")
    if known:
        label = said("Other columns ({known})", known=joined(", ", known))
    with st.expander(say(label), key=f"{key}.other"):
        columns = st.columns(4)
        for place, field in enumerate(rest):
            with columns[place % len(columns)]:
                words += _field(table, found, field, key)
    return words


def _field(table: Table, found: ColumnMap, field: str, key: str) -> list[str]:
    """The picker of one field, as `FIELD=COLUMN` words; `FIELD=` leaves it out."""
    names, label, none = list(table.columns), say(_LABELS[field]), say("None")
    recognised = list(found.fields.get(field, ()))
    unsure = found.ambiguous.get(field)
    help_text = None
    if unsure:
        help_text = plain(said("Could be {names}: choose.", names=joined(" or ", unsure)))
    if field in SEVERAL:
        chosen = st.multiselect(
            label, names, recognised, key=f"{key}.{field}", help=help_text, placeholder=none
        )
    else:
        index = names.index(recognised[0]) if recognised else None
        one = st.selectbox(
            label, names, index, key=f"{key}.{field}", help=help_text, placeholder=none
        )
        chosen = [one] if one else []
    if unsure and not chosen:
        st.caption(f":orange[{help_text}]")
    return [f"{field}={column}" for column in chosen] or [f"{field}="]


def _answers(table: Table, candidates: tuple[str, ...], key: str) -> list[str]:
    """The columns of a wide sheet that hold answers, each with its answering model's name."""
    label = say("Columns with answers")
    chosen = st.multiselect(label, table.columns, candidates, key=f"{key}.answers")
    words = []
    places = st.columns(3)
    for place, column in enumerate(chosen):
        label = plain(said("Answering model of “{column}”", column=column))
        model = places[place % len(places)].text_input(label, column, key=f"{key}.model.{column}")
        words.append(f"answer:{model.strip() or column}={column}")
    return words


def _scores(table: Table, columns: ColumnMap, rubric: Rubric, key: str) -> list[str]:
    """Columns that each hold one grader's scores; proposed where they look so, never assumed."""
    criteria = [criterion.name for criterion in rubric.criteria]
    proposed = {hit.column: hit for hit in score_candidates(columns, criteria)}
    label = said("Grades in this file, one column per grader")
    if proposed:
        names = ", ".join(proposed)
        label = said("Grades in this file, one column per grader: {names}?", names=names)
    with st.expander(plain(label), key=f"{key}.grades"):
        becomes = said(
            "Each chosen column becomes grades of one grader under {rubric}.", rubric=rubric.name
        )
        only = said("These look like it, and are taken only if you choose them.")
        st.caption(say(joined(" ", [becomes, only if proposed else ""])))
        label = say("Columns with grades")
        chosen = st.multiselect(label, columns.leftovers, key=f"{key}.scores")
        return [_score(column, proposed.get(column), criteria, key) for column in chosen]


def _score(column: str, proposed, criteria: list[str], key: str) -> str:
    """One column of scores as a `score:KIND:GRADER:CRITERION=COLUMN` word."""
    left, middle, right = st.columns(3)
    grader = left.text_input(
        plain(said("Who graded in “{column}”?", column=column)),
        proposed.grader if proposed else column,
        key=f"{key}.grader.{column}",
    )  # fmt: skip
    kind = middle.selectbox(
        say("Annotator or judge?"), list(_KINDS), key=f"{key}.kind.{column}",
        format_func=lambda one: say(_KINDS[one]),
        index=1 if proposed and proposed.kind == "judge" else 0,
    )  # fmt: skip
    criterion = right.selectbox(
        say("Criterion"), criteria, key=f"{key}.criterion.{column}",
        index=criteria.index(proposed.criterion) if proposed else 0,
    )  # fmt: skip
    return f"score:{kind}:{grader.strip() or column}:{criterion}={column}"


def _records(table: Table) -> list[dict]:
    return [dict(zip(table.columns, record.cells, strict=False)) for record in head(table)]
