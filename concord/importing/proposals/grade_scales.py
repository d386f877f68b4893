"""Scales of the grades of a file, by criterion, before a rubric is chosen for them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from concord.importing import column_paths, grade_columns, scores
from concord.importing.answer_grades import GradeLists, under_keys
from concord.importing.columns import ColumnMap, opened
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.readers.table import Record, Table
from concord.importing.scale import Scale, read_scale
from concord.importing.scores import Words
from concord.messages import Said, joined, on_command_line, said, span
from concord.rubrics.model import Rubric
from concord.text.rating_words import key, rated_on

# What annotators give is on the scale of the rubric, and their means lie within it; a judge may
# have a range of its own.
_ANNOTATOR, _MEAN = "person", "mean"


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
        """The criteria as the file calls them; first those that annotators graded, metrics last."""
        kinds = (_ANNOTATOR, _MEAN, "judge", "metric")
        ordered = sorted(self.counts, key=lambda one: kinds.index(one[1]))
        return tuple(dict.fromkeys(criterion for criterion, _ in ordered))

    def of(self, criteria: Iterable[str], words: Words | None = None) -> Scale:
        """The scale of some criteria: as annotators use it, else their means, else as judges do.

        With `words` each of these is read as its score, or as no grade. A judge that grades in
        such words grades on the annotators' scale, which its words then extend.
        """
        chosen = {*criteria}
        kinds = {kind for criterion, kind in self.counts if criterion in chosen}
        wanted = {_ANNOTATOR} & kinds or {_MEAN} & kinds or kinds - {"metric"} or kinds
        return read_scale(
            (_as_score(text, words or {}), n)
            for (criterion, kind), counts in self.counts.items()
            if criterion in chosen
            for text, n in counts.items()
            if kind in wanted or (kind == "judge" and key(text) in (words or {}))
        )

    def different(self, words: Words | None = None) -> Said | None:
        """Return which criteria have incompatible scales; None where one scale fits all.

        A scale within another may be the same one, of which not every score was given; where it
        is at most half as long, it is not taken for that. A metric has no scale.
        """
        known = self._by_criterion(words)
        if all(_may_be_one(*pair) for pair in combinations({*known.values()}, 2)):
            return None
        scales = joined(
            ", ",
            [
                said("{name}: {what}", name=one, what=shown_scale(scale))
                for one, scale in known.items()
            ],
        )
        theirs, judged = (
            [criterion for criterion, kind in self.counts if kind in kinds]
            for kinds in ((_ANNOTATOR, _MEAN), ("judge",))
        )
        if not (theirs and judged) or {*theirs} & {*judged}:
            return said(
                "The criteria are on different scales ({scales}), and a rubric has one. Take the "
                "criteria of one scale now and the others from the same file afterwards.",
                scales=scales,
                fault_code="several_scales",
            )
        return said(
            "The criteria are on different scales ({scales}), and a rubric has one. Where a "
            "judge's criterion is the same as one of the annotators, choose the two under “Same "
            "criteria”{on_command_line}.",
            scales=scales,
            on_command_line=on_command_line(f'--map "criterion:{min(judged)}={min(theirs)}"'),
            fault_code="several_scales",
        )

    def others(self, words: Words | None = None) -> list[str]:
        """Return the criteria that are not on the scale of the first one."""
        known = self._by_criterion(words)
        first = next(iter(known.values()), ())
        return [one for one, scale in known.items() if not _may_be_one(first, scale)]

    def _by_criterion(self, words: Words | None) -> dict[str, tuple[int, ...]]:
        graded = {criterion for criterion, kind in self.counts if kind != "metric"}
        scales = {one: self.of([one], words).scale for one in self.criteria if one in graded}
        return {one: scale for one, scale in scales.items() if scale}

    def words(self) -> dict[str, int]:
        """Return the number of occurrences of each word that is not a number."""
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
    lists = GradeLists(with_paths.columns, columns)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    unreadable = 0
    for record in with_paths.records():
        if record.fault is not None:
            continue
        for criterion, kind, cell in _given(record, columns, places, lists):
            if cell is not None and not isinstance(cell, str):
                unreadable += 1
            elif cell and cell.strip():
                counts[criterion, kind][cell.strip()] += 1
    return GradeScales(counts, unreadable)


def _given(
    record: Record, columns: ColumnMap, places: Mapping[str, int], lists: GradeLists
) -> Iterator[tuple[str, str, Cell]]:
    """Yield criterion, kind and cell of each grade of a record."""

    def named(name: str) -> str:
        place = places.get(column_paths.key_name(name) or "", places.get(name))
        is_column = column_paths.key_name(name) and place is not None
        return of_cell.shown(record.cells[place]).strip() if is_column else name

    for score in columns.scores:
        for one, cell, _ in under_keys(score, record.cells[places[score.column]], columns.without):
            yield columns.criterion(named(one.criterion)), one.kind, cell
    for row in lists.of(record):
        values = {
            field: of_cell.shown(row.cells[places[column]]).strip() if column else ""
            for field, column in (
                (field, columns.column(field)) for field in ("criterion", "grader_kind")
            )
        }
        kind = scores.KINDS.get(values["grader_kind"].casefold(), _ANNOTATOR)
        yield (
            columns.criterion(values["criterion"]),
            kind,
            row.cells[places[columns.fields["score"][0]]],
        )


def shown_scale(scale: Sequence[int]) -> str:
    """A scale in a few letters, as 1-5; '' for none."""
    if not scale:
        return ""
    if list(scale) == list(range(scale[0], scale[-1] + 1)):
        return span(scale[0], scale[-1])
    return joined(", ", map(str, scale))


def _may_be_one(one: Sequence[int], other: Sequence[int]) -> bool:
    short, long = sorted((one, other), key=len)
    return {*short} <= {*long} and 2 * len(short) > len(long)


def _as_score(text: str, words: Words) -> str:
    if key(text) not in words:
        return text
    score = words[key(text)]
    return "" if score is None else f"{score:g}"


def with_usual(
    table: Table, columns: ColumnMap, rubrics: Sequence[Rubric], words: Words
) -> tuple[Words, list[Said]]:
    """The scores by word, with the usual ones of the other words of a file, and what to say of it.

    Args:
        table: The file of grades.
        columns: Its column map.
        rubrics: Whose scale the grades are on; verdicts on units are words of their own.
        words: Scores by word that the user gave.
    """
    if rubrics[0].units:
        return words, []
    seen = grade_scales(table, grade_columns.prepared(columns, rubrics)).words()
    usual = rated_on(seen, rubrics[0].scale, words)
    if not usual:
        return words, []
    by_score = sorted(usual.items(), key=lambda one: one[1])
    pairs = [said("{word} = {score}", word=word, score=score) for word, score in by_score]
    note = joined("", [said("the usual scores of these words"), ": ", joined(", ", pairs), "."])
    return {**words, **{key(word): score for word, score in by_score}}, [note]
