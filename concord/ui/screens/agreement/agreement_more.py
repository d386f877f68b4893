"""Expanders below the agreement; the content is computed when one is opened."""

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from concord.messages import said
from concord.reports.agreement import document
from concord.reports.agreement.results import AgreementRow
from concord.reports.panel.panel import COMPOSITE
from concord.stats.statistics import STATISTICS
from concord.ui.cached_reports import Report
from concord.ui.frame import recall
from concord.ui.language import say
from concord.ui.screens.agreement import cached_agreement, folds
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.folds import Fold, shown

_STATISTICS = tuple(dict.fromkeys(one.heading for one in STATISTICS))
_STATISTICS += (said("worst case"), said("other answering models"), said("composite"))


def more(report: Report, choice: Choice, by_model: Sequence[AgreementRow], name: str) -> None:
    """Show the folded parts: those of the rows, and those of further reports, by place."""
    every = [
        Fold(
            10,
            lambda _: said("Figures by answering model"),
            partial(_by_model, by_model),
            lambda _: bool(by_model),
        ),
        *_OF_THE_ROWS,
        *folds.found(),
    ]
    for one in sorted(every, key=lambda fold: fold.place):
        if one.applies(report):
            _fold(one, report, choice, name)


def _fold(one: Fold, report: Report, choice: Choice, name: str) -> None:
    """A fold that stays closed without computing anything."""
    title = one.title(report)
    # With on_change="rerun" the expander reports `open`; otherwise Streamlit always runs its body.
    linked = bool(one.key) and recall(one.key) is not None
    opener = f"fold.{title}"
    with st.expander(say(title), expanded=linked, key=opener, on_change="rerun") as fold:
        if fold.open:
            one.show(report, choice, name)


def _by_model(rows: Sequence[AgreementRow], report: Report, choice: Choice, name: str) -> None:
    shown(document.figures(rows, report.rubric), name)


def _statistics(report: Report, choice: Choice, name: str) -> None:
    """Show every statistic of the chosen criterion and of the composite."""
    rows = cached_agreement.whole_rows(report, choice.kind)
    mine = [row for row in rows if row.criterion in (choice.criterion, COMPOSITE)]
    shown(document.statistics(mine, report.rubric), name, _STATISTICS)


def _alternative_annotator(report: Report, choice: Choice, name: str) -> None:
    rows = _of_criteria(cached_agreement.agreement_rows(report, choice.kind))
    shown(document.alternative_annotator(rows, report.rubric), name, ("alt-test",))


def _exclusions(report: Report, choice: Choice, name: str) -> None:
    rows = _of_criteria(cached_agreement.agreement_rows(report, choice.kind))
    words = (said("left out"), said("worst case"), said("blind"))
    shown(document.exclusions(rows, report.rubric), name, words)


def _provenance(report: Report, choice: Choice, name: str) -> None:
    for row in cached_agreement.agreement_rows(report, choice.kind):
        st.code(row.signature, language=None, wrap_lines=True)


def _of_criteria(rows: Iterable[AgreementRow]) -> list[AgreementRow]:
    return [row for row in rows if row.criterion != COMPOSITE]


_OF_THE_ROWS = (
    Fold(30, lambda _: said("Every statistic"), _statistics),
    Fold(
        50,
        lambda _: said("Can a judge replace an annotator? The alternative annotator test"),
        _alternative_annotator,
    ),
    Fold(70, lambda _: said("Exclusions, and failures counted as errors"), _exclusions),
    Fold(90, lambda _: said("How these figures were computed"), _provenance),
)
