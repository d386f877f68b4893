"""The terms of a choice: named before anything is compared, and locked from then on."""

import streamlit as st

from concord.messages import capital, joined, said
from concord.model import Grader
from concord.reports.decision import choose, terms_review
from concord.reports.decision.results import Terms
from concord.reports.panel.simulated import named
from concord.stats.decision.deciding_figure import EXACT, FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.screens.decide.choose_confirm import NEW, REVIEWED, confirm
from concord.ui.widgets import finding, number_field, select


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
    deciding = _figure(found, proposed)
    # No form: Streamlit tells a form's values only when it is sent, and another value typed since
    # is not what was reviewed.
    with st.container(border=True):
        terms = _numbers(deciding, found, proposed)
        st.caption(_budget(store, found))
        if any(one.definition.get("members") for one in judges.values()):
            st.caption(
                say("A combined judge is one more candidate, and every candidate costs power.")
            )
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
        placeholder=say("The judge you would use if cost did not matter"),
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


def _figure(found: Report, proposed: Terms) -> DecidingFigure:
    """The figure that decides; those that the sheet is too small for are named with the reason."""
    why = terms_review.offered(found.panel)
    able = [key for key, reason in why.items() if reason is None]
    if not able:  # one reason tells what is missing
        able, why = [EXACT], {EXACT: why[EXACT]}
    chosen = select(
        said("Deciding figure"),
        "figure",
        {key: capital(word(FIGURES[key].title)) for key in able},
        proposed.figure if proposed.figure in able else able[0],
        help=say(
            "Exact agreement is proposed where annotators agree better than always giving one "
            "score would, else QWK. The first terms fixed for a sheet and criterion are "
            "confirmatory; decisions on other figures are exploratory and never certified."
        ),
    )
    for reason in filter(None, why.values()):
        st.caption(plain(reason))
    return FIGURES[chosen]


def _numbers(figure: DecidingFigure, found: Report, proposed: Terms) -> Terms:
    """The numbers of the terms; shares are typed in percent."""
    columns, least = st.columns(3), terms_review.least_planned(found.panel, figure)
    margin, minimum = _of_figure(figure, columns, proposed)
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
    return Terms(margin, minimum, recall, precision, figure.key, questions)


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
        help=say("Required of every judge, whatever the reference judge reaches. 0: not required."),
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
        help=say(
            "Recall of failing answers. A judge significantly below the minimum is not good enough."
        ),
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
        help=say(
            "Precision of failing verdicts. A judge significantly below the minimum is not good "
            "enough. 0: no minimum."
        ),
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
