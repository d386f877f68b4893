"""Splits: hold out a random sample, move chosen questions, and the record of openings."""

from collections import Counter

import streamlit as st

from concord.messages import Problem, counted, minute
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, SPLITS, Sheet
from concord.reports import lists
from concord.reports.planning import holdout_plan
from concord.sampling import holdout, question_exposure, split_assignment, splits
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
_MEANINGS = {
    FEW_SHOT: "may be shown to judges, never scored",
    EVALUATION: "scored in every figure",
    HELD_OUT: "unseen until a certificate opens it",
}


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
    scored = count[EVALUATION] - tied
    finding(
        f"All {scored:,} questions of “{sheet.name}” are for evaluation"
        if scored == sheet.questions
        else f"{counted(scored, 'question')} of “{sheet.name}” for evaluation, "
        f"{count[FEW_SHOT]:,} in the few-shot pool, {count[HELD_OUT]:,} held out",
        holdout_plan.tied(tied) if tied else "",
    )
    show_done("splits.done")
    terms(*(CALLED[split] for split in SPLITS))
    if may_act(store):
        # A further sample is folded, so that a second click holds out nothing more.
        held_out = count[HELD_OUT]
        label = f"Hold out more than these {held_out:,}" if held_out else "Hold out a random sample"
        with st.expander(label, expanded=not held_out, icon=":material/casino:"):
            _hold_out(store, sheet, held_out, count[EVALUATION])
    table = lists.split_table(rows, unused)
    render.offer(table, sheet.name)
    frame = render.translated_rows(render.rows_of(table))
    if may_act(store):
        st.caption("Select questions to move them to another split.")
        state = hash(tuple(row["split"] for row in rows))  # what was moved is selected no more
        key = f"splits.questions.{sheet.id}.{state}"
        chosen = [rows[at] for at in render.picked_rows(frame, key, "Table: questions")]
        if chosen:
            _move(store, sheet, chosen)
    else:
        render.plain_table(frame, "Table: questions")
    if opened := holdout.openings(store, sheet):
        st.subheader("Held-out questions opened", anchor=False)
        lines = [
            {
                "when": minute(one.created_at),
                "opened for": one.purpose,
                "opened by": one.who or "unknown",
                "questions": len(one.questions),
                "opened before": len(one.opened_before),
            }
            for one in opened
        ]
        render.table_of(lines, f"{sheet.name}-openings")


def _hold_out(store: Store, sheet: Sheet, held_out: int, pool: int) -> None:
    """Sample questions, show what holding them out takes from the figures, and hold them out."""
    if not pool:
        st.info("No question is left to hold out.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, first = f"Questions to hold out, of {pool:,}", max(1, pool // 4)
        wanted = int(number_field(label, 1, pool, first, key="splits.wanted"))
        seed = int(number_field("Random seed", 0, 999_999, 1, key="splits.seed"))
        everywhere = st.checkbox("In other sheets too", key="splits.draw.everywhere")
    try:
        newest = question_exposure.newest(store)
        drawn = _draw(store, sheet, newest, wanted, seed, everywhere)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/lock_open:")
        return
    n = len(drawn.questions)
    notes = ["This cannot be undone."]
    if n != wanted:
        notes.append(f"Clusters are sampled whole, hence {n} and not {wanted}.")
    if held_out + n < 20:
        notes.append("With fewer than 20 held-out questions a certificate can give no verdict.")
    if pool - n < 20:
        notes.append("Fewer than 20 questions would be left to choose a judge on.")
    if drawn.move.judged:
        notes.append(
            "Judges have graded some of these: if prompts were tuned on figures that include them, "
            "the held-out test is not independent."
        )
    st.info(plain(holdout_plan.headline(drawn.move)), icon=":material/lock:")
    st.caption(" ".join(notes))
    label, key = f"Hold out {counted(n, 'question')}", f"splits.hold-out.{held_out}"
    if action_button(label, store.why_no_lead(), type="primary", key=key, icon=":material/lock:"):
        why = holdout_plan.ON_SCREEN
        _done(holdout_plan.hold_out(store, sheet, drawn, why, everywhere))
    with st.expander("Details"):
        effect, name = holdout_plan.document(drawn.move), f"{sheet.name}-holdout"
        for table in (*effect.tables, holdout_plan.strata(drawn)):
            render.show_table(table, name)
        for why, barred in drawn.barred.items():
            st.caption(plain(holdout_plan.barred_sentence(barred, why)))


@kept(most=8)
def _draw(
    store: Store, sheet: Sheet, newest: tuple, wanted: int, seed: int, everywhere: bool
) -> holdout_plan.HoldOut:
    return holdout_plan.draw(store, sheet, wanted, seed, everywhere)


def _move(store: Store, sheet: Sheet, chosen: list[Row]) -> None:
    """Move chosen questions to a split; show the reason where that is refused."""
    split = st.radio(
        f"Move {counted(len(chosen), 'question')} to split",
        SPLITS,
        format_func=lambda one: f"{CALLED[one]}: {_MEANINGS[one]}",
        key="splits.split",
    )
    why = st.text_input("Reason, for the record", key="splits.why")
    everywhere = st.checkbox("In other sheets too", key="splits.hand.everywhere")
    names = {row["id"]: row["own_id"] or str(row["id"]) for row in chosen}
    move = split_assignment.weigh(store, [*names], split, everywhere)
    for reason in dict.fromkeys(move.refused.values()):
        those = [
            f"“{names.get(number, 'one elsewhere')}”"
            for number, other in move.refused.items()
            if other == reason
        ]
        those = split_assignment.abbreviated(those, TOLD)
        text = f"{those} cannot move to “{CALLED[split]}”. Reason, per question: {reason}"
        st.error(plain(text), icon=":material/block:")
    if move.refused:
        return
    render.show(holdout_plan.document(move), f"{sheet.name}-move", folded=True)
    label = f"Move {counted(len(chosen), 'question')} to the {CALLED[split]}"
    why_not = None if move.moved else "These questions are in that split already."
    if action_button(label, store.why_no_lead() or why_not, key="splits.give"):
        _done(split_assignment.assign(store, [*names], split, why, everywhere))


def _done(move: Move) -> None:
    st.session_state["splits.done"] = holdout_plan.headline(move)
    st.rerun()
