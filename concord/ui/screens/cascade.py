"""The cascade on screen: a cheap judge where it is confident, another grader for the rest."""

import streamlit as st

from concord.reports import cascade
from concord.reports.agreement.judge_probabilities import Probabilities, read
from concord.reports.cascade import ANNOTATORS, TWO_JUDGES, Source, sources
from concord.reports.decision.cost import costs
from concord.reports.decision.verdict import Row
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import named
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.language import plain
from concord.ui.render import body, head
from concord.ui.reports import Report
from concord.ui.widgets import TO_JUDGES, next_screen_link, select, switch, terms

_AT_MOST = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_AGREEMENT = {cascade.EXACT: "Exact", cascade.WITHIN_ONE: "Within one"}


def section(store: Store, report: Report, criterion: str, name: str, against: str | None) -> None:
    """The cascade of one criterion, folded; what is missing where no confidence is known.

    Args:
        store: The open store.
        report: The report on screen.
        criterion: The criterion.
        name: What its download is called.
        against: The label or name of the judge that gets the rest unless another is chosen.
    """
    label = "Cascade: accept a cheap judge where it is confident, send the rest to another"
    with st.expander(label):
        panel = report.panel
        given = _given(report, store)
        prices = costs(store, panel.sheet, panel.judges.values())
        every = sources(panel, given, criterion, prices)
        if every and panel.annotators:
            source, to = _pick(panel, every, against)
            known = tuple((i, cost.per_1000) for i, cost in prices.items())
            found = _cascade(report, criterion, source, to, _limits(), known, prices, given)
            document = cascade.document(found)
            head(document, folded=True)
            body(document, f"{name}-{criterion}")
        if not panel.annotators or all(one.kind == TWO_JUDGES for one in every):
            st.markdown(plain(cascade.MISSING))
            next_screen_link(*TO_JUDGES)


def _pick(panel: Panel, every: list[Source], against: str | None) -> tuple[Source, int | None]:
    """Return the judge of the first stage, and the second stage."""

    def called(judge: int) -> str:
        return named(panel.labels[judge], panel.judges[judge].simulated)

    judges = panel.judges.items()
    second_stage = next(
        (i for i, one in judges if against in (panel.labels[i], one.label())), ANNOTATORS
    )
    by_key = {" ".join([one.kind, *(panel.labels[i] for i in one[:2] if i)]): one for one in every}
    trusted = {
        key: cascade.source(
            one.kind, called(one.judge), one.second and called(one.second), one.asks
        )
        for key, one in by_key.items()
    }
    free = (key for key, one in by_key.items() if second_stage not in one[:2])
    begin = next(free, next(iter(by_key)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = by_key[select("Trust", "cascade_trust", trusted, begin, unsaid=begin)]
        rest = {f".{panel.labels[i]}": i for i in panel.judges if i not in source[:2]}
        begin = next((key for key, i in rest.items() if i == second_stage), ANNOTATORS)
        names = {ANNOTATORS: ANNOTATORS} | {key: called(i) for key, i in rest.items()}
        to = rest.get(select("Route the rest to", "cascade_rest", names, begin, unsaid=begin))
    return source, to


def _limits() -> tuple[float, str]:
    """Return the highest error rate and the agreement that are chosen."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        agreement = switch(
            "Agreement with annotators", "cascade_agreement", _AGREEMENT, cascade.EXACT
        )
        errors = {str(share): f"at most {100 * share:g}%" for share in _AT_MOST}
        at_most = select("Maximum error rate", "cascade_errors", errors, "0.2", unsaid="0.2")
        terms("cascade", "certified")
    return float(at_most), agreement


@kept(shared=True)
def _given(report: Report, _store: Store) -> Probabilities:
    return read(_store, report.panel)


@kept("Replaying the cascade…")
def _cascade(
    report: Report,
    criterion: str,
    source: Source,
    to: int | None,
    limits: tuple[float, str],
    known: tuple,
    _prices: dict,
    _given: Probabilities,
) -> Row:
    return cascade.report(report.panel, _given, source, to, _prices, criterion, *limits)
