"""Agreement by segment: a judge against the annotators in each segment that a column names."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.model import BASELINE, Grader
from concord.reports.document import FLAT, OPTIONAL
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.segments.segment_column import CLUSTER, SegmentColumn
from concord.stats.core.estimate import Estimate
from concord.stats.segments import SegmentDifference, by_segment
from concord.stats.statistics import shown

STATISTICS = tuple(one.key for one in shown("table"))


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
