"""Scales of the grades of a file, by criterion, before a rubric is chosen for them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from concord.importing import column_paths, scores
from concord.importing.answer_grades import under_keys
from concord.importing.columns import ColumnMap, opened
from concord.importing.readers import cells as of_cell
from concord.importing.readers.table import Cell, Record, Table
from concord.importing.scale import Scale, read_scale_of_counts
from concord.importing.scores import Words
from concord.text.rating_words import key

# What annotators give is on the scale of the rubric; a judge or a mean may have a range of its own.
_ANNOTATOR = "person"


@dataclass(frozen=True)
class GradeScales:
    """The grades of a file as they are spelt.

    Attributes:
        counts: How often each text occurs, by criterion and kind of grader.
        unreadable: Cells with a list, an object or damage.
    """

    counts: Mapping[tuple[str, str], Mapping[str, int]]
    unreadable: int

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria as the file calls them."""
        return tuple(dict.fromkeys(criterion for criterion, _ in self.counts))

    def of(self, criteria: Iterable[str], words: Words | None = None) -> Scale:
        """The scale of some criteria: as annotators use it, else as the other graders do.

        With `words` each of these is read as its score, or as no grade.
        """
        chosen = {*criteria}
        kinds = {kind for criterion, kind in self.counts if criterion in chosen}
        wanted = {_ANNOTATOR} & kinds or kinds - {"metric"} or kinds
        return read_scale_of_counts(
            (_as_score(text, words or {}), n)
            for (criterion, kind), counts in self.counts.items()
            if criterion in chosen and kind in wanted
            for text, n in counts.items()
        )

    def words(self) -> dict[str, int]:
        """How often each word that is no number occurs."""
        found: Counter[str] = Counter()
        for counts in self.counts.values():
            for text, n in counts.items():
                if scores.number(text) is None:
                    found[text] += n
        return dict(found.most_common())


def grade_scales(table: Table, columns: ColumnMap) -> GradeScales:
    """Count what the grade columns of a file hold, in one pass."""
    with_paths = opened(table, columns)
    places = {column: place for place, column in enumerate(with_paths.columns)}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    unreadable = 0
    for record in with_paths.records():
        if record.fault is not None:
            continue
        for criterion, kind, cell in _given(record, columns, places):
            if cell is not None and not isinstance(cell, str):
                unreadable += 1
            elif cell and cell.strip():
                counts[criterion, kind][cell.strip()] += 1
    return GradeScales(counts, unreadable)


def _given(
    record: Record, columns: ColumnMap, places: Mapping[str, int]
) -> Iterator[tuple[str, str, Cell]]:
    """Yield criterion, kind and cell of each grade of a record."""

    def named(name: str) -> str:
        place = places.get(column_paths.key_name(name) or "", places.get(name))
        is_column = column_paths.key_name(name) and place is not None
        return of_cell.shown(record.cells[place]).strip() if is_column else name

    for score in columns.scores:
        for one, cell in under_keys(score, record.cells[places[score.column]]):
            yield named(one.criterion), one.kind, cell
    long = columns.column("score")
    if long:
        said_of = {
            field: of_cell.shown(record.cells[places[column]]).strip() if column else ""
            for field, column in (
                (field, columns.column(field)) for field in ("criterion", "grader_kind")
            )
        }
        kind = scores.KINDS.get(said_of["grader_kind"].casefold(), _ANNOTATOR)
        yield said_of["criterion"], kind, record.cells[places[long]]


def _as_score(text: str, words: Words) -> str:
    if key(text) not in words:
        return text
    score = words[key(text)]
    return "" if score is None else f"{score:g}"
