"""Scores, statuses and kinds of grader as files spell them; nothing is rounded or clipped."""

import math
import re
from collections.abc import Sequence

from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.table import BadCell, Cell
from concord.messages import said
from concord.model import STATUSES
from concord.rubrics.model import Rubric

KINDS = {
    "annotator": "person",
    "person": "person",
    "human": "person",
    "judge": "judge",
    "llm": "judge",
    "metric": "metric",
}
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９．，－＋", "0123456789.,-+")
_WHOLE = re.compile(r"([+-]?\d+)(?:\.0*)?", re.ASCII)
# A comma before three digits may part thousands, so it stands for no decimal point.
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(?!\d{3}$)(\d*)$", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_STATUS = {folded(status): status for status in STATUSES}


def score(cell: Cell, scale: Sequence[int], kind: str = "person") -> int | float | None:
    """A score on the scale, a real number for a metric; None where the cell is blank.

    "3.0" and "3,0" equal 3. A fraction, a word and a number off the scale are refused.
    """
    given = of_cell.text(cell).strip()
    word = _DECIMAL_COMMA.sub(r"\1.\2", given.translate(_WIDE_DIGITS))
    if not word:
        return None
    if kind == "metric":
        return _real(word, given)
    whole = _WHOLE.fullmatch(word)
    if whole is None:
        is_number = _NUMBER.fullmatch(word)
        raise BadCell(
            said(
                "the score “{given}” is not a whole number. Give a score of {scale}."
                if is_number
                else "the score “{given}” is not a number. Give a score of {scale}.",
                given=of_cell.short(given),
                scale=_named(scale),
            )
        )
    if len(whole[1]) > 18 or int(whole[1]) not in scale:
        raise BadCell(
            said(
                "the score {given} is off the scale. Give a score of {scale}.",
                given=of_cell.short(given),
                scale=_named(scale),
            )
        )
    return int(whole[1])


def given(cell: Cell, rubric: Rubric, kind: str = "person") -> int | float | None:
    """Return the score of a cell under a rubric, of a whole answer or of a unit of one."""
    return verdict(cell, rubric) if rubric.units else score(cell, rubric.scale, kind)


def verdict(cell: Cell, rubric: Rubric) -> int | None:
    """The score of a verdict on a unit, given as its label or as the score itself; None: blank."""
    word = of_cell.text(cell).strip()
    levels = rubric.criteria[0].levels
    for level in levels:
        if folded(word) == folded(level.label):
            return level.score
    if not word or _NUMBER.fullmatch(word.translate(_WIDE_DIGITS)):
        return score(cell, rubric.scale)
    raise BadCell(
        said(
            "“{word}” is no verdict of {name}. Use one of: {names}.",
            word=of_cell.short(word),
            name=rubric.name,
            names=", ".join(level.label for level in levels),
        )
    )


def status(cell: Cell, scored: bool) -> str:
    """The status; where the cell is blank, `scored` if there is a score."""
    word = of_cell.text(cell).strip()
    known = _STATUS.get(folded(word)) if word else "scored"
    if known is None:
        raise BadCell(
            said(
                "the status “{word}” is unknown. Use one of: {names}.",
                word=of_cell.short(word),
                names=", ".join(STATUSES),
            )
        )
    if known == "scored" and not scored:
        raise BadCell(said("there is no score. Give one, or say why not with a status."))
    if known != "scored" and scored:
        raise BadCell(
            said(
                "there is a score although the status is {known}. Keep one of the two.", known=known
            )
        )
    return known


def kind(cell: Cell) -> str:
    """Annotator (or human), judge (or llm), metric."""
    word = of_cell.text(cell).strip()
    known = KINDS.get(word.casefold())
    if known is None:
        raise BadCell(
            said(
                "the kind of grader “{word}” is unknown. Write annotator or judge.",
                word=of_cell.short(word),
            )
        )
    return known


def criterion(cell: Cell, rubric: Rubric) -> str:
    """The rubric's criterion of that name or title; the only one where the cell is blank."""
    word = of_cell.text(cell).strip()
    names = [c.name for c in rubric.criteria]
    if not word and len(names) == 1:
        return names[0]
    for c in rubric.criteria:
        if folded(word) in (folded(c.name), folded(c.heading())):
            return c.name
    raise BadCell(
        said(
            "“{word}” is not a criterion of {name}. Use one of: {names}.",
            word=of_cell.short(word),
            name=rubric.name,
            names=", ".join(names),
        )
    )


def _real(word, given):
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadCell(
            said("the score “{given}” is not a number. Give a number.", given=of_cell.short(given))
        )
    return number


def _named(scale):
    steps = list(range(scale[0], scale[-1] + 1))
    if list(scale) == steps and len(steps) > 4:
        return said("the scale {low} to {high}, whole", low=scale[0], high=scale[-1])
    return said("the scale {scores}", scores=", ".join(map(str, scale)))
