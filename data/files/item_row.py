"""One record of an answer sheet as items: one, or in a wide sheet one per answering model."""

from collections.abc import Iterator, Sequence

from data.files import cell as of_cell
from data.files import listing
from data.files.columns import ColumnMap
from data.files.table import BadCell, Cell, Record
from data.model import Item


class ItemRow:
    """Reads records under a column map; leftover columns become metadata."""

    def __init__(self, columns: Sequence[str], mapped: ColumnMap):
        places = {column: place for place, column in enumerate(columns)}
        self._places = {f: [(c, places[c]) for c in cs] for f, cs in mapped.fields.items()}
        self._answers = {model: (c, places[c]) for model, c in mapped.answers.items()}
        self._leftovers = [(column, places[column]) for column in mapped.leftovers]

    def items(self, record: Record) -> Iterator[Item]:
        """The items of a record.

        In a wide sheet one id stands for several answers, so it is taken as the question's.

        Raises:
            BadCell: the first cell that cannot be taken, with its column.
        """
        question = self._one(record, "question", of_cell.text)
        if not question.strip():
            column = self._places["question"][0][0]
            raise BadCell("there is no question. Write it, or leave the row out.", column)
        item_id, question_id = self._name(record, "item_id"), self._name(record, "question_id")
        for model, answer in self._each_answer(record):
            yield Item(
                own_id=None if self._answers else item_id,
                question_id=question_id or (item_id if self._answers else None),
                cluster=self._name(record, "cluster"),
                question=question,
                contexts=self._all(record, "contexts", listing.contexts),
                answer=answer,
                answer_model=model,
                reference=self._all(record, "reference", listing.texts),
                reference_contexts=self._all(record, "reference_contexts", listing.texts),
                turns=self._one(record, "turns", listing.turns),
                synthetic=bool(self._one(record, "synthetic", of_cell.yes)),
                metadata=self._metadata(record),
                row=record.row,
            )

    def listed_in_vain(self, record: Record) -> bool:
        """Whether a context cell is text in square brackets that is no list."""
        places = self._places.get("contexts", ())
        return any(listing.looks_like_list(record.cells[place]) for _, place in places)

    def _each_answer(self, record):
        if not self._answers:
            yield self._name(record, "answer_model"), self._one(record, "answer", of_cell.text)
        for model, (column, place) in self._answers.items():
            yield model, _taken(of_cell.text, record.cells[place], column)

    def _name(self, record, field) -> str | None:
        return self._one(record, field, of_cell.name)

    def _one(self, record, field, read):
        """What `read` makes of the field's only column, or of no cell."""
        for column, place in self._places.get(field, ()):
            return _taken(read, record.cells[place], column)
        return read(None)

    def _all(self, record, field, read):
        """What `read` makes of the field's columns together."""
        places = self._places.get(field, ())
        return _taken(read, [record.cells[p] for _, p in places], ", ".join(c for c, _ in places))

    def _metadata(self, record) -> dict[str, Cell]:
        return {
            column: _taken(_storable, record.cells[place], column)
            for column, place in self._leftovers
            if not of_cell.is_blank(record.cells[place])
        }


def _taken(read, cell, column):
    """What `read` makes of a cell; what it refuses is refused under the column's name."""
    try:
        return read(cell)
    except BadCell as fault:
        raise BadCell(str(fault), column) from None


def _storable(cell):
    """A cell no one is shown: an error in it does no harm, but the database must take it."""
    shown = of_cell.text(of_cell.shown(cell))
    return cell if isinstance(cell, list | dict) else shown
