"""The document of agreement by segment."""

from collections.abc import Iterator, Sequence

from concord.messages import Numeral, Said, counted, joined, listed, on_command_line, said
from concord.reports.cells import undefined
from concord.reports.document import Column, Document, Kind, Part, Table, table_of
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import (
    criterion_of,
    heading,
    how_many,
    in_units,
    of_rubric,
    words,
)
from concord.reports.segments.agreement_by_segment import (
    AgreementBySegment,
    JudgeBySegment,
    SegmentAgreement,
)
from concord.rubrics.model import Rubric
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.statistics import BY_KEY, Statistic

NO_VALUE = said("no value")
NO_JUDGE = said(
    "No judge has graded this sheet yet. Run one under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge baseline`"),
)
_EXACT = "exact"
_ADJUSTED = said(
    "Confidence intervals and p-values allow for the number of segments ({n}): the CI of each "
    "segment is at {level}% and that of each difference at {of_differences}%, so that the CIs of "
    "all segments are simultaneous at 95% (Bonferroni)."
)
_FAMILY = said("The adjustment covers one statistic of one judge on one criterion.")
_NO_PROOF = said(
    "No significant difference does not show equality: the wide confidence interval of a small "
    "segment shows which differences remain possible."
)


def document(
    found: AgreementBySegment,
    rubric: Rubric,
    statistics: Sequence[str] = (_EXACT,),
    criteria: Sequence[str] = (),
) -> Document:
    """Return the finding on the best judge, and a table per statistic.

    `statistics` are the keys of those to show, while the finding is on exact agreement; `criteria`
    is by default the heaviest one.
    """
    if not found.judges:
        return Document(found.not_compared or NO_JUDGE)
    best = _best(found, rubric)
    names = criteria or {best.criterion}
    rows = [row for row in found.judges if row.criterion in names]
    tables = [_table(found, rows, rubric, BY_KEY[key]) for key in statistics]
    notes = []
    if best.compared:
        levels = (best.confidence, best.confidence_of_differences)
        level, of_differences = (Numeral(f"{100 * one:.4g}") for one in levels)
        adjusted = said(_ADJUSTED, n=best.reported, level=level, of_differences=of_differences)
        notes = [adjusted, _FAMILY]
    notes += [found.not_compared] if found.not_compared else []
    notes += [_NO_PROOF] if best.compared and not _different(best) else []
    whys = [in_units(rubric, why) for table in tables for why in undefined(table)]
    return Document(
        headline(found, best, rubric),
        tuple(_facts(found, best, rubric)),
        tuple(tables),
        tuple(dict.fromkeys([*notes, *whys])),
    )


def headline(found: AgreementBySegment, row: JudgeBySegment, rubric: Rubric) -> Said:
    """Return which segments differ from the rest in a judge's exact agreement, if any."""
    criterion = criterion_of(rubric, row.criterion)
    values = {
        "judge": named(row.judge, row.simulated),
        "criterion": criterion,
        "column": found.title,
        "n": row.reported,
    }
    if len(row.segments) < 2:
        return said("All answers are in one segment by {column}: nothing to compare", **values)
    if not row.compared:
        return said(
            "No segment by {column} can be compared with the rest: it requires {floor} questions "
            "that {judge} and annotators graded in the segment and in the rest",
            floor=QUESTION_FLOOR,
            **values,
        )
    different = _different(row)
    if not different:
        return said(
            "No segment by {column} differs significantly from the rest in the exact agreement of "
            "{judge} on {criterion} ({n} segments, adjusted)",
            **values,
        )
    apart = [(str(_name(one)), one.difference[_EXACT].estimate.value) for one in different]
    lower = listed([name for name, difference in apart if difference < 0])
    higher = listed([name for name, difference in apart if difference > 0])
    values |= {"lower": lower, "higher": higher}
    if not higher:
        return said(
            "{judge} agrees exactly with annotators on {criterion} less often in {lower} than in "
            "the rest ({n} segments by {column}, adjusted)",
            **values,
        )
    if not lower:
        return said(
            "{judge} agrees exactly with annotators on {criterion} more often in {higher} than in "
            "the rest ({n} segments by {column}, adjusted)",
            **values,
        )
    return said(
        "{judge} agrees exactly with annotators on {criterion} less often in {lower} and more "
        "often in {higher} than in the rest ({n} segments by {column}, adjusted)",
        **values,
    )


def _facts(found: AgreementBySegment, row: JudgeBySegment, rubric: Rubric) -> Iterator[Said]:
    units = of_rubric(rubric)
    total = sum(one.answers for one in row.segments)
    yield said(
        "Compared: {n:,} of {total}, in {segments} by {column}.",
        n=row.n,
        total=how_many(units, total),
        segments=counted(len(row.segments), "segment"),
        column=found.title,
    )
    if simulated := annotators_sentence(row.simulated_annotators, row.annotators):
        yield simulated
    if found.without_value:
        yield said(
            "Without a value in this column: {answers}, as a separate segment.",
            answers=how_many(units, found.without_value),
        )
    small = [one for one in row.segments if one.clusters < QUESTION_FLOOR]
    if small:
        yield said(
            "Not reported, with under {floor} graded questions: {segments}.",
            floor=QUESTION_FLOOR,
            segments=joined(", ", [_name(one) for one in small]),
        )


def _different(row: JudgeBySegment) -> list[SegmentAgreement]:
    return [one for one in row.segments if one.difference[_EXACT].differs]


def _best(found: AgreementBySegment, rubric: Rubric) -> JudgeBySegment:
    """The judge with the most exact agreement on the heaviest criterion; the baseline if alone."""
    mine = [row for row in found.judges if row.criterion == rubric.heaviest().name] or found.judges
    real = [row for row in mine if not row.floor] or list(mine)
    return max(real, key=_exact)


def _exact(row: JudgeBySegment) -> float:
    """Mean exact agreement over the reported segments, by their answers; -1 without any."""
    known = [(one.statistics[_EXACT].value, one.n) for one in row.segments]
    known = [(value, n) for value, n in known if value is not None]
    total = sum(n for _, n in known)
    return sum(value * n for value, n in known) / total if total else -1.0


def _name(one: SegmentAgreement) -> str:
    return NO_VALUE if one.segment is None else one.segment


def _table(
    found: AgreementBySegment, shown: Sequence[JudgeBySegment], rubric: Rubric, of: Statistic
) -> Table:
    kind: Kind = "points" if of.kind == "share" else "difference"
    whose: tuple[Part, ...] = (
        (Column(said("judge")), lambda pair: named(pair[0].judge, pair[0].simulated)),
        (Column(said("criterion")), lambda pair: heading(rubric, pair[0].criterion)),
    )
    parts = (
        (Column(found.title), lambda pair: _name(pair[1])),
        *(whose if len(shown) > 1 else ()),
        (Column(words(rubric).plural, "count"), lambda pair: pair[1].answers),
        (Column("n", "count"), lambda pair: pair[1].n),
        (Column(said("questions"), "count"), lambda pair: pair[1].questions),
        (Column(of.head, of.kind, help=of.heading), lambda pair: pair[1].statistics[of.key]),
        (Column(said("minus the rest"), kind), lambda pair: pair[1].difference[of.key].estimate),
        (Column(said("adjusted p"), "p"), lambda pair: pair[1].difference[of.key].p_adjusted),
    )
    pairs = [(row, one) for row in shown for one in row.segments]
    titles = {"figure": of.titled(), "column": found.title}
    title = said("By {column}: {figure}, adjusted CIs", **titles)
    return table_of(f"by-{found.by}-{of.key}", pairs, parts, title)
