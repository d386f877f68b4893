"""The adjudicator's form: what annotators said side by side, and one score, cause and note each."""

from html import escape

import streamlit as st

from concord.clock import day_of
from concord.grading.adjudication.adjudications import CAUSES
from concord.messages import counted, joined, said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import Case, Voice
from concord.rubrics.model import Criterion, Rubric
from concord.store import adjudicator_view, grades
from concord.store.database import Row, Store
from concord.ui import work_list
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.markup import comparison, grade_cell
from concord.ui.screens.annotate.adjudicate_pick import AdjudicationPick

_NOTICE = "adjudicate.notice"
_UNSETTLED = said("Not adjudicated")
_NOTHING = (None, "", "")


def adjudication_form(store: Store, wanted: AdjudicationPick, place: int) -> None:
    """Grades and reasons by criterion of the case at a place, with what the adjudicator says."""
    show_refused(_NOTICE)
    panel, who = wanted.panel, wanted.adjudicator
    case, following = wanted.cases[place], wanted.cases.next_open(place)
    voices = adjudicate.voices(store, panel, case.at, wanted.seed)
    newest = adjudicate.newest(store, panel, case.at)
    if who and grades.has_opened(store, case.at, who.id):
        st.warning(
            say(
                "You have seen judges' grades of this answer. Your adjudication is kept but "
                "excluded from the consensus; let another annotator adjudicate it."
            ),
            icon=":material/visibility:",
        )
    key = f"adjudicate.{case.at}"
    with st.form(key, border=False):
        for criterion in panel.rubric.criteria:
            if any(criterion.name in voice.said for voice in voices):
                _said_of(criterion, voices, case, newest.get(criterion.name))
            if criterion.name in case.points_apart and who:
                _word(panel.rubric, criterion, newest.get(criterion.name), key)
        if who:
            st.form_submit_button(
                say("Adjudicate" if following is None else "Adjudicate and continue"),
                type="primary",
                on_click=_settle,
                args=(wanted, case, voices, newest, following, key),
            )
        else:
            only = say(
                "Only a lead can adjudicate this"
                if store.who
                else "Enter your name to adjudicate this"
            )
            st.form_submit_button(only, disabled=True)


def _said_of(criterion: Criterion, voices: list[Voice], case: Case, row: Row | None) -> None:
    """One criterion: a column per annotator, and what was adjudicated before."""
    points = case.points_apart.get(criterion.name)
    heading = criterion.heading()
    title = (
        say("{criterion}, {points} apart", criterion=heading, points=counted(points, "point"))
        if points
        else say("{criterion}, agreed", criterion=heading)
    )
    given = [(voice.letter, voice.said.get(criterion.name)) for voice in voices]
    heads = "".join(f'<th scope="col">{letter}</th>' for letter, _ in given)
    cells = "".join(grade_cell(one) for _, one in given)
    st.html(
        comparison(
            f'<h3>{escape(title)}</h3><div class="scroll"><table><thead><tr>{heads}</tr></thead>',
            f'<tr class="chosen">{cells}</tr></table></div>',
        )
    )
    if row:
        st.caption(plain(_before(row, adjudicate.grade_ids(voices, criterion.name))))


def _before(row: Row, seen: tuple[int, ...]) -> str:
    """Return a sentence on the last adjudication: by whom, with which score, and if it counts."""
    about = {"who": row["who"] or said("an annotator"), "day": day_of(row["created_at"])}
    what = (
        said("Withdrawn by {who} on {day}", **about)
        if row["score"] is None
        else said("Adjudicated as {score:g} by {who} on {day}", score=row["score"], **about)
    )
    cause = row["cause"]
    why = said("{what}: {why}", what=what, why=CAUSES[cause]) if cause else what
    return joined(
        " ",
        [
            said("{sentence}.", sentence=why),
            row["note"],
            "" if row["blind"] else said("Not blind, so excluded from the consensus."),
            said("Annotators have regraded this since.") if adjudicate.is_stale(row, seen) else "",
        ],
    )


def _word(rubric: Rubric, criterion: Criterion, row: Row | None, key: str) -> None:
    """Score, cause and note; a digit typed into the score finds it."""
    heading, name = plain(criterion.heading()), f"{key}.{criterion.name}"
    meanings = {
        level.score: f"{level.score}: {level.meaning.strip()}" for level in criterion.levels
    }
    options = [None, *rubric.scale]
    st.selectbox(
        say("Your score for {criterion}", criterion=heading),
        options,
        options.index(row["score"] if row else None),
        format_func=lambda score: meanings.get(score) or say(_UNSETTLED),
        key=f"{name}.score",
    )
    causes = ["", *CAUSES]
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.selectbox(
        say("Cause, {criterion}", criterion=heading),
        causes,
        causes.index(row["cause"]) if row and row["cause"] in causes else 0,
        format_func=lambda cause: say(CAUSES.get(cause) or said("None")),
        key=f"{name}.cause",
    )
    right.text_input(
        say("Note, {criterion}", criterion=heading),
        row["note"] if row else "",
        max_chars=1000,
        key=f"{name}.note",
    )


def _settle(
    wanted: AdjudicationPick, case: Case, voices, newest: dict[str, Row], following, key
) -> None:
    """Put every criterion on disk that was changed, then go on to the next answer."""
    given = {name: _given(f"{key}.{name}") for name in case.points_apart}
    old = {name: (row["score"], row["cause"], row["note"]) for name, row in newest.items()}
    new = {name: one for name, one in given.items() if one != old.get(name, _NOTHING)}
    who = wanted.adjudicator.id
    with changing(_NOTICE) as store:
        adjudicator_view.blind(store)
        adjudicate.record(store, wanted.panel, case.at, voices, wanted.trigger, who, new)
    if _NOTICE not in st.session_state:
        work_list.go(wanted.cases, following)


def _given(name: str) -> tuple:
    score, cause, note = (st.session_state[f"{name}.{part}"] for part in ("score", "cause", "note"))
    return score, cause, note.strip()
