"""Default rubric of a sheet, or of a file of grades: one that fits, or one made from the grades."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from concord.importing import scores
from concord.importing.columns import ColumnMap, opened, resolved
from concord.importing.fields import OF_UNITS, folded
from concord.importing.grade_scales import grade_scales, shown_scale
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import Words
from concord.messages import Problem, Said, joined, quoted, said
from concord.model import Sheet
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import FIRST, Rubric
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

    Scores say nothing about the scale they are on (a 3 may be of 0-3 or of 1-5), so where several
    rubrics have these criteria the user is asked.

    Raises:
        Problem: No rubric has the criteria, or more than one has; or the file is not of grades.
    """
    score = {"score"} if "label" not in columns.fields else set()
    resolved(columns, () if columns.scores else {"grader", "grader_kind", *score})
    given = criteria(table, columns)
    if any(field in columns.fields for field in OF_UNITS):
        found = _of_units(store, sheet, given)
        if found:
            return found
    graded = [name for name in rubric_versions.graded(store, sheet.id) if _fits(store, name, given)]
    others = [one.name for one in rubric_versions.of_import(store, sheet.name)]
    found = graded or [name for name in others if _fits(store, name, given)]
    if len(found) == 1:
        return rubric_versions.named(store, found[0])[1]
    named = quoted(of_cell.excerpt(word) for word in sorted(given)[:10]) or said("one criterion")
    if not found:
        raise Problem(
            "No rubric has what {file} grades: {named}. Name a rubric, or the path of a rubric "
            "file that ends in .toml, with --rubric.",
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
    if columns.scores:
        return {score.criterion for score in columns.scores}
    column = columns.column("criterion")
    if column is None:
        return set()
    table = opened(table, columns)
    place = table.columns.index(column)
    cells = (record.cells[place] for record in table.records() if record.fault is None)
    return {cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()}


def _fits(store: Store, name: str, given: set[str]) -> bool:
    """True where a rubric has every criterion, by name or title; without any, the only one."""
    _, rubric = rubric_versions.named(store, name)
    if not given:
        return len(rubric.criteria) == 1
    known = {folded(word) for c in rubric.criteria for word in (c.name, c.heading())}
    return {folded(word) for word in given} <= known


class GradeRubric(NamedTuple):
    """The rubric and scale under which a file's grades are read.

    Attributes:
        fit: The rubric, whether it is new, and why it.
        columns: The column map, with the criteria as the rubric calls them.
        words: The score of each word that the grades are given in; also those of convention.
        assumed: Why a new rubric has this scale; '' where the user gave it.
    """

    fit: Fit
    columns: ColumnMap
    words: Words
    assumed: str = ""

    def sentence(self) -> str:
        """Say under which rubric the grades are read, on which scale, and why."""
        rubric, scale = self.fit.rubric.name, shown_scale(self.fit.rubric.scale)
        new = "a new rubric" if self.fit.is_new else "the rubric"
        of_scale = f". Scale {scale}: {self.assumed}. Another: --scale" if self.assumed else ""
        return f"the grades are read under {new} {rubric} ({scale}): {self.fit.reason}{of_scale}"


def grade_rubric(
    table: Table,
    columns: ColumnMap,
    rubrics: Iterable[Rubric],
    words: Words,
    scale: Sequence[int] = (),
    taken: Sequence[str] = (),
) -> GradeRubric | None:
    """Propose the rubric of a file's grades; None for a file without grades.

    Args:
        table: The file.
        columns: Its column map.
        rubrics: The rubrics of whole answers that may be proposed.
        words: Score by word, as the user gave them; convention adds what is missing.
        scale: The scale as the user gave it; else it is read off the grades.
        taken: The names of all rubrics.

    Raises:
        Problem: a word has no score, the grades show no scale, or several.
    """
    seen = grade_scales(table, columns)
    if not seen.criteria:
        return None
    words = {**_conventional(seen.words(), words), **words}
    if not scale and (different := seen.different(words)):
        rather = said("Or name the rubric of all with --rubric, or its scale, as in --scale 1-5.")
        raise Problem(joined(" ", [different, *_leaving_out(columns, seen.others(words)), rather]))
    found = seen.of(seen.criteria, words)
    whole = found.whole()
    fitting = [rubric for rubric in rubrics if not scale or rubric.scale == tuple(scale)]
    chosen = fit.proposed(
        fitting,
        seen.criteria,
        scale or found.scale,
        whole if found.kind != "continuous" else (),
        table.source.stem,
        taken,
    )
    assumed = found.reason if chosen.is_new and not scale else ""
    return GradeRubric(chosen, under(columns, chosen.rubric), words, assumed)


def under(columns: ColumnMap, rubric: Rubric, names: Mapping[str, str] | None = None) -> ColumnMap:
    """Return a map whose criteria are named as the rubric names them.

    `names` are the names of criteria whose titles the user has changed. A criterion that is read in
    each row is left as it is.

    Raises:
        Problem: the rubric has no such criterion.
    """
    found = []
    for score in columns.scores:
        if "{" in score.criterion:
            found.append(score)
            continue
        try:
            name = (names or {}).get(score.criterion) or scores.criterion(score.criterion, rubric)
        except BadCell as fault:
            raise Problem(
                "{fault} Map another criterion, or choose another rubric.",
                fault=str(fault),
                fault_code="no_criterion",
            ) from None
        found.append(score._replace(criterion=name))
    return columns._replace(scores=tuple(found))


def _leaving_out(columns: ColumnMap, criteria: Sequence[str]) -> Iterator[Said]:
    """Yield how criteria are left out of a file."""
    of_columns = [one.column for one in columns.scores if one.criterion in criteria]
    of_rows = [one for one in criteria if one not in {score.criterion for score in columns.scores}]
    options = [f'--map "criterion:{one}="' for one in of_rows]
    if options:
        yield said("{options} leaves out {names}.", options=" ".join(options),
                   names=joined(", ", of_rows))  # fmt: skip
    if of_columns:
        options = " ".join(f'--without "{one}"' for one in of_columns)
        yield said("With --as-proposed, {options} leaves them out.", options=options)


def _conventional(counts: Mapping[str, int], given: Words) -> dict[str, float | None]:
    """The conventional score of each word without a given one; a Problem without any."""
    open_words = [word for word in counts if rating_words.key(word) not in given]
    usual = rating_words.rated(open_words).scores if open_words else {}
    unknown = [word for word in open_words if usual.get(word) is None]
    if unknown:
        raise Problem(
            "These grades are words without a known score: {words}. Map each one to a score, as "
            'in --score "{one}=1", or to no grade with --score "{one}=".',
            words=joined(", ", unknown[:10]),
            one=unknown[0],
            fault_code="unknown_words",
        )
    return {rating_words.key(word): usual[word] for word in open_words}
