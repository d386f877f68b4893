"""What the grades of a file mean: their scales, the scores of their words, and their rubrics.

A scale is read off the cells of a criterion: whole numbers, words, or continuous. It is one pass,
and what is kept does not grow with the file. A rubric is one that fits, or is made from the grades.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from concord.importing.columns import ColumnMap, opened, resolved
from concord.importing.fields import OF_UNITS, folded
from concord.importing.grade_rows import GradeReader, shown
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import (
    KINDS,
    Spread,
    Words,
    criterion_named,
    number,
    shown_scale,
    words_to_scores,
)
from concord.importing.scores import criterion as criterion_of
from concord.messages import Problem, joined, on_command_line
from concord.model import Sheet
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import FIRST, Level, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text.rating_words import key, rated, rated_on

_LETTERS = 200  # that are kept of a word
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
        named: The criteria of all rows, also of those without a score.
    """

    counts: Mapping[tuple[str, str], Mapping[str, int]]
    named: Collection[str]

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
        mapped, kinds = words or {}, {kind for one, kind in self.counts if one in criteria}
        wanted = next((kind for kind in _KINDS if kind in kinds), "")
        given: Counter[tuple[str, float | str | None]] = Counter()
        for (criterion, kind), counts in self.counts.items():
            for text, n in counts.items() if criterion in criteria else ():
                if kind == wanted or (kind == "judge" and key(text) in mapped):
                    given[text, mapped.get(key(text), text)] += n
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
    named, counts = set(), defaultdict(Counter)
    for record in with_paths.records():
        for row in reader.rows(record) if record.fault is None else ():
            criterion, cell = columns.criterion(shown(row, "criterion")), row.get("score")
            named.add(criterion)
            if isinstance(cell, str) and cell.strip():
                kind = KINDS.get(shown(row, "grader_kind").casefold(), "person")
                counts[criterion, kind][cell.strip()] += 1
    return GradeScales(counts, named)


def conventional(seen: GradeScales, given: Words) -> dict[str, float | None]:
    """The conventional score of each word without a given one; None for a word without any.

    That is one convention for all, else one for each criterion; a word that two criteria use on
    different scales has none. Beside numbers of the same kind of grader a convention holds only on
    the scale that they show.
    """
    every = rated(word for word in seen.words() if key(word) not in given)
    is_one = None not in every.scores.values()
    found: dict[str, float | None] = {}
    for criterion in seen.criteria:
        words = [word for word in seen.words([criterion]) if key(word) not in given]
        usual, own = every if is_one else rated(words), seen.of([criterion])
        is_mixed = own.kind != "words" and own.scale != usual.scale
        beside = {text for text, _, _ in own.values if is_mixed}
        for word in words:
            score = None if word in beside else usual.scores[word]
            found[word] = score if found.get(word, score) == score else None
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
        mine = [one for one in seen.criteria if criterion_named(one, [rubric])]
        usual = rated_on(seen.words(mine), rubric.scale, words)
        if unlike := [w for w, score in usual.items() if found.get(key(w), score) != score]:
            raise _unknown_words(unlike)
        found |= {key(word): score for word, score in usual.items()}
        if usual:
            pairs = (f"{word} = {usual[word]}" for word in sorted(usual, key=usual.get))
            notes.append(f"the usual scores of these words: {', '.join(pairs)}.")
    spread, why = spread_over(table, seen, columns, rubrics, found, chosen)
    return found, spread, notes + why


def _unknown_words(words: Sequence[str]) -> Problem:
    return Problem(
        "These grades are words without one known score: {words}. Map each one to a score, as in "
        '--score "{one}=1", or to no grade with --score "{one}=".',
        words=joined(", ", words[:10]),
        one=words[0],
        fault_code="unknown_words",
    )


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
            spread |= {*within}
            scale = shown_scale(rubric.scale)
            notes.append(f"numbers of 0 to 1 ({graded_by(within)}) are mapped to {scale}.")
    return spread, notes


def narrow(seen: GradeScales, columns: ColumnMap, rubric: Rubric, words: Words) -> Spread:
    """Find criteria whose numbers all lie within 0 to 1, where the scale of the rubric is longer.

    A 1 is then the best score of another scale, or a low one of this: the user says it. Annotators
    and judges may use different ranges, so they are looked at apart. It is no question where the
    file says its scale: by a probability per score, or as an export of Concord.
    """
    is_export = {"version", "grade_row"} <= {*columns.leftovers}
    if rubric.units or is_export or {*rubric.scale} <= {0, 1}:
        return ()
    found: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for (criterion, kind), texts in seen.counts.items():
        says_scale = kind == "metric" or (kind == "judge" and "probabilities" in columns.fields)
        if not says_scale and (known := criterion_named(criterion, [rubric])):
            numbers = (number(text) for text in texts if key(text) not in words)
            found[known[0], kind == "judge"] += [one for one in numbers if one is not None]
    return [
        one
        for one, numbers in found.items()
        # A 0 is the lowest score of both where the scale begins with it.
        if numbers and {*numbers, rubric.scale[0]} != {0} and all(0 <= n <= 1 for n in numbers)
    ]


def graded_by(found: Spread) -> str:
    """Name criteria, and who graded them."""
    return ", ".join(f"{name} by {'judges' if one else 'annotators'}" for name, one in found)


def zero_to_one(table: Table, found: Spread, rubric: Rubric) -> Problem:
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


def proposed_rubric(store: Store, sheet: Sheet) -> str:
    """The rubric to propose for annotating: the annotators' own, else one of the sheet, or FIRST.

    What a judge was run or imported with comes only after what annotators use.
    """
    used = rubric_versions.annotators_use(store, sheet.id)
    return used or next(iter(rubric_versions.graded(store, sheet.id)), FIRST)


def proposed_for_set(store: Store, sheet: Sheet) -> str:
    """The rubric saved in the app or used for a set last, for a new set; else `proposed_rubric`.

    Only those saved since the sheet was imported count, and none that another sheet has a set of.
    """
    latest = store.value(
        "select name from (select r.name, r.created_at from rubrics r where r.source = 'app'"
        " and r.created_at >= ? and not exists (select 1 from grading_sets s"
        " where s.rubric_id = r.id and s.sheet_id <> ?)"
        " union all select r.name, s.created_at from grading_sets s"
        " join rubrics r on r.id = s.rubric_id where s.sheet_id = ?)"
        " order by created_at desc",
        (sheet.imported_at, sheet.id, sheet.id),
    )
    return latest if latest in rubric_versions.names(store) else proposed_rubric(store, sheet)


def of_file(store: Store, sheet: Sheet, table: Table, columns: ColumnMap) -> list[Rubric]:
    """The rubric that the sheet is graded under, else the only one with the file's criteria.

    Where no rubric has all of them, it is those that have them between them. A file of verdicts on
    units is of every rubric of units whose criterion it names.

    Scores say nothing about the scale they are on (a 3 may be of 0-3 or of 1-5), so where several
    rubrics have these criteria the user is asked.

    Raises:
        Problem: No rubric has the criteria, or more than one has; or the file is not of grades.
    """
    score = {"score"} if "label" not in columns.fields else set()
    resolved(columns, () if columns.scores else ("grader", "grader_kind", *score))
    given = {folded(name): name for name in grade_scales(table, columns).named if name}
    named = rubric_versions.of_parts(store)
    graded, others = rubric_versions.units_graded(store, sheet.id), [*named]
    of_units = {folded(one.criteria[0].name) for one in named.values()}
    if columns.fields.keys().isdisjoint(OF_UNITS) or (given and of_units.isdisjoint(given)):
        graded = rubric_versions.graded(store, sheet.id)
        others = [one.name for one in rubric_versions.of_import(store, sheet.name)]
        named = {name: rubric_versions.named(store, name)[1] for name in (*graded, *others)}

    def fitting(words: Collection[str]) -> list[str]:
        """Of the rubrics graded under, else of all, those with every criterion of some names."""
        is_fitting = {
            name: all(criterion_named(word, [one]) for word in words or [""])
            for name, one in named.items()
        }
        mine = [name for name in graded if is_fitting[name]]
        return mine or [name for name in others if is_fitting[name]]

    found = fitting(given)
    parts = [found] if found else [fitting([one]) for one in sorted(given)]
    if parts and all(len(one) == 1 for one in parts):
        return [named[name] for name in dict.fromkeys(name for (name,) in parts)]
    raise Problem(
        "Name the rubric of the grades of {file} with --rubric: {rubrics}. They are of {named}. "
        "--map criterion:NAME=OTHER reads a criterion as another one, and --map criterion:NAME= "
        "leaves it out.",
        file=table.source.name,
        rubrics=joined(", ", found) or "no rubric has all of these criteria",
        named=joined(", ", [of_cell.excerpt(word) for word in sorted(given.values())[:10]])
        or "one criterion",
        fault_code="several_rubrics" if found else "no_rubric",
    )


class GradeRubrics(NamedTuple):
    """The rubrics and scales under which a file's grades are read; each criterion is in one.

    Attributes:
        rubrics: The rubrics.
        is_new: Whether all of them are.
        columns: The column map, with the criteria as the rubrics call them.
        words: The score of each word that the grades are given in; also those of convention.
        notes: Under which rubrics the grades are read, on which scales, and why.
        spread: Criteria whose numbers of 0 to 1 are mapped to the scale.
    """

    rubrics: tuple[Rubric, ...]
    is_new: bool
    columns: ColumnMap
    words: Words
    notes: list[str]
    spread: Spread


def grade_rubrics(
    table: Table,
    columns: ColumnMap,
    rubrics: Sequence[Rubric],
    texts: Sequence[str],
    scale: Sequence[int] = (),
    taken: Sequence[str] = (),
    called: str = "imported",
) -> GradeRubrics | None:
    """Propose the rubrics of a file's grades, one for each scale; None for a file without grades.

    Args:
        table: The file.
        columns: Its column map.
        rubrics: The rubrics of whole answers that may be proposed.
        texts: `WORD=SCORE` as the user gave them; convention adds what is missing.
        scale: The scale as the user gave it; else it is read off the grades.
        taken: The names of all rubrics.
        called: What a new rubric is called.

    Raises:
        Problem: a word has no score, or the grades show no scale.
    """
    (words, chosen), seen = parted(texts), grade_scales(table, columns)
    if not seen.criteria:
        return None
    usual = conventional(seen, words)
    if unknown := [word for word, score in usual.items() if score is None]:
        raise _unknown_words(unknown)
    words = {**{key(word): score for word, score in usual.items()}, **words}
    fits: list[Fit] = []
    notes = []
    for group in [seen.criteria] if scale else seen.groups(words):
        used = [*taken, *(one.rubric.name for one in fits)]
        one = proposed_fit(seen, group, rubrics, words, called, used, scale)
        new = " (new; another scale: --scale)" if one.is_new else ""
        name, shown = one.rubric.name, shown_scale(one.rubric.scale)
        notes.append(f"the grades are read under rubric {name}, {shown}{new}: {one.reason}.")
        fits.append(one)
    made = tuple(one.rubric for one in fits)
    is_new = all(one.is_new for one in fits)
    columns = under(columns, made)
    spread, why = spread_over(table, seen, columns, made, words, chosen)
    return GradeRubrics(made, is_new, columns, words, notes + why, spread)


def proposed_fit(
    seen: GradeScales,
    group: Sequence[str],
    rubrics: Iterable[Rubric],
    words: Words,
    name: str,
    taken: Collection[str],
    scale: Sequence[int] = (),
) -> Fit:
    """The rubric of a group of criteria; in a new one the words are the meanings of its scores."""
    found = seen.of(group, words)
    elsewhere = {folded(one) for one in seen.criteria if one not in group}
    fitting = [
        rubric
        for rubric in rubrics
        if (not scale or rubric.scale == tuple(scale))
        and elsewhere.isdisjoint(folded(w) for c in rubric.criteria for w in (c.name, c.title))
    ]
    whole = found.whole() if found.kind != "continuous" else ()
    one = fit.proposed(fitting, group, scale or found.scale, whole, name, taken)
    return one._replace(rubric=with_meanings(one.rubric, group, seen, words)) if one.is_new else one


def with_meanings(rubric: Rubric, group: Sequence[str], seen: GradeScales, words: Words) -> Rubric:
    """The new rubric of a group of criteria, with words as meanings where every score has some."""
    names = {" ".join(one.split()): one for one in group}
    criteria = []
    for criterion, name in zip(rubric.criteria, names.values(), strict=True):
        meanings = defaultdict(list)
        for word in seen.words([name]):
            meanings[words.get(key(word))].append(word)
        if {*rubric.scale} <= meanings.keys():
            levels = (Level(score=n, meaning="; ".join(meanings[n])) for n in rubric.scale)
            criterion = criterion.model_copy(update={"levels": tuple(levels)})
        criteria.append(criterion)
    return rubric.model_copy(update={"criteria": tuple(criteria)})


def under(columns: ColumnMap, rubrics: Rubric | Sequence[Rubric]) -> ColumnMap:
    """Return a map whose criteria are named as the rubrics name them.

    A criterion that is read in each row is left as it is.

    Raises:
        Problem: the rubrics have no such criterion.
    """
    found = []
    for score in columns.scores:
        if "{" not in score.criterion:
            try:
                score = score._replace(criterion=criterion_of(score.criterion, rubrics)[0])
            except BadCell as fault:
                raise Problem(str(fault)) from None
        found.append(score)
    return columns._replace(scores=tuple(found))
