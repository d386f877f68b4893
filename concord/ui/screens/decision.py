"""Decide: the terms of a choice among judges, its result and what it costs."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from concord.clock import day_of
from concord.messages import Problem, capital, joined, said
from concord.model import Grader
from concord.reports.decision import choose, terms_review
from concord.reports.decision import looks as record
from concord.reports.decision import robustness as report_of
from concord.reports.decision.choose import Standing
from concord.reports.decision.choose import replayed as replay
from concord.reports.decision.document import (
    against,
    document,
    facts,
    failing,
    judges,
    more_labels,
    notes,
    with_verdict,
    without,
)
from concord.reports.decision.document import conditions as conditions_of
from concord.reports.decision.finding import look
from concord.reports.decision.results import Choice, Terms
from concord.reports.decision.terms import changed_now, label
from concord.reports.decision.terms_review import fixed_terms
from concord.reports.panel.provenance import named
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.render import body, head, show_table
from concord.ui.widgets import action_button, finding, number_field, select, terms

NEW = "new"  # the value of the URL that asks for other terms
REVIEWED = "choose.reviewed"


def confirm(store: Store, found: Report, against: Grader, terms: Terms, criterion: str) -> None:
    """Show what becomes final, and fix it at a press of a button of its own."""
    with refusals():
        decision = choose.fixed(store, found.panel, against, terms, criterion)
        if decision:
            _open(decision)
        proposed = choose.proposed(store, found.panel, against, terms, criterion)
        changed = changed_now(store, found.panel, proposed)
        show_table(terms_review.final_terms(found.panel, proposed, changed), "choose", in_full=True)
        final = choose.is_final(found.panel, proposed)
        for warning in terms_review.warnings(found.panel, proposed, final):
            st.warning(plain(warning))
        why_not = store.why_no_lead()
        of_both = {"icon": ":material/lock:", "disabled": why_not is not None}
        with st.container(horizontal=True):
            label = say("Fix terms and take an interim look")
            looked = st.button(label, type="primary", key="choose.fix_and_look", **of_both)
            fixed = st.button(say("Fix terms only"), key="choose.fix", **of_both)
        if why_not:
            st.caption(plain(why_not))
        if looked or fixed:
            decision = choose.fix(store, found.panel, against, terms, criterion)
            if looked:
                choose.look(store, found.panel, decision)
            _open(decision)


def _open(decision: Decision) -> None:
    del st.session_state[REVIEWED]
    remember(decision=decision.id, criterion=None, figure=None, against=None)
    st.rerun()


def standing(store: Store, found: Report) -> Decision | None:
    """The decision the URL names, else the newest of this sheet and rubric; None for new terms."""
    every = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    wanted = recall("decision")
    if wanted == NEW or not every:
        return None
    return next((one for one in every if str(one.id) == wanted), every[-1])


def title() -> None:
    """Say what is to be done here, and why now."""
    finding(
        say("Fix the terms of the decision"),
        say("Do this before you see the verdict: terms chosen afterwards can let any judge pass."),
    )


def form(store: Store, found: Report, judges: dict[str, Grader]) -> None:
    """Ask for the terms; fixing them opens the decision. A Problem as for `choose.planned`."""
    against, criterion = _of_whom(found, judges)
    if against:
        proposed = choose.default_terms(store, found.panel, judges[against], criterion)
        planned = choose.planned(store, found.panel, judges[against], criterion)
        proposed = proposed._replace(planned_questions=proposed.planned_questions or planned)
    else:
        proposed = Terms(MARGIN, planned_questions=terms_review.questions(found.panel))
    # The figure that decides; those that the sheet is too small for are named with the reason.
    why = terms_review.offered(found.panel)
    able = [key for key, reason in why.items() if reason is None]
    if not able:  # one reason tells what is missing
        able, why = [EXACT], {EXACT: why[EXACT]}
    chosen = select(
        said("Deciding figure"),
        "figure",
        {key: capital(word(FIGURES[key].title)) for key in able},
        proposed.figure if proposed.figure in able else able[0],
    )
    for reason in filter(None, why.values()):
        st.caption(plain(reason))
    deciding = FIGURES[chosen]
    # No form: Streamlit tells a form's values only when it is sent, and another value typed since
    # is not what was reviewed.
    with st.container(border=True):
        # The numbers of the terms; shares are typed in percent.
        columns, least = st.columns(3), terms_review.least_planned(found.panel, deciding)
        margin, minimum = _of_figure(deciding, columns, proposed)
        questions = proposed.planned_questions
        questions = number_field(
            say(capital(terms_review.planned_unit(found.panel))),
            least,
            None,
            max(questions, least),
            key=f"choose.planned.{questions}",
            place=columns[2],
            help=say(
                "Total number that will be graded. Each interim look spends type I error by the "
                "share graded so far, at most four times. Decisions with another number than the "
                "first are exploratory."
            ),
        )
        recall, precision = _of_failing(st.columns(3))
        terms = Terms(margin, minimum, recall, precision, deciding.key, questions)
        st.caption(_budget(store, found))
        label = say("Review terms")
        if may_act(store) and st.button(label, type="primary", key="choose.review"):
            st.session_state[REVIEWED] = (against, terms, criterion)
    if st.session_state.get(REVIEWED) == (against, terms, criterion) and _named(against, terms):
        confirm(store, found, judges[against], terms, criterion)


def _of_whom(found: Report, judges: dict[str, Grader]) -> tuple[str | None, str]:
    criteria = found.rubric.headings()
    left, right = st.columns(2)
    known, wanted = list(judges), recall("against")
    first = 0 if len(judges) == 1 else None
    against = left.selectbox(
        say("Reference judge"),
        known,
        index=known.index(wanted) if wanted in judges else first,
        format_func=lambda label: word(named(label, judges[label].simulated)),
        placeholder=say("Choose"),
        help=say(
            "Every other judge is tested for non-inferiority to it. Name it yourself: if it were "
            "picked from the data, two bad judges could confirm each other."
        ),
        key="choose.against",
    )
    remember(against=against)
    with right:
        first = found.rubric.heaviest().name
        # Unsaid at first: terms begin with the heaviest, whatever was looked at on other screens.
        criterion = select(said("Criterion"), "criterion", criteria, first, unsaid=first)
    return against, criterion


def _of_figure(
    figure: DecidingFigure, columns, proposed: Terms
) -> tuple[float | None, float | None]:
    """Margin and limit of the deciding figure; None where not entered."""
    share, title = figure.kind == "share", word(figure.title)
    unit, own = (100, "") if share else (1, f".{figure.key}")
    first = proposed.margin if figure.key == proposed.figure else figure.margin
    margin = number_field(
        say("Margin, in percentage points") if share else say("Margin of {figure}", figure=title),
        unit / 100,
        unit / 2,
        None if first is None else round(unit * first, 6),
        unit / 100,
        format="%g",
        help=say(
            "Non-inferiority margin: how much worse than the reference judge another judge "
            "may be. For exact agreement, with two answers to each question, a margin of 10 "
            "points requires about 60 questions, 5 points about 210."
        ),
        key=f"choose.margin{own}" + ("" if first == figure.margin else f".{first}"),
        place=columns[0],
    )
    limit = said("Minimum {figure}") if figure.higher_is_better else said("Maximum {figure}")
    limit = number_field(
        say(said("Minimum {figure}, in %") if share else limit, figure=title),
        0.0,
        None if figure.kind == "points" else float(unit),
        None,
        unit / 20,
        format="%g",
        placeholder=say("Required; 0 for none"),
        key=f"choose.minimum{own}",
        place=columns[1],
    )
    return tuple(None if number is None else number / unit for number in (margin, limit))


def _of_failing(columns) -> tuple[float, float]:
    """Minimum recall and precision of failing verdicts."""
    recall = number_field(
        say("Minimum failure recall, in %"),
        0.0,
        100.0,
        100 * choose.FAILURE_RECALL,
        5.0,
        format="%g",
        key="choose.failure_recall",
        place=columns[0],
    )
    precision = number_field(
        say("Minimum failure precision, in %"),
        0.0,
        100.0,
        0.0,
        5.0,
        format="%g",
        key="choose.failure_precision",
        place=columns[1],
    )
    return recall / 100, precision / 100


def _named(against: str | None, terms: Terms) -> bool:
    """True where every term is given; otherwise show all that is missing."""
    title = word(FIGURES[terms.figure].title)
    if against is None:
        st.warning(say("Name the reference judge."))
    if terms.margin is None:
        st.warning(say("Enter the margin of {figure}.", figure=title))
    if terms.minimum is None:
        least = FIGURES[terms.figure].higher_is_better
        text = said("Enter the minimum {figure}, or 0 for none.")
        most = said("Enter the maximum {figure}, or 0 for none.")
        st.warning(say(text if least else most, figure=title))
    return None not in (against, terms.margin, terms.minimum)


def _budget(store: Store, found: Report) -> str:
    """Return a sentence on how fixing terms now affects the interim looks."""
    earlier = decisions.of_sheet(store, found.sheet.id, rubric=found.rubric.name)
    this = said("Decision {n} on this sheet.", n=len(earlier) + 1)
    terms = said(
        "Terms cannot be changed once fixed; new terms make a new decision. Each interim look at "
        "new questions spends part of the type I error: at most {n} looks per criterion and "
        "reference judge, whatever the terms.",
        n=LOOKS_AT_MOST,
    )
    return say(joined(" ", [this if earlier else "", terms]))


def in_full(report: Report, decision: Decision) -> None:
    """Show every term, with the annotators who count and the planned number."""
    st.caption(plain(label(decision)))
    show_table(fixed_terms(report.panel, decision), "choose-terms", in_full=True)


def caption(decision: Decision, look: Iterable[str]) -> None:
    """Show what the decision is about and the sentences on a look at it."""
    st.caption(f":material/lock: {plain(joined(' ', [label(decision), *look]))}")


def result(store: Store, report: Report, decision: Decision) -> Choice | None:
    """Show a decision: what was found, or what a look now would take; the look if shown."""
    try:
        stand = choose.standing(store, report.panel, decision)
    except Problem as problem:  # the reference judge is gone; other terms are the way out
        st.error(plain(str(problem)), icon=":material/error:")
        return None
    fresh = _described(report, decision) if stand.free else None
    found = fresh or stand.shown or stand.before
    if found is None:
        finding(say("The terms are fixed; no interim look has been taken yet"))
        in_full(report, decision)
        _look_button(store, report, decision, stand)
        return None
    finding(document(found).headline)
    for fact in facts(found):
        st.markdown(plain(fact))
    if fresh:
        # It is no interim look: the verdicts stay, and a certificate needs the figures of today.
        _take(store, report, decision, say("Update the figures"))
    elif stand.shown is None:
        st.info(
            say(
                "Computed on {day}. The grades have changed since.",
                day=day_of(found.looked_at),
            ),
            icon=":material/history:",
        )
        _look_button(store, report, decision, stand)
    caption(decision, look(found))
    return replace(found, uncounted={**found.uncounted, **stand.uncounted})


def conditions(found: Choice, name: str) -> None:
    """Show the conditions of one judge, and how many more labels the verdicts need."""
    rows = {row.judge: row for row in found.judges if row.conditions}
    if not rows:
        return
    st.subheader(say("Conditions"), anchor=False)
    first = found.about if found.about in rows else next(iter(rows))
    names = {label: with_verdict(row) for label, row in rows.items()}
    judge = select(said("Judge"), "judge", names, first, unsaid=first)
    show_table(conditions_of(found, judge), f"{name}-{judge}", in_full=True, titled=False)
    labels = more_labels(found)
    if not labels.rows:
        return
    with st.expander(say(labels.title)):
        if any(row.more_labels for row in found.judges):
            st.write(
                say(
                    "With this many more labels, a verdict has 80% power, assuming that on the new "
                    "answers the judge agrees as well as the reference judge does and as "
                    "annotators do with one another. It is a range because the variation between "
                    "questions is estimated from few of them."
                )
            )
        show_table(labels, name, in_full=True, titled=False)
        if found.planned_questions and found.clusters >= found.planned_questions:
            _plan_link(found)


def _plan_link(found: Choice) -> None:
    """Link to the plan of a sheet of new questions for the same decision."""
    unit = 100 if FIGURES[found.figure].kind == "share" else 1
    own = "" if unit == 100 else f".{found.figure}"
    query = {"sheet": found.sheet, "rubric": found.rubric, "criterion": found.criterion}
    query |= {"figure": found.figure, f"margin{own}": round(unit * found.margin, 6)}
    query |= {f"minimum{own}": round(unit * found.minimum, 6)} if found.minimum else {}
    label = say("Plan a sheet of new questions")
    icon = ":material/arrow_forward:"
    st.page_link("pages/plan.py", label=label, icon=icon, query_params=query)


def basis(found: Choice) -> None:
    """Show on what the look rests: answers, annotators, exclusions and provenance."""
    for note in (*notes(found), found.signature):
        st.caption(plain(note))


def _look_button(store: Store, report: Report, decision: Decision, stand: Standing) -> None:
    number, most = stand.look.number, Choice.looks_at_most
    _take(store, report, decision, say("Take interim look {n} of {most}", n=number, most=most))


def _take(store: Store, report: Report, decision: Decision, label: str) -> None:
    icon = ":material/visibility:"
    if not store.read_only and action_button(
        label, store.why_no_lead(), type="primary", icon=icon, key="choose.look"
    ):
        choose.look(store, report.panel, decision)
        st.rerun()


@kept(said("Recomputing the verdict…"))
def _described(report: Report, decision: Decision) -> Choice:
    """The look at the grades as they are: opening the screen stores none."""
    return choose.described(report.store, report.panel, decision)


_TERMS = (
    said("good enough"),
    "margin",
    said("interim look"),
    "ceiling",
    said("majority-class baseline"),
    said("failure recall"),
)


def costs(found: Choice, name: str) -> None:
    """Show cost against agreement: the chart, the judges and their failing verdicts."""
    st.subheader(say("Cost and agreement"), anchor=False)
    with st.container(horizontal=True):
        options = {"cost_per_1000": say("Price"), "seconds": say("Seconds")}
        chosen = st.segmented_control(
            say("Horizontal axis"),
            list(options),
            default=recall("axis") if recall("axis") in options else "cost_per_1000",
            format_func=options.get,
            required=True,
            key="choose.axis",
            label_visibility="collapsed",
        )
        remember(axis=chosen)
        by = chosen
        terms(*_TERMS)
    show_chart(against(found, by), name)
    show_table(judges(found), name, in_full=True)
    show_table(failing(found), name, in_full=True)


def robustness(report: Report, decision: Decision, found: Choice) -> None:
    """Show how far the verdict on the judge in focus depends on single choices.

    Args:
        report: The report the decision was looked at on.
        decision: The decision.
        found: The look; it has a judge in focus.
    """
    st.subheader(say("Robustness"), anchor=False)
    name = f"{decision.id}-{found.about}"
    replayed = _holds(report, decision, found)
    document = report_of.document(replayed)
    head(document, folded=True)
    body(document, name, in_full=True)
    show_table(without(found), name, in_full=True)


@kept(said("Recomputing the verdict…"))
def _holds(report: Report, decision: Decision, _found: Choice) -> report_of.Robustness:
    judge = report.panel.judges[report.judge_id(_found.about)]
    return replay(report.store, report.panel, decision, judge, _found)


def history(store: Store, report: Report, decision: Decision) -> None:
    """Show every decision on this sheet and every look at it, newest first."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    newest = every[::-1]
    taken = record.looks(store, newest)
    name = report.sheet.name
    with st.expander(say("Decisions and looks ({n})", n=len(taken.rows)), expanded=False):
        show_table(record.fixed(newest, report.panel), name, in_full=True)
        show_table(taken, name, in_full=True)
        others = {str(one.id): say(label(one)) for one in every}
        if len(every) > 1:
            chosen = st.selectbox(
                say("Open a decision"),
                list(others),
                index=list(others).index(str(decision.id)),
                format_func=others.get,
                key=f"choose.open.{decision.id}.{len(every)}",
            )
            if chosen != str(decision.id):
                remember(decision=chosen)
                st.rerun()
    if st.button(say("Fix new terms"), icon=":material/add:", key="choose.other"):
        remember(decision=NEW)
        st.rerun()
