"""The parts of the roles screen: the draw of sealed questions, roles by hand, and the record."""

from collections import Counter

import pandas as pd
import streamlit as st

from data import question_facts, roles, seals
from data.counted import counted
from data.role_moves import EVALUATION, EXAMPLES, ROLES, SEALED
from data.roles import Move
from data.sheets import Sheet
from data.state import state
from data.store import Row, Store
from problems import Problem
from reports import sealing
from ui.markdown import plain
from ui.terms import sentence
from ui.widgets import explained, finding, table

OFFERED = 300  # questions a list offers at once; the field above it finds the others
TOLD = 5
_MEANINGS = {
    EXAMPLES: "may be shown to judges, never scored",
    EVALUATION: "scored in every figure",
    SEALED: "unseen until a certificate opens it",
}


def headline(store: Store, sheet: Sheet) -> None:
    """How many questions have which role, in words; and what was done last."""
    done = st.session_state.pop("roles.done", None)
    count = Counter(row["role"] for row in roles.of_sheet(store, sheet.id))
    if count[EVALUATION] == sheet.questions:
        title = f"All {counted(sheet.questions, 'question')} of “{sheet.name}” are scored"
    else:
        title = (
            f"{counted(count[EVALUATION], 'question')} of “{sheet.name}” scored, "
            f"{count[EXAMPLES]:,} for judges to see, {count[SEALED]:,} sealed"
        )
    finding(title, "Whatever would leak from one role into another is refused, with the reason.")
    closed = roles.leaked(store, sheet.id) | roles.sealed(store, sheet.id)
    tied = len(closed) - count[EXAMPLES] - count[SEALED]
    if tied:
        st.caption(
            f"{counted(tied, 'more question')} out of the figures: they share a text or cluster "
            "with an example or a sealed question."
        )
    if done:
        st.success(plain(done), icon=":material/check:")


def explanations() -> None:
    """The terms of this screen."""
    with st.container(horizontal=True):
        for term in ("examples", "evaluation", "sealed"):
            explained(term, sentence(term))


def draw(store: Store, sheet: Sheet) -> None:
    """Draw questions to seal: what that takes is said before, and sealing is for good.

    Once some are sealed, a further draw is folded: nothing stands where the button stood, and its
    own button is another one, so a click that was meant for the first seals nothing more.
    """
    sealed = len(roles.sealed(store, sheet.id))
    if not sealed:
        _draw_more(store, sheet, sealed)
        return
    with st.expander(f"Seal more than these {sealed:,}"):
        _draw_more(store, sheet, sealed)


def _draw_more(store: Store, sheet: Sheet, sealed: int) -> None:
    st.write(
        "Seal questions before you tune prompts by looking at answers. A certificate of a tuned "
        "judge is made on them, once."
    )
    pool = sum(row["role"] == EVALUATION for row in roles.of_sheet(store, sheet.id))
    if not pool:
        st.info("No question is left to seal.")
        return
    with st.container(horizontal=True):
        wanted = st.number_input(
            f"Questions to seal, of {pool:,}", 1, pool, max(1, pool // 4), key="roles.wanted"
        )
        seed = st.number_input(
            "Seed", 0, 999_999, 1, key="roles.seed", help="The same seed draws the same questions."
        )
    everywhere = _everywhere("roles.draw")
    try:
        drawn = _draw(_facts(store, sheet), int(wanted), int(seed), everywhere, store, sheet)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/lock_open:")
        return
    said = f"{sealing.in_words(drawn.move)} Sealing is for good."
    if len(drawn.questions) != wanted:
        said = f"Clusters are drawn whole, hence {len(drawn.questions)} and not {wanted}. {said}"
    st.info(plain(said), icon=":material/lock:")
    if drawn.move.judged:
        st.caption(
            "Judges have graded some of these already, and the figures shown until now counted "
            "them. Prompts tuned by such figures have used them: best seal before judges run."
        )
    _warn_of_small(sealed + len(drawn.questions), pool - len(drawn.questions))
    _how_drawn(drawn)
    label = f"Seal {counted(len(drawn.questions), 'question')}"
    if st.button(label, type="primary", key=f"roles.seal.{sealed}", icon=":material/lock:"):
        _done(sealing.seal(store, sheet, drawn, "on the roles screen", everywhere))


def by_hand(store: Store, sheet: Sheet) -> None:
    """Give chosen questions a role; what stands against it is said instead."""
    rows = {row["id"]: row for row in roles.of_sheet(store, sheet.id)}
    found = st.text_input("Find questions", key="roles.find", placeholder="part of the text or id")
    chosen = st.session_state.get(f"roles.chosen.{sheet.id}", [])
    options = _offered(list(rows.values()), found, chosen)
    chosen = st.multiselect(
        "Questions",
        options,
        format_func=lambda number: plain(_name(rows[number])),
        key=f"roles.chosen.{sheet.id}",
        placeholder="Choose questions",
    )
    role = st.radio(
        "Role",
        ROLES,
        format_func=lambda name: f"{name}: {_MEANINGS[name]}",
        key="roles.role",
    )
    why = st.text_input("Why, for the record", key="roles.why")
    everywhere = _everywhere("roles.hand")
    if not chosen:
        st.caption("Choose questions to see what giving them the role would do.")
        return
    move = roles.weigh(store, chosen, role, everywhere)
    if move.refused:
        _refused(move, rows)
        return
    st.info(plain(sealing.in_words(move)))
    label = f"Give {counted(len(chosen), 'question')} the role {role}"
    if st.button(label, key="roles.give", disabled=not move.moved):
        _done(roles.assign(store, chosen, role, why, everywhere))


def listed(store: Store, sheet: Sheet) -> None:
    """Every question with its role, and whether it is in the figures."""
    shown = roles.leaked(store, sheet.id)
    unseen = roles.sealed(store, sheet.id) - shown
    rows = [
        {
            "question": row["own_id"] or str(row["id"]),
            "role": row["role"],
            "in figures": "no" if row["id"] in shown | unseen else "yes",
            "cluster": row["cluster"] or "",
            "answers": row["answers"],
            "text": row["text"],
        }
        for row in roles.of_sheet(store, sheet.id)
    ]
    wide = {"text": st.column_config.TextColumn(width="large")}
    table(pd.DataFrame(rows), f"{sheet.name}-roles", column_config=wide)


def openings(store: Store, sheet: Sheet) -> None:
    """Each time sealed questions were opened; nothing where none ever was."""
    opened = seals.openings(store, sheet)
    if not opened:
        return
    st.subheader("When sealed questions were opened", anchor=False)
    rows = [
        {
            "when": one.created_at[:16].replace("T", " "),
            "for": one.purpose,
            "by": one.who or "unknown",
            "questions": len(one.questions),
            "of them opened before": len(one.opened_before),
        }
        for one in opened
    ]
    table(pd.DataFrame(rows), f"{sheet.name}-openings")


def _offered(rows: list[Row], found: str, chosen: list[int]) -> list[int]:
    """The questions a list offers: those that hold the words, and those chosen before."""
    words = found.casefold()
    hits = [row["id"] for row in rows if words in f"{row['own_id'] or ''} {row['text']}".casefold()]
    return list(dict.fromkeys([*chosen, *hits[:OFFERED]]))


def _name(row: Row) -> str:
    """A question's id, role and the beginning of its text."""
    text = " ".join(row["text"].split())
    short = text if len(text) <= 60 else f"{text[:59]}…"
    return f"{row['own_id'] or row['id']} ({row['role']}): {short}"


def _everywhere(key: str) -> bool:
    return st.checkbox(
        "In other sheets too",
        key=f"{key}.everywhere",
        help="Questions of the same text or cluster must have the role in every sheet.",
    )


def _warn_of_small(sealed: int, left: int) -> None:
    """What too few questions on either side cannot show."""
    if sealed < 20:
        st.caption("Under 20 sealed questions a certificate can give no verdict.")
    if left < 20:
        st.caption("Under 20 questions would be left to choose a judge on.")


def _how_drawn(drawn: sealing.Sealing) -> None:
    with st.expander("How they are drawn", icon=":material/casino:"):
        st.write(
            "At random by whole clusters, every group in proportion: by the models that answered, "
            "and by whether people failed an answer. The same seed draws the same questions."
        )
        rows = [(plain(name), taken, of) for name, (taken, of) in drawn.strata.items()]
        frame = pd.DataFrame(rows, columns=["Answered by; people's grades", "Drawn", "Of"])
        st.table(frame.set_index("Answered by; people's grades"))
        for why, count in drawn.barred.items():
            st.caption(plain(f"{counted(count, 'question')} cannot be sealed. {why}"))


def _refused(move: Move, rows: dict[int, Row]) -> None:
    """The reasons against a move, each with the questions it holds for."""
    for why, count in Counter(move.refused.values()).items():
        those = [number for number, said in move.refused.items() if said == why]
        names = [rows[n]["own_id"] or str(n) if n in rows else "one elsewhere" for n in those]
        more = f" and {count - TOLD} more" if count > TOLD else ""
        named = ", ".join(f"“{name}”" for name in names[:TOLD])
        st.error(plain(f"{named}{more}: not {move.role}. {why}"), icon=":material/block:")


def _facts(store: Store, sheet: Sheet) -> tuple:
    """What a draw depends on beside what is asked for."""
    return (*question_facts.newest(store), state(store, sheet))


@st.cache_data(max_entries=8, show_spinner=False)
def _draw(
    facts: tuple, wanted: int, seed: int, everywhere: bool, _store: Store, _sheet: Sheet
) -> sealing.Sealing:
    return sealing.draw(_store, _sheet, wanted, seed, everywhere)


def _done(move: Move) -> None:
    st.session_state["roles.done"] = sealing.in_words(move)
    st.rerun()
