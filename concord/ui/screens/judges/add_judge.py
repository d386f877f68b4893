"""Add a judge: a preset as it is, a file, or a definition in a form over its TOML.

The TOML is the definition: the form shows what it says and writes what is changed into it.
"""

import streamlit as st

from concord.judges.definition import model, providers, registry
from concord.judges.definition.model import Judge
from concord.judges.definition.toml import as_toml, beginning
from concord.messages import Problem
from concord.reports.workflow import judge_check, own_judge
from concord.store.database import Store
from concord.ui import run_start
from concord.ui.actions import refusals
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.judges.judge_form import edited, forget, form, read_back
from concord.ui.screens.judges.judge_trials import checked

TEXT = "judge.toml"
_SOURCE = "judge.begun"  # in the session: what the definition began with
_HEIGHT = 520


def add_button() -> None:
    """Offer to add a judge."""
    st.button(
        say("Add judge"),
        icon=":material/add:",
        key="judge.add",
        on_click=lambda: remember(add=1),
        disabled=bool(recall("add")),
        help=say("The form is open below.") if recall("add") else None,
    )


def add_judge(store: Store, sheet_name: str) -> str | None:
    """Show the form; return what names the judge that was chosen or saved just now, else None."""
    with st.container(border=True, key="judge-add"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            base = _base()
            use = base is not None and st.button(say("Use as it is"), key="judge.use")
            st.button(
                say("Close"),
                icon=":material/close:",
                key="judge.close",
                on_click=lambda: remember(add=None),
            )
        if base is not None and base.about:
            st.caption(say(base.about))
        made = base.name if use else _defined(store, sheet_name, base) or _opened(store)
    if made:
        remember(add=None)
        forget()
    return made


def _base() -> Judge | None:
    """Return the preset to begin with; None for a new definition."""
    shipped = {name: one for name, one in model.presets().items() if one.kind != "baseline"}
    names = ["", *model.presets()]
    chosen = st.selectbox(
        say("Start from"),
        names,
        format_func=lambda name: plain(name) or say("an empty form"),
        index=names.index(wanted) if (wanted := recall("add")) in names else 0,
        key="judge.base",
    )
    remember(add=chosen or 1)
    return shipped.get(chosen) or model.presets().get(chosen)


def _defined(store: Store, sheet_name: str, base: Judge | None) -> str | None:
    """Show the definition as a form and as TOML, the test call and Save."""
    if base is not None and base.kind == "baseline":
        return None
    _begin(base)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        text = st.text_area(
            say("Definition (TOML)"), height=_HEIGHT, key=TEXT, on_change=read_back, args=(TEXT,)
        )
    with left:
        form(store, TEXT)
    if (judge := edited(TEXT)) and judge.kind != "combined":
        run_start.has_key(judge)
    with st.container(horizontal=True):
        save = st.button(
            say("Save judge"), icon=":material/save:", type="primary", key="judge.save"
        )
        test = st.button(
            say("Check with one call"),
            icon=":material/troubleshoot:",
            key="judge.try",
            help=say(
                "Sends one small built-in item, no data from the sheet, and reports what works."
            ),
        )
    with refusals():
        if test:
            checked(store, judge_check.of_judge(store, own_judge.parsed(text), None, sheet_name))
        if save:
            return own_judge.save(store, sheet_name, own_judge.parsed(text))
    return None


def _begin(base: Judge | None) -> None:
    """Restart the definition if another preset was chosen."""
    source = base.name if base else ""
    if st.session_state.get(_SOURCE) == source and TEXT in st.session_state:
        return
    forget()
    first = next(iter(providers.known().values()))
    copied = base and base.model_copy(update={"name": f"my-{base.name}"})
    st.session_state[_SOURCE] = source
    st.session_state[TEXT] = as_toml(copied) if copied else beginning(first)
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
