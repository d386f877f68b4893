"""Records of an answer sheet as items: one each, or in a wide sheet one per answering model.

What is wrong with a cell is a code of `FAULTS`. Of an answer's extra fields context ids, relevant
ids and an item rubric are no texts.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from concord.importing import column_paths, list_cells
from concord.importing.columns import ColumnMap
from concord.importing.list_cells import Talk
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.importing.readers.table import Record, is_summary
from concord.messages import on_command_line
from concord.model import Context, Item

FAULTS = {
    "no_question": "there is no question. Add it, or remove the row.",
    "summary": "it is a summary of other rows, not a question. Remove the row.",
    "two_conversations": "the conversation is also given as turns. Map only one of them.",
    "no_conversation": "there is no conversation. Add it, or remove the row.",
    "no_answer": "the conversation ends with the question. Add the answer to it.",
    "two_answers": "the conversation ends with an answer, and a column holds another. Leave one of "
    "them out.",
    "no_members": "it is not a JSON object. Export the answers again.",
    "not_ids": "“{given}” is not a list of ids. Write a flat JSON list of texts or whole numbers, "
    'as in ["d1", "d2"], or leave it empty.',
    "unequal_lists": "there are {n} ids for {contexts} contexts. Give one id per context, in the "
    "same order.",
    "ids_twice": "the contexts already contain ids. Map a column to only one of the two.",
    "not_a_rubric": "it is not a rubric. Write an object with one text for each score, as in "
    '{{"0": "wrong", "1": "right"}}, or map no column to “Rubric of the item”{option}',
}
_OF_QUESTION = (
    *("question", "turns", "contexts", "context_ids", "document_ids", "question_id", "cluster"),
    *("reference", "reference_contexts", "synthetic"),
)
# From all fields in their order, in half the time that the class itself takes.
_item = partial(tuple.__new__, Item)


def bad(code: str, column: str | None = None, **values: Any) -> BadCell:
    """Return the fault of a code."""
    return BadCell(FAULTS[code], column, fault_code=code, **values)


class ItemRows:
    """A reader of records under a column map; leftover columns become metadata.

    `with_null`: a cell without a value is a missing answer, and not an empty one.
    """

    def __init__(self, columns: Sequence[str], mapped: ColumnMap, with_null: bool = False):
        self._with_null = with_null
        places = {column: place for place, column in enumerate(columns)}
        self._places = {f: [(c, places[c]) for c in cs] for f, cs in mapped.fields.items()}
        # In a wide sheet a column by answering model; an id there covers them all.
        self._wide = {model: (c, places[c]) for model, c in mapped.answers.items()}
        self._answers = [*self._places.get("answer", ()), *self._wide.values()]
        self._is_id_of_question = bool(mapped.answers) or (
            mapped.placeholder is not None
            and not column_paths.placeholders(mapped.column("item_id") or "")
        )
        self._leftovers = [(column, places[column]) for column in mapped.leftovers]
        # An export of Concord has a file's other columns as JSON, beside columns of its own.
        is_export = {*mapped.leftovers} >= {"metadata", "content_hash", "item_row", "question_row"}
        self._exported = places["metadata"] if is_export else None
        self._extra = [(field, read) for field, read in READERS.items() if field in self._places]
        shared = [place for f in _OF_QUESTION for _, place in self._places.get(f, ())]
        self._pick = itemgetter(*shared, slice(0))  # a tuple of any number of cells
        self._last: tuple[tuple, tuple] = ((), ())

    def read(self, record: Record) -> tuple[list[Item], int]:
        """Return the items of a record, and how many of its answers are null.

        Raises:
            BadCell: A cell cannot be taken; the first, with its column.
        """
        cells = record.cells
        # Records of one question mostly follow each other. Of texts alone is what is equal also
        # spelt alike: 1 equals True.
        picked = self._pick(cells)
        if picked != self._last[0] or not {*map(type, picked)} <= {str, type(None), tuple}:
            self._last = picked, self._question(cells)
        end, question_id, about, references = self._last[1]
        own_id = self._one(cells, "item_id", of_cell.name)
        if self._is_id_of_question:
            own_id, question_id = None, question_id or own_id
        if self._wide:
            if end is not None:
                raise bad("two_answers")
            named = [(m, self._answer(cells, c, place)) for m, (c, place) in self._wide.items()]
        else:
            answer: str | None = ""
            for column, place in self._answers:
                answer = self._answer(cells, column, place)
            if end is not None and answer not in ("", None, end):
                raise bad("two_answers")
            named = [(self._one(cells, "answer_model", of_cell.name), end or answer)]
        metadata = self._metadata(cells)
        found = [
            _item((own_id, question_id, *about, text, model, *references, metadata, record.row))
            for model, text in named
            if text is not None
        ]
        return found, len(named) - len(found)

    def _question(self, cells: Sequence[Cell]) -> tuple:
        """What the answers to a question share: the answer that a conversation ends with, ..."""
        talk = self._talk(cells)
        contexts = self._all(cells, "contexts", list_cells.contexts)
        given = [
            (column, name, _taken(ids, cells[place], column))
            for field, name in (("context_ids", "id"), ("document_ids", "doc_id"))
            for column, place in self._places.get(field, ())
        ]
        if not contexts:  # ids alone are contexts without text
            most = max([len(found or ()) for _, _, found in given], default=0)
            contexts = tuple(Context("", "", "", place) for place in range(1, most + 1))
        for column, name, found in given:
            if found is None:
                continue
            if len(found) != len(contexts):
                raise bad("unequal_lists", column, n=len(found), contexts=len(contexts))
            if any(getattr(one, name) for one in contexts):
                raise bad("ids_twice", column)
            pairs = zip(contexts, found, strict=True)
            contexts = tuple(one._replace(**{name: own}) for one, own in pairs)
        question_id = self._one(cells, "question_id", of_cell.name)
        cluster = self._one(cells, "cluster", of_cell.name)
        references = (
            self._all(cells, "reference", list_cells.texts),
            self._all(cells, "reference_contexts", list_cells.texts),
            talk.turns or None,
            bool(self._one(cells, "synthetic", of_cell.boolean)),
        )
        return talk.answer, question_id, (cluster, talk.question, contexts), references

    def _talk(self, cells: Sequence[Cell]) -> Talk:
        """The question with the earlier turns, and the answer where the conversation holds it."""
        turns = self._one(cells, "turns", list_cells.turns_in) or ()
        [(column, place), *_] = self._places.get("question") or self._places["turns"]
        if "question" in self._places:
            if not list_cells.is_conversation(cells[place]):
                question = _taken(of_cell.text, cells[place], column)
                if not question.strip():
                    raise bad("no_question", column)
                if is_summary(question) and not any(_has(cells, at) for _, at in self._answers):
                    raise bad("summary", column)
                earlier = list_cells.earlier_turns(turns, question) if turns else ()
                return Talk(earlier, question, None)
            if turns:
                raise bad("two_conversations", column)
            turns = _taken(list_cells.turns_in, cells[place], column)
        if not turns:
            raise bad("no_conversation", column)
        talk = _taken(list_cells.item_fields, turns, column)
        if talk.answer is None and not self._answers:
            raise bad("no_answer", column)
        return talk

    def _answer(self, cells: Sequence[Cell], column: str, place: int) -> str | None:
        """The text of an answer; None for a missing one."""
        cell = cells[place]
        if cell is None and self._with_null:
            return None
        return _taken(of_cell.text, cell, column)

    def _one(self, cells: Sequence[Cell], field: str, read: Callable) -> Any:
        """Return what `read` makes of the field's only column; None without one."""
        for column, place in self._places.get(field, ()):
            return _taken(read, cells[place], column)
        return None

    def _all(self, cells: Sequence[Cell], field: str, read: Callable) -> tuple:
        """Return what `read` makes of the field's columns together."""
        places = self._places.get(field)
        if not places:
            return ()
        return _taken(read, [cells[place] for _, place in places], ", ".join(c for c, _ in places))

    def _metadata(self, cells: Sequence[Cell]) -> dict[str, Cell]:
        if not self._leftovers and not self._extra:
            return {}
        if self._exported is not None:
            kept = _taken(_members, cells[self._exported], "metadata")
        else:
            kept = {
                column: _taken(_storable, cells[place], column)
                for column, place in self._leftovers
                if not of_cell.is_blank(cells[place])
            }
        extra = ((field, self._one(cells, field, read)) for field, read in self._extra)
        return kept | {field: value for field, value in extra if value is not None}


def _taken(read: Callable, cell: Any, column: str) -> Any:
    """Apply `read` to a cell, adding the column's name to its errors."""
    try:
        return read(cell)
    except BadCell as fault:
        raise BadCell(str(fault), column) from None


def _has(cells: Sequence[Cell], place: int) -> bool:
    return place < len(cells) and not of_cell.is_blank(cells[place])


def _members(cell: Cell) -> dict[str, Cell]:
    try:
        return dict(json.loads(cell))
    except (TypeError, ValueError):
        raise bad("no_members") from None


def _storable(cell: Cell) -> Cell:
    """A cell no one is shown: an error in it does no harm, but the database must take it."""
    shown = of_cell.text(of_cell.shown(cell))
    return cell if isinstance(cell, list | dict) else shown


def ids(cell: Cell) -> list[str] | None:
    """Return the ids in a cell, numbers as spelled; None for a blank cell.

    Raises:
        BadCell: An ambiguous text, or a list with other values.
    """
    if of_cell.is_blank(cell):
        return None
    found = _value(cell)
    given = found if isinstance(found, list) else [found]
    for one in given:
        is_torn = one is found and (one == "nan" or re.search(r"^\[|[,;|\s]", str(one)))
        if is_torn or isinstance(one, bool) or not isinstance(one, str | int):
            raise bad("not_ids", given=of_cell.excerpt(str(one)))
    return [of_cell.text(str(one)).strip() for one in given]


def rubric(cell: Cell) -> dict[str, str] | None:
    """Meanings by score, as `{"0": ..., "1": ...}`; None where the cell is blank.

    A key is a score, or a name that holds one, such as `score1_description`.
    """
    if of_cell.is_blank(cell) or cell == {}:
        return None
    found, meanings = _value(cell), {}
    for key, meaning in found.items() if isinstance(found, dict) else [("", cell)]:
        if meaning is None:  # Parquet gives every row the keys of all
            continue
        number = re.fullmatch(r"\s*(?:\D*?[^\d-]|)(-?\d{1,18})\D*", str(key))
        score = number and str(int(number[1]))
        if not score or not isinstance(meaning, str) or score in meanings:
            raise bad("not_a_rubric", option=on_command_line("--map rubric="))
        meanings[score] = of_cell.text(meaning)
    return meanings or None


# How each of `model.EXTRA_FIELDS` is read, whatever its column is called.
READERS: dict[str, Callable[[Cell], Any]] = {
    "relevant_ids": ids,
    "rubric": rubric,
    "judge_date": of_cell.name,
}


def _value(cell: Cell) -> Any:
    """Return the value of a cell, parsing JSON and what Python and NumPy print."""
    if isinstance(cell, Damaged):
        raise BadCell(cell.problem)
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    found = list_cells.parsed(text) if text[:1] + text[-1:] in ("[]", "{}") else None
    return text if found is None else found
