"""Default rubric of a sheet, or of a file of grades: one that fits, or one made from the grades."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from concord.importing import scores
from concord.importing.columns import ColumnMap, opened, resolved
from concord.importing.fields import OF_UNITS, folded
from concord.importing.grade_scales import GradeScales, grade_scales
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import Words, shown_scale
from concord.messages import Problem, joined, quoted, said
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
        " join rubrics r on r.id = s.rubric_id where s.sheet_id = ? and r.source <> 'again')"
        " order by created_at desc",
        (sheet.imported_at, sheet.id, sheet.id),
    )
    return latest if latest in rubric_versions.names(store) else proposed_rubric(store, sheet)


def of_file(store: Store, sheet: Sheet, table: Table, columns: ColumnMap) -> Rubric | list[Rubric]:
    """The rubric the sheet is graded under, else the only one with the file's criteria.

    A file of verdicts on units is of every rubric of units whose criterion it names.

    Where no rubric has all of them, it is those that have them between them.

    Scores say nothing about the scale they are on (a 3 may be of 0-3 or of 1-5), so where several
    rubrics have these criteria the user is asked.

    Raises:
        Problem: No rubric has the criteria, or more than one has; or the file is not of grades.
    """
    resolved(columns, () if columns.scores else ("score", "grader", "grader_kind"))
    given = criteria(table, columns)
    if any(field in columns.fields for field in OF_UNITS):
        found = _of_units(store, sheet, given)
        if found:
            return found
    graded = rubric_versions.graded(store, sheet.id)
    mine = [name for name in graded if _fits(store, name, given)]
    others = [one.name for one in rubric_versions.of_import(store, sheet.name)]
    found = mine or [name for name in others if _fits(store, name, given)]
    if len(found) == 1:
        return rubric_versions.named(store, found[0])[1]
    if not found and (parts := _by_criterion(store, graded or others, given)):
        return parts
    named = quoted(of_cell.excerpt(word) for word in sorted(given)[:10]) or said("one criterion")
    if not found:
        raise Problem(
            "No rubric has what {file} grades: {named}. Name a rubric, or the path of a rubric "
            "file that ends in .toml, with --rubric. --map criterion:NAME=OTHER reads a criterion "
            "as another one, and --map criterion:NAME= leaves it out.",
            file=table.source.name,
            named=named,
            fault_code="no_rubric",
        )
    raise Problem(
        "Several rubrics have the criteria of {file} ({named}): {rubrics}. With --rubric, name "
        "the one the grades were given under.",
        file=table.source.name,
        named=named,
        rubrics=joined(", ", found),
        fault_code="several_rubrics",
    )


def _by_criterion(store: Store, names: Sequence[str], given: Iterable[str]) -> list[Rubric]:
    """The rubrics that have the criteria between them, each of which one alone has; else none."""
    found: dict[str, Rubric] = {}
    for criterion in sorted(given):
        having = [name for name in names if _fits(store, name, {criterion})]
        if len(having) != 1:
            return []
        found[having[0]] = rubric_versions.named(store, having[0])[1]
    return [*found.values()]


def _of_units(store: Store, sheet: Sheet, given: set[str]) -> list[Rubric]:
    """The rubrics of units that criteria are of; none where the criteria are of whole answers."""
    known = rubric_versions.of_parts(store)
    named = {folded(rubric.criteria[0].name): rubric for rubric in known.values()}
    found = [named[word] for word in sorted(map(folded, given)) if word in named]
    if found or given:
        return list(dict.fromkeys(found))
    graded = rubric_versions.units_graded(store, sheet.id)
    if len(graded) == 1:
        return [known[graded[0]]]
    raise Problem(
        "The file grades parts of answers and no column says by which criterion. Name the rubric "
        "with --rubric: {rubrics}.",
        rubrics=joined(", ", graded or known),
        fault_code="no_rubric",
    )


def criteria(table: Table, columns: ColumnMap) -> set[str]:
    """The criteria a file of grades names, in its columns of scores or in its column of criteria.

    Empty where it names none, as a file for a rubric of one criterion may.
    """
    without = {*map(folded, columns.without)}
    if columns.scores:
        return {one.criterion for one in columns.scores if folded(one.criterion) not in without}
    column = columns.column("criterion")
    if column is None:
        return set()
    table = opened(table, columns)
    place = table.columns.index(column)
    cells = (record.cells[place] for record in table.records() if record.fault is None)
    names = {cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()}
    return {columns.criterion(name) for name in names if folded(name) not in without}


def _fits(store: Store, name: str, given: set[str]) -> bool:
    """True where a rubric has every criterion, by name or title; without any, the only one."""
    _, rubric = rubric_versions.named(store, name)
    if not given:
        return len(rubric.criteria) == 1
    known = {folded(word) for c in rubric.criteria for word in (c.name, c.heading())}
    return {folded(word) for word in given} <= known


class GradeRubrics(NamedTuple):
    """The rubrics and scales under which a file's grades are read; each criterion is in one.

    Attributes:
        fits: The rubrics, whether they are new, and why they.
        columns: The column map, with the criteria as the rubrics call them.
        words: The score of each word that the grades are given in; also those of convention.
        assumed: Why each new rubric has its scale; '' where the user gave it.
    """

    fits: tuple[Fit, ...]
    columns: ColumnMap
    words: Words
    assumed: tuple[str, ...] = ()

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """The rubrics alone."""
        return tuple(one.rubric for one in self.fits)

    def sentences(self) -> Iterator[str]:
        """Say under which rubrics the grades are read, on which scales, and why."""
        for one, why in zip(self.fits, self.assumed, strict=True):
            rubric, scale = one.rubric.name, shown_scale(one.rubric.scale)
            new = "a new rubric" if one.is_new else "the rubric"
            of_scale = f". Scale {scale}: {why}. Another: --scale" if why else ""
            yield f"the grades are read under {new} {rubric} ({scale}): {one.reason}{of_scale}"


def grade_rubrics(
    table: Table,
    columns: ColumnMap,
    rubrics: Iterable[Rubric],
    words: Words,
    scale: Sequence[int] = (),
    taken: Sequence[str] = (),
) -> GradeRubrics | None:
    """Propose the rubrics of a file's grades, one for each scale; None for a file without grades.

    Args:
        table: The file.
        columns: Its column map.
        rubrics: The rubrics of whole answers that may be proposed.
        words: Score by word, as the user gave them; convention adds what is missing.
        scale: The scale as the user gave it; else it is read off the grades.
        taken: The names of all rubrics.

    Raises:
        Problem: a word has no score, or the grades show no scale.
    """
    seen = grade_scales(table, columns)
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
    groups = [seen.criteria] if scale else seen.groups(words)
    stem = table.source.stem
    fits, assumed = proposed_fits(seen, groups, rubrics, words, stem, taken, scale)
    made = tuple(one.rubric for one in fits)
    return GradeRubrics(tuple(fits), under(columns, made), words, tuple(assumed))


def proposed_fits(
    seen: GradeScales,
    groups: Sequence[Sequence[str]],
    rubrics: Iterable[Rubric],
    words: Words,
    name: str,
    taken: Collection[str],
    scale: Sequence[int] = (),
) -> tuple[list[Fit], list[str]]:
    """The rubric of each group of criteria, and why a new one has its scale.

    The words of a scale become the meanings of its scores.
    """
    fits: list[Fit] = []
    assumed, rubrics = [], [*rubrics]
    for group in groups:
        found = seen.of(group, words)
        elsewhere = {folded(one) for one in seen.criteria if one not in group}
        fitting = [
            rubric
            for rubric in rubrics
            if (not scale or rubric.scale == tuple(scale))
            and elsewhere.isdisjoint(folded(w) for c in rubric.criteria for w in (c.name, c.title))
        ]
        whole = found.whole() if found.kind != "continuous" else ()
        used = [*taken, *(one.rubric.name for one in fits)]
        one = fit.proposed(fitting, group, scale or found.scale, whole, name, used)
        if one.is_new:
            one = one._replace(rubric=with_meanings(one.rubric, group, seen, words))
        fits.append(one)
        assumed.append(found.reason if one.is_new and not scale else "")
    return fits, assumed


def with_meanings(rubric: Rubric, group: Sequence[str], seen: GradeScales, words: Words) -> Rubric:
    """The new rubric of a group of criteria, with words as meanings where every score has some."""
    titles = dict.fromkeys(" ".join(one.split()) for one in group)
    known = {" ".join(one.split()): seen.meanings(one, words) for one in group}
    criteria = []
    for criterion, title in zip(rubric.criteria, titles, strict=True):
        meanings = known[title] if {*rubric.scale} <= known[title].keys() else {}
        levels = [Level(score=n, meaning=meanings[n]) for n in rubric.scale if meanings]
        criteria.append(criterion.model_copy(update={"levels": tuple(levels)}))
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
                name, _ = scores.criterion(score.criterion, rubrics)
            except BadCell as fault:
                raise Problem(
                    "{fault} Map another criterion, or choose another rubric.",
                    fault=str(fault),
                    fault_code="no_criterion",
                ) from None
        found.append(score._replace(criterion=name))
    return columns._replace(scores=tuple(found))


def conventional(seen: GradeScales, given: Words) -> dict[str, float | None]:
    """The conventional score of each word without a given one; None for a word without any.

    That is one convention for all, else one for each criterion; a word that two criteria use on
    different scales is told apart as `CRITERION:WORD`.
    """
    every = [word for word in seen.words() if rating_words.key(word) not in given]
    together = rating_words.rated(every).scores if every else {}
    if None not in together.values():
        return together
    found: dict[str, float | None] = {}
    for criterion in seen.criteria:
        known = scores.words_of(given, (criterion,))
        open_words = [w for w in seen.words([criterion]) if rating_words.key(w) not in known]
        usual = rating_words.rated(open_words).scores if open_words else {}
        for word in open_words:
            if found.setdefault(word, usual[word]) != usual[word]:
                found[f"{criterion}:{word}"] = usual[word]
    return found
