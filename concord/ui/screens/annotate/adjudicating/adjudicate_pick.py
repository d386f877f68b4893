"""Selection of cases to adjudicate, rubric and adjudicator."""

import streamlit as st

from concord.grading.adjudications import ANNOTATORS, DRAW
from concord.messages import said
from concord.model import Sheet
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import DRAWN, Cases
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import read
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.caching import kept
from concord.ui.language import say
from concord.ui.looker import pick_lead
from concord.ui.report_picker import show_left_out
from concord.ui.widgets import TO_SETS, empty, pick_rubric, switch, url_number, url_toggle

_WHAT = {ANNOTATORS: said("Where annotators differ"), DRAW: said("A random sample")}


def pick(store: Store, sheet: Sheet, row) -> AdjudicationPick | None:
    """Return rubric, cases and adjudicator, picked in a row; None where no answer is graded."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        empty(
            said("These answers are not graded yet"),
            said("Answers that two annotators graded differently are adjudicated here."),
            *TO_SETS,
        )
        return None
    with row:
        _, rubric = pick_rubric(store, graded)
        adjudicator = pick_lead(store, said("Your adjudications are stored under this name."))
        trigger = switch(said("Answers to adjudicate"), "settle", _WHAT)
        own = adjudicator is not None and not url_toggle(
            say("Also answers that I graded myself"),
            "own",
            key="adjudicate.own",
            help=say("The adjudicator should not be one of the annotators who differ."),
        )
    without = adjudicator.id if own else None
    panel, seed = _panel(store, sheet, rubric), sheet.seed()
    show_left_out(panel.not_included)
    draw = _draw(seed) if trigger == DRAW else None
    cases = _cases_of(store, panel, draw, without)
    every = cases if without is None else _cases_of(store, panel, draw, None)
    left_out = len(every) - len(cases)
    return AdjudicationPick(panel, trigger, cases, adjudicator, seed, left_out)


def contested(store: Store, panel: Panel) -> Cases:
    """Return all answers of a sheet on which annotators of the panel differ."""
    return _cases_of(store, panel, None, None)


def _draw(seed: int) -> tuple[int, int]:
    with st.container(horizontal=True):
        count = url_number(say("Answers"), "draw", 1, 10_000, DRAWN, key="adjudicate.draw")
        same = say("The same seed gives the same answers.")
        key = "adjudicate.seed"
        chosen = url_number(say("Seed"), "seed", 0, 999_999, seed, key=key, help=same)
    return count, chosen


def _cases_of(
    store: Store, panel: Panel, draw: tuple[int, int] | None, without: int | None
) -> Cases:
    annotators = tuple(sorted(panel.annotators))
    return _cases(store, panel.sheet, panel.rubric, draw, without, annotators, panel)


@kept(said("Finding answers on which annotators differ…"), 12, shared=True)
def _cases(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    draw: tuple[int, int] | None,
    without: int | None,
    annotators: tuple[int, ...],
    _panel: Panel,
) -> Cases:
    if draw is None:
        return adjudicate.differing(_panel, without)
    return adjudicate.drawn(_panel, *draw, without)


@kept(said("Reading annotators' grades…"), 6, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric) -> Panel:
    # Not the panel of the reports: the store of this screen can reach no judge's grade.
    return read(store, sheet, rubric)
