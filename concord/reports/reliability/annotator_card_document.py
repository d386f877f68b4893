"""The document of annotator cards: the figures of each annotator, and the alerts in words."""

from collections.abc import Iterable
from dataclasses import replace

from concord.clock import day_of
from concord.grading import campaigns
from concord.grading.adjudication import adjudicators
from concord.messages import Numeral, Said, capital, joined, said
from concord.reports.cells import undefined, written
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import testable_agreement
from concord.reports.reliability.annotator_cards import AnnotatorCard, SetProgress
from concord.reports.reliability.annotator_overlap import Partner
from concord.reports.reliability.annotator_signals import AnnotatorSignals, Signal
from concord.rubrics.model import Rubric
from concord.stats.core.minimums import ANNOTATOR_FLOOR, QUESTION_FLOOR
from concord.stats.reliability import annotator_alerts as rule
from concord.store.annotator_states import EXCLUDED, INCLUDED, PENDING

_FIGURES = {
    rule.AGREEMENT: said("Agreement with the other annotators, QWK"),
    rule.EXACT: said("Agreement with the other annotators, exact"),
    rule.GOLD: said("Gold items, exact"),
    rule.REPEATS: said("Hidden repeats, same score"),
    rule.DRIFT: said("Exact agreement in the last third"),
    rule.SPEED: said("Graded too fast to read"),
}
_ALERTS = {
    rule.AGREEMENT: said(
        "Agreement on {criterion} is low: QWK {own} with the other annotators, who reach {others} "
        "with one another (n = {n:,})."
    ),
    rule.EXACT: said(
        "Exact agreement on {criterion} is low: {own} with the other annotators, who reach "
        "{others} with one another (n = {n:,})."
    ),
    rule.GOLD: said(
        "Gold items on {criterion}: {own} exact, the other annotators {others} (n = {n:,})."
    ),
    rule.REPEATS: said(
        "Hidden repeats on {criterion}: {own} got the same score again, of the other annotators' "
        "{others} (n = {n:,})."
    ),
    rule.DRIFT: said(
        "Exact agreement with the other annotators on {criterion} fell from {others} in the first "
        "third to {own} in the last (n = {n:,})."
    ),
    rule.SPEED: said("{own} of {n} timed answers were graded too fast to have been read."),
}


def alerts(card: AnnotatorCard, rubric: Rubric) -> tuple[Said, ...]:
    """Return what is out of line, a sentence each; kappa and exact agreement are said once."""
    kappa = {one.criterion for one in card.alerts if one.figure == rule.AGREEMENT}
    tested = (
        _alert(one, rubric)
        for one in card.alerts
        if one.figure != rule.EXACT or one.criterion not in kappa
    )
    return *tested, *card.alike


def documents(found: Iterable[AnnotatorCard], rubric: Rubric) -> tuple[Document, ...]:
    """Return a document per card."""
    return tuple(document(card, rubric) for card in found)


def document(card: AnnotatorCard, rubric: Rubric, criterion: str | None = None) -> Document:
    """Return the figures of a card on one criterion, else on all."""
    shown = [one for one in card.measured.signals if criterion in (None, one.criterion)]
    shown += [one for one in card.measured.signals if criterion and one.criterion is None]
    parts = (
        (Column(said("figure")), lambda one: _FIGURES[one.figure]),
        *([] if criterion else [(Column(said("criterion")), lambda one: _criterion(one, rubric))]),
        (Column(said("n"), "count"), lambda one: one.n),
        (Column(said("annotator")), lambda one: _written(one, one.own)),
        (Column(said("compared with"), help="annotator alerts"), _reference),
        (Column("p", "p"), lambda one: one.p),
        (Column(said("alert")), lambda one: said("alert") if one.alert else None),
    )
    facts = [*standing(card), *(_done(one) for one in card.progress)]
    shared = partners(card, rubric, criterion)
    lacks = untested(card, criterion)
    if lacks:
        facts.append(lacks)
    facts += to_adjudicate(card)
    if card.paused:
        facts.append(said("Paused since {day}.", day=day_of(card.paused)))
    return Document(
        named(card.annotator, card.simulated),
        (*facts, *alerts(card, rubric)),
        (_with_seconds(table_of("signals", shown, parts), card.measured), shared) if shown else (),
        tuple(undefined(shared)),
    )


_STANDING = {
    EXCLUDED: said("Excluded by {who} on {day}: {why}"),
    PENDING: said("Pending: fewer than 10 graded answers, which do not count in any figure yet."),
    INCLUDED: said("Included by {who} on {day}: {why}"),
}


def standing(card: AnnotatorCard) -> list[Said]:
    """Return whether the grades count where somebody decided, or they do not count yet."""
    one = card.decided
    if not one:
        return [_STANDING[PENDING]] if card.state == PENDING else []
    words = said("Alert accepted by {who} on {day}: {why}")
    words = words if one.accepts_alert else _STANDING[one.state]
    return [said(words, who=one.by, day=day_of(one.at), why=one.why or said("no reason given"))]


def _with_seconds(table: Table, measured: AnnotatorSignals) -> Table:
    """Add the row of the median seconds per answer, which is compared and not tested."""
    row = {
        "figure": capital(said("seconds per answer (median)")),
        "n": measured.timed,
        "annotator": _seconds(measured.seconds, measured.timed),
        "compared with": said(
            "others {value}" if measured.others_seconds is None else "others {value} (n = {n:,})",
            value=_seconds(measured.others_seconds, measured.others_timed),
            n=measured.others_timed,
        ),
    }
    cells = tuple(row.get(column.title) for column in table.columns)
    return replace(table, rows=(*table.rows, cells))


def _seconds(median: float | None, n: int) -> str:
    return said("too few ({n})", n=n) if median is None else Numeral(f"{median:.1f}")


def partners(card: AnnotatorCard, rubric: Rubric, criterion: str | None = None) -> Table:
    """Return the agreement with each annotator who shares answers, by criterion or on one."""
    parts = (
        (Column(said("annotator")), lambda one: one.partner),
        *([] if criterion else [(Column(said("criterion")), lambda one: _criterion(one, rubric))]),
        (Column(said("n"), "count"), lambda one: one.agreement.n),
        (Column(said("exact"), "share", "exact"), lambda one: one.agreement["exact"]),
        (Column("QWK", "number", "QWK"), lambda one: one.agreement["qwk"]),
    )
    shown = [one for one in card.measured.partners if criterion in (None, one.criterion)]
    return table_of("partners", shown, parts, said("Pairs of annotators"))


def counted(found: Iterable[AnnotatorCard]) -> Said | None:
    """Return why progress counts more than the figures; None without gold items and repeats."""
    apart = (rule.GOLD, rule.REPEATS)
    if not any(s.n for one in found for s in one.measured.signals if s.figure in apart):
        return None
    return said(
        "Progress counts gold items and hidden repeats. The list of answers leaves out repeats and "
        "has the training round. Agreement leaves out all three."
    )


def to_adjudicate(card: AnnotatorCard) -> list[Said]:
    """Return how many answers are left to adjudicate; nothing without any."""
    return [adjudicators.left_words(card.to_adjudicate)] if card.to_adjudicate else []


def brief(whole: Table, with_p: bool) -> Table:
    """Return what a card on one criterion shows: the figures there are, without the alerts.

    Alerts are sentences on the card.
    """
    count = 5 if with_p else 4
    rows = tuple(row[:count] for row in whole.rows if row[1])
    return replace(whole, columns=whole.columns[:count], rows=rows)


def untested(card: AnnotatorCard, criterion: str | None = None) -> Said | None:
    """Return what agreement lacks to be tested, on a criterion, else on any; None where it is.

    Where what is assigned cannot bring it, that is said, too.
    """
    so_far = _so_far(card, criterion)
    if so_far is None or card.testable is None:
        return so_far
    return joined(" ", [so_far, *testable_agreement.lacks(card.testable)])


def _so_far(card: AnnotatorCard, criterion: str | None) -> Said | None:
    compared = [
        one
        for one in card.measured.signals
        if one.figure == rule.EXACT and criterion in (None, one.criterion)
    ]
    if not compared or any(one.p is not None for one in compared):
        return None
    shared = max(one.n for one in compared)
    if shared < ANNOTATOR_FLOOR:
        return said(
            "Agreement is tested from {least} shared answers on; {n} so far.",
            least=ANNOTATOR_FLOOR,
            n=shared,
        )
    return _with_one(card, compared[0].criterion) or said(
        "Agreement is tested once the other annotators share {least} answers.",
        least=ANNOTATOR_FLOOR,
    )


def _with_one(card: AnnotatorCard, criterion: str | None) -> Said | None:
    """Return what is lacking where nearly all answers are shared with one partner; else None."""
    shared = [one for one in card.measured.partners if one.criterion == criterion]
    main = max(shared, key=lambda one: one.agreement.n)
    with_others = sum(one.agreement.n for one in shared if one is not main)
    if with_others >= QUESTION_FLOOR:
        return None
    return said(
        "Agreement is tested once {least} answers are shared with annotators other than {name}; "
        "{n} so far.",
        least=QUESTION_FLOOR,
        name=main.partner,
        n=with_others,
    )


def _done(one: SetProgress) -> Said:
    if one.removed:
        return said(
            "{name}: removed from the set; {done:,} graded, and kept", name=one.set, done=one.done
        )
    done = said("{set}: {done:,} of {total:,}", set=one.set, done=one.done, total=one.total)
    return joined(", ", [done, *due(one)])


def due(one: SetProgress) -> list[Said]:
    """Return by when a set is due, or was; nothing without a deadline."""
    if not one.deadline:
        return []
    late = campaigns.is_past(one.deadline) and one.done < one.total
    return [said("was due {day}" if late else "due {day}", day=day_of(one.deadline))]


def _criterion(one: Signal | Partner, rubric: Rubric) -> str:
    return heading(rubric, one.criterion) if one.criterion else ""


def _alert(one: Signal, rubric: Rubric) -> Said:
    return said(
        _ALERTS[one.figure],
        criterion=_criterion(one, rubric),
        own=_written(one, one.own),
        others=_written(one, one.others),
        n=one.n,
    )


_REFERENCES = {
    rule.DRIFT: said("first third {value}"),
    rule.SPEED: said("at most {value}"),
}


def _reference(one: Signal) -> Said | None:
    value = _written(one, one.others)
    template = _REFERENCES.get(one.figure, said("others {value}"))
    return None if value is None else said(template, value=value)


def _written(one: Signal, value: float | None) -> str | None:
    if value is None:
        return None
    return written(value, "number" if one.figure == rule.AGREEMENT else "share")
