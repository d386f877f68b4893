"""A campaign on the card of its set: one table of annotators, and what a lead does about them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from concord.clock import day_of
from concord.definitions import digest
from concord.grading import campaigns, grading_sets, regrades
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, counted
from concord.model import Sheet
from concord.reports.workflow import campaign as report
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.frame import base_address, grader_link, may_act
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.reports import Report
from concord.ui.screens import annotators
from concord.ui.screens.new_set import due_field
from concord.ui.widgets import action_button

Row = Mapping[str, Any]
_MOST = 4  # annotators who need a look are shown with their actions unasked


def people(store: Store, sheet: Sheet, grading_set: GradingSet, rubric: Rubric) -> list[Row]:
    """Show the table of a set's annotators; a lead acts on who needs a look, or is selected."""
    graded = rubric_versions.graded(store, sheet.id) + rubric_versions.units_graded(store, sheet.id)
    seen = Report(store, sheet, rubric) if leads(store) and rubric.name in graded else None
    signs = annotators.signs(seen) if seen else {}
    rows = report.rows(store, grading_set, signs)
    st.markdown(f"**{plain(report.headline(rows))}**")
    key, table = f"campaign.{grading_set.id}", report.people(rows)
    show_refused(f"{key}.refused")
    show_done(f"{key}.done")
    if not (rows and leads(store) and may_act(store)):
        render.show_table(table, grading_set.name)
        return rows
    # Another list of people is another table: a selection would be of somebody else.
    names = digest([row["name"] for row in rows])
    place = render.pick_row(table, grading_set.name, f"{key}.people.{names}")
    looks = [row for row in rows if row["alerts"] or (row["ahead"] or 0) < 0][:_MOST]
    for row in rows:
        if row in looks or (place is not None and row is rows[place]):
            panel = seen.panel if seen and row["grader_id"] in seen.panel.persons else None
            alerts = signs.get(row["grader_id"], {}).get("alerts", ())
            _person(store, grading_set, rows, row, [one.sentence for one in alerts], panel)
    free = [str(one + 1) for one in campaigns.unassigned(store, grading_set.id)]
    if free and not grading_sets.closing(store, grading_set.id):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Unassigned**: blocks {', '.join(free)}", width="content")
            _reassign(grading_set, rows, None, f"{key}.nobody")
    return rows


def _person(store, grading_set: GradingSet, rows: Sequence[Row], row: Row, alerts, panel) -> None:
    """One annotator: what an alert says, and what a lead may do."""
    person, key = row["grader_id"], f"campaign.{grading_set.id}.{row['grader_id']}"
    name, held = row["name"], campaigns.find(store, grading_set.id)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}.row"):
        st.markdown(f"**{plain(name)}**", width="content")
        if panel:
            is_open = bool(row["alerts"])
            annotators.decisions(name, person, panel, is_open, row["state"], alerts, f"{key}.")
        if row["removed"] or grading_sets.closing(store, grading_set.id):
            return
        if held and row["done"] < row["of"]:
            _reassign(grading_set, rows, row, key)
        if row["done"] < row["of"]:
            with st.popover("Remind", icon=":material/mail:", type="tertiary"):
                link = f"{base_address()}{grader_link(grading_set.id, '' if store.who else name)}"
                until = held.deadline if held else None
                text = report.reminder(row, grading_set.name, until, link)
                st.code(text, language=None, wrap_lines=True)
        annotators.pause_button(name, person, row["paused"], f"{key}.")
        if held:
            with st.popover("Remove", icon=":material/person_remove:", type="tertiary"):
                st.write("Blocks not begun go to the others. Grades given stay and count.")
                args = grading_set, person, name
                label = f"Remove {plain(name)}"
                st.button(label, key=f"{key}.leave", type="primary", on_click=_remove, args=args)
    for sentence in alerts:
        st.caption(plain(sentence))


def _reassign(grading_set: GradingSet, rows: Sequence[Row], source: Row | None, key: str) -> None:
    """Give the unfinished blocks of an annotator, or those of nobody, to somebody by name."""
    others = {
        row["name"]: f"{row['name']}: {row['done']:,} of {row['of']:,} done, "
        f"{row['of'] - row['done']:,} left"
        for row in rows
        if row is not source and not (row["removed"] or row["paused"])
        if source is None or not {*source["blocks"]} <= {*row["blocks"]}
    }
    with (
        st.popover("Reassign", icon=":material/swap_horiz:", type="tertiary"),
        st.form(f"{key}.reassign", enter_to_submit=False, border=False),
    ):
        st.write("Unfinished blocks move. Grades given stay and count.")
        st.radio("To", [*others], None, format_func=lambda one: plain(others[one]), key=f"{key}.to")
        st.text_input("Or somebody new", max_chars=80, key=f"{key}.new")
        args = grading_set, source and source["grader_id"], key
        st.form_submit_button("Reassign", key=f"{key}.move", on_click=_move, args=args)


def _move(grading_set: GradingSet, source: int | None, key: str) -> None:
    of_set = f"campaign.{grading_set.id}"
    with changing(f"{of_set}.refused") as store:
        name = st.session_state[f"{key}.new"].strip() or st.session_state[f"{key}.to"]
        if not name:
            raise Problem("Choose who is to grade these blocks.")
        blocks = campaigns.movable(store, grading_set, source, name)
        to = campaigns.move_to(store, grading_set, blocks, source, name, store.by(), "")
        st.session_state[f"{of_set}.done"] = report.assigned([one + 1 for one in blocks], to)


def _remove(grading_set: GradingSet, person: int, name: str) -> None:
    of_set = f"campaign.{grading_set.id}"
    with changing(f"{of_set}.refused") as store:
        left = campaigns.leave(store, grading_set, person, store.by())
        gone = report.departure(name, left)
        st.session_state[f"{of_set}.done"] = report.departed(gone)


def due(store: Store, grading_set: GradingSet) -> None:
    """Let a lead change the due date of a campaign."""
    held = campaigns.find(store, grading_set.id)
    if not held:
        return
    label = f"Due {day_of(held.deadline)}" if held.deadline else "Due date"
    with st.popover(label, icon=":material/event:"):
        typed = due_field(st, f"campaign.{grading_set.id}.until.{held.deadline}", held.deadline)
    if typed != held.deadline:
        campaigns.set_deadline(store, grading_set, typed)
        st.rerun()


def close_button(store: Store, grading_set: GradingSet) -> None:
    """Close the set, or open it again; both can be taken back, so neither asks."""
    closed = grading_sets.closing(store, grading_set.id)
    st.button(
        "Open again" if closed else "Close",
        icon=f":material/{'lock_open' if closed else 'lock'}:",
        key=f"sets.close.{grading_set.id}",
        help=None if closed else "Nobody can change grades after it.",
        on_click=_close,
        args=(grading_set, closed is None),
    )


def _close(grading_set: GradingSet, closed: bool) -> None:
    with changing(f"campaign.{grading_set.id}.refused") as store:
        grading_sets.close(store, grading_set, closed, store.by())


def reword(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Reword a criterion of the set's rubric, and ask for its grades again in the same queues."""
    newest, key = rubric_versions.named(store, rubric.name)[1], f"reword.{grading_set.id}"
    st.write("The old grades stay under the old words; the criterion waits again in every queue.")
    name = st.selectbox(
        "Criterion", list(newest.versions()), key=key, format_func=newest.headings().get
    )
    criterion, at = newest.criterion(name), f"{key}.{newest.versions()[name]}"
    question = st.text_area("Question", criterion.question, key=f"{at}.question", height="content")
    meanings = st.data_editor(
        pd.DataFrame([{"score": one.score, "meaning": one.meaning} for one in criterion.levels]),
        hide_index=True,
        disabled=["score"],
        key=f"{at}.meanings",
        column_config={"meaning": st.column_config.TextColumn(width="large", required=True)},
    )
    words = dict(zip(meanings["score"], meanings["meaning"], strict=True))
    same = newest.versions() == rubric.versions()
    same &= question == criterion.question
    same &= all(words[one.score] == one.meaning for one in criterion.levels)
    action_button(
        "Reword and ask again",
        "Change the words first." if same else None,
        type="primary",
        key=f"{key}.ask",
        on_click=_ask_again,
        args=(grading_set, newest, name, at),
    )


def _ask_again(grading_set: GradingSet, newest: Rubric, name: str, at: str) -> None:
    of_set, edited = f"campaign.{grading_set.id}", st.session_state[f"{at}.meanings"]["edited_rows"]
    levels = enumerate(newest.criterion(name).levels)
    words = {one.score: edited.get(row, {}).get("meaning", one.meaning) for row, one in levels}
    with changing(f"{of_set}.refused") as store:
        new = regrades.reworded(newest, name, st.session_state[f"{at}.question"], words)
        asked = regrades.ask_again(store, grading_set, store.by(), new)
        st.session_state[f"{of_set}.done"] = counted(asked, "grade") + " asked again."
