"""Records of an answer sheet as items: one each, or in a wide sheet one per answering model.

Of an answer's extra fields context ids, relevant ids and an item rubric are no texts.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, NamedTuple

from concord.importing import column_paths, list_cells
from concord.importing.columns import ColumnMap
from concord.importing.fields import folded
from concord.importing.list_cells import Talk
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.importing.readers.table import Record, is_summary, one_line
from concord.messages import on_command_line, said
from concord.model import Context, Item


class RowItems(NamedTuple):
    """The items of a record; without any, `fault` is its first cell that cannot be taken.

    `missing` is how many answers are null.
    `doubt` is what is doubtful in its contexts: `bracketed`, text in square brackets that does not
    parse as a list; `one_text`, one text although the name of the column announces a list; or ''.
    """

    items: Sequence[Item] = ()
    doubt: str = ""
    fault: BadCell | None = None
    missing: int = 0


class ItemRows:
    """A reader of records under a column map; leftover columns become metadata.

    `with_null`: a cell without a value is a missing answer, and not an empty one.
    """

    def __init__(self, columns: Sequence[str], mapped: ColumnMap, with_null: bool = False):
        self._with_null = with_null
        places = {column: place for place, column in enumerate(columns)}
        self._places = {f: [(c, places[c]) for c in cs] for f, cs in mapped.fields.items()}
        self._answers = {model: (c, places[c]) for model, c in mapped.answers.items()}
        self._of_question = bool(mapped.answers) or (
            mapped.placeholder is not None
            and not column_paths.placeholders(mapped.column("item_id") or "")
        )
        self._leftovers = [(column, places[column]) for column in mapped.leftovers]
        # An export of Concord has a file's other columns as JSON, beside columns of its own.
        is_export = {*mapped.leftovers} >= {"metadata", "content_hash", "item_row", "question_row"}
        self._exported = places["metadata"] if is_export else None
        self._extra = [(field, read) for field, read in READERS.items() if field in self._places]
        self._questions = self._shared(self._read_question, *_OF_QUESTION)
        self._models = self._shared(lambda row: self._name(row, "answer_model"), "answer_model")

    def read(self, records: Sequence[Record]) -> list[RowItems]:
        """Return the items of each record; of records that follow each other, shared cells once.

        Where a row has several answers, its id covers them all, so it is taken as the question's.
        """
        try:
            return self._read(records)
        except BadCell as fault:
            if len(records) == 1:
                return [RowItems(fault=fault)]
        half = len(records) // 2
        return [*self.read(records[:half]), *self.read(records[half:])]

    def _read(self, records: Sequence[Record]) -> list[RowItems]:
        """Return the items of all records; a BadCell where one of them cannot be taken."""
        asked = self._questions(records)
        own_ids = [self._name(record, "item_id") for record in records]
        answers = self._all_answers(records, asked)
        metadata = map(self._metadata, records)
        rows = [record.row for record in records]
        found = []
        for one, own_id, given, *parts in zip(asked, own_ids, answers, metadata, rows, strict=True):
            given = list(given)
            there = [pair for pair in given if pair[1] is not None]
            items = _items(one, own_id, there, *parts, self._of_question)
            found.append(RowItems(items, one.doubt, missing=len(given) - len(there)))
        return found

    def models(self, record: Record) -> list[str | None]:
        """The answering models of a record that cannot be taken, as far as it says; None: unknown.

        In a wide sheet one for each answer that is not blank.
        """
        if self._answers:
            named = ((model, place) for model, (_, place) in self._answers.items())
            return [model for model, place in named if _is_there(record, place)]
        for _, place in self._places.get("answer_model", ()):
            if _is_there(record, place):
                return [one_line(record.cells[place])]
        return [None]

    def _shared(self, read, *fields) -> "_Shared":
        return _Shared(read, [place for f in fields for _, place in self._places.get(f, ())])

    def _read_question(self, record: Record) -> "_Question":
        talk = self._read_talk(record)
        return _Question(
            talk=talk,
            turns=talk.turns or None,
            contexts=self._read_contexts(record),
            question_id=self._name(record, "question_id"),
            cluster=self._name(record, "cluster"),
            reference=self._all(record, "reference", list_cells.texts),
            reference_contexts=self._all(record, "reference_contexts", list_cells.texts),
            synthetic="synthetic" in self._places
            and bool(self._one(record, "synthetic", of_cell.boolean)),
            doubt=self._doubt_of(record),
        )

    def _doubt_of(self, record: Record) -> str:
        places = self._places.get("contexts", ())
        for _, place in places:
            if list_cells.looks_like_list(record.cells[place]):
                return "bracketed"
        if len(places) != 1 or not _is_of_several(places[0][0]):
            return ""
        cell = record.cells[places[0][1]]
        is_text = isinstance(cell, str) and cell.strip()[:1] not in ("", "[", "{")
        return "one_text" if is_text else ""

    def _read_talk(self, record) -> Talk:
        """The question with the earlier turns, and the answer where the conversation holds it."""
        turns = self._one(record, "turns", list_cells.turns_in) or ()
        for column, place in self._places.get("question", ()):
            if list_cells.is_conversation(record.cells[place]):
                if turns:
                    raise BadCell(
                        "the conversation is also given as turns. Map only one of them.",
                        column,
                        fault_code="two_conversations",
                    )
                return self._talk(record.cells[place], column)
            question = _taken(of_cell.text, record.cells[place], column)
            if not question.strip():
                raise BadCell(
                    "there is no question. Add it, or remove the row.",
                    column,
                    fault_code="no_question",
                )
            if is_summary(question) and not self._has_answer(record):
                raise BadCell(
                    "it is a summary of other rows, not a question. Remove the row.",
                    column,
                    fault_code="summary",
                )
            return Talk(list_cells.earlier_turns(turns, question), question, None)
        for column, place in self._places.get("turns", ()):
            if not turns:
                raise BadCell(
                    "there is no conversation. Add it, or remove the row.",
                    column,
                    fault_code="no_conversation",
                )
            return self._talk(record.cells[place], column)
        raise BadCell("there is no question. Add it, or remove the row.", fault_code="no_question")

    def _has_answer(self, record) -> bool:
        places = [*self._places.get("answer", ()), *self._answers.values()]
        return any(_is_there(record, place) for _, place in places)

    def _talk(self, cell, column):
        found = _taken(
            lambda given: list_cells.item_fields(list_cells.turns_in(given) or ()),
            cell,
            column,
        )
        if found.answer is None and not self._answers and "answer" not in self._places:
            fault = said(
                "the conversation ends with the question. Add the answer to it.",
                fault_code="no_answer",
            )
            raise BadCell(fault, column)
        return found

    def _read_contexts(self, record):
        found = self._all(record, "contexts", list_cells.contexts)
        if "context_ids" not in self._places and "document_ids" not in self._places:
            return found
        chunks = self._one(record, "context_ids", ids)
        documents = self._one(record, "document_ids", ids)
        column = next(
            (c for f in ("context_ids", "document_ids") for c, _ in self._places.get(f, ())), None
        )
        return _taken(lambda given: named_contexts(given, chunks, documents), found, column)

    def _all_answers(self, records, asked) -> Iterable[Iterable[tuple[str | None, str | None]]]:
        """The answers of each record with their answering models; None for a missing one."""
        ends = [one.talk.answer for one in asked if one.talk.answer is not None]
        if not self._answers:
            answers = [""] * len(records)
            for column, place in self._places.get("answer", ()):
                answers = self._texts(records, column, place)
            if ends:
                talks = [one.talk for one in asked]
                answers = list(map(_last_answer, talks, answers))
            return zip(zip(self._models(records), answers, strict=True), strict=True)
        if ends:
            raise BadCell(
                "the conversation ends with an answer, but answers are mapped to columns too. "
                "Leave one of them out.",
                fault_code="two_answers",
            )
        columns = [
            zip(repeat(model), self._texts(records, column, place), strict=False)
            for model, (column, place) in self._answers.items()
        ]
        return zip(*columns, strict=True)

    def _texts(self, records, column, place) -> list[str | None]:
        cells = [record.cells[place] for record in records]
        found = _taken(lambda given: list(map(_answer, given)), cells, column)
        if not self._with_null:
            return found
        return [None if c is None else text for c, text in zip(cells, found, strict=True)]

    def _name(self, record, field) -> str | None:
        return self._one(record, field, of_cell.name) if field in self._places else None

    def _one(self, record, field, read):
        """Return what `read` makes of the field's only column, or of an empty cell."""
        for column, place in self._places.get(field, ()):
            return _taken(read, record.cells[place], column)
        return read(None)

    def _all(self, record, field, read):
        """Return what `read` makes of the field's columns together."""
        places = self._places.get(field)
        if not places:
            return ()
        try:
            return read([record.cells[place] for _, place in places])
        except BadCell as fault:
            raise BadCell(str(fault), ", ".join(column for column, _ in places)) from None

    def _metadata(self, record) -> dict[str, Cell]:
        if not self._leftovers and not self._extra:
            return {}
        if self._exported is not None:
            kept = _taken(_members, record.cells[self._exported], "metadata")
        else:
            kept = {
                column: _taken(_storable, record.cells[place], column)
                for column, place in self._leftovers
                if not of_cell.is_blank(record.cells[place])
            }
        extra = {field: self._one(record, field, read) for field, read in self._extra}
        return kept | {field: value for field, value in extra.items() if value is not None}


class _Question(NamedTuple):
    """What the answers to one question share, whose rows mostly follow each other."""

    talk: Talk
    turns: tuple[dict, ...] | None
    contexts: tuple[Context, ...]
    question_id: str | None
    cluster: str | None
    reference: tuple[str, ...]
    reference_contexts: tuple[str, ...]
    synthetic: bool
    doubt: str


_OF_QUESTION = (
    "question",
    "turns",
    "contexts",
    "context_ids",
    "document_ids",
    "question_id",
    "cluster",
    "reference",
    "reference_contexts",
    "synthetic",
)


class _Shared:
    """Reads some cells of records that follow each other; where they are the same, only once."""

    def __init__(self, read: Callable[[Record], Any], places: Sequence[int]):
        self._read = read
        self._pick = itemgetter(*places, slice(0))  # a tuple of any number of cells

    def __call__(self, records: Sequence[Record]) -> list:
        picked = [self._pick(record.cells) for record in records]
        # Only of texts is what is equal also spelt alike: 1 equals True.
        if not {*map(type, chain.from_iterable(picked))} <= _SPELT:
            return list(map(self._read, records))
        read = {
            cells: self._read(one) for cells, one in dict(zip(picked, records, strict=True)).items()
        }
        return [read[cells] for cells in picked]


# Types of the cells that may be shared, and of the empty slice that is picked with them.
_SPELT = {str, type(None), tuple}


def _members(cell) -> dict[str, Cell]:
    try:
        return dict(json.loads(cell))
    except (TypeError, ValueError):
        raise BadCell("it is not a JSON object. Export the answers again.") from None


def _items(asked, own_id, answers, metadata, row, of_question) -> list[Item]:
    question_id = asked.question_id
    if of_question:
        own_id, question_id = None, question_id or own_id
    # By position, in the order of the fields: names would double the time.
    return [
        Item(
            own_id,
            question_id,
            asked.cluster,
            asked.talk.question,
            asked.contexts,
            answer,
            model,
            asked.reference,
            asked.reference_contexts,
            asked.turns,
            asked.synthetic,
            metadata,
            row,
        )
        for model, answer in answers
    ]


def _last_answer(talk: Talk, answer: str | None) -> str | None:
    """The answer that ends a conversation, which the column of answers may only repeat."""
    if talk.answer is not None and answer not in ("", None, talk.answer):
        raise BadCell(
            "the conversation ends with a different answer. Leave one of them out.",
            fault_code="two_answers",
        )
    return talk.answer or answer


@cache
def _is_of_several(column):
    return folded(column) == "retrievalcontext" or folded(column).endswith("s")


def _is_there(record, place):
    return place < len(record.cells) and not of_cell.is_blank(record.cells[place])


def _taken(read, cell, column):
    """Apply `read` to a cell, adding the column's name to its errors."""
    try:
        return read(cell)
    except BadCell as fault:
        raise BadCell(str(fault), column) from None


def _answer(cell: Cell) -> str:
    """The text of an answer, which may be the only message of a list."""
    if isinstance(cell, list) and len(cell) == 1:
        cell = list_cells.answer_alone(cell) or cell
    return of_cell.text(cell)


def _storable(cell):
    """A cell no one is shown: an error in it does no harm, but the database must take it."""
    shown = of_cell.text(of_cell.shown(cell))
    return cell if isinstance(cell, list | dict) else shown


_NUMBERS = re.compile(r"\[\s*\d+(?:\s+\d+)+\s*\]")
_SEVERAL = re.compile(r"[,;|\s]")


def ids(cell: Cell) -> list[str] | None:
    """Return the ids in a cell, numbers as spelled; None for a blank cell.

    Raises:
        BadCell: An ambiguous text, or a list with other values.
    """
    if of_cell.is_blank(cell):
        return None
    found = _value(cell)
    if isinstance(found, str):
        word = of_cell.text(found).strip()
        if word == "nan" or word[:1] == "[" or _SEVERAL.search(word):
            raise BadCell(
                '“{word}” is not a list of ids. Write a JSON list, as in ["d1", "d2"], or leave '
                "it empty.",
                word=of_cell.excerpt(word),
                fault_code="not_ids",
            )
        return [word]
    given = found if isinstance(found, list) else [found]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise BadCell(
                "{one} is not an id. Write a flat list of strings or whole numbers.",
                one=json.dumps(one, default=str),
                fault_code="not_ids",
            )
    return [of_cell.text(str(one)).strip() for one in given]


def named_contexts(
    contexts: Sequence[Context], chunks: list[str] | None, documents: list[str] | None
) -> tuple[Context, ...]:
    """Return contexts with ids from separate columns; ids alone are contexts without text.

    Raises:
        BadCell: Numbers of ids and contexts differ, or a context would have two ids.
    """
    if not contexts:
        number = max(len(chunks or ()), len(documents or ()))
        contexts = [Context("", "", "", place) for place in range(1, number + 1)]
    for field, given in (("id", chunks), ("doc_id", documents)):
        if given is not None:
            contexts = _under(contexts, field, given)
    return tuple(contexts)


def rubric(cell: Cell) -> dict[str, str] | None:
    """Meanings by score, as `{"0": ..., "1": ...}`; None where the cell is blank.

    A key is a score, or a name that holds one, such as `score1_description`.
    """
    if of_cell.is_blank(cell) or cell == {}:
        return None
    found = _value(cell)
    if not isinstance(found, dict):
        raise BadCell(
            'it is not a rubric. Write an object with a meaning for each score, as in {{"0": '
            '"wrong", "1": "right"}}, or map no column to “Rubric of the item”{on_command_line}',
            on_command_line=on_command_line("--map rubric="),
            fault_code="not_a_rubric",
        )
    meanings: dict[str, str] = {}
    for key, meaning in found.items():
        if meaning is None:  # Parquet gives every row the keys of all
            continue
        score = _score(str(key))
        if not isinstance(meaning, str) or score in meanings:
            fault = said("occurs twice" if score in meanings else "has no text")
            raise BadCell(
                "score {score} {fault}. Give each score one text.",
                score=score,
                fault=fault,
                fault_code="not_a_rubric",
            )
        meanings[score] = of_cell.text(meaning)
    return meanings or None


# How each of `model.EXTRA_FIELDS` is read, whatever its column is called.
READERS: dict[str, Callable[[Cell], Any]] = {
    "relevant_ids": ids,
    "rubric": rubric,
    "judge_date": of_cell.name,
}


def _score(key: str) -> str:
    whole = key.strip()
    numbers = [whole] if re.fullmatch(r"-?\d+", whole) else re.findall(r"\d+", whole)
    if len(numbers) != 1 or len(numbers[0]) > 18:
        raise BadCell(
            "the key “{key}” does not name a score. Write it as in score1.",
            key=of_cell.excerpt(key),
            fault_code="not_a_rubric",
        )
    return str(int(numbers[0]))


def _under(contexts: Sequence[Context], field: str, given: list[str]) -> list[Context]:
    if len(given) != len(contexts):
        raise BadCell(
            "the numbers of ids ({n}) and contexts ({contexts}) differ. Give one id per context, "
            "in the same order.",
            n=len(given),
            contexts=len(contexts),
            fault_code="unequal_lists",
        )
    twice = [one for one, told in zip(contexts, given, strict=True) if getattr(one, field) != ""]
    if twice:
        raise BadCell(
            "the contexts already contain ids. Map a column to only one of the two.",
            fault_code="ids_twice",
        )
    return [one._replace(**{field: told}) for one, told in zip(contexts, given, strict=True)]


def _value(cell: Cell) -> Any:
    """Return the value of a cell, parsing JSON and printed Python."""
    if isinstance(cell, Damaged):
        raise BadCell(cell.problem)
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return text
    for read in (json.loads, _printed):
        try:
            found = of_cell.nested(read(text))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list | dict):
            return found
    return text


def _printed(text: str) -> Any:
    """Return the value of a text as Python or NumPy prints it; NumPy prints no commas."""
    if _NUMBERS.fullmatch(text):
        return text[1:-1].split()
    texts = list_cells.spelled(text) if text[0] == "[" else None
    found = ast.literal_eval(text) if texts is None else texts
    if texts is None and isinstance(found, list) and any(isinstance(one, str) for one in found):
        raise ValueError("neighbours may have been joined")
    return found
