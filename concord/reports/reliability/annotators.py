"""Annotators: how far the annotators of a sheet agree, as `annotators --json` has it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from concord.messages import Said, capital, counted, joined, message_of, said
from concord.model import Grader
from concord.reports.cells import in_brackets, undefined, written
from concord.reports.charts import dots
from concord.reports.document import FLAT, Column, Document, Part, Table, table_of
from concord.reports.panel.criterion_comparison import EACH, ONE_SELECTED, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import (
    Annotator,
    annotators_sentence,
    counted_annotators,
    named,
    weighting,
)
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_cards, panel_reliability
from concord.reports.reliability.annotator_cards import AnnotatorCard
from concord.reports.reliability.panel_reliability import PanelReliability, why_none
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.estimate import undefined as undefined_estimate
from concord.stats.core.pairs import Pairs, judge_pairs
from concord.stats.core.tables import ranked
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.statistics import figures
from concord.store import grades
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class ContestedItem:
    """An answer with its scores, rising, and the points between the lowest and the highest."""

    item_id: int
    item: str
    question: str
    answer_model: str
    scores: tuple[int, ...]
    points_apart: int


@dataclass(frozen=True)
class ContestedItems:
    """Answers with different scores, of n that two or more annotators graded.

    Attributes:
        items: The widest range first, then the largest mean difference.
    """

    n: int
    differ: int
    items: tuple[ContestedItem, ...]


def contested_items(store: Store, on: CriterionPanel, most: int | None = None) -> ContestedItems:
    """Return the contested answers, at most `most` of them; all for None."""
    items, scores = on.overlap()
    rows = [np.sort(column[~np.isnan(column)]) for column in scores.T]
    order = sorted(range(len(rows)), key=lambda index: _agreement(rows[index]))
    differ = [index for index in order if np.ptp(rows[index]) > 0]
    names = store_items.item_names(store, on.panel.sheet.id) if differ else {}
    ids = on.panel.items["id"].to_numpy()
    shown = ((int(ids[items[index]]), rows[index]) for index in differ[:most])
    return ContestedItems(
        n=len(rows),
        differ=len(differ),
        items=tuple(
            ContestedItem(i, *names[i], tuple(map(int, own)), int(np.ptp(own))) for i, own in shown
        ),
    )


def scores_with_reasons(
    store: Store, panel: Panel, criterion: str, item_id: int
) -> list[tuple[int, str]]:
    """Return the scores of one answer that count, with their reasons; rising, without names."""
    (index,) = np.flatnonzero(panel.items["id"] == item_id)
    names = rubric_versions.criteria(store, panel.rubric)
    versions = [version for version, name in names.items() if name == criterion]
    rows = grades.of_item(store, item_id, versions)
    reasons = {
        row["grader_id"]: row["reason"]
        for row in sorted(rows, key=lambda row: row["id"])
        if row["repeat"] == 1
    }
    return sorted(
        (int(panel.of(criterion, person).score[index]), reasons.get(person, ""))
        for person in panel.annotators
        if panel.counted(criterion, person)[index]
    )


def _agreement(scores: np.ndarray) -> tuple[float, float]:
    """Lower the further apart annotators are: the range, then the mean pairwise difference."""
    number = len(scores)
    away = np.abs(scores[:, None] - scores).sum() / (number * (number - 1))
    return -float(np.ptp(scores)), -float(away)


TOGETHER = ("exact", "within_one", "qwk")
BETWEEN_TWO = ("exact", "within_one", "qwk", "alpha", "bias")
OF_ONE = ("bias", "exact", "within_one")


@dataclass(frozen=True)
class Overall:
    """Agreement of all annotators: of every pair of them, and `alpha` of all at once."""

    n: int
    annotators: int
    questions: int
    clusters: int
    exact: Estimate
    within_one: Estimate
    qwk: Estimate
    alpha: Estimate

    def __getitem__(self, key: str) -> Estimate:
        return getattr(self, key)


@dataclass(frozen=True)
class Agreement:
    """Statistics of some pairs of scores, on n answers."""

    n: int
    questions: int
    figures: dict[str, Estimate] = field(metadata=FLAT)

    def __getitem__(self, key: str) -> Estimate:
        return self.figures[key]


@dataclass(frozen=True)
class Pair:
    """Agreement of two annotators; `bias` is the mean of the first minus the second."""

    one: str
    other: str
    agreement: Agreement = field(metadata=FLAT)


@dataclass(frozen=True)
class Strictness:
    """Agreement of an annotator with all others; `bias` above 0 is more lenient than they are."""

    annotator: str
    simulated: bool
    agreement: Agreement = field(metadata=FLAT)


def overall_figures(on: CriterionPanel) -> Overall:
    """Return the agreement on answers that two or more graded."""
    keep = np.ones(len(on.panel.items), bool)
    found = on.overlapping(keep)
    return Overall(
        n=found.n,
        annotators=len(on.annotators_on(found.on)),
        questions=ranked(on.panel.question[found.on])[0],
        clusters=ranked(on.panel.cluster[found.on])[0],
        **{name: found.figures[name] for name in TOGETHER},
        alpha=_alpha(on, keep),
    )


def figures_of_pairs(on: CriterionPanel) -> list[Pair]:
    """Return a row per pair of annotators, also of those who share no answer."""
    found = combinations(by_name(on), 2)
    return [Pair(a.name, b.name, agreement(on, between(on, a, b))) for a, b in found]


def strictness_of(on: CriterionPanel) -> list[Strictness]:
    """Return a row per annotator."""
    return [
        Strictness(one.name, one.simulated, agreement(on, against_others(on, one), OF_ONE))
        for one in by_name(on)
    ]


def by_name(on: CriterionPanel) -> list[Grader]:
    """Return the annotators who graded the criterion, by name, also those who gave no score."""
    panel = on.panel
    annotators = [
        one
        for one in panel.graded_by
        if (panel.open & (panel.of(on.name, one.id).status >= 0)).any()
    ]
    return sorted(annotators, key=lambda person: (person.name.casefold(), person.id))


def between(on: CriterionPanel, one: Grader, other: Grader) -> Pairs:
    """Return the scores of answers that both graded; `one` is in the place of a judge."""
    return _paired(on, one, on.each().grader == other.id)


def against_others(on: CriterionPanel, person: Grader) -> Pairs:
    """Return an annotator's scores paired with all others' of the same answers."""
    return _paired(on, person, on.each().grader != person.id)


def agreement(on: CriterionPanel, found: Pairs, names: tuple[str, ...] = BETWEEN_TWO) -> Agreement:
    """Return some statistics of pairs."""
    return Agreement(
        len(np.unique(found.item)),
        len(np.unique(on.panel.question[found.item])),
        figures(found, on.panel.rubric.scale, failing=(), names=names),
    )


def _paired(on: CriterionPanel, person: Grader, theirs: np.ndarray) -> Pairs:
    given = on.each()
    mine = given.grader == person.id
    own, others = ((given.item[part], given.score[part]) for part in (mine, theirs))
    return on.weighed(judge_pairs(*own, *others, on.panel.cluster))


def _alpha(on: CriterionPanel, keep: np.ndarray) -> Estimate:
    items, scores = on.overlap()
    kept = keep[items]
    why = why_none(on, int(kept.sum()))
    if why:
        return undefined_estimate(why)
    cluster = on.panel.cluster[items[kept]]
    return krippendorff_alpha(scores[:, kept], on.panel.rubric.scale, "ordinal", cluster)


@dataclass(frozen=True)
class CriterionAgreement:
    """Inter-annotator agreement on one criterion; `not_blind` grades are not in it."""

    criterion: str
    overall: Overall
    pairs: tuple[Pair, ...]
    strictness: tuple[Strictness, ...]
    split: ContestedItems
    not_blind: int = 0


@dataclass(frozen=True)
class AnnotatorReport:
    """Inter-annotator agreement on every criterion.

    Attributes:
        synthetic: How many of its answers are synthetic.
        uncounted: Annotators whose grades do not count, with the reason.
        weighting: How answers weigh; None where each counts the same.
        reliability: Inter-rater reliability by criterion.
    """

    sheet: str
    synthetic: int
    rubric: str
    annotators: tuple[Annotator, ...]
    uncounted: dict[str, str]
    weighting: str | None
    reliability: tuple[PanelReliability, ...]
    criteria: tuple[CriterionAgreement, ...]


def report(
    store: Store, panel: Panel, most: int | None = None, only: Sequence[str] = ()
) -> AnnotatorReport:
    """Return the report.

    `most` is the number of contested answers listed for each criterion (None for all), `only` the
    criteria (all without).
    """
    names = [name for name in panel.criteria if name != COMPOSITE and (name in only or not only)]
    together = panel_reliability.rows(panel)
    return AnnotatorReport(
        sheet=panel.sheet.name,
        synthetic=panel.sheet.synthetic,
        rubric=panel.rubric.name,
        annotators=counted_annotators(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
        reliability=tuple(row for row in together if row.criterion in names),
        criteria=tuple(of_criterion(store, panel, name, most) for name in names),
    )


def of_criterion(
    store: Store, panel: Panel, name: str, most: int | None = None
) -> CriterionAgreement:
    """Return the agreement on one criterion."""
    on = ground(panel, name, EACH)
    return CriterionAgreement(
        criterion=name,
        overall=overall_figures(on),
        pairs=tuple(figures_of_pairs(on)),
        strictness=tuple(strictness_of(on)),
        split=contested_items(store, on, most),
        not_blind=sum(
            int((marks.scored & ~marks.blind & panel.open).sum())
            for marks in (panel.of(name, i) for i in panel.annotators)
        ),
    )


ONE = "No answer was graded blind by two annotators, so inter-annotator agreement is unknown"
_ONE_SELECTED = "Only one annotator is included, so inter-annotator agreement is unknown"
WHAT_TO_DO = (
    "Let two annotators grade some of the same answers: send both the link to the same grading "
    "set. From 30 shared answers to 10 questions on, inter-annotator agreement can be computed."
)
_HEADLINE = "Two annotators give the same score for {criterion} on {exact} of answers"
_OF_ANSWERS = "{exact} of {answers}."
STRICTNESS = (
    "Mean difference from the other annotators on the same answers. Shows leniency, not "
    "correctness."
)


def _together(of: Callable[[Any], Agreement | Overall]) -> list[Part]:
    """The columns of `of(row)`, the agreement of a row."""
    return [
        (Column("n", "count"), lambda row: of(row).n),
        (Column("exact", "share", "exact"), lambda row: of(row)["exact"]),
        (Column("within one", "share", "within one"), lambda row: of(row)["within_one"]),
        (Column("alpha", "number", "alpha"), lambda row: of(row)["alpha"]),
        (Column("QWK", "number", "QWK"), lambda row: of(row)["qwk"]),
    ]


_OVERALL: list[Part] = [
    (Column("annotators", "count"), "annotators"),
    (Column("questions", "count"), "questions"),
    *_together(lambda row: row),
]
_OVERLAP = (
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
        return why, "Without a selection, all eligible annotators are included."
    if not found.not_blind:
        return "One annotator has graded each answer so far", WHAT_TO_DO
    return (
        said(
            "{grades} not blind, and excluded",
            grades=counted(found.not_blind, "grade was", "grades were"),
        ),
        (
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
    table = table_of("overall", [whole], _OVERALL, "All annotators")
    overlap = joined(" ", [_OVERLAP, in_brackets(table.rows[0])])
    facts = filter(None, (of_answers, annotators_sentence(simulated, whole.annotators)))
    return Document(headline, tuple(facts), (table,), (overlap, *undefined(table)))


def pairs(found: Sequence[Pair]) -> Document:
    """Return a row per pair of annotators who share answers."""
    shared = [row for row in found if row.agreement.n]
    bias = Column("first minus second", "difference")
    parts = [
        ("annotators", lambda row: joined(", ", [row.one, row.other])),
        *_together(lambda row: row.agreement),
        (bias, lambda row: row.agreement["bias"]),
    ]
    apart = len(found) - len(shared)
    left = counted(apart, "pair of annotators", "pairs of annotators")
    note = said("Not listed, since they share no answer: {pairs}.", pairs=left) if apart else ""
    return _part("Pairs of annotators", table_of("pairs", shared, parts), note)


def strictness(found: CriterionAgreement) -> Document:
    """Return the bias of each annotator, compared with all others."""
    parts = [
        ("annotator", _annotator),
        (Column("n", "count"), "agreement.n"),
        (Column("bias", "difference", "strictness"), lambda row: row.agreement["bias"]),
        (Column("exact", "share"), lambda row: row.agreement["exact"]),
    ]
    table = table_of("strictness", found.strictness, parts)
    known = [row for row in found.strictness if row.agreement["bias"].value is not None]
    drawn = (
        ("annotator", _annotator),
        (Column(_AXIS, "difference"), lambda row: row.agreement["bias"]),
        (Column("n", "count"), "agreement.n"),
    )
    title = "Strictness"
    chart = dots(table_of("strictness", known, drawn), "annotators", 0.0)
    return replace(_part(title, table, STRICTNESS), charts=(chart,) if known else ())


_AXIS = "points below (−) or above (+) the others"


def contested(found: ContestedItems) -> Document:
    """Return the contested answers, the most different first."""
    parts = [
        ("answer", "item"),
        ("question", "question"),
        ("answered by", "answer_model"),
        ("scores", lambda row: " ".join(map(str, row.scores))),
        (Column("points apart", "count"), "points_apart"),
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
