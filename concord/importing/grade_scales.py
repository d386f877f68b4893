"""Scales of the grades of a file, by criterion: what occurs, and what words and numbers mean.

Each is read off the cells: whole numbers, words, or continuous. Pure, and in one pass: what is kept
does not grow with the file.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from concord.importing.columns import ColumnMap, opened
from concord.importing.grade_rows import GradeReader, shown
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import KINDS, Words, number, shown_scale, words_of, words_to_scores
from concord.importing.scores import criterion as criterion_of
from concord.messages import Problem, on_command_line
from concord.rubrics.model import Rubric
from concord.text.rating_words import key, rated, rated_on

# Letters that are kept of a word, and values that are named of a scale.
_LETTERS, _NAMED = 200, 12
# Where scales usually end, by where they begin.
_ENDS = {0: (1, 2, 3, 4, 5, 10), 1: (2, 3, 4, 5, 7, 10)}
# What annotators give is on the scale of the rubric, and their means lie within it; a judge may
# have a range of its own, and a metric has none.
_KINDS = ("person", "mean", "judge", "metric")


class Scale(NamedTuple):
    """The scale of some grade columns.

    Attributes:
        kind: `whole` numbers, `words`, `continuous` (fractions occur), or `none` without a grade.
        n: Grades.
        values: What occurs, in its first spelling, how often, and the score that is proposed for
            it, in the order of the scores; words that no convention gives a score come last.
        scale: The proposed scores in rising order; empty where none can be proposed.
    """

    kind: Literal["whole", "words", "continuous", "none"]
    n: int
    values: tuple[tuple[str, int, float | int | None], ...]
    scale: tuple[int, ...]

    @property
    def reason(self) -> str:
        """What occurs."""
        spelt = [text for text, _, _ in self.values]
        return f"values: {', '.join(spelt[:_NAMED])}" + ", …" * (len(spelt) > _NAMED)

    def whole(self) -> set[int]:
        """Return the whole scores that occur."""
        return {one for _, _, one in self.values if isinstance(one, int)}


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
    usual = rated([] if numbers else words)
    begun = {score for score in usual.scores.values() if usual.numbered}
    scale = _scale_of(numbers or sorted(begun)) or usual.scale
    values = [(spelt[one], counts[one], one) for one in numbers]
    values += sorted(
        ((spelt[word], counts[word], usual.scores.get(word)) for word in words),
        key=lambda one: (one[2] is None, one[2] or 0, -one[1]),
    )
    kind = "words" if words else "none"
    if numbers:
        kind = "whole" if all(isinstance(one, int) for one in numbers) else "continuous"
    return Scale(kind, counts.total(), tuple(values), scale)


def _scale_of(values: Sequence[float]) -> tuple[int, ...]:
    """The usual scale that numbers in rising order are on; () for none.

    It never reaches beyond 10 or below 0: a 99 or a -1 may be a code for a missing grade.
    """
    if not values or values == [1]:  # a column of ticks
        return (0, 1) if values else ()
    begin = min(math.floor(values[0]), 1)
    ends = [end for end in _ENDS.get(begin, ()) if end >= values[-1]]
    return tuple(range(begin, ends[0] + 1)) if ends else ()


class GradeScales(NamedTuple):
    """The grades of a file as they are spelt.

    Attributes:
        counts: How often each text occurs, by criterion and kind of grader.
    """

    counts: Mapping[tuple[str, str], Mapping[str, int]]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria as the file calls them; first those that annotators graded, metrics last."""
        ordered = sorted(self.counts, key=lambda one: _KINDS.index(one[1]))
        return tuple(dict.fromkeys(criterion for criterion, _ in ordered))

    def of(self, criteria: Collection[str], words: Words | None = None) -> Scale:
        """The scale of some criteria: as annotators use it, else their means, else as judges do.

        With `words` each of these is read as its score, or as no grade; where all grades are words
        of a convention, so is the scale. A judge that grades in such words grades on the
        annotators' scale, which its words then extend.
        """
        mapped = {criterion: words_of(words or {}, (criterion,)) for criterion in criteria}
        kinds = {kind for criterion, kind in self.counts if criterion in mapped}
        wanted = next((kind for kind in _KINDS if kind in kinds), "")
        given: Counter[tuple[str, float | str | None]] = Counter()
        for (criterion, kind), counts in self.counts.items():
            own = mapped.get(criterion, {})
            for text, n in counts.items() if criterion in mapped else ():
                if kind == wanted or (kind == "judge" and key(text) in own):
                    given[text, own.get(key(text), text)] += n
        found = read_scale((str("" if one is None else one), n) for (_, one), n in given.items())
        for some in (self.words(), [text for text, _ in given]) if words else ():
            usual = rated(some)
            if usual.scale and all(usual.scores.get(text) == score for text, score in given):
                return found._replace(kind="words", scale=usual.scale)
        return found

    def groups(self, words: Words | None = None) -> list[tuple[str, ...]]:
        """The criteria that may be on one scale together; a metric has none, and joins the first.

        A scale within another may be the same one, of which not every score was given; where it
        is at most half as long, or words say it whole, it is not taken for that.
        """
        found: list[tuple[list[str], Scale]] = []
        for criterion in self.criteria:
            scale = self.of([criterion], words)
            if all(kind == "metric" for one, kind in self.counts if one == criterion):
                scale = scale._replace(scale=())
            for place, (group, other) in enumerate(found):
                short, long = sorted((scale, other), key=lambda one: len(one.scale))
                is_within = {*short.scale} <= {*long.scale}
                is_same = is_within and 2 * len(short.scale) > len(long.scale)
                if "words" in (short.kind, long.kind):
                    is_same = short.scale == long.scale
                if is_same or not scale.scale:
                    found[place] = [*group, criterion], long
                    break
            else:
                found.append(([criterion], scale))
        return [tuple(criteria) for criteria, _ in found]

    def words(self, criteria: Collection[str] = ()) -> dict[str, int]:
        """Return the number of occurrences of each word that is not a number; of all criteria."""
        found: Counter[str] = Counter()
        for (criterion, _), counts in self.counts.items():
            if criterion in (criteria or self.criteria):
                found.update({text: n for text, n in counts.items() if number(text) is None})
        return dict(found.most_common())


def grade_scales(table: Table, columns: ColumnMap) -> GradeScales:
    """Count what the grade columns of a file hold, in one pass."""
    with_paths = opened(table, columns)
    reader = GradeReader(with_paths.columns, columns)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in with_paths.records():
        for row in reader.rows(record) if record.fault is None else ():
            cell = row.get("score")
            if isinstance(cell, str) and cell.strip():
                kind = KINDS.get(shown(row, "grader_kind").casefold(), "person")
                counts[columns.criterion(shown(row, "criterion")), kind][cell.strip()] += 1
    return GradeScales(counts)


def conventional(seen: GradeScales, given: Words) -> dict[str, float | None]:
    """The conventional score of each word without a given one; None for a word without any.

    That is one convention for all, else one for each criterion; a word that two criteria use on
    different scales is told apart as `CRITERION:WORD`. Beside numbers of the same kind of grader
    a convention holds only on the scale that they show.
    """
    every = rated(word for word in seen.words() if key(word) not in given)
    is_one = None not in every.scores.values()
    found: dict[str, float | None] = {}
    for criterion in seen.criteria:
        known = words_of(given, (criterion,))
        words = [word for word in seen.words([criterion]) if key(word) not in known]
        usual, own = every if is_one else rated(words), seen.of([criterion])
        is_mixed = own.kind != "words" and own.scale != usual.scale
        beside = {text for text, _, _ in own.values if is_mixed}
        for word in words:
            score = None if word in beside else usual.scores[word]
            if found.setdefault(word, score) != score:
                found[f"{criterion}:{word}"] = score
    return found


def readings(
    table: Table, columns: ColumnMap, rubrics: Sequence[Rubric], texts: Sequence[str]
) -> tuple[Words, set[tuple[str, bool]], list[str]]:
    """How the grades of a file are read under rubrics, as texts `WORD=SCORE` and convention say.

    Args:
        table: The file of grades.
        columns: Its column map.
        rubrics: Whose scales the grades are on; verdicts on units are words of their own.
        texts: `WORD=SCORE`, and `0-1=LOW-HIGH` for numbers that lie within 0 to 1.

    Returns:
        Scores by word, the criteria whose numbers of 0 to 1 are mapped to the scale (each with
        whether judges gave them), and what to say of both.

    Raises:
        Problem: there are such numbers, and no text says how they are read.
    """
    words, chosen = parted(texts)
    if rubrics[0].units:
        return words, set(), []
    seen, found, notes = grade_scales(table, columns), dict(words), []
    for rubric in rubrics:
        mine = [one for one in seen.criteria if _is_of(one, rubric)]
        usual = rated_on(seen.words(mine), rubric.scale, words_of(words, mine))
        before = ("",) if len(rubrics) == 1 else tuple(f"{one}:" for one in mine)
        found |= {key(f"{one}{word}"): score for word, score in usual.items() for one in before}
        if usual:
            pairs = (f"{word} = {usual[word]}" for word in sorted(usual, key=usual.get))
            notes.append(f"the usual scores of these words: {', '.join(pairs)}.")
    spread, why = spread_over(table, seen, columns, rubrics, found, chosen)
    return found, spread, notes + why


def parted(texts: Iterable[str]) -> tuple[Words, set[str]]:
    """Scores by word from texts `WORD=SCORE`, and the texts `0-1=LOW-HIGH` among them."""
    given = {"".join(text.split()): text for text in texts}
    chosen = {text for text in given if text.startswith("0-1=")}
    return words_to_scores(text for word, text in given.items() if word not in chosen), chosen


def spread_over(
    table: Table,
    seen: GradeScales,
    columns: ColumnMap,
    rubrics: Sequence[Rubric],
    words: Words,
    chosen: Collection[str],
) -> tuple[set[tuple[str, bool]], list[str]]:
    """The criteria whose numbers of 0 to 1 are `chosen` to be mapped to the scale, and notes.

    Raises:
        Problem: there are such numbers, and no text says how they are read.
    """
    spread, notes = set(), []
    for rubric in rubrics:
        within = narrow(seen, columns, rubric, words)
        mapped = f"0-1={rubric.scale[0]}-{rubric.scale[-1]}"
        if within and len({mapped, "0-1=0-1"} & {*chosen}) != 1:
            raise zero_to_one(table, within, rubric)
        if within and mapped in chosen:
            spread |= within.keys()
            scale = shown_scale(rubric.scale)
            notes.append(f"numbers of 0 to 1 ({graded_by(within)}) are mapped to {scale}.")
    return spread, notes


def narrow(
    seen: GradeScales, columns: ColumnMap, rubric: Rubric, words: Words
) -> dict[tuple[str, bool], dict[str, int]]:
    """Find criteria whose numbers all lie within 0 to 1, where the scale of the rubric is longer.

    A 1 is then the best score of another scale, or a low one of this: the user says it. Annotators
    and judges may use different ranges, so they are looked at apart. It is no question where the
    file says its scale: by a probability per score, or as an export of Concord.

    Returns:
        How often each number occurs, by criterion and whether judges gave it.
    """
    found: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    is_export = {"version", "grade_row"} <= {*columns.leftovers}
    for (criterion, kind), texts in seen.counts.items():
        says_scale = kind == "judge" and "probabilities" in columns.fields
        if _is_of(criterion, rubric) and kind != "metric" and not says_scale:
            numbers = {
                t: n for t, n in texts.items() if number(t) is not None and key(t) not in words
            }
            found[criterion_of(criterion, rubric)[0], kind == "judge"].update(numbers)
    return {
        one: dict(texts)
        for one, texts in found.items()
        if texts
        and all(0 <= number(text) <= 1 for text in texts)
        and not (rubric.units or is_export or {*rubric.scale} <= {0, 1})
    }


def graded_by(found: Iterable[tuple[str, bool]]) -> str:
    """Name criteria, and who graded them."""
    return ", ".join(f"{name} by {'judges' if one else 'annotators'}" for name, one in found)


def zero_to_one(table: Table, found: Iterable[tuple[str, bool]], rubric: Rubric) -> Problem:
    """The error for a file whose numbers of 0 to 1 the user has not said how to read."""
    return Problem(
        "{file}: these grades are numbers of 0 to 1: {grades}. Say whether they are mapped to the "
        "scale {scale} of {rubric}{option}.",
        file=table.source.name,
        grades=graded_by(found),
        rubric=rubric.name,
        scale=shown_scale(rubric.scale),
        option=on_command_line(
            f"--score 0-1={rubric.scale[0]}-{rubric.scale[-1]}, or --score 0-1=0-1 to keep them"
        ),
        fault_code="zero_to_one",
    )


def _is_of(criterion: str, rubric: Rubric) -> bool:
    try:
        return bool(criterion_of(criterion, rubric))
    except BadCell:
        return False
