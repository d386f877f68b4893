"""Grades of 0 to 1 under a rubric with a longer scale: which there are, and what they are read as.

A 1 is then the best score of another scale, or a low one of this. Numbers do not tell, so the user
says it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from concord.importing import scores
from concord.importing.columns import ColumnMap, opened, prepared
from concord.importing.grade_scales import shown_scale
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Record, Table
from concord.importing.scores import Spread, Words
from concord.messages import Numeral, Problem, Said, joined, said
from concord.rubrics.model import Rubric
from concord.text.rating_words import key

Reading = Literal["mapped", "kept"]
_RANGES = re.compile(r"\s*0\s*-\s*1\s*=\s*(-?\d{1,4})\s*-\s*(-?\d{1,4})\s*", re.ASCII)
_VALUES = 12


class Narrow(NamedTuple):
    """Grades of one criterion, by judges or by annotators, which all lie within 0 to 1.

    `counts` is how often each number occurs, as it is written.
    """

    criterion: str
    by_judges: bool
    counts: Mapping[str, int]

    def mapped(self, scale: Sequence[int]) -> dict[str, float | int]:
        """Return the score of each number where 0 is the lowest score and 1 the highest."""
        found = sorted(self.counts, key=lambda text: scores.number(text) or 0)
        return {text: _on(scale, text) for text in found}

    def pairs(self, scale: Sequence[int]) -> Said:
        """Say the score of each number, as `mapped` gives it."""
        shown = [
            said("{word} = {score}", word=text, score=Numeral(f"{score:g}"))
            for text, score in self.mapped(scale).items()
        ]
        return joined(", ", [*shown[:_VALUES], *(["…"] if len(shown) > _VALUES else [])])

    def refused(self, scale: Sequence[int]) -> list[Said]:
        """Say which numbers, mapped, are between two scores: an annotator's is refused."""
        mapped = {} if self.by_judges else self.mapped(scale)
        return [
            scores.mapped_off_scale(text, score, scale)
            for text, score in mapped.items()
            if score not in scale
        ]

    def values(self) -> str:
        """Return the numbers with how often they occur."""
        shown = [
            said("{value} ×{n:,}", value=text, n=self.counts[text]) for text in self.mapped((0, 1))
        ]
        return joined(", ", [*shown[:_VALUES], *(["…"] if len(shown) > _VALUES else [])])


def answered(
    texts: Sequence[str], scales: Sequence[Sequence[int]]
) -> tuple[tuple[str, ...], Reading | None]:
    """Split `0-1=LOW-HIGH` from texts `WORD=SCORE`; None where it is not among them.

    Raises:
        Problem: it maps to none of the scales and not to 0-1.
    """
    found = [text for text in texts if _RANGES.fullmatch(text)]
    rest = tuple(text for text in texts if text not in found)
    ends = {tuple(map(int, _RANGES.fullmatch(text).groups())) for text in found}
    if not ends:
        return rest, None
    if len(ends) == 1 and ends <= {(0, 1), *((scale[0], scale[-1]) for scale in scales)}:
        return rest, "kept" if ends == {(0, 1)} else "mapped"
    raise Problem(
        "“{text}” does not say how numbers from 0 to 1 are read. Write 0-1={low}-{high} to map "
        "them to the scale, or 0-1=0-1 to keep them.",
        text=of_cell.excerpt(found[-1]),
        low=scales[0][0],
        high=scales[0][-1],
        fault_code="not_a_score",
    )


def narrow(
    table: Table,
    columns: ColumnMap,
    rubric: Rubric,
    words: Words | None = None,
    versions: Collection[str] = (),
) -> list[Narrow]:
    """Find criteria whose numbers all lie within 0 to 1, where the scale of the rubric is longer.

    Annotators and judges may use different ranges, so they are looked at apart. A metric has no
    scale. Nor is it a question where a row says its scale: by a probability per score, or as a row
    of an export of Concord whose version is one of the rubric's `versions`.

    Args:
        table: The file of grades.
        columns: Its column map.
        rubric: The rubric of whole answers that the grades are read under.
        words: Scores by word or number that the user gave.
        versions: The criterion versions that count for the rubric.
    """
    scale = rubric.scale
    if rubric.units or (scale[0] >= 0 and scale[-1] <= 1):
        return []
    columns = prepared(columns, [rubric])
    table = opened(table, columns)
    counts: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    beyond: set[tuple[str, bool]] = set()
    cells = _Cells(table, columns, rubric, frozenset(versions))
    for record in table.records():
        for group, text in cells.numbers(record):
            value = scores.number(text)
            if group in beyond or value is None or key(text) in (words or {}):
                continue
            if 0 <= value <= 1 and not cells.says_scale(record):
                counts[group][text] += 1
            else:
                beyond.add(group)
                counts.pop(group, None)
    return [
        Narrow(rubric.named(criterion), by_judges, dict(found))
        for (criterion, by_judges), found in counts.items()
    ]


def spread(found: Sequence[Narrow], scale: Sequence[int]) -> Spread:
    """The mapping of numbers of 0 to 1 to the scale: 0 is the lowest score, 1 the highest."""
    return {
        (one.criterion, one.by_judges): {
            key(text): score for text, score in one.mapped(scale).items()
        }
        for one in found
    }


def refusal(file: str, found: Sequence[Narrow], rubric: Rubric) -> Problem:
    """The error for a file whose numbers of 0 to 1 the user has not said how to read."""
    return Problem(
        "{file}: the numbers of {grades} lie within 0 to 1, and the scale of {rubric} is {scale}. "
        "Give --score 0-1={low}-{high} to map them to that scale, or --score 0-1=0-1 to keep them "
        "as they are.",
        file=file,
        grades=named(found),
        rubric=rubric.name,
        scale=shown_scale(rubric.scale),
        low=rubric.scale[0],
        high=rubric.scale[-1],
        on_screen=said(
            "The numbers of {grades} lie within 0 to 1, and the scale of {rubric} is {scale}. "
            "Choose above how they are read.",
            grades=named(found),
            rubric=rubric.name,
            scale=shown_scale(rubric.scale),
        ),
        fault_code="zero_to_one",
    )


def named(found: Sequence[Narrow]) -> Said:
    """Name the grades: of which criteria, and by whom."""
    return joined(
        ", ",
        [
            said(
                "{criterion} by judges" if one.by_judges else "{criterion} by annotators",
                criterion=one.criterion,
            )
            for one in found
        ],
    )


def sentences(found: Sequence[Narrow], scale: Sequence[int]) -> Iterator[Said]:
    """Say what each number is mapped to."""
    if not found:
        yield said("No criterion has numbers of 0 to 1 alone, so none is mapped to the scale.")
    for one in found:
        yield said(
            "Mapped numbers of {grades}: {pairs}.", grades=named([one]), pairs=one.pairs(scale)
        )


class _Cells:
    """The scores of a record, as text, with the criterion and whether a judge gave them."""

    def __init__(self, table, columns, rubric, versions):
        self._columns, self._rubric, self._versions = columns, rubric, versions
        places = {column: place for place, column in enumerate(table.columns)}
        self._fields = {field: places[found[0]] for field, found in columns.fields.items()}
        self._stated = [places[c] for c in columns.fields.get("probabilities", ())]
        self._scores = [(one, places[one.column]) for one in columns.scores]
        self._version = places.get("version") if "grade_row" in places else None

    def numbers(self, record: Record) -> Iterator[tuple[tuple[str, bool], str]]:
        """Yield each score that could be a number of another scale; faulty cells are left."""
        if record.fault is not None:
            return
        for kind, criterion, cell in self._given(record):
            try:
                named = self._columns.criterion(of_cell.text(criterion).strip())
                name = scores.criterion(named, self._rubric)[0]
                text, kind = of_cell.text(cell).strip(), kind or scores.kind(self._kind(record))
            except BadCell:
                continue
            if text and kind != "metric":
                yield (name, kind == "judge"), text

    def _given(self, record):
        for one, place in self._scores:
            yield one.kind, one.criterion, record.cells[place]
        if not self._scores and "score" in self._fields:
            yield "", self._cell(record, "criterion"), self._cell(record, "score")

    def _kind(self, record):
        return self._cell(record, "grader_kind")

    def _cell(self, record, field):
        place = self._fields.get(field)
        return None if place is None else record.cells[place]

    def says_scale(self, record: Record) -> bool:
        """True where the row says which scale its score is on."""
        if any(not of_cell.is_blank(record.cells[place]) for place in self._stated):
            return True
        cell = None if self._version is None else record.cells[self._version]
        return isinstance(cell, str) and cell.strip() in self._versions


def _on(scale: Sequence[int], text: str) -> float | int:
    """A number of 0 to 1 as a score between the ends of a scale, exact."""
    low, high = scale[0], scale[-1]
    score = low + Fraction(str(scores.number(text))) * (high - low)
    return int(score) if score.denominator == 1 else float(score)
