"""Criteria of metrics and judges that are named for none of those that annotators graded."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from concord.importing.answer_columns import head
from concord.importing.answer_grades import GradeLists
from concord.importing.columns import column_map, opened
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile
from concord.importing.proposals.proposal import Doubt, GradeColumn
from concord.importing.readers.table import Table
from concord.importing.scores import kind_of
from concord.messages import joined, on_command_line, said

OVERALL = "overall"
# Pairs of criteria that are offered at most.
_OFFERED = 12


def compared(
    grades: Sequence[GradeColumn], keys: Mapping[str, Sequence[str]], also: str = ""
) -> tuple[list[GradeColumn], list[Doubt]]:
    """Propose the annotators' only criterion, or their overall one, for such metrics.

    So it is for a judge's scores in a column that names no criterion, for the only criterion. What
    a metric is compared with, or that it is compared with nothing, is stated in a doubt of the
    field `criterion`, which need not be settled.

    Args:
        grades: The columns of grades.
        keys: The keys under the paths with a placeholder.
        also: Another criterion that annotators graded; `''` for none.
    """
    theirs = {one.criterion for one in grades if one.kind in ("annotator", "mean")}
    theirs |= {also} if also else set()
    grades = [_of_annotators(one, theirs, grades) for one in grades]
    alone = [one for one in grades if one.kind == "metric" and _is_alone(one, keys, theirs)]
    if not theirs or any("{" in one for one in theirs):
        return [*grades], []
    judged = {one.criterion: one.column for one in grades if one.kind == "judge"}
    doubts = [] if any("{" in one for one in judged) else unshared(theirs, judged)
    if not alone:
        return [*grades], doubts
    only = OVERALL if len(theirs) > 1 else min(theirs)
    if only not in theirs:
        why = said(
            "no annotator graded what these metrics are named for, so they are compared with "
            "nothing. To compare one, give its column a criterion of theirs under "
            "Map{on_command_line}",
            on_command_line=_option(replace(alone[0], criterion=min(theirs)).text),
        )
        return [*grades], [*doubts, _doubt(alone, why)]
    why = said(
        "no annotator graded what these metrics are named for, so they are compared with {only}. "
        "To keep one apart, give its column a criterion of its own under "
        "Map{on_command_line}",
        only=only,
        on_command_line=_option(alone[0].text),
    )
    found = [replace(one, criterion=only) if one in alone else one for one in grades]
    return found, [*doubts, _doubt(alone, why)]


def _option(word: str) -> str:
    return on_command_line(f'--map "{word}"')


def unshared(theirs: Collection[str], judged: Mapping[str, str]) -> list[Doubt]:
    """Offer which criterion of a judge is one of the annotators, where they share none.

    Args:
        theirs: The criteria of the annotators.
        judged: Those of the judges, each with its column.
    """
    own, other = ({known.slug(known.words(one)) for one in names} for names in (judged, theirs))
    if not theirs or not judged or own & other:
        return []
    words = [f"criterion:{one}={to}" for one in judged for to in sorted(theirs)]
    why = said(
        "annotators graded {theirs} and judges {judged}, so they are not compared. If one is the "
        'same as another, choose the two under “Same criteria” (--map "{word}" on the command '
        "line)",
        theirs=joined(", ", sorted(theirs)),
        judged=joined(", ", sorted(judged)),
        word=words[0],
    )
    return [Doubt("criterion", tuple(dict.fromkeys(judged.values())), why, tuple(words[:_OFFERED]))]


def unshared_in_rows(criterion: Profile, kind: Profile) -> list[Doubt]:
    """The same for grades in long form, by the columns of criterion and kind of grader."""
    return _unshared_pairs(criterion.name, zip(criterion.values, kind.values, strict=True))


def unshared_in_lists(table: Table, words: Iterable[str], records: int) -> list[Doubt]:
    """The same for grades in lists, whose criterion and kind are read at the place of the score."""
    columns = column_map(table.columns, words)
    criterion, kind = columns.column("criterion"), columns.column("grader_kind")
    table = opened(table, columns)
    if criterion not in table.columns or kind not in table.columns:
        return []
    places = [table.columns.index(one) for one in (criterion, kind)]
    rows = GradeLists(table.columns, columns)
    cells = (row.cells for record in head(table, records) for row in rows.of(record))
    return _unshared_pairs(criterion, ([one[place] for place in places] for one in cells))


def _unshared_pairs(criterion: str, pairs: Iterable[Iterable[object]]) -> list[Doubt]:
    named = [
        (name.strip(), kind_of(word))
        for name, word in pairs
        if isinstance(name, str) and isinstance(word, str) and name.strip()
    ]
    theirs = {name for name, one in named if one in ("person", "mean")}
    return unshared(theirs, {name: criterion for name, one in named if one == "judge"})


def _of_annotators(one: GradeColumn, theirs: set[str], every: Sequence[GradeColumn]) -> GradeColumn:
    """A judge's column with the annotators' only criterion, where it names none of its own."""
    only = min(theirs, default="")
    is_named = one.kind != "judge" or one.criterion != OVERALL or OVERALL in known.words(one.column)
    if is_named or len(theirs) != 1 or "{" in only:
        return one
    if any((other.grader, other.criterion) == (one.grader, only) for other in every):
        return one
    why = joined("; ", [one.reason, said("annotators graded this criterion alone")])
    return replace(one, criterion=only, reason=why)


def _doubt(metrics: Sequence[GradeColumn], why: str) -> Doubt:
    return Doubt("criterion", tuple(one.column for one in metrics), why)


def _is_alone(metric: GradeColumn, keys: Mapping[str, Sequence[str]], theirs: set[str]) -> bool:
    """True where annotators graded nothing that a metric is called, under each of its keys."""
    names = keys.get(metric.column, (metric.criterion,))
    return not theirs.intersection(*[{*names, *(known.slug(known.words(n)) for n in names)}])
