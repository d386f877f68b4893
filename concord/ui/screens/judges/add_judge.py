"""Add a judge: a preset as it is, a file, or a definition in a form over its TOML.

The TOML is the definition: the form shows what it says and writes what is changed into it.
"""

import streamlit as st

from concord.judges.definition import model, registry
from concord.messages import Problem
from concord.model import Sheet
from concord.reports.workflow import judge_check, own_judge
from concord.store.database import Store
from concord.ui import run_start
from concord.ui.actions import refusals
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.screens.judges.judge_form import edited, forget, form, read_back, why_not_written
from concord.ui.screens.judges.judge_trials import check_button, checked
from concord.ui.screens.judges.starting_definition import starting_definition, starting_point
from concord.ui.widgets import action_button

TEXT = "judge.toml"
_SOURCE = "judge.begun"  # in the session: what the definition began with
_HEIGHT = 520


def add_button(first: bool) -> None:
    """Offer to add a judge; the main action where it is the first."""
    action_button(
        say("Add judge"),
        say("The form is open below.") if recall("add") else None,
        type="primary" if first else "secondary",
        icon=":material/add:",
        key="judge.add",
        on_click=lambda: remember(add=1),
    )


def add_judge(store: Store, sheet: Sheet) -> str | None:
    """Show the form; return what names the judge that was chosen or saved just now, else None."""
    with st.container(border=True, key="opened-judge-form"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = starting_point(store)
            base = model.presets().get(chosen)
            use = base is not None and st.button(say("Use as it is"), key="judge.use")
            st.button(
                say("Close"),
                icon=":material/close:",
                key="judge.close",
                on_click=lambda: remember(add=None),
            )
        if base is not None and base.about:
            st.caption(say(base.about))
        made = chosen if use else _defined(store, sheet, chosen) or _opened(store)
    if made:
        remember(add=None)
        forget()
    return made


def _defined(store: Store, sheet: Sheet, chosen: str) -> str | None:
    """Show the definition as a form and as TOML, the test call and Save."""
    begun = None
    with refusals():
        begun = starting_definition(store, sheet, chosen)
    if begun is None:
        return None
    _begin(begun)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        text = st.text_area(
            say("Definition (TOML)"), height=_HEIGHT, key=TEXT, on_change=read_back, args=(TEXT,)
        )
    with left:
        form(store, sheet, TEXT)
    judge, refused = edited(TEXT), store.why_no_lead() or why_not_written()
    computed = judge is not None and judge.is_computed()
    needs_key = judge is not None and not (computed or judge.kind == "combined")
    no_key = run_start.why_no_key(judge) if needs_key else None
    with st.container(horizontal=True):
        save = st.button(
            say("Save judge"),
            icon=":material/save:",
            type="primary",
            key="judge.save",
            disabled=refused is not None,
        )
        test = not computed and check_button("judge.try", refused or no_key)
    if why := refused or no_key:
        st.caption(say(why))
    with refusals():
        if test:
            checked(store, judge_check.of_judge(store, own_judge.parsed(text), None, sheet.name))
        if save:
            return own_judge.save(store, sheet.name, own_judge.parsed(text))
    return None


def _begin(begun: str) -> None:
    """Restart the definition if it began as another text, as on a sheet with another rubric."""
    if st.session_state.get(_SOURCE) == begun and TEXT in st.session_state:
        return
    forget()
    st.session_state[_SOURCE] = st.session_state[TEXT] = begun
    read_back(TEXT)


def _opened(store: Store) -> str | None:
    """Offer to open a judge file by its path."""
    with st.expander(say("Open a judge file on this machine"), key="judge.file"):
        path = st.text_input(
            say("Path of a judge file on this machine"),
            placeholder="judges/my_judge.toml",
            key="judge.path",
        ).strip()
        if st.button(say("Open the file"), icon=":material/description:", key="judge.open"):
            with refusals():
                if not path.endswith(".toml"):
                    raise Problem("Enter the path of a judge file, which ends in .toml.")
                registry.named(store, path)
                return path
    return None
