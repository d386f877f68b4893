"""Metrics compared with annotators' grades and with one another, on screen."""

import streamlit as st

from concord.messages import said
from concord.model import Sheet
from concord.reports.metrics import metric_validity
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_validity import AgainstAnnotators, FittedThreshold, SeriesPair
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.store.database import Store
from concord.ui.cached_metrics import usual_thresholds
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.language import plain, say
from concord.ui.render import show_table
from concord.ui.report_picker import show_left_out
from concord.ui.widgets import finding, select, terms


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Show the metric that correlates best with annotators, or why none can be named."""
    held = against(store, sheet, found)
    finding(held.sentence, held.fact)


def annotators(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the correlation of each metric with annotators' grades of a criterion."""
    panel = _panel(store, sheet)
    if panel is None:
        st.page_link("pages/annotate.py", label=say("Go to Grading sets"), icon=":material/group:")
    else:
        show_left_out(panel.not_included)
        headings = panel.rubric.headings()
        names = {one: headings.get(one, one.capitalize()) for one in panel.criteria}
        names |= {COMPOSITE: said("Composite")} if COMPOSITE in names else {}
        heaviest = panel.rubric.heaviest().name
        criterion = select(said("Criterion"), "criterion", names, heaviest)
        held = against(store, sheet, found, criterion)
        if criterion != heaviest:  # else the headline says it
            st.markdown(f"**{plain(held.sentence)}**")
            st.markdown(plain(held.fact))
        _against_annotators(held, name)
        _thresholds(store, sheet, panel, found, criterion, name)
    pairs = _among(store, sheet, found)
    if not pairs:
        return  # of a single metric there is nothing to show below a heading
    st.subheader(say("Correlation between metrics"), anchor=False)
    st.caption(
        say(
            "Highly correlated metrics are redundant. Metrics where lower is better are reversed. "
            "A correlation needs at least 30 answers."
        )
    )
    if closest := metric_validity.closest(pairs):
        st.markdown(plain(closest))
    show_table(metric_validity.pair_table(pairs), name)


def _against_annotators(held: AgainstAnnotators, name: str) -> None:
    st.caption(
        say(
            "Rank correlation with annotators' grades, and the probability that an answer "
            "annotators pass has a better value than one they fail (AUC; .5 is chance). Higher is "
            "better for both."
        )
    )
    terms(said("metric validity"), "spearman", "AUC", "failing")
    chart = metric_validity.chart(held.rows, held.called, held.sentence)
    if chart:
        show_chart(chart, name)
        known = [row for row in held.rows if row.correlation.value is not None]
        if len(known) > 1:
            st.caption(
                say(
                    "The best of {n:,} metrics looks better than it is, because it was selected "
                    "on these answers. Confirm it on further answers before you rely on it.",
                    n=len(known),
                )
            )
    show_table(metric_validity.validity_table(held.rows), name, in_full=True)


def against(store: Store, sheet: Sheet, found: Readings, criterion: str = "") -> AgainstAnnotators:
    """Return metrics compared with annotators' grades of a criterion; '' for the heaviest."""
    return _predicts(store, sheet, criterion, _panel(store, sheet), found)


@kept(said("Reading the grades…"), 4, shared=True)
def _panel(store: Store, sheet: Sheet) -> Panel | None:
    return metric_validity.panel(store, sheet)


@kept(said("Comparing metrics with annotators…"), 12)
def _predicts(
    store: Store, sheet: Sheet, criterion: str, _panel: Panel | None, _found: Readings
) -> AgainstAnnotators:
    return metric_validity.against(metric_validity.series(_found), _panel, criterion)


@kept(said("Comparing metrics with one another…"), 4)
def _among(store: Store, sheet: Sheet, _found: Readings) -> list[SeriesPair]:
    return metric_validity.among(metric_validity.series(_found))


def _thresholds(
    store: Store, sheet: Sheet, panel: Panel, found: Readings, criterion: str, name: str
) -> None:
    """Show the fitted threshold of every metric, compared with the default one."""
    st.subheader(say("Fitted thresholds"), anchor=False)
    st.caption(
        say(
            "The threshold that best separates what annotators pass from what they fail is fitted "
            "on half of the questions; its accuracy is measured on the other half. All other "
            "figures use the default threshold."
        )
    )
    terms(said("fitted threshold"), said("balanced accuracy"), said("failing"))
    usual = tuple(sorted(usual_thresholds(store, sheet, found).items()))
    rows = _fitted(store, sheet, criterion, usual, panel, found)
    show_table(metric_validity.table(rows), name, in_full=True)
    if len(rows) > 1:
        st.caption(
            say(
                "By chance alone, 1 of 40 metrics is conclusively better. This table has {n:,}.",
                n=len(rows),
            )
        )


@kept(said("Fitting thresholds…"), 12)
def _fitted(
    store: Store, sheet: Sheet, criterion: str, usual: tuple, _panel: Panel, _found: Readings
) -> list[FittedThreshold]:
    series = metric_validity.series(_found)
    return metric_validity.fitted(series, _panel, criterion, dict(usual))
