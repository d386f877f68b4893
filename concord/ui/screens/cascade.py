"""The cascade on screen: a cheap judge where it is confident, another grader for the rest."""

from collections.abc import Mapping

import streamlit as st

from concord.messages import Numeral, said
from concord.reports.cascade import cascade
from concord.reports.cascade import document as words
from concord.reports.cascade.cascade import (
    DEFAULT,
    TWO_JUDGES,
    Cascade,
    Limits,
    Source,
    cheaper_first,
    sources,
)
from concord.reports.decision.cost import Cost, costs
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.probabilities.judge_probabilities import Probabilities, read
from concord.store.database import Store
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.language import plain, say
from concord.ui.render import body, head
from concord.ui.widgets import TO_JUDGES, next_screen_link, select, switch, terms

_AT_MOST = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_CERTAINTY = (0.9, 0.95, 0.99)
_AGREEMENT = {cascade.EXACT: said("Exact"), cascade.WITHIN_ONE: said("Within one")}


def section(store: Store, report: Report, criterion: str, name: str, against: str | None) -> None:
    """The cascade of one criterion, folded; what is missing where no confidence is known.

    Args:
        store: The open store.
        report: The report on screen.
        criterion: The criterion.
        name: What its download is called.
        against: The label or name of the judge that gets the rest unless another is chosen.
    """
    with st.expander(
        say("Cascade: accept a cheap judge where it is confident, send the rest to another")
    ):
        panel = report.panel
        given = _given(report, store)
        every = sources(panel, given, criterion)
        if not every or not panel.annotators:
            _missing()
            return
        prices = costs(store, panel.sheet, panel.judges.values())
        source, to, limits = _pick(panel, [cheaper_first(one, prices) for one in every], against)
        found = _cascade(report, criterion, source, to, limits, _known(prices), prices, given)
        document, name = words.document(found), f"{name}-{criterion}"
        head(document, folded=True)
        show_charts(document, name)
        body(document, name, in_full=True)
        if all(one.kind == TWO_JUDGES for one in every):
            _missing()


def _missing() -> None:
    st.markdown(plain(words.MISSING))
    next_screen_link(*TO_JUDGES)


def _pick(
    panel: Panel, every: list[Source], against: str | None
) -> tuple[Source, int | None, Limits]:
    """Return the judge of the first stage, the second stage, and the limits of the guarantee."""
    second_stage = {i for i in panel.judges if against in _names(panel, i)}
    first = (place for place, one in enumerate(every) if not second_stage & {one.judge, one.second})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by_key = {_key(panel, one): one for one in every}
        begin = _key(panel, every[next(first, 0)])
        trusted = {key: _source(panel, one) for key, one in by_key.items()}
        source = by_key[select(said("Trust"), "cascade_trust", trusted, begin, unsaid=begin)]
        expensive = [i for i in panel.judges if i not in (source.judge, source.second)]
        wanted = [i for i in expensive if i in second_stage]
        graders = {"annotators": None} | {f".{panel.labels[i]}": i for i in expensive}
        rest = {key: _label(panel, i) if i else said("annotators") for key, i in graders.items()}
        begin = f".{panel.labels[wanted[0]]}" if wanted else "annotators"
        to = graders[select(said("Route the rest to"), "cascade_rest", rest, begin, unsaid=begin)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        agreement = switch(
            said("Agreement with annotators"), "cascade_agreement", _AGREEMENT, cascade.EXACT
        )
        errors = {
            str(share): said("at most {share}%", share=Numeral(f"{100 * share:g}"))
            for share in _AT_MOST
        }
        levels = {str(share): Numeral(f"{share:.0%}") for share in _CERTAINTY}
        at_most = _share(said("Maximum error rate"), "cascade_errors", errors, DEFAULT.at_most)
        certainty = _share(said("Confidence level"), "cascade_level", levels, DEFAULT.certainty)
        terms("cascade", "certified")
    return source, to, Limits(at_most, certainty, agreement)


def _share(label: str, name: str, options: dict[str, str], first: float) -> float:
    """A choice among shares, of which the URL says nothing where it is the first."""
    return float(select(label, name, options, str(first), unsaid=str(first)))


def _names(panel: Panel, judge: int) -> tuple[str, str]:
    return panel.labels[judge], panel.judges[judge].label()


def _key(panel: Panel, source: Source) -> str:
    """What the URL calls a source: its kind and its judges."""
    judges = [panel.labels[one] for one in (source.judge, source.second) if one]
    return " ".join([source.kind, *judges])


def _source(panel: Panel, source: Source) -> str:
    second = source.second and _label(panel, source.second)
    return words.source(source.kind, _label(panel, source.judge), second, source.asks)


def _label(panel: Panel, judge: int) -> str:
    return named(panel.labels[judge], panel.judges[judge].simulated)


def _known(prices: Mapping[int, Cost]) -> tuple:
    return tuple((i, cost.per_1000) for i, cost in prices.items())


@kept(shared=True)
def _given(report: Report, _store: Store) -> Probabilities:
    return read(_store, report.panel)


@kept(said("Replaying the cascade…"))
def _cascade(
    report: Report,
    criterion: str,
    source: Source,
    to: int | None,
    limits: Limits,
    known: tuple,
    _prices: Mapping[int, Cost],
    _given: Probabilities,
) -> Cascade:
    return cascade.report(report.panel, _given, source, to, _prices, criterion, limits)
