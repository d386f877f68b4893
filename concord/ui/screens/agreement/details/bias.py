"""Bias tests of the chosen judge, and which scores it gave on the chosen criterion."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import bias_tests, document
from concord.reports.agreement.answer_lengths import lengths
from concord.reports.agreement.results import BiasTest
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail, shown
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
