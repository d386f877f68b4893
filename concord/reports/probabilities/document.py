"""Documents of probabilities: the confidence of judges on one criterion, and the table of a report.

The level of “when it says 90%” is the mean confidence of the scores it is of, so that the sentence
is true when read alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from concord.messages import Said, counted, said
from concord.reports.agreement.rows import AgreementRow
from concord.reports.cells import plain_share, written
from concord.reports.charts import Calibration, CalibrationBin, Grader
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.criterion_comparison import CONSENSUS
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import criterion_of, heading
from concord.reports.probabilities.judge_probabilities import (
    REPEATS,
    Confidence,
    source_name,
)
from concord.rubrics.model import Rubric

TERMS = (
    *("ranked probability score", "skill of probabilities", "Brier score", "log score"),
    *("expected calibration error", "reliability diagram", "sharpness", "outside mass"),
)
_RPS, _ECE = said("ranked probability score"), said("calibration error")


def document(
    rows: Sequence[Confidence], judge: str, rubric: Rubric, look: Mapping[str, Grader]
) -> Document:
    """Return the confidence of one judge on a criterion, and the figures of all of them.

    Args:
        rows: From `confidence.report`.
        judge: The label of one of them.
        rubric: Of the panel.
        look: How each judge looks on charts, by label.
    """
    chosen = next(row for row in rows if row.judge == judge)
    return Document(
        sentence(chosen, rubric),
        tuple(_facts(chosen)),
        (_figures(rows),),
        charts=(_chart(chosen, rubric, look[judge]),) if chosen.diagram else (),
    )


def sentence(row: Confidence, rubric: Rubric) -> Said:
    """Return how often annotators agree where the judge is sure; why not where too few are."""
    about = {
        "judge": named(row.judge, row.simulated),
        "criterion": criterion_of(rubric, row.criterion),
    }
    if row.said.within is None:
        return said(
            "Cannot tell yet what {level} from {judge} on {criterion} means: {why}",
            **about,
            level=plain_share(row.said.level),
            why=row.said.agreed.why_none,
        )
    about["confidence"] = plain_share(row.said.within.confidence)
    about["share"] = written(row.said.agreed, "share")
    who = "the annotators' consensus agrees" if row.reference == CONSENSUS else "annotators agree"
    return said("When {judge} says {confidence} on {criterion}, {who} {share}", **about, who=who)


def in_agreement(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the table of rows of the agreement report whose judges gave probabilities."""
    given = [row for row in rows if row.probabilities and not row.answer_model]
    parts: tuple[Part, ...] = (
        (Column("judge"), "judge"),
        (Column("criterion"), lambda row: heading(rubric, row.criterion)),
        *(
            (column, lambda row, cell=cell: cell(row.probabilities))
            for column, cell in (_SOURCE, _ANSWERS, *_SCORES[:3], _ERROR)
        ),
        (Column("outside mass", "share"), "probabilities.outside_mass.value"),
    )
    table = table_of("probabilities", given, parts, "Probabilities", sparse=True)
    return Document("", tables=(table,))


_SOURCE: Part = (Column("source"), lambda found: source_name(found.source))
_ANSWERS: Part = (Column("answers", "count"), lambda found: found.n)
_ERROR: Part = (
    Column(_ECE, "value", "expected calibration error"),
    lambda found: found.ece,
)
_SCORES: tuple[Part, ...] = (
    (Column(_RPS, "value", "ranked probability score"), lambda found: found.rps),
    (Column("that of the base rate", "value"), lambda found: found.rps_base_rate.value),
    (Column("skill", "number", "skill of probabilities"), lambda found: found.rps_skill),
    (Column("Brier score", "value", "Brier score"), lambda found: found.brier),
    (Column("log score", "value", "log score"), lambda found: found.log_score),
)


def _figures(rows: Sequence[Confidence]) -> Table:
    def of(part: Part) -> Part:
        column, cell = part
        return column, lambda row: cell(row.figures)

    clusters: tuple[Part, ...] = ((Column("clusters of questions", "count"), "clusters"),)
    parts: tuple[Part, ...] = (
        (Column("judge"), lambda row: named(row.judge, row.simulated)),
        of(_SOURCE),
        of(_ANSWERS),
        (Column("questions", "count"), "questions"),
        *(clusters if any(map(_clustered, rows)) else ()),
        *map(of, (*_SCORES, _ERROR)),
        (
            Column("overconfidence, points", "points"),
            "overconfidence",
        ),
        (Column("sharpness", "share"), "sharpness"),
        (Column("outside mass", "share"), "figures.outside_mass"),
        (
            Column("answers left out", "count"),
            lambda row: sum(row.left_out.values()),
        ),
    )
    table = table_of("probabilities", rows, parts, "Probabilities of every judge")
    return replace(table, across=True)


def _facts(row: Confidence) -> Iterator[Said]:
    within, skill = row.said.within, row.figures.rps_skill
    if skill.low is not None and skill.low <= 0:
        yield said(
            "Its probabilities are {worse} than the base rate of the annotators' grades: skill "
            "{skill}.",
            worse="not surely better" if skill.high > 0 else "worse",
            skill=written(skill, "number"),
        )
    if within is not None:
        yield said(
            "{confidence} is its mean confidence in {answers} with at least {level}.",
            confidence=plain_share(within.confidence),
            answers=counted(row.said.answers, "answer"),
            level=plain_share(row.said.level),
        )
    if row.figures.source == REPEATS:
        yield "Its probabilities are vote shares: how often it gave each score when asked again."


def _clustered(row: Confidence) -> bool:
    """True where several questions share a cluster, so that clusters are not questions."""
    return row.clusters < row.questions


def _chart(row: Confidence, rubric: Rubric, look: Grader) -> Calibration:
    bins = [
        said(
            "confidence {confidence}, agreement {share} on {answers}",
            confidence=plain_share(one.confidence),
            share=written(one.agreed, "share"),
            answers=counted(one.answers, "answer"),
        )
        for one in row.diagram
    ]
    return Calibration(
        name="reliability",
        title=said(
            "Confidence of {judge} and agreement on {criterion}",
            judge=row.judge,
            criterion=criterion_of(rubric, row.criterion),
        ),
        alt="Confidence against agreement",
        across="confidence of the judge",
        up="annotators agree",
        bins=tuple(
            CalibrationBin(one.confidence, one.lowest, one.highest, one.agreed, words)
            for one, words in zip(row.diagram, bins, strict=True)
        ),
        of=look,
    )
