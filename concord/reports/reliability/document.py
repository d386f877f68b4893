"""The documents of the annotators report: agreement on a criterion, and annotator quality."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from concord.language.grade_statuses import reason
from concord.messages import Numeral, Said, capital, counted, joined, message_of, said
from concord.reports.cells import in_brackets, undefined, written
from concord.reports.charts import dots
from concord.reports.document import Cell, Column, Document, Part, Table, table_of
from concord.reports.panel.criterion_comparison import ONE_SELECTED
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_warnings
from concord.reports.reliability.annotator_overlap import Agreement, Overall, OverTime, Pair, Period
from concord.reports.reliability.annotator_quality import AnnotatorConsistency, AnnotatorQuality
from concord.reports.reliability.annotators import AnnotatorReport, CriterionAgreement
from concord.reports.reliability.contested_items import ContestedItems
from concord.reports.reliability.panel_reliability import DESIGNS, MORE_ANNOTATORS, SecondAnnotator
from concord.rubrics.model import Rubric

ONE = said("No answer was graded blind by two annotators, so inter-annotator agreement is unknown")
_ONE_SELECTED = said("Only one annotator is included, so inter-annotator agreement is unknown")
WHAT_TO_DO = said(
    "Let two annotators grade some of the same answers: send both the link to the same grading "
    "set. From 30 shared answers to 10 questions on, inter-annotator agreement can be computed."
)
NOT_SHOWN = said("Annotator quality is for leads: add --graders to print it.")
_HEADLINE = said("Two annotators give the same score for {criterion} on {exact} of answers")
_OF_ANSWERS = said("{exact} of {answers}.")
STRICTNESS = said(
    "Mean difference from the other annotators on the same answers. Shows leniency, not "
    "correctness."
)
_REVIEW_FIRST = said("Review the annotator warnings before adding answers or a second annotator")
_HOURS = said(
    "Standard error of the mean score at equal annotator hours: every design has the same number "
    "of grades. In any case have at least 30 answers to 10 questions graded twice; otherwise "
    "inter-annotator agreement is unknown."
)
_REVERSE = said("Grading more answers lowers the standard error by less than 1%.")
_COMPONENTS = {
    "question": said("question"),
    "answer": said("answer"),
    "grader": said("annotator"),
    "grader_on_question": said("annotator × question"),
    "rest": said("residual"),
}


def _together(of: Callable[[Any], Agreement | Overall]) -> list[Part]:
    """The columns of `of(row)`, the agreement of a row."""
    return [
        (Column("n", "count"), lambda row: of(row).n),
        (Column(said("exact"), "share", "exact"), lambda row: of(row)["exact"]),
        (Column(said("within one"), "share", "within one"), lambda row: of(row)["within_one"]),
        (Column(said("alpha"), "number", "alpha"), lambda row: of(row)["alpha"]),
        (Column("QWK", "number", "QWK"), lambda row: of(row)["qwk"]),
    ]


_OVERALL: list[Part] = [
    (Column(said("annotators"), "count"), lambda row: row.annotators),
    (Column(said("questions"), "count"), lambda row: row.questions),
    *_together(lambda row: row),
]
_OVERLAP = said(
    "n: answers that two or more annotators scored by this rubric, not counting scores given after "
    "seeing judges' grades."
)


def documents(
    found: AnnotatorReport, rubric: Rubric, cards: Sequence[Document], graders: bool
) -> list[Document]:
    """Return a document per criterion; the cards and annotator quality where asked for."""
    simulated = sum(one.simulated for one in found.annotators)
    parts = [document(one, rubric, simulated) for one in found.criteria]
    last = (*cards, quality(found.quality, rubric)) if graders else (Document(NOT_SHOWN),)
    return [*parts, Document(found.weighting or ""), *last]


def document(found: CriterionAgreement, rubric: Rubric, simulated: int) -> Document:
    """Return the agreement on a criterion; `simulated` counts annotators."""
    head = overall(found, rubric, simulated)
    if not found.overall.n:
        return replace(head, notes=(*head.notes, *too_few(found)[not found.not_blind :]))
    parts = [
        pairs(found.pairs),
        strictness(found),
        over_time(found.over_time, found.over_time.thirds),
        contested(found.split),
        second_annotator(found.second_annotator, bool(found.annotator_warnings)),
    ]
    facts = (*head.facts, *annotator_warnings.notes(found.annotator_warnings))
    tables = [*head.tables, *(table for part in parts for table in _titled(part))]
    notes = (*head.notes, *(note for part in parts for note in part.notes))
    return Document(head.headline, facts, tuple(tables), tuple(dict.fromkeys(notes)))


def too_few(found: CriterionAgreement) -> tuple[Said, Said]:
    """Return why no answer counts as graded by two annotators, and what to do."""
    if _is_one_selected(found):
        why = capital(message_of(ONE_SELECTED))
        return why, said("Without a selection, all eligible annotators are included.")
    if not found.not_blind:
        return said("One annotator has graded each answer so far"), WHAT_TO_DO
    return (
        said(
            "{grades} not blind, and excluded",
            grades=counted(found.not_blind, "grade was", "grades were"),
        ),
        said(
            "They were given where other scores are shown. If the annotators saw no scores, undo "
            "the import and import the file again, saying so. Otherwise let two annotators grade "
            "in a grading set."
        ),
    )


def _is_one_selected(found: CriterionAgreement) -> bool:
    return found.overall.exact.why_none == ONE_SELECTED


def overall(found: CriterionAgreement, rubric: Rubric, simulated: int) -> Document:
    """Return how often two annotators give the same score, and the statistics of all."""
    whole = found.overall
    if not whole.n:
        return Document(_ONE_SELECTED if _is_one_selected(found) else ONE)
    headline = said(
        _HEADLINE,
        criterion=heading(rubric, found.criterion),
        exact=written(whole.exact.value, "share"),
    )
    exact = written(whole.exact, "share")
    of_answers = said(_OF_ANSWERS, exact=exact, answers=counted(whole.n, "answer"))
    table = table_of("overall", [whole], _OVERALL, said("All annotators"))
    overlap = joined(" ", [_OVERLAP, in_brackets(table.rows[0])])
    facts = filter(None, (of_answers, annotators_sentence(simulated, whole.annotators)))
    return Document(headline, tuple(facts), (table,), (overlap, *undefined(table)))


def pairs(found: Sequence[Pair]) -> Document:
    """Return a row per pair of annotators who share answers."""
    shared = [row for row in found if row.agreement.n]
    bias = Column(said("first minus second"), "difference")
    parts = [
        (Column(said("annotators")), lambda row: joined(", ", [row.one, row.other])),
        *_together(lambda row: row.agreement),
        (bias, lambda row: row.agreement["bias"]),
    ]
    apart = len(found) - len(shared)
    left = counted(apart, "pair of annotators", "pairs of annotators")
    note = said("Not listed, since they share no answer: {pairs}.", pairs=left) if apart else ""
    return _part(said("Pairs of annotators"), table_of("pairs", shared, parts), note)


def strictness(found: CriterionAgreement) -> Document:
    """Return the bias of each annotator, compared with all others."""
    parts = [
        (Column(said("annotator")), _annotator),
        (Column("n", "count"), lambda row: row.agreement.n),
        (Column(said("bias"), "difference", "strictness"), lambda row: row.agreement["bias"]),
        (Column(said("exact"), "share"), lambda row: row.agreement["exact"]),
    ]
    table = table_of("strictness", found.strictness, parts)
    known = [row for row in found.strictness if row.agreement["bias"].value is not None]
    drawn = (
        (Column(said("annotator")), _annotator),
        (Column(_AXIS, "difference"), lambda row: row.agreement["bias"]),
        (Column(said("n"), "count"), lambda row: row.agreement.n),
    )
    title = said("Strictness")
    chart = dots(table_of("strictness", known, drawn), "annotators", 0.0)
    return replace(_part(title, table, STRICTNESS), charts=(chart,) if known else ())


_AXIS = said("points below (−) or above (+) the others")


def over_time(found: OverTime, periods: Sequence[Period]) -> Document:
    """Return the agreement by period."""
    parts = [
        (Column(said("answers")), lambda row: row.period),
        (Column(said("since")), lambda row: row.since),
        (Column(said("until")), lambda row: row.until),
        *_together(lambda row: row.overall),
    ]
    if found.why_none:
        note = said("Not available: {why}.", why=found.why_none)
    elif found.left_out:
        note = said(
            "An answer counts when its last annotator graded it. Left out, without a time: {n:,}.",
            n=found.left_out,
        )
    else:
        note = said("An answer counts when its last annotator graded it.")
    return _part(said("Over time"), table_of("over-time", periods, parts), note)


def contested(found: ContestedItems) -> Document:
    """Return the contested answers, the most different first."""
    parts = [
        (Column(said("answer")), lambda row: row.item),
        (Column(said("question")), lambda row: row.question),
        (Column(said("answered by")), lambda row: row.answer_model),
        (Column(said("scores")), lambda row: " ".join(map(str, row.scores))),
        (Column(said("points apart"), "count"), lambda row: row.points_apart),
    ]
    title = said(
        "Annotators differ on {differ:,} of {answers}",
        differ=found.differ,
        answers=counted(found.n, "answer"),
    )
    return _part(title, table_of("contested", found.items, parts))


def second_annotator(found: SecondAnnotator, warned: bool = False) -> Document:
    """Return the designs at equal hours and the variance components.

    Nothing is advised where it is `warned` of annotators: their errors count as those of everyone.
    """
    if found.why_none:
        return Document(found.sentence, notes=(said("{sentence}.", sentence=found.sentence),))
    if warned:
        found = replace(found, better=None, sentence=_REVIEW_FIRST)
    each = Column(said("annotators per answer"), "count")
    parts = [
        (Column(said("design")), lambda row: DESIGNS[row.annotators_per_answer]),
        (Column(said("answers"), "count"), lambda row: round(row.answers)),
        (each, lambda row: row.annotators_per_answer),
        (Column(said("standard error")), lambda row: Numeral(f"{row.standard_error:.3f}")),
    ]
    components = Table(
        "components",
        (Column(said("component")), Column(said("variance"), "number")),
        tuple((_COMPONENTS[name], one) for name, one in found.components.items()),
        said("Variance components, in squared points"),
    )
    notes = (_REVERSE, _HOURS) if found.better == MORE_ANNOTATORS else (_HOURS,)
    tables = (table_of("designs", found.plans, parts), components)
    return Document(found.sentence, tables=tables, notes=notes)


def quality(found: AnnotatorQuality, rubric: Rubric, criterion: str | None = None) -> Document:
    """Return consistency on one criterion, else on all, and the speed of grading."""
    rows = [row for row in found.rows if criterion in (None, row.criterion)]
    tables = (
        _consistency(rows, rubric),
        _by_hour(rows, rubric, found.zone),
        _pace(found),
        _flagged(found),
    )
    timed = any(row.n for row in found.pace)
    notes = [STRICTNESS, *undefined(tables[0])]
    if found.flagged:
        notes.append(said("Grades given too fast are not excluded from any figure."))
    elif timed:
        notes.append(said("No grade was given faster than its answer can be read."))
    return Document("", tables=tables, notes=tuple(notes))


def _part(headline: str, table: Table, *notes: str) -> Document:
    missing = undefined(table) if table.rows else ()
    return Document(headline, tables=(table,), notes=(*filter(None, notes), *missing))


def _titled(part: Document) -> Iterator[Table]:
    """The tables of a part under its headline."""
    for index, table in enumerate(part.tables):
        yield table if index else replace(table, title=part.headline)


def _annotator(row: Any) -> str:
    return named(row.annotator, row.simulated)


def _consistency(rows: Sequence[AnnotatorConsistency], rubric: Rubric) -> Table:
    """The first and last third of each annotator's grades, and the hidden repeats."""

    def of(third: str, key: str) -> Callable[[AnnotatorConsistency], Cell]:
        return lambda row: (part := getattr(row, third)) and part.agreement[key]

    parts = [
        (Column(said("criterion")), lambda row: heading(rubric, row.criterion)),
        (Column(said("annotator")), _annotator),
        (Column(said("timed grades"), "count"), lambda row: row.graded),
        (Column(said("n, first third"), "count"), lambda row: row.first and row.first.agreement.n),
        (Column(said("n, last third"), "count"), lambda row: row.last and row.last.agreement.n),
        (
            Column(said("bias, first third"), "difference", "consistency over time"),
            of("first", "bias"),
        ),
        (Column(said("bias, last third"), "difference"), of("last", "bias")),
        (Column(said("bias change"), "difference"), lambda row: row.bias_change),
        (Column(said("exact, first third"), "share"), of("first", "exact")),
        (Column(said("exact, last third"), "share"), of("last", "exact")),
        (Column(said("repeats"), "count", "repeats"), lambda row: row.repeats.whole.n),
        (Column(said("exact again"), "share"), lambda row: row.repeats.whole.exact),
        (Column(said("within one again"), "share"), lambda row: row.repeats.whole.within_one),
    ]
    title = said("First and last third of each annotator's grades")
    return table_of("throughout", rows, parts, title)


def _by_hour(rows: Sequence[AnnotatorConsistency], rubric: Rubric, zone: str) -> Table:
    parts = [
        (Column(said("criterion")), lambda pair: heading(rubric, pair[0].criterion)),
        (Column(said("annotator")), lambda pair: pair[0].annotator),
        (Column(said("hours")), lambda pair: pair[1].hours),
        (Column("n", "count"), lambda pair: pair[1].agreement.n),
        (Column(said("bias"), "difference"), lambda pair: pair[1].agreement["bias"]),
        (Column(said("exact"), "share"), lambda pair: pair[1].agreement["exact"]),
    ]
    pairs = ((row, part) for row in rows for part in row.by_hour)
    return table_of("hours", pairs, parts, said("By hour of the day, {zone}", zone=zone))


def _pace(found: AnnotatorQuality) -> Table:
    parts = [
        (Column(said("annotator")), _annotator),
        (Column(said("answers"), "count"), lambda row: row.n),
        *_SPEED,
        (Column(said("too fast"), "count", "speeding"), lambda row: row.flagged),
        (Column(said("without a time"), "count"), lambda row: row.untimed),
    ]
    return table_of("pace", found.pace, parts, said("Speed of grading, medians"))


def _flagged(found: AnnotatorQuality) -> Table:
    parts = [
        (Column(said("annotator")), lambda row: row.annotator),
        (Column(said("answer")), lambda row: row.item),
        (Column(said("letters"), "count"), lambda row: row.letters),
        *_SPEED,
        (Column(said("why")), lambda row: reason(row.why)),
    ]
    return table_of("too-fast", found.flagged, parts, said("Graded too fast"))


def _rounded(value: float | None) -> str | None:
    return None if value is None else Numeral(f"{value:.1f}")


_SPEED: list[Part] = [
    (Column(said("seconds")), lambda row: _rounded(row.seconds)),
    (Column(said("letters a second")), lambda row: _rounded(row.letters_per_second)),
]
