"""Scale of grade columns, read off their cells: whole numbers, words, or continuous.

Pure, and in one pass: what is kept does not grow with the file.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.scores import number
from concord.messages import Numeral, joined, said
from concord.text.rating_words import key, rated

Kind = Literal["whole", "words", "continuous", "none"]
# Different values that are counted one by one; what comes later is counted together.
MOST_VALUES = 1000
# A rubric has at most so many scores.
MOST_SCORES = 101
# Few enough whole numbers far off the others are codes for a missing grade, as 99 or -1, or slips.
_RARE, _ENOUGH = 0.05, 20
# Where scales usually end, by where they begin.
_ENDS = {0: (1, 2, 3, 4, 5, 10, 100), 1: (2, 3, 4, 5, 7, 10, 100)}


@dataclass(frozen=True)
class Value:
    """A value that occurs: its first spelling, how often, and the score that is proposed for it.

    A word that no convention gives a score has None; a fraction is its own score.
    """

    text: str
    n: int
    score: float | int | None


@dataclass(frozen=True)
class Scale:
    """The scale of some grade columns.

    Attributes:
        kind: `whole` numbers, `words`, `continuous` (fractions occur), or `none` without a grade.
        n: Grades.
        blank: Empty cells, which are no grades.
        unreadable: Cells that hold no text.
        values: What occurs, in the order of the scores; words without a score come last.
        uncounted: Grades with values beyond `MOST_VALUES`.
        fractions: Grades that are fractions.
        low: The lowest number; None without any.
        high: The highest number.
        scale: The proposed scores in rising order; empty where none can be proposed.
        reason: Why these, or why none, in a sentence.
        outside: Rare whole numbers far off the others, which the proposed scale leaves out.
    """

    kind: Kind
    n: int
    blank: int
    unreadable: int
    values: tuple[Value, ...]
    uncounted: int
    fractions: int
    low: float | None
    high: float | None
    scale: tuple[int, ...]
    reason: str
    outside: tuple[int, ...] = ()

    def whole(self) -> set[int]:
        """Return the whole scores that occur, without those far off the others."""
        return {one.score for one in self.values if isinstance(one.score, int)} - {*self.outside}

    def words(self) -> dict[str, int | None]:
        """Return the proposed score of each word; None where the user has to say it."""
        return {one.text: one.score for one in self.values if number(one.text) is None}


def read_scale(counts: Iterable[tuple[Cell, int]]) -> Scale:
    """Read the scale off the cells of grade columns, each with how often it occurs."""
    seen = _Seen()
    for cell, n in counts:
        seen.take(cell, n)
    return seen.read()


class _Seen:
    """What the cells so far hold."""

    def __init__(self):
        self.n = self.blank = self.unreadable = self.uncounted = self.fractions = 0
        self.low, self.high = math.inf, -math.inf
        self.counts: Counter[str | float] = Counter()
        self.spelt: dict[str | float, str] = {}

    def take(self, cell: Cell, n: int) -> None:
        """Take in a cell that occurs `n` times."""
        try:
            text = of_cell.text(cell).strip()
        except BadCell:
            self.unreadable += n
            return
        if not text:
            self.blank += n
            return
        self.n += n
        found = number(text)
        if found is not None:
            self.low, self.high = min(self.low, found), max(self.high, found)
            self.fractions += 0 if isinstance(found, int) else n
        slot = key(text) if found is None else found
        if slot not in self.counts and len(self.counts) >= MOST_VALUES:
            self.uncounted += n
            return
        self.counts[slot] += n
        self.spelt.setdefault(slot, text if len(text) <= 200 else text[:200])

    def read(self) -> Scale:
        numbers = sorted(slot for slot in self.counts if not isinstance(slot, str))
        words = {slot: n for slot, n in self.counts.items() if isinstance(slot, str)}
        far = () if self.fractions or self.uncounted else _far({n: self.counts[n] for n in numbers})
        near = [one for one in numbers if one not in far]
        kind, scale, reason = self._proposal(near, [self.spelt[slot] for slot in words])
        if far:
            reason = said(
                "{reason}; {outside} ({n} of {of} grades) is left out as a code for a missing "
                "grade or a typing error",
                reason=reason,
                outside=_listed(far),
                n=Numeral(f"{sum(self.counts[one] for one in far):,}"),
                of=Numeral(f"{self.n:,}"),
            )
        scores = rated(words).scores if kind == "words" else {}
        values = [Value(self.spelt[one], self.counts[one], one) for one in numbers]
        values += sorted(
            (Value(self.spelt[slot], n, scores.get(slot)) for slot, n in words.items()),
            key=lambda one: (one.score is None, one.score or 0, -one.n),
        )
        return Scale(
            kind=kind,
            n=self.n,
            blank=self.blank,
            unreadable=self.unreadable,
            values=tuple(values),
            uncounted=self.uncounted,
            fractions=self.fractions,
            low=None if math.isinf(self.low) else float(self.low),
            high=None if math.isinf(self.high) else float(self.high),
            scale=scale,
            reason=reason,
            outside=far,
        )

    def _proposal(self, numbers, words) -> tuple[Kind, tuple[int, ...], str]:
        if self.fractions:
            return "continuous", *_around(self.low, self.high, self.fractions, self.n)
        if numbers:
            if self.uncounted:
                return "whole", (), said("too many distinct numbers for scores")
            return "whole", *_of_whole(numbers)
        if words:
            return "words", *_of_words(words)
        return "none", (), said("no cell contains a grade")


def _far(counts: Mapping[int, int]) -> tuple[int, ...]:
    """Rare numbers below 0, or more than twice the end of a scale of which every score occurs."""
    n, left = sum(counts.values()), sorted(counts)
    near = [one for one in left if counts[one] > _RARE * n]
    if n < _ENOUGH or len(near) < 2 or near[0] < 0:
        return ()
    begin = _begin(near[0])
    end = _end(begin, near[-1])
    far = tuple(one for one in left if one > 2 * end or (one < 0 and end > 1))
    is_whole = {*range(begin, end + 1)} <= {*left}
    return far if is_whole and sum(counts[one] for one in far) <= _RARE * n else ()


def _of_whole(values: list[int]) -> tuple[tuple[int, ...], str]:
    """The scale that whole numbers are most likely on, and why."""
    low, high = values[0], values[-1]
    occur = _listed(values)
    if values == [1]:  # a column of ticks
        return (0, 1), said("the only score is 1")
    steps = _steps(values)
    if steps:
        return steps, said("values: {values}, in equal steps", values=occur)
    ends = (_begin(low), _end(_begin(low), high))
    if low < 0:
        most = max(-low, abs(high))
        ends = (-most, most) if most <= 10 and high >= 0 else (low, high)
    scale = tuple(range(ends[0], ends[1] + 1)) if ends[1] - ends[0] < MOST_SCORES else ()
    if len(scale) < 2:
        return (), said(
            "values: {values}, which is not a common scale. Name a rubric with this scale.",
            values=occur,
        )
    if len(scale) == len(values):
        return scale, said("values: {values}", values=occur)
    return scale, said(
        "values: {values}; the common scale that contains them is {low} to {high}",
        values=occur,
        low=scale[0],
        high=scale[-1],
    )


def _steps(values: list[int]) -> tuple[int, ...]:
    """Scores in equal steps of more than one, such as 0, 25, 50; () where they are not."""
    if len(values) < 3 or values[-1] <= 10:
        return ()
    step = math.gcd(*(after - before for before, after in pairwise(values)))
    found = range(values[0], values[-1] + 1, step)
    return tuple(found) if step > 1 and len(found) <= 2 * len(values) <= MOST_SCORES else ()


def _around(low: float, high: float, fractions: int, n: int) -> tuple[tuple[int, ...], str]:
    """The scale whose range holds continuous grades, and why."""
    begin = _begin(math.floor(low)) if low >= 0 else math.floor(low)
    end = _end(begin, math.ceil(high))
    scale = tuple(range(begin, end + 1)) if 0 < end - begin < MOST_SCORES else ()
    scores = said(
        "{n} of {of} grades are fractional", n=Numeral(f"{fractions:,}"), of=Numeral(f"{n:,}")
    )
    if not scale:
        return (), said(
            "{scores}, and {low:g} to {high:g} is not a common range. Name a rubric with this "
            "scale.",
            scores=scores,
            low=low,
            high=high,
        )
    return scale, said(
        "{scores}, so they are means or continuous scores of a judge; {low:g} to {high:g} lies "
        "within {first} to {last}",
        scores=scores,
        low=low,
        high=high,
        first=scale[0],
        last=scale[-1],
    )


def _of_words(words: list[str]) -> tuple[tuple[int, ...], str]:
    found = rated(words)
    if found.numbered:
        return _of_whole(sorted({*found.scores.values()}))
    missing = [word for word, score in found.scores.items() if score is None]
    if not found.scale:
        return (), said("these words have no usual order")
    if missing:
        return found.scale, said(
            "the usual scores of the other words; map {words} to a score",
            words=joined(
                ", ", [said("“{name}”", name=of_cell.excerpt(word)) for word in missing[:5]]
            ),
        )
    return found.scale, said("the usual scores of these words")


def _begin(low: int) -> int:
    return 0 if low < 1 else 1


def _end(begin: int, high: int) -> int:
    """Where a usual scale from 0 or 1 that holds `high` ends; `high` itself beyond these."""
    return next((end for end in _ENDS.get(begin, ()) if end >= high), high)


def _listed(values: list[int]) -> str:
    return joined(", ", [*map(str, values[:12]), "…" if len(values) > 12 else ""])
