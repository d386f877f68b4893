"""One record of an answer sheet as items: one, or in a wide sheet one per answering model."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from concord.importing import column_paths, conversation, extra_fields, list_cells
from concord.importing.columns import ColumnMap
from concord.importing.conversation import Talk
from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record, one_line
from concord.messages import said
from concord.model import Item


class ItemRow:
    """Reads records under a column map; leftover columns become metadata."""

    def __init__(self, columns: Sequence[str], mapped: ColumnMap):
        places = {column: place for place, column in enumerate(columns)}
        self._places = {f: [(c, places[c]) for c in cs] for f, cs in mapped.fields.items()}
        self._answers = {model: (c, places[c]) for model, c in mapped.answers.items()}
        self._of_question = bool(mapped.answers) or (
            mapped.placeholder is not None
            and not column_paths.placeholders(mapped.column("item_id") or "")
        )
        self._leftovers = [(column, places[column]) for column in mapped.leftovers]
        self._told = [(field, read) for field, read in _BESIDE.items() if field in self._places]
        self._said = self._shared(self._read_talk, "question", "turns")
        self._contexts = self._shared(
            self._read_contexts, "contexts", "context_ids", "document_ids"
        )
        self._references = self._shared(self._texts_of("reference"), "reference")
        self._reference_contexts = self._shared(
            self._texts_of("reference_contexts"), "reference_contexts"
        )
        self.doubt = self._shared(self._doubt_of, "contexts")

    def items(self, record: Record) -> Iterator[Item]:
        """Yield the items of a record.

        Where a row has several answers, its id covers them all, so it is taken as the question's.

        Raises:
            BadCell: the first cell that cannot be taken, with its column.
        """
        said = self._said(record)
        contexts = self._contexts(record)
        item_id, question_id = self._name(record, "item_id"), self._name(record, "question_id")
        for model, answer in self._each_answer(record, said):
            yield Item(
                own_id=None if self._of_question else item_id,
                question_id=question_id or (item_id if self._of_question else None),
                cluster=self._name(record, "cluster"),
                question=said.question,
                contexts=contexts,
                answer=answer,
                answer_model=model,
                reference=self._references(record),
                reference_contexts=self._reference_contexts(record),
                turns=said.turns or None,
                synthetic=self._is_synthetic(record),
                metadata=self._metadata(record),
                row=record.row,
            )

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

    def _shared(self, read, *fields):
        """The reader of what answers to one question share, in whose next rows it is the same."""
        return _Shared(read, [place for f in fields for _, place in self._places.get(f, ())])

    def _is_synthetic(self, record) -> bool:
        given = "synthetic" in self._places
        return given and bool(self._one(record, "synthetic", of_cell.yes))

    def _texts_of(self, field):
        return lambda record: self._all(record, field, list_cells.texts)

    def _doubt_of(self, record: Record) -> str:
        """What is doubtful in the contexts of a record: `bracketed`, `one_text` or nothing.

        The first is text in square brackets that does not parse as a list, the second one text
        although the name of the column announces a list.
        """
        places = self._places.get("contexts", ())
        if any(list_cells.looks_like_list(record.cells[place]) for _, place in places):
            return "bracketed"
        if len(places) != 1 or not _is_of_several(places[0][0]):
            return ""
        cell = record.cells[places[0][1]]
        is_text = isinstance(cell, str) and cell.strip()[:1] not in ("", "[", "{")
        return "one_text" if is_text else ""

    def _read_talk(self, record) -> Talk:
        """The question with the earlier turns, and the answer where the conversation holds it."""
        turns = self._one(record, "turns", list_cells.turns) or ()
        for column, place in self._places.get("question", ()):
            if conversation.is_conversation(record.cells[place]):
                if turns:
                    raise BadCell(
                        "the conversation is also given as turns. Map only one of them.", column
                    )
                return self._talk(record.cells[place], column)
            question = _taken(of_cell.text, record.cells[place], column)
            if not question.strip():
                raise BadCell("there is no question. Add it, or remove the row.", column)
            return Talk(turns, question, None)
        for column, place in self._places.get("turns", ()):
            if not turns:
                raise BadCell("there is no conversation. Add it, or remove the row.", column)
            return self._talk(record.cells[place], column)
        raise BadCell("there is no question. Add it, or remove the row.")

    def _talk(self, cell, column):
        found = _taken(lambda given: conversation.talk(list_cells.turns(given) or ()), cell, column)
        if found.answer is None and not self._answers and "answer" not in self._places:
            fault = said("the conversation ends with the question. Add the answer to it.")
            raise BadCell(fault, column)
        return found

    def _read_contexts(self, record):
        found = self._all(record, "contexts", list_cells.contexts)
        if not self._places.keys() & {"context_ids", "document_ids"}:
            return extra_fields.named(found, None, None)
        chunks = self._one(record, "context_ids", extra_fields.ids)
        documents = self._one(record, "document_ids", extra_fields.ids)
        column = next(
            (c for f in ("context_ids", "document_ids") for c, _ in self._places.get(f, ())), None
        )
        return _taken(lambda given: extra_fields.named(given, chunks, documents), found, column)

    def _each_answer(self, record, talk):
        if not self._answers:
            answer = self._one(record, "answer", of_cell.text)
            if talk.answer is not None and answer not in ("", talk.answer):
                raise BadCell(
                    "the conversation ends with a different answer. Leave one of them out."
                )
            yield self._name(record, "answer_model"), talk.answer or answer
        if self._answers and talk.answer is not None:
            raise BadCell(
                "the conversation ends with an answer, but answers are mapped to columns too."
            )
        for model, (column, place) in self._answers.items():
            yield model, _taken(of_cell.text, record.cells[place], column)

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
            return read(())
        return _taken(read, [record.cells[p] for _, p in places], ", ".join(c for c, _ in places))

    def _metadata(self, record) -> dict[str, Cell]:
        if not self._leftovers and not self._told:
            return {}
        kept = {
            column: _taken(_storable, record.cells[place], column)
            for column, place in self._leftovers
            if not of_cell.is_blank(record.cells[place])
        }
        said = {field: self._one(record, field, read) for field, read in self._told}
        return kept | {field: value for field, value in said.items() if value is not None}


class _Shared:
    """Reads some cells of each record; where they repeat the record before, its result."""

    def __init__(self, read: Callable[[Record], Any], places: Sequence[int]):
        self._read = read
        self._pick = itemgetter(*places, slice(0))  # a tuple of any number of cells
        self._cells: tuple | None = None
        self._found: Any = None

    def __call__(self, record: Record) -> Any:
        cells = self._pick(record.cells)
        if cells != self._cells:
            self._found = self._read(record)
            # Only of texts is what is equal also spelt alike: 1 equals True.
            is_plain = all([isinstance(cell, str) or not cell for cell in cells])
            self._cells = cells if is_plain else None
        return self._found


# Facts that are kept beside an answer under these names, whatever their column is called.
_BESIDE = {
    "relevant_ids": extra_fields.ids,
    "rubric": extra_fields.rubric,
    "judge_date": of_cell.name,
}


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


def _storable(cell):
    """A cell no one is shown: an error in it does no harm, but the database must take it."""
    shown = of_cell.text(of_cell.shown(cell))
    return cell if isinstance(cell, list | dict) else shown
