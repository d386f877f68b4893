"""History of decisions: their terms, and every look at them."""

from collections.abc import Sequence

from concord.messages import day, minute, said
from concord.reports.cells import plain_share
from concord.reports.decision.results import VERDICTS, read, told
from concord.reports.decision.terms import limit_text, margin_text
from concord.reports.decision.terms_review import annotators_text
from concord.reports.document import Column, Table, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import short_label
from concord.stats.decision.deciding_figure import FIGURES
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision, Look


def fixed(every: Sequence[Decision], panel: Panel) -> Table:
    """Return the terms of decisions, a row each in the order given; `panel` names annotators."""
    parts = [
        (Column(said("decision"), "count"), lambda one: one.id),
        (Column(said("fixed on")), lambda one: day(one.created_at)),
        (Column(said("criterion")), lambda one: one.criterion),
        (Column(said("reference judge")), lambda one: short_label(one.against)),
        (Column(said("figure")), lambda one: FIGURES[one.figure].title),
        (Column(said("margin")), lambda one: margin_text(one.figure, one.margin)),
        (Column(said("limit")), lambda one: limit_text(one.figure, one.minimum)),
        (Column(said("failure recall")), lambda one: _least(one.failure_recall)),
        (Column(said("failure precision")), lambda one: _least(one.failure_precision)),
        (Column(said("planned"), "count"), lambda one: one.planned_questions),
        (Column(said("annotators")), lambda one: annotators_text(panel, one)),
        (
            Column(said("after agreement could be seen")),
            lambda one: said("yes") if one.fixed_after_sight else said("no"),
        ),
    ]
    return table_of("decisions", every, parts, said("Decisions"))


def looks(store: Store, every: Sequence[Decision]) -> Table:
    """Return every look at decisions in the order given, the newest first of each."""
    rows = [look for one in every for look in reversed(decisions.looks(store, one))]
    parts = [
        (Column(said("decision"), "count"), lambda one: one.decision_id),
        (Column(said("looked at")), lambda one: minute(one.created_at)),
        (Column(said("look"), "count"), lambda one: one.result["looks"]),
        (Column(said("verdict")), _verdict),
        (Column(said("winner")), lambda one: one.result["winner"]),
        (Column(said("answers"), "count"), lambda one: one.result["answers"]),
    ]
    return table_of("looks", rows, parts, said("Looks"))


def _verdict(look: Look) -> str:
    found = read(look.result)
    row = told(found)
    verdict = VERDICTS[row.verdict if row else found.verdict]
    exploratory = not found.confirmatory
    return said("{verdict}, exploratory", verdict=verdict) if exploratory else verdict


def _least(share: float | None) -> str:
    return plain_share(share) if share else said("none")
