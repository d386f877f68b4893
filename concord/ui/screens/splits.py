"""Splits: hold out a random sample, and move chosen questions."""

from collections import Counter

import streamlit as st

from concord.messages import Problem, counted
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, SPLITS, Sheet
from concord.reports import lists, samples
from concord.sampling import question_exposure, split_assignment, splits
from concord.sampling.split_assignment import Move
from concord.sampling.splits import CALLED
from concord.store.database import Row, Store
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.caching import kept
from concord.ui.frame import may_act
from concord.ui.language import plain
from concord.ui.widgets import action_button, finding, no_sheet, number_field, pick_sheet, terms

TOLD = 5  # questions named in a refusal


def show(store: Store) -> None:
    """Show the screen."""
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet("then choose which questions may be few-shot examples, and which are held out.")
        return
    rows = splits.of_sheet(store, sheet.id)
    count = Counter(row["split"] for row in rows)
    unused = splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)
    tied = len(unused) - count[FEW_SHOT] - count[HELD_OUT]
    sizes = (f"{count[split]:,} {CALLED[split]}" for split in SPLITS)
    finding(", ".join(sizes), samples.tied(tied) if tied else "")
    show_done("splits.done")
    terms(*(CALLED[split] for split in SPLITS))
    if may_act(store) and count[EVALUATION]:
        # A further sample is folded, so that a second click holds out nothing more.
        held_out = count[HELD_OUT]
        with st.expander(
            "Hold out a random sample", expanded=not held_out, icon=":material/casino:"
        ):
            _hold_out(store, sheet, held_out, count[EVALUATION])
    table = lists.split_table(rows, unused)
    render.offer(table, sheet.name)
    frame = render.translated_rows(render.rows_of(table))
    if may_act(store):
        state = hash(tuple(row["split"] for row in rows))  # what was moved is selected no more
        key = f"splits.questions.{sheet.id}.{state}"
        chosen = [rows[at] for at in render.picked_rows(frame, key, "Table: questions")]
        if chosen:
            _move(store, sheet, chosen)
    else:
        render.plain_table(frame, "Table: questions")


def _hold_out(store: Store, sheet: Sheet, held_out: int, pool: int) -> None:
    """Sample questions, show what holding them out takes from the figures, and hold them out."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, first = "Questions to hold out", max(1, pool // 4)
        wanted = int(number_field(label, 1, pool, first, key="splits.wanted"))
        everywhere = st.checkbox("In other sheets too", key="splits.draw.everywhere")
    try:
        newest = question_exposure.newest(store)
        drawn = _draw(store, sheet, newest, wanted, everywhere)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/lock_open:")
        return
    n = len(drawn.questions)
    notes = ["This cannot be undone."]
    if min(held_out + n, pool - n) < 20:
        notes.append("A split of fewer than 20 questions gives no verdict.")
    if drawn.move.judged:
        notes.append("Judges have graded some: the test is not independent of tuned prompts.")
    render.show(samples.document(drawn.move), f"{sheet.name}-holdout", folded=True)
    st.caption(" ".join(notes))
    label, key = "Hold out " + counted(n, "question"), f"splits.hold-out.{held_out}"
    if action_button(label, store.why_no_lead(), type="primary", key=key, icon=":material/lock:"):
        _done(samples.hold_out(store, sheet, drawn, "", everywhere))


@kept(most=8)
def _draw(
    store: Store, sheet: Sheet, newest: tuple, wanted: int, everywhere: bool
) -> samples.HoldOut:
    return samples.draw(store, sheet, wanted, 1, everywhere)


def _move(store: Store, sheet: Sheet, chosen: list[Row]) -> None:
    """Move chosen questions to a split; show the reason where that is refused."""
    split = st.radio(
        "Move to",
        SPLITS,
        format_func=CALLED.get,
        key="splits.split",
    )
    why = st.text_input("Reason, for the record", key="splits.why")
    everywhere = st.checkbox("In other sheets too", key="splits.hand.everywhere")
    names = {row["id"]: row["own_id"] or str(row["id"]) for row in chosen}
    move = split_assignment.weigh(store, [*names], split, everywhere)
    for number, reason in [*move.refused.items()][:TOLD]:
        st.error(plain(f"{names.get(number, 'One elsewhere')}: {reason}"), icon=":material/block:")
    if move.refused:
        return
    render.show(samples.document(move), f"{sheet.name}-move", folded=True)
    if not move.moved:
        return
    if action_button(
        "Move " + counted(len(chosen), "question"), store.why_no_lead(), key="splits.give"
    ):
        _done(split_assignment.assign(store, [*names], split, why, everywhere))


def _done(move: Move) -> None:
    st.session_state["splits.done"] = samples.headline(move)
    st.rerun()
