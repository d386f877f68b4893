"""The documents of the annotators report: agreement on a criterion, and annotator quality."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from concord.language.grade_statuses import reason
from concord.messages import counted, said
from concord.reports.cells import number, share, undefined
from concord.reports.document import Cell, Column, Document, Table
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_warnings
from concord.reports.reliability.annotator_overlap import Agreement, Overall, OverTime, Pair, Period
from concord.reports.reliability.annotator_quality import AnnotatorConsistency, AnnotatorQuality
from concord.reports.reliability.annotators import AnnotatorReport, CriterionAgreement
from concord.reports.reliability.contested_items import ContestedItems
from concord.reports.reliability.second_annotator import DESIGNS, MORE_ANNOTATORS, SecondAnnotator
from concord.rubrics.model import Rubric

ONE = said("No answer was graded by two annotators, so how far annotators agree is unknown")
WHAT_TO_DO = said(
    "Let a second annotator grade some of the same answers: send them the link of a grading set. "
    "Thirty answers or more to ten questions show how far annotators agree."
)
NOT_SHOWN = said("Annotator quality is for leads: add --graders to print it.")
_HEADLINE = said("Two annotators give the same score for {criterion} {exact} of the time")
_WITHIN_ONE = said(
    "Two annotators give the same score for {criterion} {exact} of the time, within one point "
    "{within_one}"
)
STRICTNESS = said(
    "Mean difference from the other annotators on the same answers. Shows leniency, not "
    "correctness."
)
_HOURS = said(
    "Equal annotator hours: every design spends the same grades by the same annotators. Standard "
    "error of the mean score. Have 30 answers or more to 10 questions graded twice in any case: "
    "without them inter-annotator agreement is unknown."
)
_REVERSE = said("Grading more answers lowers the standard error by less than 1%.")
_COMPONENTS = {
    "question": said("question"),
    "answer": said("answer"),
    "grader": said("annotator"),
    "grader_on_question": said("annotator on question"),
    "rest": said("rest"),
}
_TOGETHER = (
    Column("n", "count"),
    Column(said("exact"), "share", "exact"),
    Column(said("within one"), "share", "within one"),
    Column(said("alpha"), "number", "alpha"),
    Column("QWK", "number", "qwk"),
)
_KEYS = ("exact", "within_one", "alpha", "qwk")


def documents(found: AnnotatorReport, rubric: Rubric, graders: bool) -> list[Document]:
    """Return a document per criterion, and that of annotator quality where it is asked for."""
    simulated = sum(one["simulated"] for one in found.annotators)
    parts = [document(one, rubric, simulated) for one in found.criteria]
    last = quality(found.quality, rubric) if graders else Document(NOT_SHOWN)
    return [*parts, Document(found.weighting or ""), last]


def document(found: CriterionAgreement, rubric: Rubric, simulated: int) -> Document:
    """Return the agreement on a criterion; `simulated` counts annotators."""
    head = overall(found, rubric, simulated)
    if not found.overall.n:
        return replace(head, notes=(*head.notes, WHAT_TO_DO))
    parts = [
        pairs(found.pairs),
        strictness(found),
        over_time(found.over_time, found.over_time.thirds),
        contested(found.split),
        second_annotator(found.second_grader),
    ]
    facts = (*head.facts, *annotator_warnings.notes(found.annotator_warnings))
    tables = [table for part in parts for table in _titled(part)]
    notes = (*head.notes, *(note for part in parts for note in part.notes))
    return Document(head.headline, facts, tuple(tables), tuple(dict.fromkeys(notes)))


def overall(found: CriterionAgreement, rubric: Rubric, simulated: int) -> Document:
    """Return how often two annotators give the same score, and the statistics of all."""
    whole = found.overall
    if not whole.n:
        return Document(ONE)
    exact, near = (share(one._asdict()) for one in (whole.exact, whole.within_one))
    template = _HEADLINE if whole.within_one.value is None else _WITHIN_ONE
    criterion = heading(rubric, found.criterion)
    fact = said(
        "On {answers} to {questions} that two or more of {annotators} annotators graded; alpha "
        "{alpha}, QWK {qwk}.",
        answers=counted(whole.n, "answer"),
        questions=counted(whole.questions, "question"),
        annotators=whole.annotators,
        alpha=number(whole.alpha._asdict()),
        qwk=number(whole.qwk._asdict()),
    )
    why = whole.alpha.why_none if whole.alpha.value is None else None
    return Document(
        said(template, criterion=criterion, exact=exact, within_one=near),
        tuple(filter(None, (fact, annotators_sentence(simulated, whole.annotators)))),
        notes=(said("No alpha: {why}.", why=why),) if why else (),
    )


def pairs(found: Sequence[Pair]) -> Document:
    """Return a row per pair of annotators who share answers."""
    shared = [row for row in found if row.agreement.n]
    columns = (
        Column(said("annotators")),
        *_TOGETHER,
        Column(said("first minus second"), "difference"),
    )
    rows = (
        (f"{row.one}, {row.other}", *_figures(row.agreement), row.agreement["bias"])
        for row in shared
    )
    apart = len(found) - len(shared)
    left = counted(apart, "pair of annotators", "pairs of annotators")
    note = said("Not listed, since they share no answer: {pairs}.", pairs=left) if apart else ""
    return _part(said("Each two annotators"), Table("pairs", columns, tuple(rows)), note)


def strictness(found: CriterionAgreement) -> Document:
    """Return the bias of each annotator, compared with all others."""
    columns = (
        Column(said("annotator")),
        Column("n", "count"),
        Column(said("bias"), "difference", "strictness"),
        Column(said("exact"), "share"),
    )
    rows = (
        (
            named(row.annotator, row.simulated),
            row.agreement.n,
            row.agreement["bias"],
            row.agreement["exact"],
        )
        for row in found.strictness
    )
    return _part(said("Strictness"), Table("strictness", columns, tuple(rows)), STRICTNESS)


def over_time(found: OverTime, periods: Sequence[Period]) -> Document:
    """Return the agreement by period."""
    columns = (
        Column(said("answers")),
        Column(said("since")),
        Column(said("until")),
        *_TOGETHER,
    )
    rows = ((row.period, row.since, row.until, *_figures(row.overall)) for row in periods)
    if found.why_none:
        note = said("Over time: {why}.", why=found.why_none)
    elif found.left_out:
        note = said(
            "An answer counts when its last annotator graded it. Left out, without a time: {n:,}.",
            n=found.left_out,
        )
    else:
        note = said("An answer counts when its last annotator graded it.")
    return _part(said("Over time"), Table("over-time", columns, tuple(rows)), note)


def contested(found: ContestedItems) -> Document:
    """Return the contested answers, the most different first."""
    columns = (
        Column(said("answer")),
        Column(said("question")),
        Column(said("answered by")),
        Column(said("scores")),
        Column(said("points apart"), "count"),
    )
    rows = (
        (row.item, row.question, row.answer_model, " ".join(map(str, row.scores)), row.apart)
        for row in found.items
    )
    title = said("Annotators differ on {differ:,} of {n:,} answers", differ=found.differ, n=found.n)
    return _part(title, Table("contested", columns, tuple(rows)))


def second_annotator(found: SecondAnnotator) -> Document:
    """Return the designs at equal hours and the variance components."""
    columns = (
        Column(said("design")),
        Column(said("answers"), "count"),
        Column(said("annotators per answer"), "count"),
        Column(said("standard error")),
    )
    rows = (
        (DESIGNS[each], round(answers), each, f"{error:.3f}")
        for answers, each, error in found.plans
    )
    designs = Table("designs", columns, tuple(rows))
    if found.why_none:
        return Document(found.sentence, notes=(said("{sentence}.", sentence=found.sentence),))
    components = Table(
        "components",
        (Column(said("component")), Column(said("variance"), "number")),
        tuple((_COMPONENTS[name], one) for name, one in found.components.items()),
        said("Variance components, in squared points"),
    )
    notes = (_REVERSE, _HOURS) if found.better == MORE_ANNOTATORS else (_HOURS,)
    return Document(found.sentence, tables=(designs, components), notes=notes)


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
        notes.append(said("Grades given too fast are excluded from no figure."))
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


def _figures(found: Agreement | Overall) -> list[Cell]:
    if isinstance(found, Agreement):
        return [found.n, *(found[key] for key in _KEYS)]
    return [found.n, *(getattr(found, key) for key in _KEYS)]


def _consistency(rows: Sequence[AnnotatorConsistency], rubric: Rubric) -> Table:
    """The first and last third of each annotator's grades, and the hidden repeats."""
    columns = (
        Column(said("criterion")),
        Column(said("annotator")),
        Column(said("timed grades"), "count"),
        Column(said("n, first third"), "count"),
        Column(said("n, last third"), "count"),
        Column(said("bias, first third"), "difference", "throughout"),
        Column(said("bias, last third"), "difference"),
        Column(said("change"), "difference"),
        Column(said("exact, first third"), "share"),
        Column(said("exact, last third"), "share"),
        Column(said("repeats"), "count", "repeats"),
        Column(said("exact again"), "share"),
        Column(said("within one again"), "share"),
    )
    cells = (
        (
            heading(rubric, row.criterion),
            named(row.annotator, row.simulated),
            row.graded,
            row.first and row.first.agreement.n,
            row.last and row.last.agreement.n,
            row.first and row.first.agreement["bias"],
            row.last and row.last.agreement["bias"],
            row.bias_change,
            row.first and row.first.agreement["exact"],
            row.last and row.last.agreement["exact"],
            row.repeats.whole.n,
            row.repeats.whole.exact,
            row.repeats.whole.within_one,
        )
        for row in rows
    )
    title = said("First and last third of each annotator's grades")
    return Table("throughout", columns, tuple(cells), title)


def _by_hour(rows: Sequence[AnnotatorConsistency], rubric: Rubric, zone: str) -> Table:
    columns = (
        Column(said("criterion")),
        Column(said("annotator")),
        Column(said("hours")),
        Column("n", "count"),
        Column(said("bias"), "difference"),
        Column(said("exact"), "share"),
    )
    cells = (
        (
            heading(rubric, row.criterion),
            row.annotator,
            part.hours,
            part.agreement.n,
            part.agreement["bias"],
            part.agreement["exact"],
        )
        for row in rows
        for part in row.by_hour
    )
    return Table("hours", columns, tuple(cells), said("By hour of the day, {zone}", zone=zone))


def _pace(found: AnnotatorQuality) -> Table:
    columns = (
        Column(said("annotator")),
        Column(said("answers"), "count"),
        Column(said("seconds")),
        Column(said("letters a second")),
        Column(said("too fast"), "count", "too fast"),
        Column(said("without a time"), "count"),
    )
    cells = (
        (
            named(row.annotator, row.simulated),
            row.n,
            _rounded(row.seconds),
            _rounded(row.letters_per_second),
            row.flagged,
            row.untimed,
        )
        for row in found.pace
    )
    return Table("pace", columns, tuple(cells), said("Speed of grading, medians"))


def _flagged(found: AnnotatorQuality) -> Table:
    columns = (
        Column(said("annotator")),
        Column(said("answer")),
        Column(said("letters"), "count"),
        Column(said("seconds")),
        Column(said("letters a second")),
        Column(said("why")),
    )
    cells = (
        (
            row.annotator,
            row.item,
            row.letters,
            _rounded(row.seconds),
            _rounded(row.letters_per_second),
            reason(row.why),
        )
        for row in found.flagged
    )
    return Table("too-fast", columns, tuple(cells), said("Graded too fast"))


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}"
