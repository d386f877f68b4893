"""The adjudicator's form: what people said side by side, and one score, cause and note each."""

from html import escape

import streamlit as st

from data import adjudications, blinding
from data.adjudications import CAUSES, Settled
from data.counted import counted
from data.store import Row, Store
from problems import Problem
from reports import adjudicate
from reports.adjudicate import Case, Voice
from rubrics.model import Criterion, Rubric
from ui.frame import remember
from ui.markdown import plain
from ui.sign_in import own_store

_NOTICE = "adjudicate.notice"
_UNSETTLED = "Not settled"
_NOTHING = (None, "", "")


def settle_form(store: Store, wanted, case: Case, following: int | None) -> None:
    """Grades and reasons by criterion, with what the adjudicator says; `following` comes next."""
    notice = st.session_state.pop(_NOTICE, None)
    if notice:
        st.error(plain(notice), icon=":material/error:")
    panel, who = wanted.panel, wanted.adjudicator
    voices = adjudicate.voices(store, panel, case.item_id, wanted.seed)
    newest = adjudicate.newest(store, panel, case.item_id)
    if who and adjudications.has_opened(store, case.item_id, who.id):
        st.warning(
            "You have opened what judges said of this answer. What you settle is kept, and stays "
            "out of the consensus; let somebody else settle it.",
            icon=":material/visibility:",
        )
    key = f"adjudicate.{case.item_id}"
    with st.form(key, border=False):
        for criterion in panel.rubric.criteria:
            if any(criterion.name in voice.said for voice in voices):
                _said_of(criterion, voices, case, newest.get(criterion.name))
            if criterion.name in case.apart and who:
                _word(panel.rubric, criterion, newest.get(criterion.name), key)
        if who:
            st.form_submit_button(
                "Settle and go on" if following else "Settle",
                type="primary",
                on_click=_settle,
                args=(wanted, case, voices, newest, following, key),
            )
        else:
            only = "Only a lead settles this" if store.who else "Say who you are to settle this"
            st.form_submit_button(only, disabled=True)


def _said_of(criterion: Criterion, voices: list[Voice], case: Case, row: Row | None) -> None:
    """One criterion: a column per person, and what was settled before."""
    points = case.apart.get(criterion.name)
    apart = f", {counted(points, 'point')} apart" if points else ", agreed"
    said = [(voice.letter, voice.said.get(criterion.name)) for voice in voices]
    heads = "".join(f'<th scope="col">{letter}</th>' for letter, _ in said)
    cells = "".join(_cell(one) for _, one in said)
    st.html(
        f'<div class="concord-beside"><h4>{escape(criterion.heading())}{apart}</h4>'
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f'<tr class="chosen">{cells}</tr></table></div></div>'
    )
    if row:
        st.caption(plain(_before(row, adjudicate.grade_ids(voices, criterion.name))))


def _cell(said) -> str:
    if said is None:
        return "<td>–</td>"
    score = said.status.replace("_", " ") if said.score is None else f"{said.score:g}"
    return f"<td><b>{escape(score)}</b><p>{escape(said.reason)}</p></td>"


def _before(row: Row, seen: tuple[int, ...]) -> str:
    """Who settled it last, as what, and whether it counts."""
    what = "Taken back" if row["score"] is None else f"Settled as {row['score']:g}"
    words = f"{what} by {row['who'] or 'somebody'} on {row['created_at'][:10]}"
    words += f": {CAUSES[row['cause']]}." if row["cause"] else "."
    words += f" {row['note']}" if row["note"] else ""
    words += "" if row["blind"] else " Not blind, so outside the consensus."
    return words + (" People graded anew since." if adjudicate.is_stale(row, seen) else "")


def _word(rubric: Rubric, criterion: Criterion, row: Row | None, key: str) -> None:
    """Score, cause and note; a digit typed into the score finds it."""
    heading, name = criterion.heading(), f"{key}.{criterion.name}"
    meanings = {
        level.score: f"{level.score}: {level.meaning.strip()}" for level in criterion.levels
    }
    options = [None, *rubric.scale]
    st.selectbox(
        f"Your score for {heading}",
        options,
        options.index(row["score"] if row else None),
        format_func=lambda score: meanings.get(score, _UNSETTLED),
        key=f"{name}.score",
    )
    causes = ["", *CAUSES]
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.selectbox(
        f"Cause, {heading}",
        causes,
        causes.index(row["cause"]) if row and row["cause"] in causes else 0,
        format_func=lambda cause: CAUSES.get(cause, "None"),
        key=f"{name}.cause",
    )
    right.text_input(
        f"Note, {heading}", row["note"] if row else "", max_chars=1000, key=f"{name}.note"
    )


def _settle(wanted, case: Case, voices, newest: dict[str, Row], following, key: str) -> None:
    """Put every criterion on disk that was changed, then go on to the next answer."""
    versions = wanted.panel.rubric.versions()
    try:
        with own_store() as store:
            blinding.blind(store)
            with store.write():
                for name in case.apart:
                    given = _given(f"{key}.{name}")
                    row = newest.get(name)
                    if given == ((row["score"], row["cause"], row["note"]) if row else _NOTHING):
                        continue
                    ids = adjudicate.grade_ids(voices, name)
                    score, cause, note = given
                    what = (case.item_id, versions[name], score, wanted.trigger, ids)
                    said = Settled(*what, wanted.adjudicator.id, cause, note)
                    adjudications.settle(store, said)
        remember(at=following)
    except Problem as problem:
        st.session_state[_NOTICE] = str(problem)


def _given(name: str) -> tuple:
    score, cause, note = (st.session_state[f"{name}.{part}"] for part in ("score", "cause", "note"))
    return score, cause, note.strip()
