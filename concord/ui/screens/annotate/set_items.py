"""The answers of a campaign: searched, filtered, and assigned to annotators one by one."""

import streamlit as st

from concord.definitions import digest
from concord.grading import set_graders, single_assignments
from concord.grading.grading_sets import GradingSet
from concord.grading.single_assignments import SetAnswer
from concord.messages import said
from concord.reports.workflow import set_answers
from concord.store import graders
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say, word
from concord.ui.widgets import action_button, url_toggle

_HEIGHT, _MOST = 320, 500  # px, answers in the list
_ANY, _NO_ONE, _GRADED, _UNGRADED = (
    said("Any"),
    said("No annotator"),
    said("Graded"),
    said("Not graded"),
)


def set_items(store: Store, grading_set: GradingSet) -> None:
    """Show the answers of a set that pass the filters; a chosen one can be assigned.

    The URL keeps the filters of each set under the set's id.
    """
    key = f"items.{grading_set.id}"
    label = say("Answers: search and assign one by one")
    # As the address had it at first: one that folded later would fold under the reader's eyes.
    unfolded = st.session_state.setdefault(f"{key}.unfolded", recall(key) == "1")
    with st.expander(label, expanded=unfolded, icon=":material/checklist:"):
        show_refused(f"{key}.notice")
        show_done(f"{key}.done")
        # Closed expanders run too, and a set may have thousands of answers.
        if not url_toggle(say("Show the answers"), key, key=f"{key}.open"):
            return
        every = single_assignments.of_set(store, grading_set)
        found = _filtered(every, key)
        st.caption(say("{n:,} of {all:,} answers", n=len(found), all=len(every)))
        if len(found) > _MOST:
            st.caption(say("The list shows the first {n}. Search to narrow it.", n=_MOST))
        chosen = _listed(found[:_MOST], key)
        if chosen:
            _opened(store, grading_set, chosen, key)
        elif found:
            st.caption(say("Select a row to assign its answer."))


def _filtered(every: list[SetAnswer], key: str) -> list[SetAnswer]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            say("Search"),
            recall(f"{key}.words") or "",
            max_chars=200,
            placeholder=say("question, answer or id"),
            icon=":material/search:",
            key=f"{key}.words",
        )
        remember(**{f"{key}.words": words or None})
        names = sorted({name for one in every for name in one.assigned}, key=str.casefold)
        assigned = _choice(say("Assigned to"), [_ANY, _NO_ONE, *names], f"{key}.assigned")
        graded = _choice(say("Grades"), [_ANY, _GRADED, _UNGRADED], f"{key}.graded")
    wanted = words.strip().casefold()
    return [
        one
        for one in every
        if wanted in f"{one.own_id}\n{one.question}\n{one.answer}".casefold()
        and (assigned == _ANY or assigned in (one.assigned or (_NO_ONE,)))
        and (graded == _ANY or bool(one.graded) == (graded == _GRADED))
    ]


def _choice(label: str, options: list[str], key: str) -> str:
    """A filter that is kept in the URL unless it is the first of the options."""
    wanted = recall(key)
    first = options.index(wanted) if wanted in options else 0
    chosen = st.selectbox(label, options, first, format_func=word, key=key)
    remember(**{key: None if chosen == options[0] else chosen})
    return chosen


def _listed(found: list[SetAnswer], key: str) -> SetAnswer | None:
    if not found:
        st.info(say("No answer matches"))
        return None
    place = render.pick_row(
        set_answers.table(found),
        "set",
        f"{key}.rows.{digest([one.id for one in found])}",
        height=_HEIGHT,
        inset=render.FOLD,
    )
    return None if place is None else found[place]


def _opened(store: Store, grading_set: GradingSet, one: SetAnswer, key: str) -> None:
    """The answer's texts, and who gets it."""
    with st.container(border=True):
        st.markdown(f"**{plain(one.question)}**")
        st.write(plain(one.answer))
        known = [g for g in graders.of_kind(store, "person") if not g.simulated]
        names = {g.name: g.id for g in known if g.name not in one.assigned}
        here = {row["id"] for row in set_graders.of_set(store, grading_set.id)}
        if not names:
            st.caption(say("Every annotator has this answer already. Type a name to add another."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                say("Assign to"),
                sorted(names, key=lambda name: (names[name] not in here, name.casefold())),
                None,
                placeholder=say("Annotator"),
                accept_new_options=True,
                key=f"{key}.{one.id}.to",
            )
            action_button(
                say("Assign answer"),
                why_not(one, (chosen or "").strip()),
                type="primary",
                key=f"{key}.{one.id}.assign",
                on_click=_assign,
                args=(grading_set, one, chosen, key),
            )
        for grader_id, name in one.single.items():
            action_button(
                say("Take back from {name}", name=plain(name)),
                said("{name} has graded this answer, so it stays in the queue.", name=name)
                if name in one.graded
                else None,
                key=f"{key}.{one.id}.back.{grader_id}",
                on_click=_take_back,
                args=(grading_set, one, grader_id, name, key),
            )
        st.caption(
            say(
                "It comes at the end of the annotator's queue. Answers chosen by hand are not a "
                "random sample: weighted estimates exclude these grades until the annotator's "
                "blocks are complete."
            )
        )


def why_not(one: SetAnswer, name: str) -> str | None:
    """Return why an answer cannot be assigned to a name; a name may be typed."""
    if not name:
        return say("Choose an annotator first.")
    has = [other for other in one.assigned if other.casefold() == name.casefold()]
    if has:
        return say("{name} has this answer already. Choose another annotator.", name=has[0])
    return None


def _assign(grading_set: GradingSet, one: SetAnswer, name: str, key: str) -> None:
    with changing(f"{key}.notice") as store:
        single_assignments.assign_to(store, grading_set, one.id, name, store.by())
        done = said("Answer {answer} assigned to {name}.", answer=one.own_id, name=name)
        st.session_state[f"{key}.done"] = done
        st.session_state[f"{key}.{one.id}.to"] = None


def _take_back(grading_set: GradingSet, one: SetAnswer, chosen: int, name: str, key: str) -> None:
    with changing(f"{key}.notice") as store:
        single_assignments.take_back(store, grading_set, one.id, chosen, store.by())
        done = said("Answer {answer} taken back from {name}.", answer=one.own_id, name=name)
        st.session_state[f"{key}.done"] = done
