"""Adjudication by annotators: a lead assigns contested answers, and sees who has which."""

from collections.abc import Sequence

import streamlit as st

from concord.definitions import digest
from concord.grading import adjudications, item_view
from concord.grading.adjudications import Part
from concord.messages import counted, joined, said
from concord.reports.disagreements import adjudicators as report
from concord.reports.disagreements.adjudicate import Case
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.store import graders
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.screens.annotate.adjudicating.adjudicate_pick import contested
from concord.ui.widgets import action_button

_HEIGHT, _MOST = 320, 500  # px, answers in the list
_KEY = "adjudicators"


def assignments(store: Store, wanted: AdjudicationPick) -> None:
    """Let a lead assign contested answers to annotators, and see who has which."""
    if not leads(store):
        return
    with st.expander(say("Assign adjudication to annotators"), icon=":material/group_add:"):
        show_refused(f"{_KEY}.notice")
        show_done(f"{_KEY}.done")
        st.write(
            say(
                "The annotator sees these answers with the other annotators' grades, without names "
                "and without judges, and adjudicates them. Answers that the annotator graded or "
                "is to grade are left out."
            )
        )
        _form(store, wanted, [case for case in contested(store, wanted.panel) if case.left])
        _held(store, wanted)


def _form(store: Store, wanted: AdjudicationPick, cases: Sequence[Case]) -> None:
    names = [name for name in wanted.panel.criteria if any(name in case.left for case in cases)]
    left, right = st.columns(2)
    name = left.selectbox(
        say("Annotator"),
        adjudications.candidates(store, wanted.panel.sheet.id),
        None,
        accept_new_options=True,
        placeholder=say("Annotator name"),
        key=f"{_KEY}.name",
    )
    criteria = right.multiselect(
        say("Criteria"), names, placeholder=say("All criteria"), key=f"{_KEY}.criteria"
    )
    cases = [case for case in cases if {*(criteria or names)}.intersection(case.left)]
    chosen = [cases[row] for row in _rows(store, wanted, cases)] or cases
    versions = {wanted.panel.rubric.versions()[one] for one in criteria or names}
    parts = [one for one in report.parts(wanted.panel, chosen) if one.version in versions]
    why = None if parts and name else said("Choose an annotator first.")
    annotator = graders.annotator(store, name) if name else None
    new = adjudications.assignable(store, parts, annotator.id) if annotator else parts
    if annotator and not new:
        why = said(
            "{name} graded all of these answers, is to grade them, or has them to adjudicate.",
            name=annotator.name,
        )
    if not parts:
        why = said("Annotators do not differ here, or all of it is adjudicated.")
    action_button(
        say("Assign {answers}", answers=_answers(new)),
        why,
        type="primary",
        key=f"{_KEY}.assign",
        on_click=_assign,
        args=(new, name or ""),
    )


def _rows(store: Store, wanted: AdjudicationPick, cases: Sequence[Case]) -> Sequence[int]:
    """Return the rows of the answers that are selected."""
    if not cases:
        return ()
    st.caption(say("Without a selection, all of these answers are assigned."))
    listed = [case.at for case in cases[:_MOST]]
    texts = item_view.shown(store, listed, wanted.panel.rubric)
    rows = render.translated_rows(
        {
            said("question"): texts[case.at].question,
            said("answer"): texts[case.at].answer,
            said("points apart"): _apart(case),
        }
        for case in cases[:_MOST]
    )
    return render.picked_rows(
        rows,
        f"{_KEY}.rows.{digest(listed)}",
        render.called("", rows),
        first=[say("points apart"), say("question")],
        height=_HEIGHT,
        inset=render.FOLD,
        tall=True,
    )


def _apart(case: Case) -> str:
    parts = (
        said("{criterion} {points}", criterion=name, points=case.points_apart[name])
        for name in case.left
    )
    return joined(", ", parts)


def _answers(parts: Sequence[Part]) -> str:
    return counted(len({one.item_id for one in parts}), "answer")


def _held(store: Store, wanted: AdjudicationPick) -> None:
    """Show who adjudicates, and take it back."""
    panel = wanted.panel
    found = report.report(store, panel)
    if not found.annotators:
        return
    render.show_table(report.table(found), "adjudicators")
    versions = panel.rubric.versions().values()
    for grader_id, one in adjudications.assigned_of_sheet(store, panel.sheet.id, versions).items():
        parts = adjudications.of_annotator(store, grader_id, panel.sheet.id)
        st.button(
            say("Withdraw from {name}", name=plain(one.annotator)),
            key=f"{_KEY}.withdraw.{grader_id}",
            help=say("Adjudications already made are kept."),
            on_click=_withdraw,
            args=([part for part in parts if part.version in versions], grader_id, one.annotator),
        )


def _assign(parts: Sequence[Part], name: str) -> None:
    with changing(f"{_KEY}.notice") as store:
        grader = graders.ensure_annotator(store, name)
        new = adjudications.assign(store, parts, grader.id, store.by())
        st.session_state[f"{_KEY}.done"] = said(
            "{answers} assigned to {name}.",
            answers=_answers(new),
            name=grader.name,
        )


def _withdraw(parts: Sequence[Part], grader_id: int, name: str) -> None:
    with changing(f"{_KEY}.notice") as store:
        gone = adjudications.withdraw(store, parts, grader_id, store.by())
        st.session_state[f"{_KEY}.done"] = said(
            "{answers} withdrawn from {name}.",
            answers=_answers(gone),
            name=name,
        )
