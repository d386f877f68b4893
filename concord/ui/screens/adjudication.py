"""Adjudicate: the choice of a set, who decides which answers, and the decisions."""

from collections.abc import Sequence

import streamlit as st

from concord.definitions import digest
from concord.grading import adjudications, item_view
from concord.grading.adjudications import ANNOTATORS, DRAW, Part
from concord.messages import N_, counted, said
from concord.model import Sheet
from concord.reports import adjudicate
from concord.reports.adjudicate import DRAWN, AdjudicationPick, Case, Cases
from concord.reports.panel.panel import Panel, read
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.looker import leads, pick_lead
from concord.ui.reports import show_left_out
from concord.ui.widgets import (
    TO_SETS,
    action_button,
    empty,
    finding,
    pick_rubric,
    switch,
    url_number,
    url_toggle,
)

_WHAT = {ANNOTATORS: N_("Where annotators differ"), DRAW: N_("A random sample")}


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
        trigger = switch(
            said("Answers to adjudicate"), "settle", {key: say(what) for key, what in _WHAT.items()}
        )
        own = adjudicator is not None and not url_toggle(
            say("Also answers that I graded myself"),
            "own",
            key="adjudicate.own",
        )
    without = adjudicator.id if own else None
    panel, seed = _panel(store, sheet, rubric), sheet.seed()
    show_left_out(panel.not_included)
    draw = _draw(seed) if trigger == DRAW else None
    return AdjudicationPick(
        panel, trigger, _cases_of(store, panel, draw, without), adjudicator, seed
    )


def _draw(seed: int) -> tuple[int, int]:
    with st.container(horizontal=True):
        count = url_number(say("Answers"), "draw", 1, 10_000, DRAWN, key="adjudicate.draw")
        chosen = url_number(say("Seed"), "seed", 0, 999_999, seed, key="adjudicate.seed")
    return count, chosen


def _cases_of(
    store: Store, panel: Panel, draw: tuple[int, int] | None, without: int | None
) -> Cases:
    annotators = tuple(sorted(panel.annotators))
    return _cases(store, panel.sheet, panel.rubric, draw, without, annotators, panel)


@kept(N_("Finding answers on which annotators differ…"), 12, shared=True)
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


@kept(N_("Reading annotators' grades…"), 6, shared=True)
def _panel(store: Store, sheet: Sheet, rubric: Rubric) -> Panel:
    # Not the panel of the reports: the store of this screen can reach no judge's grade.
    return read(store, sheet, rubric)


_MOST = 500  # answers in the list
_KEY = "adjudicators"


def assignments(store: Store, wanted: AdjudicationPick) -> None:
    """Let a lead assign contested answers to annotators, and see who has which."""
    if not leads(store):
        return
    with st.expander("Assign adjudication to annotators", icon=":material/group_add:"):
        show_refused(f"{_KEY}.notice")
        show_done(f"{_KEY}.done")
        _form(
            store,
            wanted,
            [case for case in _cases_of(store, wanted.panel, None, None) if case.left],
        )
        panel = wanted.panel
        versions = panel.rubric.versions().values()
        held = adjudications.assigned_of_sheet(store, panel.sheet.id, versions)
        render.show_table(adjudicate.assigned_table(held.values()), "adjudicators")
        for grader_id, one in held.items():
            parts = adjudications.of_annotator(store, grader_id, panel.sheet.id)
            parts = [part for part in parts if part.version in versions]
            st.button(
                "Withdraw from " + plain(one.annotator),
                key=f"{_KEY}.withdraw.{grader_id}",
                on_click=_withdraw,
                args=(parts, grader_id, one.annotator),
            )


def _form(store: Store, wanted: AdjudicationPick, cases: Sequence[Case]) -> None:
    panel, (left, right) = wanted.panel, st.columns(2)
    names = [name for name in panel.criteria if any(name in case.left for case in cases)]
    name = left.selectbox(
        "Annotator",
        adjudications.candidates(store, panel.sheet.id),
        None,
        accept_new_options=True,
        placeholder="Annotator name",
        key=f"{_KEY}.name",
    )
    key = f"{_KEY}.criteria"
    criteria = right.multiselect("Criteria", names, placeholder="All criteria", key=key) or names
    cases = [case for case in cases if {*criteria}.intersection(case.left)]
    chosen = [cases[row] for row in _rows(store, wanted, cases)] or cases
    versions = {panel.rubric.versions()[one] for one in criteria}
    parts = [one for one in adjudicate.parts(panel, chosen) if one.version in versions]
    annotator = graders.annotator(store, name) if name else None
    new = adjudications.assignable(store, parts, annotator.id) if annotator else parts
    why = None if name else "Choose an annotator first."
    if annotator and not new:
        why = "This annotator graded these answers, or has them already."
    given = {"type": "primary", "on_click": _assign, "args": (new, name or "")}
    action_button("Assign " + _answers(new), why, key=f"{_KEY}.assign", **given)


def _rows(store: Store, wanted: AdjudicationPick, cases: Sequence[Case]) -> Sequence[int]:
    """Return the rows of the answers that are selected."""
    if not cases:
        return ()
    listed = [case.at for case in cases[:_MOST]]
    texts = item_view.shown(store, listed, wanted.panel.rubric)
    rows = render.translated_rows(
        {
            "question": texts[case.at].question,
            "answer": texts[case.at].answer,
            "points apart": ", ".join(f"{one} {case.points_apart[one]}" for one in case.left),
        }
        for case in cases[:_MOST]
    )
    return render.picked_rows(rows, f"{_KEY}.rows.{digest(listed)}", render.called("", rows))


def _answers(parts: Sequence[Part]) -> str:
    return counted(len({one.item_id for one in parts}), "answer")


def _assign(parts: Sequence[Part], name: str) -> None:
    with changing(f"{_KEY}.notice") as store:
        grader = graders.ensure_annotator(store, name)
        new = adjudications.assign(store, parts, grader.id, store.by())
        st.session_state[f"{_KEY}.done"] = f"{grader.name}: {_answers(new)}"


def _withdraw(parts: Sequence[Part], grader_id: int, name: str) -> None:
    with changing(f"{_KEY}.notice") as store:
        gone = adjudications.withdraw(store, parts, grader_id, store.by())
        st.session_state[f"{_KEY}.done"] = f"{name}: {_answers(gone)} withdrawn"


def headline(wanted: AdjudicationPick) -> None:
    """Show how many cases there are."""
    finding(adjudicate.found(wanted.cases, wanted.trigger == DRAW))


def nothing() -> None:
    """Say that there is nothing to adjudicate."""
    empty(
        said("Nothing to adjudicate"),
        said(
            "Annotators agree wherever two of them graded the same answer, or no answer was "
            "graded twice. A random sample shows how reliable grades are where annotators "
            "agree."
        ),
    )


def what_is_hidden() -> None:
    """Say what is hidden here."""
    st.caption(
        say(
            "Annotators are shown as letters that change from answer to answer. Judges' grades "
            "are not shown, and adjudication changes no grade."
        )
    )


def other_list() -> None:
    """Lead to the disagreements with judges."""
    st.page_link(
        "pages/review.py",
        label=say("Where a judge and annotators differ"),
        icon=":material/compare_arrows:",
    )
