"""The documents of the annotators report: agreement on a criterion, and who needs a look."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from concord.messages import Said, capital, counted, joined, message_of, said
from concord.reports.cells import in_brackets, undefined, written
from concord.reports.charts import dots
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.criterion_comparison import ONE_SELECTED
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_cards
from concord.reports.reliability.annotator_cards import AnnotatorCard
from concord.reports.reliability.annotator_overlap import Agreement, Overall, Pair
from concord.reports.reliability.annotators import AnnotatorReport, CriterionAgreement
from concord.reports.reliability.contested_items import ContestedItems
from concord.rubrics.model import Rubric

ONE = said("No answer was graded blind by two annotators, so inter-annotator agreement is unknown")
_ONE_SELECTED = said("Only one annotator is included, so inter-annotator agreement is unknown")
WHAT_TO_DO = said(
    "Let two annotators grade some of the same answers: send both the link to the same grading "
    "set. From 30 shared answers to 10 questions on, inter-annotator agreement can be computed."
)
_HEADLINE = said("Two annotators give the same score for {criterion} on {exact} of answers")
_OF_ANSWERS = said("{exact} of {answers}.")
STRICTNESS = said(
    "Mean difference from the other annotators on the same answers. Shows leniency, not "
    "correctness."
)


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
    found: AnnotatorReport, rubric: Rubric, cards: Sequence[AnnotatorCard], graders: bool
) -> list[Document]:
    """Return who needs a look, a document per criterion, and the cards where asked for."""
    simulated = sum(one.simulated for one in found.annotators)
    parts = [document(one, rubric, simulated) for one in found.criteria]
    look = annotator_cards.headline(cards)
    alerts = (one.sentence for card in cards for one in card.measured.alerts)
    noted = (note for card in cards for note in annotator_cards.notes(card))
    look = replace(look, facts=(*alerts, *noted), notes=look.facts)
    shown = map(annotator_cards.document, cards) if graders else ()
    return [look, *parts, Document(found.weighting or ""), *shown]


def document(found: CriterionAgreement, rubric: Rubric, simulated: int) -> Document:
    """Return the agreement on a criterion; `simulated` counts annotators."""
    head = overall(found, rubric, simulated)
    if not found.overall.n:
        return replace(head, notes=(*head.notes, *too_few(found)[not found.not_blind :]))
    parts = [pairs(found.pairs), strictness(found), contested(found.split)]
    tables = [*head.tables, *(table for part in parts for table in _titled(part))]
    notes = (*head.notes, *(note for part in parts for note in part.notes))
    return Document(head.headline, head.facts, tuple(tables), tuple(dict.fromkeys(notes)))


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


def _part(headline: str, table: Table, *notes: str) -> Document:
    missing = undefined(table) if table.rows else ()
    return Document(headline, tables=(table,), notes=(*filter(None, notes), *missing))


def _titled(part: Document) -> Iterator[Table]:
    """The tables of a part under its headline."""
    for index, table in enumerate(part.tables):
        yield table if index else replace(table, title=part.headline)


def _annotator(row: Any) -> str:
    return named(row.annotator, row.simulated)
