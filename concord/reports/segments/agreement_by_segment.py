"""Agreement by segment: a judge against the annotators in each segment that a column names."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.messages import Said, capital, listed, on_command_line, said
from concord.model import BASELINE, Grader
from concord.reports.document import FLAT, OPTIONAL, Column, Document, Kind, Part, Table, table_of
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.panel.unit_words import (
    criterion_of,
    heading,
    words,
)
from concord.reports.segments.segment_column import CLUSTER, SegmentColumn
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.segments import SegmentDifference, by_segment
from concord.stats.statistics import BY_KEY, Statistic

STATISTICS = (
    *("exact", "within_one", "off_by_two", "failure_recall", "failure_precision"),
    *("bias", "qwk"),
)


@dataclass(frozen=True)
class SegmentAgreement:
    """Agreement in one segment.

    Attributes:
        segment: Its value of the column; None for the answers without one.
        answers: Answers (or units) of the sheet in it.
        n: Those of them that judge and annotators scored.
        questions: Questions of these.
        clusters: What is resampled of these.
        statistics: By key of the registry; all undefined under the question floor.
        difference: The same minus that of all other answers, with p-values.
    """

    segment: str | None
    answers: int
    n: int
    questions: int
    clusters: int
    statistics: Mapping[str, Estimate] = field(metadata=FLAT)
    difference: Mapping[str, SegmentDifference]


@dataclass(frozen=True)
class JudgeBySegment:
    """All segments of one judge on one criterion.

    Attributes:
        floor: The judge is the text-feature baseline.
        annotators: Annotators whose grades count here.
        simulated_annotators: How many of them are simulated.
        n: Answers that judge and annotators scored, over all segments.
        reported: Segments with enough questions for a figure.
        compared: Differences that are tested, which p-values and limits allow for.
        confidence: Level of each segment's interval.
        confidence_of_differences: The same of each difference.
        segments: Most answers first, those without a value last.
    """

    judge: str
    criterion: str
    simulated: bool
    floor: bool
    annotators: int
    simulated_annotators: int
    n: int
    reported: int
    compared: int
    confidence: float
    confidence_of_differences: float
    segments: tuple[SegmentAgreement, ...]


@dataclass(frozen=True)
class AgreementBySegment:
    """Agreement of judges in every segment of a sheet.

    Attributes:
        by: The column.
        title: What it is called.
        reference: `each` annotator or the `consensus`.
        without_value: Answers (or units) without a value of the column.
        judges: One per judge and criterion; the composite has no agreement by segment.
        not_compared: Which judges are left out, since their grades are continuous; None for none.
    """

    by: str
    title: str
    reference: str
    without_value: int
    judges: tuple[JudgeBySegment, ...]
    not_compared: str | None = field(default=None, metadata=OPTIONAL)


def report(
    panel: Panel,
    column: SegmentColumn,
    kind: str = EACH,
    criteria: Sequence[str] | None = None,
    judges: Collection[int] | None = None,
) -> AgreementBySegment:
    """Return the agreement by a column of the judges and criteria that are named, else of all."""
    items = [column.segments[item_id] for item_id in panel.items["item_id"].tolist()]
    sizes = Counter(items)
    values = sorted(sizes, key=lambda value: (value == "", -sizes[value], value))
    place = {value: n for n, value in enumerate(values)}
    segment = np.array([place[value] for value in items], int)
    names = [name for name in criteria or panel.criteria if name != COMPOSITE]
    grounds = [ground(panel, name, kind) for name in names]
    found = [
        _judge(on, judge, column.name, segment, [(value, sizes[value]) for value in values])
        for judge_id, judge in panel.judges.items()
        if judges is None or judge_id in judges
        for on in grounds
        if not panel.is_continuous(on.name, judge_id)
    ]
    note = panel.continuous_note()
    return AgreementBySegment(column.name, column.title, kind, sizes[""], tuple(found), note)


def _judge(
    on: CriterionPanel,
    judge: Grader,
    by: str,
    segment: np.ndarray,
    values: Sequence[tuple[str, int]],
) -> JudgeBySegment:
    panel, pairs = on.panel, on.pairs(judge)
    if by == CLUSTER:  # each is one cluster, so questions are resampled
        pairs = pairs._replace(cluster=panel.question[pairs.item])
    rubric, mine = panel.rubric, segment[pairs.item]
    failing = rubric.failing(on.criterion)
    family = by_segment(pairs, mine, len(values), rubric.scale, failing, STATISTICS)
    questions = [len(np.unique(panel.question[pairs.item[mine == n]])) for n in range(len(values))]
    scored = panel.mask(pairs.item)
    annotators = on.annotators_on(scored)
    found = zip(values, family.segments, questions, strict=True)
    segments = [
        SegmentAgreement(
            segment=value or None,
            answers=answers,
            n=one.n,
            questions=asked,
            clusters=one.clusters,
            statistics=one.figures,
            difference=one.differences,
        )
        for (value, answers), one, asked in found
    ]
    return JudgeBySegment(
        judge=panel.labels[judge.id],
        criterion=on.name,
        simulated=judge.simulated,
        floor=judge.name == BASELINE,
        annotators=len(annotators),
        simulated_annotators=sum(one.simulated for one in annotators),
        n=int(scored.sum()),
        reported=family.reported,
        compared=family.compared,
        confidence=family.confidence,
        confidence_of_differences=family.confidence_of_differences,
        segments=tuple(sorted(segments, key=lambda one: (one.segment is None, -one.n))),
    )


NO_VALUE = "no value"
NO_JUDGE = said(
    "No judge has graded this sheet yet. Run one under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge baseline`"),
)
_EXACT = "exact"
_ADJUSTED = (
    "CIs and p-values are adjusted for {n} segments (Bonferroni), within one statistic of one "
    "judge. No significant difference does not show equality."
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
    notes = [said(_ADJUSTED, n=best.reported)] if best.compared else []
    notes += [found.not_compared] if found.not_compared else []
    simulated = annotators_sentence(best.simulated_annotators, best.annotators)
    facts = (simulated,) if simulated else ()
    return Document(headline(found, best, rubric), facts, tuple(tables), tuple(notes))


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
            "No segment by {column} has {floor} questions that {judge} and annotators graded, as "
            "has the rest",
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
    how = [f"less often in {lower}"] if lower else []
    how += [f"more often in {higher}"] if higher else []
    return said(
        "{judge} agrees exactly with annotators on {criterion} {how} than in the rest "
        "({n} segments by {column}, adjusted)",
        how=" and ".join(how),
        **values,
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
        ("judge", lambda pair: named(pair[0].judge, pair[0].simulated)),
        ("criterion", lambda pair: heading(rubric, pair[0].criterion)),
    )
    parts = (
        (found.title, lambda pair: _name(pair[1])),
        *(whose if len(shown) > 1 else ()),
        (Column(words(rubric).plural, "count"), lambda pair: pair[1].answers),
        (Column("n", "count"), lambda pair: pair[1].n),
        (Column("questions", "count"), lambda pair: pair[1].questions),
        (Column(of.head, of.kind, help=of.heading), lambda pair: pair[1].statistics[of.key]),
        (Column("minus the rest", kind), lambda pair: pair[1].difference[of.key].estimate),
        (Column("adjusted p", "p"), lambda pair: pair[1].difference[of.key].p_adjusted),
    )
    pairs = [(row, one) for row in shown for one in row.segments]
    titles = {"figure": capital(of.titled()), "column": found.title}
    title = said("{figure} by {column}", **titles)
    return table_of(f"by-{found.by}-{of.key}", pairs, parts, title)
