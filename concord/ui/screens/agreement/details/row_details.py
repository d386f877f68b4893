"""The details of the agreement report's rows beyond its table."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import (
    agreement,
    bias_tests,
    document,
    more_statistics,
    skipped_analyses,
)
from concord.reports.agreement.answer_lengths import lengths
from concord.reports.agreement.results import AgreementRow, BiasTest
from concord.reports.agreement.rows import rows
from concord.reports.panel.panel import COMPOSITE
from concord.stats.statistics import STATISTICS
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.cached_agreement import criterion_rows, every_row
from concord.ui.screens.agreement.details import detail, shown, to_copy
from concord.ui.widgets import terms


@kept(said("Testing the judges for bias…"))
def bias_rows(report: Report) -> list[BiasTest]:
    """Return every bias test of every judge."""
    return bias_tests.run(report.panel, lengths(report.store, report.panel))


@detail("bias", 40, said("Bias: leniency, length, halo, self-preference"))
def bias(report: Report, choice: AgreementChoice, name: str) -> None:
    """Bias tests of the chosen judge, and which scores it gave on the chosen criterion."""
    every = bias_rows(report)
    mine = [one for one in every if one.judge == choice.judge]
    if not mine:
        terms(*document.TESTS)
        st.write(say("The baseline is not tested for bias. Choose a judge above."))
        return
    among = sum(one.p is not None for one in every)
    part = document.bias(mine, report.rubric, among)
    if not part.facts:
        st.write(say("No significant bias."))
    shown(part, f"{name}-{choice.judge}", document.TESTS)
    (lean,) = (one for one in mine if (one.probe, one.criterion) == ("leniency", choice.criterion))
    given = document.scores_given(lean, report.rubric)
    if given.rows:
        st.caption(say(document.DISTANCE))
    render.show_table(given, name, in_full=True)


_TERMS = tuple(one.heading for one in STATISTICS if one.key not in ("alpha", "ac2"))
_TERMS += (said("worst case"), said("other answering models"), said("composite"))


@kept(said("Computing all statistics…"))
def _whole_rows(report: Report, kind: str) -> list[AgreementRow]:
    return more_statistics.whole_rows(report.panel, kind, short=every_row(report, kind))


@detail("statistics", 30, said("All statistics"))
def statistics(report: Report, choice: AgreementChoice, name: str) -> None:
    """Every statistic of the chosen criterion and of the composite."""
    every = _whole_rows(report, choice.kind)
    mine = [row for row in every if row.criterion in (choice.criterion, COMPOSITE)]
    shown(document.statistics(mine, report.rubric), name, _TERMS)


@detail("statistics", 50, said("Replacing an annotator with a judge (alt-test)"))
def alternative_annotator(report: Report, choice: AgreementChoice, name: str) -> None:
    """The alternative annotator test of every judge."""
    every = criterion_rows(report, choice.kind)
    shown(document.alternative_annotator(every, report.rubric), name, ("alt-test",))


@detail("exclusions", 70, said("Exclusions, and unscored answers counted as errors"))
def exclusions(report: Report, choice: AgreementChoice, name: str) -> None:
    """Exclusions from the figures, and the worst case for them."""
    words = said("left out"), said("worst case"), said("blind")
    shown(document.exclusions(criterion_rows(report, choice.kind), report.rubric), name, words)


@detail("exclusions", 80, said("Skipped analyses, and what would enable them"))
def skipped(report: Report, choice: AgreementChoice, name: str) -> None:
    """Analyses that were not run, and what would make them possible."""
    every = _whole_rows(report, choice.kind)
    found = agreement.of_rows(report.panel, every, choice.kind, False, rows)
    part = skipped_analyses.of(report.panel, found, bias_rows(report))
    shown(document.skipped(part, report.rubric), name)


@detail("exclusions", 90, said("How these figures were computed"))
def provenance(report: Report, choice: AgreementChoice, name: str) -> None:
    """Provenance of the chosen judge's rows, one line each."""
    mine = [row for row in every_row(report, choice.kind) if row.judge == choice.judge]
    for row in mine:
        to_copy(row.signature)
