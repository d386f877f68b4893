"""Decide: the terms of a choice among judges, its result and what it costs; the cascade."""

import streamlit as st

from concord.clock import day_of
from concord.messages import Problem, capital
from concord.model import Grader
from concord.reports import cascade
from concord.reports.agreement.judge_probabilities import Probabilities, read
from concord.reports.cascade import ANNOTATORS, TWO_JUDGES, Source, sources
from concord.reports.decision import choose, document
from concord.reports.decision.choose import Look
from concord.reports.decision.cost import costs
from concord.reports.decision.verdict import Choice, Row, Terms
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import named
from concord.reports.plan import extent_of, least_questions
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.actions import refusals
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain
from concord.ui.render import body, head, show_table
from concord.ui.reports import Report
from concord.ui.widgets import (
    TO_JUDGES,
    action_button,
    finding,
    next_screen_link,
    number_field,
    select,
    switch,
    terms,
)

NEW = "new"  # the value of the URL that asks for other terms
REVIEWED = "choose.reviewed"


def standing(store: Store, report: Report) -> Decision | None:
    """The decision the URL names, else the newest of this sheet and rubric; None for new terms."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    wanted = recall("decision")
    if wanted == NEW or not every:
        return None
    return next((one for one in every if str(one.id) == wanted), every[-1])


def form(store: Store, report: Report, judges: dict[str, Grader]) -> None:
    """Ask for the terms; fixing them opens the decision. A Problem as for `default_terms`."""
    panel, (left, right) = report.panel, st.columns(2)
    known, wanted = list(judges), recall("against")
    against = left.selectbox(
        "Reference judge",
        known,
        index=known.index(wanted) if wanted in judges else 0 if len(judges) == 1 else None,
        format_func=lambda label: named(label, judges[label].simulated),
        placeholder="Choose",
        help="Every other judge is tested for non-inferiority to it. Name it yourself: if it were "
        "picked from the data, two bad judges could confirm each other.",
        key="choose.against",
    )
    remember(against=against)
    with right:
        first = report.rubric.heaviest().name
        # Unsaid at first: terms begin with the heaviest, whatever was looked at on other screens.
        criterion = select("Criterion", "criterion", report.rubric.headings(), first, unsaid=first)
    proposed = Terms(MARGIN)
    if against:
        proposed = choose.default_terms(store, panel, judges[against], criterion)
    able = choose.offered(panel) or [EXACT]
    chosen = select(
        "Deciding figure",
        "figure",
        {key: capital(FIGURES[key].title) for key in able},
        proposed.figure if proposed.figure in able else able[0],
    )
    # No form: Streamlit tells a form's values only when it is sent, and another value typed since
    # is not what was reviewed.
    with st.container(border=True):
        wanted_terms = _numbers(panel, FIGURES[chosen], proposed)
        st.caption(
            "Terms cannot be changed once fixed. Each interim look at new questions spends part of "
            f"the type I error: at most {LOOKS_AT_MOST} looks per criterion and reference judge."
        )
        if may_act(store) and st.button("Review terms", type="primary", key="choose.review"):
            st.session_state[REVIEWED] = (against, wanted_terms, criterion)
    if st.session_state.get(REVIEWED) != (against, wanted_terms, criterion):
        return
    missing = {
        "Name the reference judge.": against,
        f"Enter the margin of {FIGURES[chosen].title}.": wanted_terms.margin,
        "Enter the minimum, or 0 for none.": wanted_terms.minimum,
    }
    for text, value in missing.items():
        if value is None:
            st.warning(text)
    if None not in missing.values():
        _confirm(store, report, judges[against], wanted_terms, criterion)


def _numbers(panel, figure: DecidingFigure, proposed: Terms) -> Terms:
    """Ask for the numbers of the terms; shares are typed in percent, and None is not entered."""
    share, (left, middle, right) = figure.kind == "share", st.columns(3)
    unit, own, of = (100, "", ", in %") if share else (1, f".{figure.key}", "")
    first = proposed.margin if figure.key == proposed.figure else figure.margin
    margin = number_field(
        "Margin, in percentage points" if share else f"Margin of {figure.title}",
        unit / 100,
        unit / 2,
        None if first is None else round(unit * first, 6),
        unit / 100,
        format="%g",
        help="Non-inferiority margin: how much worse than the reference judge another judge may "
        "be. For exact agreement, with two answers to each question, a margin of 10 points "
        "requires about 60 questions, 5 points about 210.",
        key=f"choose.margin{own}" + ("" if first == figure.margin else f".{first}"),
        place=left,
    )
    end = "Minimum" if figure.higher_is_better else "Maximum"
    minimum = number_field(
        f"{end} {figure.title}{of}",
        0.0,
        None if figure.kind == "points" else float(unit),
        None,
        unit / 20,
        format="%g",
        placeholder="Required; 0 for none",
        key=f"choose.minimum{own}",
        place=middle,
    )
    extent = extent_of(panel)
    least = least_questions(figure, extent)
    questions = number_field(
        capital(document.planned_unit(panel)),
        least,
        None,
        max(proposed.planned_questions or extent.clusters, least),
        key=f"choose.planned.{proposed.planned_questions}",
        place=right,
        help="Total number that will be graded. Decisions with another number than the first are "
        "exploratory.",
    )
    of_failing = [
        number_field(
            label, 0.0, 100.0, value, 5.0, format="%g", key=f"choose.failure_{key}", place=place
        )
        for key, label, value, place in (
            ("recall", "Minimum failure recall, in %", 100 * choose.FAILURE_RECALL, left),
            ("precision", "Minimum failure precision, in %", 0.0, middle),
        )
    ]
    return Terms(
        None if margin is None else margin / unit,
        None if minimum is None else minimum / unit,
        *(one / 100 for one in of_failing),
        figure.key,
        questions,
    )


def _confirm(store: Store, report: Report, against: Grader, of: Terms, criterion: str) -> None:
    """Show what becomes final, and fix it at a press of a button of its own."""
    with refusals():
        proposed = choose.proposed(store, report.panel, against, of, criterion)
        if decision := decisions.find(store, proposed):
            _open(decision)
        changed = choose.changed_now(store, report.panel, proposed)
        show_table(document.terms_table(report.panel, proposed, changed), "choose")
        why_not = store.why_no_lead()
        lock = {"icon": ":material/lock:", "disabled": why_not is not None}
        with st.container(horizontal=True):
            looked = st.button(
                "Fix terms and take an interim look",
                type="primary",
                key="choose.fix_and_look",
                **lock,
            )
            fixed = st.button("Fix terms only", key="choose.fix", **lock)
        if why_not:
            st.caption(plain(why_not))
        if looked or fixed:
            decision = decisions.fix(store, proposed)
            if looked:
                choose.look(store, report.panel, decision)
            _open(decision)


def _open(decision: Decision) -> None:
    del st.session_state[REVIEWED]
    remember(decision=decision.id, criterion=None, figure=None, against=None)
    st.rerun()


def result(store: Store, report: Report, decision: Decision) -> Choice | None:
    """Show a decision: what was found, or what a look now would take; the look if shown."""
    try:
        stand = choose.standing(store, report.panel, decision)
    except Problem as problem:  # the reference judge is gone; other terms are the way out
        st.error(plain(str(problem)), icon=":material/error:")
        return None
    # What spends no error is shown as it is now, at the prices of today.
    found = stand.result if stand.look.new else _compared(report, decision)
    if found is None:
        finding("The terms are fixed; no interim look has been taken yet")
        show_table(document.terms_table(report.panel, decision), "choose-terms")
        _take(store, report, decision, stand.look)
        return None
    shown, name = document.document(found), f"{report.sheet.name}-{report.rubric.name}"
    head(shown)
    if not stand.current:
        if stand.look.new:
            day = day_of(found.looked_at)
            st.info(f"Computed on {day}. The grades have changed since.", icon=":material/history:")
        _take(store, report, decision, stand.look)
    for table in (document.judges(found), document.without(found)):
        show_table(table, name)
    if all(row.cost_per_1000 is not None for row in found.judges):
        show_chart(document.against(found), name)
    else:
        unpriced = next(row.judge for row in found.judges if row.cost_per_1000 is None)
        next_screen_link(TO_JUDGES[0], "State a price", judge=unpriced)
    conditions = document.conditions(found)
    with st.expander(conditions.title):
        show_table(conditions, name, titled=False)
    if found.about:
        held = _robustness(report, decision, found)
        analyses = choose.robustness_document(held)
        with st.expander(plain(analyses.headline)):
            show_table(*analyses.tables, f"{decision.id}-{found.about}")
    with st.expander("Details"):
        show_table(document.terms_table(report.panel, decision), "choose-terms")
        for note in shown.notes:
            st.caption(plain(note))
    return found


def _take(store: Store, report: Report, decision: Decision, look: Look) -> None:
    label = "Update the figures"
    if look.new:
        label = f"Take interim look {look.number} of {LOOKS_AT_MOST}"
    icon = ":material/visibility:"
    if not store.read_only and action_button(
        label, store.why_no_lead(), type="primary", icon=icon, key="choose.look"
    ):
        choose.look(store, report.panel, decision)
        st.rerun()


@kept("Recomputing the verdict…")
def _compared(report: Report, decision: Decision) -> Choice:
    """The look at the grades as they are: opening the screen stores none."""
    return choose.compare(report.store, report.panel, decision)


@kept("Recomputing the verdict…")
def _robustness(report: Report, decision: Decision, _found: Choice) -> Row:
    panel, against = report.panel, choose.reference_of(report.panel, decision)
    judge = panel.judges[report.judge_id(_found.about)]
    return choose.replayed(report.store, panel, decision, against, judge, _found)


def history(store: Store, report: Report, decision: Decision) -> None:
    """Show every look at every decision on this sheet, newest first; open one, or fix new terms."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    taken = document.history(store, every[::-1])
    with st.expander(f"Decisions and looks ({len(taken.rows)})"):
        show_table(taken, report.sheet.name, titled=False)
        others = {str(one.id): document.label(one) for one in every}
        if len(every) > 1:
            chosen = st.selectbox(
                "Open a decision",
                list(others),
                index=list(others).index(str(decision.id)),
                format_func=others.get,
                key=f"choose.open.{decision.id}.{len(every)}",
            )
            if chosen != str(decision.id):
                remember(decision=chosen)
                st.rerun()
        if st.button("Fix new terms", icon=":material/add:", key="choose.other"):
            remember(decision=NEW)
            st.rerun()


_AT_MOST = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_AGREEMENT = {cascade.EXACT: "Exact", cascade.WITHIN_ONE: "Within one"}


def cascade_section(
    store: Store, report: Report, criterion: str, name: str, against: str | None
) -> None:
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
