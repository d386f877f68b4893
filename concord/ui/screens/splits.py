"""The splits screen: hold out a random sample, move questions by hand, and the record."""

from collections import Counter

import streamlit as st

from concord.grading import grading_sets
from concord.messages import Problem, counted, minute, said
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, SPLITS, Sheet
from concord.reports import lists
from concord.reports.planning import holdout_plan as planning_holdout
from concord.sampling import holdout, question_exposure, split_assignment, splits
from concord.sampling.split_assignment import Move
from concord.sampling.splits import CALLED
from concord.store.database import Row, Store
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, finding, number_field, terms

OFFERED = 300  # questions a list offers at once; the field above it finds the others
TOLD = 5
_MOVED = "splits.moved"  # in the session: questions were moved by hand just now
_MEANINGS = {
    FEW_SHOT: said("may be shown to judges, never scored"),
    EVALUATION: said("scored in every figure"),
    HELD_OUT: said("unseen until a certificate opens it"),
}


def headline(store: Store, sheet: Sheet) -> None:
    """Show the number of questions per split, and the last change."""
    count = Counter(row["split"] for row in splits.of_sheet(store, sheet.id))
    closed = splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)
    tied = len(closed) - count[FEW_SHOT] - count[HELD_OUT]
    if count[EVALUATION] - tied == sheet.questions:
        title = said(
            "All {questions} of “{sheet}” are for evaluation",
            questions=counted(sheet.questions, "question"),
            sheet=sheet.name,
        )
    else:
        title = said(
            "{questions} of “{sheet}” for evaluation, {few_shot:,} in the few-shot pool, "
            "{held_out:,} held out",
            questions=counted(count[EVALUATION] - tied, "question"),
            sheet=sheet.name,
            few_shot=count[FEW_SHOT],
            held_out=count[HELD_OUT],
        )
    finding(title)
    if tied:
        st.caption(say(planning_holdout.tied(tied)))
    show_done("splits.done")


def explanations() -> None:
    """The terms of this screen."""
    terms(*(CALLED[split] for split in SPLITS))


def draw(store: Store, sheet: Sheet) -> None:
    """Hold out a random sample of questions, after showing its effect; it cannot be undone.

    Once some are held out, a further sample is folded under another button, so that a second click
    meant for the first button holds out nothing more.
    """
    held_out = len(splits.held_out(store, sheet.id))
    if not held_out:
        _draw_more(store, sheet, held_out)
        return
    with st.expander(say("Hold out more than these {n:,}", n=held_out)):
        _draw_more(store, sheet, held_out)


def _draw_more(store: Store, sheet: Sheet, held_out: int) -> None:
    pool = sum(row["split"] == EVALUATION for row in splits.of_sheet(store, sheet.id))
    if not pool:
        st.info(say("No question is left to hold out."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = number_field(
            say("Questions to hold out, of {n:,}", n=pool),
            1,
            pool,
            max(1, pool // 4),
            key="splits.wanted",
        )
        seed = number_field(
            say("Random seed"),
            0,
            999_999,
            1,
            key="splits.seed",
        )
    everywhere = _everywhere("splits.draw")
    try:
        newest = question_exposure.newest(store)
        drawn = _draw(store, sheet, newest, int(wanted), int(seed), everywhere)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/lock_open:")
        return
    _effect(sheet, drawn, int(wanted))
    _warn_of_small(held_out + len(drawn.questions), pool - len(drawn.questions))
    with st.expander(say("Sampling"), icon=":material/casino:"):
        render.show_table(planning_holdout.strata(drawn), f"{sheet.name}-holdout", in_full=True)
        for why, count in drawn.barred.items():
            st.caption(plain(planning_holdout.barred_sentence(count, why)))
    label = say("Hold out {questions}", questions=counted(len(drawn.questions), "question"))
    key, icon = f"splits.hold-out.{held_out}", ":material/lock:"
    if action_button(label, store.why_no_lead(), type="primary", key=key, icon=icon):
        _done(
            planning_holdout.hold_out(store, sheet, drawn, planning_holdout.ON_SCREEN, everywhere)
        )


def _effect(sheet: Sheet, drawn: planning_holdout.HoldOut, wanted: int) -> None:
    """Show what the sample takes from the figures."""
    moving = planning_holdout.headline(drawn.move)
    st.info(say("{moving} This cannot be undone.", moving=moving), icon=":material/lock:")
    n = len(drawn.questions)
    if n != wanted:
        st.caption(
            say("Clusters are sampled whole, hence {n} and not {wanted}.", n=n, wanted=wanted)
        )
    render.body(planning_holdout.document(drawn.move), f"{sheet.name}-holdout", in_full=True)
    if drawn.move.judged:
        st.caption(
            say(
                "Judges have already graded some of these questions, so the figures shown so far "
                "include them. If prompts were tuned on those figures, the held-out test is not "
                "independent."
            )
        )


def by_hand(store: Store, sheet: Sheet) -> None:
    """Move chosen questions to a split; show the reason where that is refused."""
    key = f"splits.chosen.{sheet.id}"
    if st.session_state.pop(_MOVED, False):
        # What was moved is done: left chosen, it would be shown under its old split.
        st.session_state.update({key: [], "splits.find": "", "splits.why": ""})
    rows = {row["id"]: row for row in splits.of_sheet(store, sheet.id)}
    in_sets = grading_sets.questions_in_sets(store, sheet.id)
    found = st.text_input(
        say("Find questions"), key="splits.find", placeholder=say("part of the text or id")
    )
    chosen = st.session_state.get(key, [])
    options = _offered(list(rows.values()), found, chosen)
    chosen = st.multiselect(
        say("Questions"),
        options,
        format_func=lambda number: plain(_name(rows[number], number in in_sets)),
        key=key,
        placeholder=say("Choose questions"),
        select_all=False,  # what Enter would choose after a search: all that match
    )
    split = st.radio(
        say("Move to split"),
        SPLITS,
        format_func=_option,
        key="splits.split",
    )
    why = st.text_input(say("Reason, for the record"), key="splits.why")
    everywhere = _everywhere("splits.hand")
    if not chosen:
        return
    move = split_assignment.weigh(store, chosen, split, everywhere)
    if move.refused:
        _refused(move, rows)
        return
    render.show(planning_holdout.document(move), f"{sheet.name}-move", folded=True, in_full=True)
    label = say(
        "Move {questions} to the {split}",
        questions=counted(len(chosen), "question"),
        split=CALLED[split],
    )
    why_not = None if move.moved else said("These questions are in that split already.")
    if action_button(label, store.why_no_lead() or why_not, key="splits.give"):
        move = split_assignment.assign(store, chosen, split, why, everywhere)
        st.session_state[_MOVED] = True
        _done(move)


def listed(store: Store, sheet: Sheet) -> None:
    """List the questions with their splits, and whether the figures include them."""
    unused = splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)
    table = lists.split_table(splits.of_sheet(store, sheet.id), unused)
    render.show_table(table, sheet.name)


def openings(store: Store, sheet: Sheet) -> None:
    """List the times held-out questions were opened; nothing where there were none."""
    opened = holdout.openings(store, sheet)
    if not opened:
        return
    st.subheader(say("Held-out questions opened"), anchor=False)
    rows = [
        {
            said("when"): minute(one.created_at),
            said("opened for"): one.purpose,
            said("opened by"): one.who or said("unknown"),
            said("questions"): len(one.questions),
            said("opened before"): len(one.opened_before),
        }
        for one in opened
    ]
    render.table_of(rows, f"{sheet.name}-openings")


def _offered(rows: list[Row], found: str, chosen: list[int]) -> list[int]:
    """The questions a list offers: those that hold the words, and those chosen before."""
    words = found.casefold()
    hits = [row["id"] for row in rows if words in f"{row['own_id'] or ''} {row['text']}".casefold()]
    return list(dict.fromkeys([*chosen, *hits[:OFFERED]]))


def _name(row: Row, is_in_set: bool) -> str:
    """A question's id, split, whether a grading set has it, and the beginning of its text."""
    text = " ".join(row["text"].split())
    return said(
        "{question} ({split}, in a grading set): {text}"
        if is_in_set
        else "{question} ({split}): {text}",
        question=row["own_id"] or row["id"],
        split=CALLED[row["split"]],
        text=text if len(text) <= 60 else f"{text[:59]}…",
    )


def _option(split: str) -> str:
    return say("{split}: {meaning}", split=CALLED[split], meaning=_MEANINGS[split])


def _everywhere(key: str) -> bool:
    return st.checkbox(
        say("In other sheets too"),
        key=f"{key}.everywhere",
    )


def _warn_of_small(held_out: int, left: int) -> None:
    """Warn where either side would have too few questions."""
    if held_out < 20:
        st.caption(say("With fewer than 20 held-out questions a certificate can give no verdict."))
    if left < 20:
        st.caption(say("Fewer than 20 questions would be left to choose a judge on."))


def _refused(move: Move, rows: dict[int, Row]) -> None:
    """Show the reasons against a move, each with its questions."""
    for why in dict.fromkeys(move.refused.values()):
        those = [number for number, reason in move.refused.items() if reason == why]
        names = [_quoted(rows, number) for number in those]
        refused = said(
            "{names} cannot move to “{split}”. Reason, per question: {why}",
            names=split_assignment.abbreviated(names, TOLD),
            split=CALLED[move.split],
            why=why,
        )
        st.error(plain(refused), icon=":material/block:")


def _quoted(rows: dict[int, Row], number: int) -> str:
    name = said("one elsewhere")
    if number in rows:
        name = rows[number]["own_id"] or str(number)
    return said("“{name}”", name=name)


@kept(most=8)
def _draw(
    store: Store, sheet: Sheet, newest: tuple, wanted: int, seed: int, everywhere: bool
) -> planning_holdout.HoldOut:
    return planning_holdout.draw(store, sheet, wanted, seed, everywhere)


def _done(move: Move) -> None:
    st.session_state["splits.done"] = planning_holdout.headline(move)
    st.rerun()
