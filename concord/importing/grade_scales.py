"""Scales of the grades of a file, by criterion, before a rubric is chosen for them.

Each is read off the cells: whole numbers, words, or continuous. Pure, and in one pass: what is kept
does not grow with the file.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from concord.importing import scores
from concord.importing.columns import ColumnMap, opened, prepared
from concord.importing.grade_rows import GradeReader, shown
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import Words, number, words_of
from concord.messages import Numeral, Said, joined, said
from concord.rubrics.model import Rubric
from concord.text.rating_words import key, rated, rated_on

Kind = Literal["whole", "words", "continuous", "none"]
# Letters that are kept of a word.
_LETTERS = 200
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
        values: What occurs, in the order of the scores; words without a score come last.
        scale: The proposed scores in rising order; empty where none can be proposed.
        reason: Why these, or why none, in a sentence.
        outside: Rare whole numbers far off the others, which the proposed scale leaves out.
    """

    kind: Kind
    n: int
    values: tuple[Value, ...]
    scale: tuple[int, ...]
    reason: str
    outside: tuple[int, ...] = ()

    def whole(self) -> set[int]:
        """Return the whole scores that occur, without those far off the others."""
        return {one.score for one in self.values if isinstance(one.score, int)} - {*self.outside}

    def words(self) -> dict[str, int | None]:
        """Return the proposed score of each word; None where the user has to say it."""
        return {one.text: one.score for one in self.values if number(one.text) is None}


def read_scale(given: Iterable[tuple[str | None, int]]) -> Scale:
    """Read the scale off the cells of grade columns, each with how often it occurs."""
    counts: Counter[str | float] = Counter()
    spelt: dict[str | float, str] = {}
    for cell, n in given:
        if text := (cell or "").strip():
            found = number(text)
            slot = key(text) if found is None else found
            counts[slot] += n
            spelt.setdefault(slot, text[:_LETTERS])
    numbers = sorted(slot for slot in counts if not isinstance(slot, str))
    words = [slot for slot in counts if isinstance(slot, str)]
    fractions = sum(counts[one] for one in numbers if not isinstance(one, int))
    far = () if fractions else _far({one: counts[one] for one in numbers})
    if fractions:
        kind: Kind = "continuous"
        scale, reason = _around(numbers[0], numbers[-1], fractions, counts.total())
    elif numbers:
        kind = "whole"
        scale, reason = _of_whole([one for one in numbers if one not in far])
    elif words:
        kind = "words"
        scale, reason = _of_words([spelt[word] for word in words])
    else:
        kind, scale, reason = "none", (), said("no cell contains a grade")
    if far:
        reason = said(
            "{reason}; {outside} ({n} of {of} grades) is left out as a code for a missing grade or "
            "a typing error",
            reason=reason,
            outside=_listed(far),
            n=Numeral(f"{sum(counts[one] for one in far):,}"),
            of=Numeral(f"{counts.total():,}"),
        )
    usual = rated(words).scores if kind == "words" else {}
    values = [Value(spelt[one], counts[one], one) for one in numbers]
    values += sorted(
        (Value(spelt[word], counts[word], usual.get(word)) for word in words),
        key=lambda one: (one.score is None, one.score or 0, -one.n),
    )
    return Scale(kind, counts.total(), tuple(values), scale, reason, far)


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


# What annotators give is on the scale of the rubric, and their means lie within it; a judge may
# have a range of its own.
_ANNOTATOR, _MEAN = "person", "mean"


@dataclass(frozen=True)
class GradeScales:
    """The grades of a file as they are spelt.

    Attributes:
        counts: How often each text occurs, by criterion and kind of grader.
    """

    counts: Mapping[tuple[str, str], Mapping[str, int]]

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
        own = {criterion: words_of(words or {}, (criterion,)) for criterion in criteria}
        kinds = {kind for criterion, kind in self.counts if criterion in own}
        wanted = {_ANNOTATOR} & kinds or {_MEAN} & kinds or kinds - {"metric"} or kinds
        return read_scale(
            (_as_score(text, own[criterion]), n)
            for (criterion, kind), counts in self.counts.items()
            if criterion in own
            for text, n in counts.items()
            if kind in wanted or (kind == "judge" and key(text) in own[criterion])
        )

    def groups(self, words: Words | None = None) -> list[tuple[str, ...]]:
        """The criteria that may be on one scale together; a metric has none, and joins the first.

        A scale within another may be the same one, of which not every score was given; where it
        is at most half as long, it is not taken for that.
        """
        graded = {criterion for criterion, kind in self.counts if kind != "metric"}
        found: list[tuple[list[str], tuple[int, ...], bool]] = []
        for criterion in self.criteria:
            scale, of_words = (
                self._scale_of(criterion, words or {}) if criterion in graded else ((), False)
            )
            for place, (group, other, others_words) in enumerate(found):
                is_same = scale == other if of_words or others_words else _may_be_one(scale, other)
                if not scale or is_same:
                    group.append(criterion)
                    found[place] = group, max(other, scale, key=len), others_words or of_words
                    break
            else:
                found.append(([criterion], scale, of_words))
        return [tuple(criteria) for criteria, _, _ in found]

    def _scale_of(self, criterion: str, words: Words) -> tuple[tuple[int, ...], bool]:
        """The scale of a criterion, and whether words of a convention say it whole."""
        own, known = self.words([criterion]), words_of(words, (criterion,))
        is_of_words = self.of([criterion]).kind == "words"
        for some in (self.words(), own) if is_of_words else ():
            usual = rated(some)
            if usual.scale and all(known.get(key(w)) == usual.scores[w] for w in own):
                return usual.scale, True
        return self.of([criterion], words).scale, False

    def words(self, criteria: Collection[str] = ()) -> dict[str, int]:
        """Return the number of occurrences of each word that is not a number; of all criteria."""
        found: Counter[str] = Counter()
        for (criterion, _), counts in self.counts.items():
            for text, n in counts.items() if criterion in (criteria or self.criteria) else ():
                if scores.number(text) is None:
                    found[text] += n
        return dict(found.most_common())

    def meanings(self, criterion: str, words: Words) -> dict[int, str]:
        """The words of each score of a criterion, in the order of their first use."""
        own = words_of(words, (criterion,))
        found: dict[int, list[str]] = defaultdict(list)
        for word in self.words([criterion]):
            score = own.get(key(word))
            if isinstance(score, int):
                found[score].append(word)
        return {score: "; ".join(given) for score, given in found.items()}


def grade_scales(table: Table, columns: ColumnMap) -> GradeScales:
    """Count what the grade columns of a file hold, in one pass."""
    with_paths = opened(table, columns)
    reader = GradeReader(with_paths.columns, columns)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in with_paths.records():
        for row in reader.rows(record) if record.fault is None else ():
            cell = row.get("score")
            if isinstance(cell, str) and cell.strip():
                kind = scores.KINDS.get(shown(row, "grader_kind").casefold(), _ANNOTATOR)
                counts[columns.criterion(shown(row, "criterion")), kind][cell.strip()] += 1
    return GradeScales(counts)


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
        rubrics: Whose scales the grades are on; verdicts on units are words of their own.
        words: Scores by word that the user gave.
    """
    if rubrics[0].units:
        return words, []
    seen = grade_scales(table, prepared(columns, rubrics))
    found, notes = dict(words), []
    for rubric in rubrics:
        mine = [one for one in seen.criteria if _is_of(one, rubric)]
        usual = rated_on(seen.words(mine), rubric.scale, words_of(words, mine))
        by_score = sorted(usual.items(), key=lambda one: one[1])
        pairs = [said("{word} = {score}", word=word, score=score) for word, score in by_score]
        before = ("",) if len(rubrics) == 1 else tuple(f"{one}:" for one in mine)
        found |= {key(f"{one}{word}"): score for word, score in by_score for one in before}
        if pairs:
            told = [said("the usual scores of these words"), ": ", joined(", ", pairs), "."]
            notes.append(joined("", told))
    return found, notes


def _is_of(criterion: str, rubric: Rubric) -> bool:
    try:
        return bool(scores.criterion(criterion, rubric))
    except BadCell:
        return False
