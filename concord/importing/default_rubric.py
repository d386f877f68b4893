"""Default rubric of a sheet, or of a file of grades: one that fits, or one made from the grades."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from concord.importing.columns import ColumnMap, opened, resolved
from concord.importing.fields import OF_UNITS, folded
from concord.importing.grade_scales import (
    GradeScales,
    conventional,
    grade_scales,
    parted,
    spread_over,
)
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words, shown_scale, words_of
from concord.importing.scores import criterion as criterion_of
from concord.messages import Problem, joined
from concord.model import Sheet
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import FIRST, Level, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text import rating_words


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
    given = {folded(name): name for name in criteria(table, columns)}
    named = rubric_versions.of_parts(store)
    graded, others = rubric_versions.units_graded(store, sheet.id), [*named]
    of_units = {folded(one.criteria[0].name) for one in named.values()}
    is_of_units = not columns.fields.keys().isdisjoint(OF_UNITS)
    if not is_of_units or (given and of_units.isdisjoint(given)):
        graded = rubric_versions.graded(store, sheet.id)
        others = [one.name for one in rubric_versions.of_import(store, sheet.name)]
        named = {name: rubric_versions.named(store, name)[1] for name in (*graded, *others)}

    def fitting(words: Collection[str]) -> list[str]:
        mine = [name for name in graded if _fits(named[name], words)]
        return mine or [name for name in others if _fits(named[name], words)]

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


def _fits(rubric: Rubric, given: Collection[str]) -> bool:
    """True where a rubric has every criterion, by name or title; without any, the only one."""
    known = {folded(word) for c in rubric.criteria for word in (c.name, c.heading())}
    return {*given} <= known if given else len(rubric.criteria) == 1


def criteria(table: Table, columns: ColumnMap) -> set[str]:
    """The criteria a file of grades names, in its columns of scores or in its column of criteria.

    Empty where it names none, as a file for a rubric of one criterion may.
    """
    names = {one.criterion for one in columns.scores}
    column = columns.column("criterion")
    if column and not names:
        table = opened(table, columns)
        place = table.columns.index(column)
        cells = (record.cells[place] for record in table.records() if record.fault is None)
        names = {cell.strip() for cell in cells if isinstance(cell, str)}
    without = {*map(folded, ("", *columns.without))}
    return {columns.criterion(name) for name in names if folded(name) not in without}


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
        raise Problem(
            "These grades are words without a known score: {words}. Map each one to a score, as "
            'in --score "{one}=1", or to no grade with --score "{one}=".',
            words=joined(", ", unknown[:10]),
            one=unknown[0],
            fault_code="unknown_words",
        )
    words = {**{rating_words.key(word): score for word, score in usual.items()}, **words}
    fits: list[Fit] = []
    notes = []
    for group in [seen.criteria] if scale else seen.groups(words):
        used = [*taken, *(one.rubric.name for one in fits)]
        one = proposed_fit(seen, group, rubrics, words, called, used, scale)
        new = "a new rubric" if one.is_new else "the rubric"
        shown = shown_scale(one.rubric.scale)
        why = f". {seen.of(group).reason}. Another scale: --scale"
        name = f"the grades are read under {new} {one.rubric.name} ({shown}): {one.reason}"
        notes.append(name + why * (one.is_new and not scale))
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
        own, meanings = words_of(words, (name,)), defaultdict(list)
        for word in seen.words([name]):
            meanings[own.get(rating_words.key(word))].append(word)
        if {*rubric.scale} <= meanings.keys():
            levels = (Level(score=n, meaning="; ".join(meanings[n])) for n in rubric.scale)
            criterion = criterion.model_copy(update={"levels": tuple(levels)})
        criteria.append(criterion)
    return rubric.model_copy(update={"criteria": tuple(criteria)})


def under(
    columns: ColumnMap, rubrics: Rubric | Sequence[Rubric], names: Mapping[str, str] | None = None
) -> ColumnMap:
    """Return a map whose criteria are named as the rubrics name them.

    `names` are the names of criteria whose titles the user has changed. A criterion that is read in
    each row is left as it is.

    Raises:
        Problem: the rubrics have no such criterion.
    """
    found = []
    for score in columns.scores:
        name = (names or {}).get(score.criterion, score.criterion)
        if "{" not in score.criterion and name == score.criterion:
            try:
                name, _ = criterion_of(name, rubrics)
            except BadCell as fault:
                raise Problem(str(fault)) from None
        found.append(score._replace(criterion=name))
    return columns._replace(scores=tuple(found))
