"""Column mapping: what was proposed, prefilled and open to change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as of_dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.importing import column_paths
from concord.importing.column_paths import CONSTANT
from concord.importing.columns import ColumnMap, column_map, needed, required
from concord.importing.fields import (
    GRADE_FIELDS,
    ITEM_FIELDS,
    OF_ANSWERS,
    OF_PROBABILITIES,
    SEVERAL,
    folded,
)
from concord.importing.proposals.grades_by_value import are_annotators, possible_scores
from concord.importing.proposals.name_words import meant
from concord.importing.readers.table import GRADES, Table
from concord.messages import Problem, joined, said, small
from concord.rubrics.model import Rubric
from concord.ui.import_findings import shown_column
from concord.ui.language import plain, say, word

# Fields that may be the same for every row: a typed value that is no column is that value.
MAY_BE_CONSTANT = (
    *("cluster", "answer_model", "judge_date", "synthetic"),
    *("criterion", "grader", "grader_kind"),
)


class GradeRow(NamedTuple):
    """A column that may hold grades: whether it is taken, of which criterion, and by whom.

    Grader and criterion may be `{COLUMN}`, read from that column in each row. Where nothing says
    what kind of grader graded, the kind is empty, and the user chooses it.
    """

    take: bool
    column: str
    criterion: str
    grader: str
    kind: str
    reason: str = ""


@dataclass(frozen=True)
class Start:
    """Initial values of the pickers of a mapping.

    Attributes:
        fields: The columns, paths and constants of each field; a field that is not there has none.
        answers: Answering model by column, where each has a column of its own.
        grades: Columns that may hold grades of one grader each.
        reasons: Why a field is proposed as it is, where its name does not say so.
        doubts: Fields that several columns fit equally well, with these columns.
        remarks: What else the user should know about it.
        without: Criteria of one grade per row that are left out.
        same: Criteria of the file that are read as another, as words of a map.
        offered: Such words that may hold, of which none is taken before it is chosen.
        criteria: Criteria of the file that may be left out.
        of_every_row: Values that a field may have in every row, offered next to the columns, with
            the names they are shown by.
        of_grades: True for a file that seems to hold grades of answers that are elsewhere.
    """

    fields: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, str] = of_dataclass(default_factory=dict)
    grades: tuple[GradeRow, ...] = ()
    reasons: Mapping[str, str] = of_dataclass(default_factory=dict)
    doubts: Mapping[str, tuple[str, ...]] = of_dataclass(default_factory=dict)
    remarks: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    of_every_row: Mapping[str, Mapping[str, str]] = of_dataclass(default_factory=dict)
    of_grades: bool = False

    def column(self, name: str) -> str | None:
        """The first column of a field, or None."""
        return next(iter(self.fields.get(name, ())), None)


def of_words(table: Table, words: Sequence[str], complete: bool = False) -> Start:
    """The start that the words of a map give.

    With `complete`, fields without a word are left out, whatever the columns are called.

    Raises:
        Problem: a word names a column that the file does not have.
    """
    mentioned = {word.partition("=")[0].rstrip(":") for word in words}
    closed = [f"{f}=" for f in ITEM_FIELDS if f not in mentioned] if complete else []
    return of_columns(column_map(table.columns, (*words, *closed)))


def of_columns(columns: ColumnMap, candidates: Iterable[GradeRow] = ()) -> Start:
    """The start that a column map gives; candidates for grades come first, and are not taken."""
    taken = [GradeRow(True, s.column, s.criterion, s.grader, s.kind_word) for s in columns.scores]
    rows = [*taken, *candidates]
    known = {row.column for row in rows}
    rows += [grade_row(column) for column in columns.leftovers if column not in known]
    return Start(
        fields=columns.fields,
        answers={column: model for model, column in columns.answers.items()},
        grades=tuple(rows),
        doubts=columns.ambiguous,
        without=columns.without,
        same=tuple(f"criterion:{one}={to}" for one, to in columns.same),
    )


def column_of(text: str, field: str, columns: Sequence[str]) -> str:
    """Return the user's choice for a field: a column, a path, or the value of every row."""
    is_column = text in columns or text.startswith(CONSTANT)
    if is_column or column_paths.key_name(text) or column_paths.parse(text, columns):
        return text
    return f"{CONSTANT}{text.strip()}" if field in MAY_BE_CONSTANT else text


def grade_row(column: str, reason: str = "") -> GradeRow:
    """A column of which only the user knows whether it holds grades."""
    return GradeRow(False, column, "", "", "", reason)


def filled(row: GradeRow, columns: ColumnMap, criteria: Sequence[str]) -> GradeRow:
    """Return a row with what other columns, and the rubric, say of it.

    A criterion is that which begins as the column is named, or the only one.
    """
    named, kind = columns.column("grader") or CONSTANT, columns.column("grader_kind") or ""
    if row.grader in ("", row.column) and not named.startswith(CONSTANT):
        row = row._replace(grader=f"{{{named}}}")
    if not row.kind and kind.startswith(CONSTANT):
        row = row._replace(kind=kind.removeprefix(CONSTANT))
    if row.criterion:
        return row
    column = folded(row.column)
    alike = [one for one in criteria if len(criteria) == 1 or (column and one.startswith(column))]
    return row._replace(criterion=alike[0]) if len(alike) == 1 else row


KINDS = {
    "annotator": said("annotator"),
    "judge": said("judge"),
    "mean": said("mean of annotators"),
    "metric": said("metric"),
}
_FROM = said("from column {column}")
_SHOWN_ROWS, _ROW_PX = 8, 35
_CELLS = ("take", "column", "criterion", "grader", "kind", "why")


def grade_columns_table(
    rows: Sequence[GradeRow], key: str, criteria: Mapping[str, str] | None = None
) -> list[str]:
    """Edit the rows and return those that are taken, as words of a column map.

    Args:
        rows: The rows before the user changes them.
        key: Of the widget; another start needs another one.
        criteria: The titles of the criteria to choose from, by name; any where there are none.

    Raises:
        Problem: a column is taken without a criterion or a grader.
    """
    given = [_cells(row) for row in rows]
    before = st.session_state.get(f"{key}.edited")
    start = edited_before(given, before)
    frame = pd.DataFrame(start, columns=list(_CELLS))
    edited = st.data_editor(
        frame,
        key=key,
        hide_index=True,
        num_rows="fixed",
        disabled=("column", "why"),
        column_order=_CELLS if any(frame["why"]) else _CELLS[:-1],
        column_config=_config(criteria or {}),
        placeholder=say("Choose"),
        height=_ROW_PX * (min(len(rows), _SHOWN_ROWS) + 1) + 3,
        alt=say("Columns that may hold grades"),
    )
    read = [
        tuple(None if pd.isna(cell) else cell for cell in cells)
        for cells in edited.itertuples(index=False, name=None)
    ]
    known = before.read if before else {}
    now = known | {cells[1]: (old, cells) for old, cells in zip(given, read, strict=True)}
    st.session_state[f"{key}.edited"] = Edited(given, start, now)
    return words(GradeRow(*cells) for cells in read)


class Edited(NamedTuple):
    """The cells of a table as given and as it began, and by column as given and as edited."""

    given: list[tuple]
    start: list[tuple]
    read: Mapping[str, tuple[tuple, tuple]]


def edited_before(given: list[tuple], before: Edited | None) -> list[tuple]:
    """The cells that a table begins with, where a table of other columns may have been edited.

    The same columns begin as they did, since the editor itself keeps what the user changes.
    """
    if before is None:
        return given
    if before.given == given:
        return before.start
    found = []
    for cells in given:
        old, new = before.read.get(cells[1], (cells, cells))
        parts = zip(cells, old, new, strict=True)
        found.append(tuple(cell if was == is_now else is_now for cell, was, is_now in parts))
    return found


def _cells(row: GradeRow) -> tuple:
    criterion, grader = (
        _grader_name(row.criterion) or None,
        _grader_name(row.grader),
    )
    return (row.take, row.column, criterion, grader, row.kind or None, word(row.reason))


def words(rows: Iterable[GradeRow]) -> list[str]:
    """The rows that are taken, as `score:KIND:GRADER:CRITERION=COLUMN` words.

    Raises:
        Problem: a column is taken without a criterion, under one with a colon, or without a kind
            or the name of an annotator.
    """
    found = []
    for row in rows:
        if not row.take:
            continue
        criterion = _grader_value(row.criterion)
        if not criterion or ":" in criterion:
            raise Problem(
                "“{column}” has no criterion. Name it in the table."
                if not criterion
                else "The criterion of “{column}” contains a colon. Name it without one.",
                column=row.column,
            )
        named = _grader_value(row.grader)
        if row.kind not in KINDS or (row.kind == "annotator" and not named):
            raise Problem(
                "“{column}” has no grader, or no kind of grader. Name both in the table.",
                column=row.column,
            )
        grader = named or row.column
        found.append(f"score:{row.kind}:{grader}:{criterion}={row.column}")
    return found


def _config(criteria: Mapping[str, str]) -> dict:
    criterion = {
        "label": say("Criterion"),
        "help": say("The criterion that was graded. Double-click to edit."),
    }
    return {
        "take": st.column_config.CheckboxColumn(say("Import"), width=72),
        "column": st.column_config.TextColumn(say("Column")),
        "criterion": st.column_config.SelectboxColumn(
            options=list(criteria), format_func=lambda name: word(criteria[name]), **criterion
        )
        if criteria
        else st.column_config.TextColumn(**criterion),
        "grader": st.column_config.TextColumn(
            say("Grader"),
            help=say(
                "Who graded: a name, or “{example}” to read it from that column in each row.",
                example=say(_FROM, column="X"),
            ),
        ),
        "kind": st.column_config.SelectboxColumn(
            say("Kind"),
            options=list(KINDS),
            format_func=lambda kind: say(KINDS[kind]),
            required=True,
            help=say("Annotator (a human), judge (an LLM), mean of several annotators, or metric."),
        ),
        "why": st.column_config.TextColumn(say("Why"), width="medium"),
    }


def _grader_name(name: str) -> str:
    """A name as the table shows it; `{COLUMN}` in words."""
    column = column_paths.key_name(name)
    return say(_FROM, column=column) if column else name


def _grader_value(text: str | None) -> str:
    """The name that a cell of the table gives, with `{COLUMN}` for one read from a column."""
    text = (text or "").strip()
    if column_paths.key_name(text):
        return text
    before, _, after = say(_FROM, column="\0").partition("\0")
    if not (text.startswith(before) and text.endswith(after)):
        return text
    return f"{{{text.removeprefix(before).removesuffix(after).strip()}}}"


ROWS, WIDE = said("One row per answer"), said("One column per answering model")
KEYS = said("One entry per answering model")
NO_GRADES, BY_COLUMN = said("No grades"), said("In separate columns")
BY_ROW = said("One grade per row")
# What columns of grades are whose names do not say it.
GRADERS, CRITERIA = said("A grader"), said("A criterion")
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
    "judge_date": said("Assumed date"),
    "turns": said("Earlier turns"),
    "synthetic": said("Synthetic"),
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
    "marked_passages": said("Passages marked as evidence"),
    "repeat": said("Repeat"),
    "blind": said("Blind"),
    "seconds": said("Seconds"),
    "rubric_language": said("Language of the rubric"),
    "simulated": said("Simulated"),
    "probabilities": said("Probabilities of the scores"),
    "outside_mass": said("Probability of no score"),
    "probabilities_source": said("Source of the probabilities"),
}
_HELPS = {  # of the fields whose label does not say it
    "item_id": said("The id of the answer, by which grades refer to it."),
    "question_id": said("The id of the question; all answers to it have the same."),
    "cluster": said(
        "The document or group of the question. Confidence intervals allow for questions of one "
        "group being alike."
    ),
    "contexts": said("The texts that the answer was generated from, in order of rank."),
    "rubric": said("What each score means for this answer, as an object by score."),
    "unit": said("The text of the graded part of the answer, such as a claim, or its id."),
    "grader_kind": said(
        "Annotator (a human), judge (an LLM), mean of several annotators, or metric."
    ),
    "status": said("Why there is no score, such as `refused` or `cannot_grade`."),
    "repeat": said("The number of the grade, where a judge graded the same answer several times."),
    "probabilities": said(
        "The judge's probability of each score: a column per score, or a list in the order of the "
        "scale."
    ),
    "probabilities_source": said(
        "Where the probabilities come from: `native`, `logprobs`, `stated` or `imported`."
    ),
}
_CONSTANT = said("If you type something that is not a column, every row gets that value.")
_NOT_BLIND = said(
    "Grades that were given where other scores are shown are stored, and excluded where a "
    "judge is compared with annotators."
)
_ITEM_FIRST = ("question", "answer", "contexts", "answer_model")
_GRADE_FIRST = ("item_id", "criterion", "grader", "grader_kind", "score")
_UNIT_FIRST = ("item_id", "unit", "grader", "grader_kind", "criterion", "label", "score")
_OF_ROW = ("score", "criterion", "grader", "grader_kind", "reason", "probabilities")


def item_columns(table: Table, start: Start, key: str) -> ColumnMap:
    """The column map of an answer sheet as the user has it on screen.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    # Pick the layout of answers in the rows; per model only where a path leads to them.
    by_key = bool(column_paths.placeholders(start.column("answer") or ""))
    shapes = [ROWS, WIDE, *([KEYS] if by_key else [])]
    default = KEYS if by_key else WIDE if start.answers else ROWS
    shape = st.segmented_control(
        say("Shape"), shapes, default=default, key=f"{key}.shape", format_func=say, required=True
    )
    own = ("answer", "answer_model")
    hidden = {ROWS: (), KEYS: ("answer_model",), WIDE: own}[shape]
    front = [field for field in _ITEM_FIRST if field not in hidden]
    if shape == ROWS:
        start = _without_keys(start)
    fields = [field for field in ITEM_FIELDS if field not in hidden]
    words = _fields(table, start, fields, front, key)
    words += [f"{field}=" for field in hidden if shape == WIDE]
    if shape == KEYS:
        words += [f"answer_model={column}" for column in start.fields.get("answer_model", ())]
    if shape == WIDE:
        words += _answers(table, start, key)
    mapped = column_map(table.columns, words)
    words += _grades(table, _without_mapped(start, mapped), key, shape == WIDE)
    columns = column_map(table.columns, words)
    _check(table, columns, shape)
    return columns


def grade_columns(table: Table, key: str, rubric: Rubric, ids: Sequence[str]) -> ColumnMap:
    """The column map of a file of grades as the user has it on screen.

    `ids` are words of a map: the columns whose values are stored ids, where no name says so.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    found = column_map(table.columns, ids, GRADE_FIELDS)
    of_every_row = {"criterion": rubric.headings(), "grader_kind": KINDS}
    start = replace(of_columns(found), of_every_row=of_every_row)
    if "grader_kind" not in found.fields and are_annotators(table, found):
        fields = {**start.fields, "grader_kind": (f"{CONSTANT}annotator",)}
        start = replace(start, fields=fields)
    _give_way(start, key)
    front = _UNIT_FIRST if rubric.units else _GRADE_FIRST
    shown = {"item_id", *found.fields} if _per_grader(found) else front
    fields = [field for field in GRADE_FIELDS if rubric.units or field != "label"]
    words = _fields(table, start, fields, [field for field in front if field in shown], key)
    words += _scores(table, column_map(table.columns, words, GRADE_FIELDS), rubric, key)
    words = _blind_or_not(words, key)
    columns = column_map(table.columns, words, GRADE_FIELDS)
    if columns.fields.keys().isdisjoint(OF_ANSWERS):
        raise Problem(
            "No column says which answer a grade is for. Choose it above under “Item id”."
        )
    wanted = needed(columns, (rubric,))
    missing = [small(_LABELS[f]) for f in GRADE_FIELDS if f in wanted - columns.fields.keys()]
    if missing and _per_grader(found) and columns.leftovers:
        raise Problem(
            "No column with grades is chosen yet. Select each one in the table of columns, with "
            "its criterion, grader and kind. If each row is one grade, choose above: {fields}.",
            fields=joined(", ", missing),
        )
    if missing:
        raise Problem(
            "No column is chosen yet for: {fields}. Choose it above, or name the columns that "
            "each hold one grader's scores.",
            fields=joined(", ", missing),
        )
    return columns


def _without_mapped(start: Start, columns: ColumnMap) -> Start:
    """The start without grades from columns that the user mapped to a field."""
    used = {column for names in columns.fields.values() for column in names}
    return replace(start, grades=tuple(row for row in start.grades if row.column not in used))


def _without_keys(start: Start) -> Start:
    """The start without paths that lead to one of several answers of a row."""
    keys = {*column_paths.placeholders(start.column("answer") or "")}

    def is_of_row(column: str) -> bool:
        return not keys.intersection(column_paths.placeholders(column))

    fields = {field: tuple(filter(is_of_row, columns)) for field, columns in start.fields.items()}
    rows = tuple(row for row in start.grades if is_of_row(row.column))
    return replace(start, fields=fields, grades=rows)


def _check(table: Table, columns: ColumnMap, shape: str) -> None:
    needed_fields = required(table, columns)
    if "question" in needed_fields and not columns.column("question"):
        raise Problem(
            "No column is mapped to the question yet. Choose it above. If each row is one "
            "annotator and each column one answer, transpose the file first: one row per answer."
        )
    if "answer" in needed_fields and not columns.answers and not columns.column("answer"):
        raise Problem(
            "No column is mapped to answers yet. Choose one above for each answering model."
            if shape == WIDE
            else "No column is mapped to the answer yet. Choose it above."
        )


def _per_grader(found: ColumnMap) -> bool:
    """True for a file that looks like one column of scores per grader."""
    return not {"score", "label"} & {*found.fields, *found.ambiguous}


def _fields(table: Table, start: Start, fields: list[str], first: list[str], key: str) -> list[str]:
    """A picker for every field; what is needed most in front, the rest folded."""
    path = "`metrics.f1`"
    st.caption(say("A column, or a path into nested values such as {path}.", path=path))
    words = _row_of_pickers(table, start, first, key)
    rest = [field for field in fields if field not in first]
    _also(start, rest, key)
    with st.expander(say("Other fields"), key=f"{key}.other"):
        words += _row_of_pickers(table, start, rest, key)
    return words


def _also(start: Start, fields: Sequence[str], key: str = "") -> None:
    """Say of fields whose pickers are out of sight, or that have none, where they come from.

    With the key of the pickers it is what they hold now, which the user may have changed.
    """
    columns = {field: _picked(start, field, key) for field in fields}
    also = [
        said("{label} from {columns}", label=_LABELS[field], columns=_named(start, field, names))
        for field, names in columns.items()
        if names
    ]
    if also:
        st.caption(plain(said("Also imported: {fields}.", fields=joined(", ", also))))


def _picked(start: Start, field: str, key: str) -> tuple[str, ...]:
    proposed = start.fields.get(field, ())
    picked = st.session_state.get(f"{key}.{field}", proposed) if key else proposed
    return (picked,) if isinstance(picked, str) else tuple(picked or ())


def _give_way(start: Start, key: str) -> None:
    """Clear a proposed field once the user maps its column to another field.

    A field gives way once, so that the user may still map one column to both.
    """
    before = st.session_state.setdefault(f"{key}.gave_way", set())
    fields = [field for field in GRADE_FIELDS if field not in SEVERAL]
    picked = {field: st.session_state.get(f"{key}.{field}") for field in fields}
    chosen = {one for field, one in picked.items() if one and one != start.column(field)}
    for field, columns in start.fields.items():
        if picked.get(field) in chosen.intersection(columns) and field not in before:
            before.add(field)
            st.session_state[f"{key}.{field}"] = None


def _row_of_pickers(
    table: Table, start: Start, fields: list[str], key: str, most: int = 4
) -> list[str]:
    words = []
    places = st.columns(min(len(fields), most) or 1)
    for number, field in enumerate(fields):
        with places[number % len(places)]:
            words += _field(table, start, field, key)
    return words


def _field(table: Table, start: Start, field: str, key: str) -> list[str]:
    """The picker of one field, as `FIELD=COLUMN` words; `FIELD=` leaves it out."""
    label, before = say(_LABELS[field]), list(start.fields.get(field, ()))
    offered = [*before, *(f"{CONSTANT}{value}" for value in start.of_every_row.get(field, ()))]
    if field == "score":
        offered += _verdicts(table)
    names = list(dict.fromkeys((*table.columns, *offered)))
    unsure = start.doubts.get(field, ())
    more = {
        "key": f"{key}.{field}",
        "help": _help(field),
        "placeholder": say("None"),
        "format_func": partial(_shown, start, field),
        "accept_new_options": True,
    }
    if field in SEVERAL or len(before) > 1:
        chosen = st.multiselect(label, names, before, **more)
    else:
        # A picker can be cleared only if it has no start of its own.
        st.session_state.setdefault(more["key"], before[0] if before else None)
        one = st.selectbox(label, names, None, **more)
        chosen = [one] if one else []
    columns = [column_of(text, field, table.columns) for text in chosen]
    _remark(start, field, columns, before, unsure)
    return [f"{field}{'' if c.startswith(CONSTANT) else '='}{c}" for c in columns] or [f"{field}="]


def _verdicts(table: Table) -> list[str]:
    """The path to the verdicts that a tool gives beside its scores, where it does."""
    if table.origin is None or GRADES not in table.columns:
        return []
    place = table.columns.index(GRADES)
    given = (record.cells[place] for record in islice(table.records(), 20))
    has = any("passed" in grade for grades in given for grade in grades or ())
    return [f"{GRADES}.{{n}}.passed"] if has else []


def _help(field: str) -> str | None:
    constant = _CONSTANT if field in MAY_BE_CONSTANT else ""
    return say(joined(" ", filter(None, [_HELPS.get(field), constant]))) or None


def _remark(start: Start, field: str, columns, before, unsure) -> None:
    """Say under a picker why it is filled as it is, or what it could be."""
    reason = start.reasons.get(field, "")
    constant = next((c for c in columns if c.startswith(CONSTANT)), None)
    if unsure and not columns:
        names = joined(" or ", unsure)
        st.caption(f":orange[{plain(said('Could be {names}: choose.', names=names))}]")
    elif constant and columns != before:
        st.caption(plain(_shown(start, field, constant)))
    elif reason and columns == before:
        st.caption(plain(reason))


def _shown(start: Start, field: str, column: str) -> str:
    """A column as a picker of a field shows it; a constant in words."""
    return word(shown_column(column, {**KINDS, **start.of_every_row.get(field, {})}))


def _named(start: Start, field: str, columns: Sequence[str]) -> str:
    return joined(", ", [_shown(start, field, column) for column in columns])


def _answers(table: Table, start: Start, key: str) -> list[str]:
    """The columns of a wide sheet that hold answers, each with its answering model's name."""
    label = say("Columns with answers")
    chosen = st.multiselect(
        label,
        table.columns,
        [*start.answers],
        key=f"{key}.answers",
        placeholder=say("Choose"),
    )
    words = []
    places = st.columns(3)
    for place, column in enumerate(chosen):
        label = plain(said("Answering model of “{column}”", column=column))
        model = places[place % len(places)].text_input(
            label, start.answers.get(column, column), key=f"{key}.model.{column}"
        )
        words.append(f"answer:{model.strip() or column}={column}")
    return words


def _grades(table: Table, start: Start, key: str, wide: bool) -> list[str]:
    """Show the grades in a file of answers; none is imported that the table does not show."""
    if wide:
        return []
    taken = any(row.take for row in start.grades)
    default = NO_GRADES
    if start.column("score"):
        default = BY_ROW
    elif taken or not start.doubts.keys().isdisjoint(("score", "grader")):
        default = BY_COLUMN
    how = st.segmented_control(
        say("Grades in this file"),
        [NO_GRADES, BY_COLUMN, BY_ROW],
        default=default,
        key=f"{key}.how",
        format_func=say,
        required=True,
    )
    for remark in start.remarks if how != NO_GRADES else ():
        st.caption(f":orange[{plain(remark)}]")
    if how == BY_COLUMN and start.grades:
        start, key = _unclear_columns(start, key)
    if how == BY_ROW:
        start = by_row(start)
        pickers = _row_of_pickers(table, start, list(_OF_ROW), key, 3)
        if "score=" in pickers:
            raise Problem(
                "No column is mapped to the score yet. Choose it above, or choose “No grades”."
            )
        unseen = _as_proposed(start, "repeat") + _blindness(start, key)
        more = [field for field in OF_PROBABILITIES[1:] if start.fields.get(field)]
        _also(start, more)
        unseen += [word for field in more for word in _as_proposed(start, field)]
        words = pickers + unseen + _left_out(start, key)
        return words + _same_criteria(start, key)
    if how == BY_COLUMN and start.grades:
        words = grade_columns_table(start.grades, f"{key}.scores")
        by_key = column_paths.placeholders(start.column("reason") or "")
        has_reason = len(words) == 1 or any(":{" in word or by_key for word in words)
        words += _reasons(start) if has_reason else []
        return words + (_same_criteria(start, key) if start.same or start.offered else [])
    return []


def _unclear_columns(start: Start, key: str) -> tuple[Start, str]:
    """The start once the user says what columns are whose names could be graders or criteria."""
    unclear = [row for row in start.grades if not row.take and row.column in _doubtful(start)]
    if len(unclear) < 2:
        return start, key
    columns = joined(", ", [row.column for row in unclear])
    chosen = st.segmented_control(
        plain(said("Each of {columns} is", columns=columns)),
        [GRADERS, CRITERIA],
        key=f"{key}.unclear",
        format_func=say,
    )
    return (with_unclear_as(start, chosen), f"{key}.{chosen}") if chosen else (start, key)


def _doubtful(start: Start) -> tuple[str, ...]:
    return start.doubts.get("score", ())


def with_unclear_as(start: Start, meaning: str) -> Start:
    """The start with its unclear columns taken: each one a grader's, or each a criterion's."""
    criterion = next((row.criterion for row in start.grades if row.take), "overall")

    def read(row: GradeRow) -> GradeRow:
        if row.take or row.column not in _doubtful(start):
            return row
        if meaning == GRADERS:
            return row._replace(
                take=True, criterion=criterion, grader=meant(row.column), kind="annotator"
            )
        return row._replace(take=True, criterion=meant(row.column))

    return replace(start, grades=tuple(map(read, start.grades)))


def by_row(start: Start) -> Start:
    """The start with its one column of grades as the score of each row.

    Its grader, criterion and kind are columns where it reads them from one, else constants.
    """
    taken = [row for row in start.grades if row.take]
    if start.column("score") or len(taken) != 1 or column_paths.placeholders(taken[0].column):
        return start
    (row,) = taken
    named = {"criterion": row.criterion, "grader": row.grader, "grader_kind": row.kind}
    fields = {
        field: (column_paths.key_name(name) or f"{CONSTANT}{name}",)
        for field, name in named.items()
        if name
    }
    return replace(start, fields={**start.fields, **fields, "score": (row.column,)})


def _left_out(start: Start, key: str) -> list[str]:
    """Criteria whose rows are no grades, as words of a map."""
    options = list(dict.fromkeys((*start.without, *start.criteria)))
    chosen = st.multiselect(
        say("Criteria left out"),
        options,
        start.without,
        key=f"{key}.without",
        accept_new_options=True,
        placeholder=say("None"),
    )
    return [f"criterion:{name}=" for name in chosen]


def _same_criteria(start: Start, key: str) -> list[str]:
    """Criteria that are read as another one, as words of a map; none before it is chosen."""
    return st.multiselect(
        say("Same criteria"),
        [*start.same, *start.offered],
        [*start.same],
        key=f"{key}.same",
        format_func=_pair,
        placeholder=say("None"),
        help=say("A judge's criterion and the annotators' criterion it corresponds to."),
    )


def _pair(word: str) -> str:
    """Two criteria that are the same, as a picker shows them."""
    one, _, other = word.partition(":")[2].rpartition("=")
    return f"{one} → {other}"


def _reasons(start: Start) -> list[str]:
    """Return the columns of reasons that accompany columns of grades."""
    if start.column("reason"):
        _also(start, ["reason"])
    return _as_proposed(start, "reason")


def _blindness(start: Start, key: str) -> list[str]:
    """The column that says which grades are blind, unless the user says that all of them are."""
    if not start.column("blind"):
        return []
    return [] if _saw_nothing(key) else _as_proposed(start, "blind")


def _blind_or_not(words: list[str], key: str) -> list[str]:
    """The words of a map of grades, with the user's word on whether they are blind."""
    if any(word.startswith("blind=") and word != "blind=" for word in words):
        rest = [word for word in words if not word.startswith("blind=")]
        return [*rest, "blind="] if _saw_nothing(f"{key}.no") else words
    saw = st.checkbox(
        say("The annotators saw other scores"), key=f"{key}.saw", help=say(_NOT_BLIND)
    )
    rest = [word for word in words if word != "blind="]
    return [*rest, f"blind{CONSTANT}false"] if saw else words


def _saw_nothing(key: str) -> bool:
    return st.checkbox(
        say("The annotators saw no other scores"), key=f"{key}.blind", help=say(_NOT_BLIND)
    )


def _as_proposed(start: Start, field: str) -> list[str]:
    """A field without a picker, as it was proposed."""
    return [f"{field}={column}" for column in start.fields.get(field, ())]


def _scores(table: Table, columns: ColumnMap, rubric: Rubric, key: str) -> list[str]:
    """Columns that each hold one grader's scores; proposed where they look so.

    Only those are taken at once that are named as a criterion beside a column of annotators.
    """
    criteria = rubric.headings()
    hits = [*possible_scores(table, columns, criteria)]
    if not columns.leftovers:
        return []
    by_people = are_annotators(table, columns)
    proposed = [
        GradeRow(True, hit.column, hit.criterion, hit.grader, "annotator")
        if by_people and not hit.grader
        else GradeRow(False, hit.column, hit.criterion, hit.grader, hit.kind_word)
        for hit in hits
    ]
    label = said("Grades in this file, one column per grader")
    if proposed:
        names = joined(", ", (row.column for row in proposed))
        label = said("Possible grades, one column per grader: {names}", names=names)
    with st.expander(
        plain(label), key=f"{key}.grades", expanded=bool(hits) or _per_grader(columns)
    ):
        becomes = said(
            "Each chosen column becomes grades of one grader under {rubric}.", rubric=rubric.name
        )
        only = said("These look like grade columns, and are imported only if you choose them.")
        unsure = any(not row.take for row in proposed)
        st.caption(say(joined(" ", [becomes, only if unsure else ""])))
        rows = of_columns(columns._replace(scores=()), proposed).grades
        rows = [filled(row, columns, [*criteria]) for row in rows]
        return grade_columns_table(rows, f"{key}.scores.{rubric.name}", criteria)
