"""Adjudicating on screen: which answers, one of them as graders saw it, and the way to the next."""

from html import escape
from typing import NamedTuple

import streamlit as st

from concord.grading import item_view
from concord.grading.adjudication.adjudications import ANNOTATORS, DRAW
from concord.grading.item_view import Shown
from concord.messages import said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import DRAWN, Case
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import read
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.markdown import safe_html
from concord.ui.screens.agreement.cell_answers import LOOK, looker, pick_person
from concord.ui.screens.annotate.adjudicate_form import settle_form
from concord.ui.spinner import spinning
from concord.ui.widgets import empty, finding, number_field, pick_rubric, switch

_WHAT = {ANNOTATORS: said("Where annotators differ"), DRAW: said("A random draw")}
_SOURCES = ((said("Earlier turns"), "turns"), (said("Date"), "date"))


class Wanted(NamedTuple):
    """What is being settled, by whom (None while nobody has said so), and all its answers."""

    panel: Panel
    trigger: str
    cases: list[Case]
    adjudicator: Grader | None
    seed: int


def pick(store: Store, sheet: Sheet) -> Wanted | None:
    """Rubric, what to settle and who settles; None where nobody has graded."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        empty(
            said("Nobody has graded these answers yet"),
            said("Once two annotators have graded an answer differently, it is settled here."),
            "pages/grading.py",
            said("To the grading sets"),
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _, rubric = pick_rubric(store, graded)
        adjudicator = _adjudicator(store)
        trigger = switch(said("What to settle"), "settle", _WHAT)
    own = adjudicator is not None and not st.toggle(
        say("Also answers that I graded myself"),
        key="adjudicate.own",
        help=say("Whoever settles a difference should not have a part in it."),
    )
    without = adjudicator.id if own else None
    key = (state(store, sheet), rubric.body(), "blind")
    panel, seed = _panel(key, store, sheet, rubric), sheet.seed()
    draw = _draw(seed) if trigger == DRAW else None
    return Wanted(panel, trigger, _cases(key, draw, without, panel), adjudicator, seed)


def headline(wanted: Wanted) -> None:
    """How many there are and how many are left, and what is hidden here."""
    finding(
        adjudicate.headline(wanted.cases, wanted.trigger == DRAW),
        said(
            "Annotators go by letters that change from answer to answer. This screen can reach "
            "nothing "
            "of what judges said, and no grade changes here."
        ),
    )


def one(store: Store, wanted: Wanted) -> None:
    """The answer that the URL names, else the first that is left: text, grades, and the form."""
    st.html(LOOK)
    if wanted.cases:
        case = _case(wanted.cases)
        _steps(wanted.cases, case)
        left, right = st.columns(2, gap="large")
        rubric = wanted.panel.rubric
        with left:
            _text(item_view.shown(store, [case.item_id], rubric)[case.item_id])
        with right:
            following = _next_left(wanted.cases, case)
            settle_form(store, wanted, case, following.item_id if following else None)
    else:
        empty(
            said("There is nothing to settle"),
            said(
                "Annotators agree wherever two of them graded the same answer, or nobody graded "
                "one "
                "twice. A random draw shows how well grades hold where annotators agree."
            ),
        )
    st.caption(
        say(
            "Differences that a judge revealed are discussed in a list of their own, which never "
            "enters the reference. Opening it ends being blind for the answers it shows."
        )
    )
    st.page_link(
        "pages/disagreements.py",
        label=say("Where a judge and annotators differ"),
        icon=":material/compare_arrows:",
    )


def _adjudicator(store: Store) -> Grader | None:
    """Who settles: the one who signed in and may write, or who the picker says."""
    if store.who is None:
        why = said("What you settle is kept with it.")
        return pick_person(store, "adjudicate.person", why, goes_on=False)
    if store.who.role != LEAD:
        return None
    return looker(store) or graders.get(store, graders.ensure(store, "person", store.who.name))


def _draw(seed: int) -> tuple[int, int]:
    with st.container(horizontal=True):
        count = number_field(
            say("Answers"), 1, 10_000, _number("draw", DRAWN), key="adjudicate.draw"
        )
        chosen = number_field(
            say("Seed"),
            0,
            999_999,
            _number("seed", seed),
            key="adjudicate.seed",
            help=say("The same seed draws the same answers."),
        )
    remember(draw=count, seed=chosen)
    return count, chosen


def _number(key: str, first: int) -> int:
    wanted = recall(key)
    return int(wanted) if wanted and wanted.isdecimal() else first


def _case(cases: list[Case]) -> Case:
    wanted = recall("at")
    named = (case for case in cases if str(case.item_id) == wanted)
    return next(named, None) or next((case for case in cases if case.left), cases[0])


def _next_left(cases: list[Case], here: Case) -> Case | None:
    """The next answer with something left, from the beginning after the last; None for none."""
    place = cases.index(here)
    return next((case for case in [*cases[place + 1 :], *cases[:place]] if case.left), None)


def _steps(cases: list[Case], here: Case) -> None:
    place = cases.index(here)
    following = _next_left(cases, here)
    steps = (
        (said("Previous"), ":material/arrow_back:", cases[place - 1] if place else None),
        (
            said("Next"),
            ":material/arrow_forward:",
            cases[place + 1] if cases[place + 1 :] else None,
        ),
        (said("Next that is left"), ":material/skip_next:", following),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            say(
                "**Answer {n} of {total}**" if here.left else "**Answer {n} of {total}**, settled",
                n=place + 1,
                total=len(cases),
            )
        )
        for label, icon, case in steps:
            st.button(
                say(label),
                icon=icon,
                disabled=case is None,
                key=f"adjudicate.{label}",
                on_click=remember,
                kwargs={"at": case.item_id if case else None},
            )


def _text(shown: Shown) -> None:
    """What the rubric shows a grader, and nothing else."""
    nothing = f"<i>{escape(say('(empty)'))}</i>"
    st.html(
        f'<div class="concord-beside"><p class="asked">{escape(shown.question)}</p>'
        f"<h3>{escape(say('Answer'))}</h3>"
        f'<div class="answer">{safe_html(shown.answer) or nothing}</div></div>'
    )
    rows = [(say(name), getattr(shown, part)) for name, part in _SOURCES if getattr(shown, part)]
    rows += [(say("Context {n}", n=n), text) for n, text in enumerate(shown.contexts, 1)]
    rows += [(say("Reference answer"), text) for text in shown.reference]
    rows += [(say("Reference context"), text) for text in shown.reference_contexts]
    if rows:
        listed = "".join(f"<dt>{escape(n)}</dt><dd>{escape(text)}</dd>" for n, text in rows)
        st.html(f'<dl class="concord-item">{listed}</dl>')


@spinning(said("Looking for what annotators differ on…"))
@st.cache_resource(max_entries=12, show_spinner=False)
def _cases(key: tuple, draw: tuple[int, int] | None, without: int | None, _panel: Panel) -> list:
    if draw is None:
        return adjudicate.differing(_panel, without)
    return adjudicate.drawn(_panel, *draw, without)


@spinning(said("Reading annotators' grades…"))
@st.cache_resource(max_entries=6, show_spinner=False)
def _panel(key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric) -> Panel:
    return read(_store, _sheet, _rubric)
