"""Grades of 0 to 1 under a rubric with a longer scale: which there are, and what they are read as.

A 1 is then the best score of another scale, or a low one of this. Numbers do not tell, so the user
says it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple

from concord.importing import scores
from concord.importing.columns import ColumnMap, opened, prepared
from concord.importing.grade_scales import grade_scales
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Record, Table
from concord.importing.scores import Spread, Words, shown_scale
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
    if rubric.units or (rubric.scale[0] >= 0 and rubric.scale[-1] <= 1):
        return []
    columns = prepared(columns, [rubric])
    names = table.columns
    stated = [names.index(column) for column in columns.fields.get("probabilities", ())]
    version = names.index("version") if {"version", "grade_row"} <= {*names} else None

    def says_scale(record: Record) -> bool:
        cell = None if version is None else record.cells[version]
        return of_cell.shown(cell).strip() in versions or not all(
            of_cell.is_blank(record.cells[place]) for place in stated
        )

    counts: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for (criterion, kind), texts in grade_scales(table, columns).counts.items():
        with suppress(BadCell):
            group = scores.criterion(criterion, rubric)[0], kind == "judge"
            counts[group].update({} if kind == "metric" else texts)
    if stated or version is not None:  # what says its scale is of no other
        whole = opened(table, columns)
        sure = replace(whole, records=lambda: filter(says_scale, whole.records()))
        for criterion, kind in grade_scales(sure, columns).counts:
            with suppress(BadCell):
                counts.pop((scores.criterion(criterion, rubric)[0], kind == "judge"), None)
    found = []
    for (criterion, by_judges), texts in counts.items():
        open_ = {t: n for t, n in texts.items() if key(t) not in (words or {})}
        numbers = {t: n for t, n in open_.items() if scores.number(t) is not None}
        if numbers and all(0 <= (scores.number(text) or 0) <= 1 for text in numbers):
            found.append(Narrow(rubric.named(criterion), by_judges, numbers))
    return found


def spread(found: Sequence[Narrow]) -> Spread:
    """What is mapped to the scale, as readers of scores take it."""
    return {(one.criterion, one.by_judges) for one in found}


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


def _on(scale: Sequence[int], text: str) -> float | int:
    """A number of 0 to 1 as a score between the ends of a scale, exact."""
    low, high = scale[0], scale[-1]
    score = low + Fraction(str(scores.number(text))) * (high - low)
    return int(score) if score.denominator == 1 else float(score)
