"""Rubric editor: a form next to its TOML, or the TOML alone; Save stores it.

The draft lives in `session_state` and both views write it. In the form it may be incomplete.
"""

import streamlit as st

from concord.messages import Problem, joined, said
from concord.rubrics.draft import outdated
from concord.rubrics.model import Rubric, parse
from concord.rubrics.rubric_toml import as_toml
from concord.store.database import Store
from concord.store.rubrics import rubric_edits
from concord.ui.frame import remember
from concord.ui.language import called, language, plain, say
from concord.ui.screens.rubrics.rubric_card import criterion_html
from concord.ui.screens.rubrics.rubric_form import DRAFT, form
from concord.ui.screens.rubrics.saving import carrying, freeze_agreed
from concord.ui.widgets import action_button

FORM, TOML = said("Form"), said("TOML")
YOURS = said("Your rubric")
# The TOML stays in view next to a form that is longer than the window, and so does what is wrong.
_LOOK = """<style>
@media (min-height: 32rem) {
  :has(> .st-key-rubric-problem) { position: sticky; bottom: 0; z-index: 1;
    background: light-dark(#fdfcfa, #16191d); }
}
.st-key-rubric-toml { max-height: calc(100vh - 6rem); overflow: auto; }
@media (min-width: 641px) {
  :has(> .st-key-rubric-toml) { position: sticky; top: 4rem; }
}
@media (max-width: 640px) {
  .st-key-rubric-toml { max-height: 14rem; } /* Save is below it */
}
</style>"""


def editor(store: Store, base: Rubric) -> None:
    """The editor of a rubric, what saving it would do, and Save."""
    st.html(_LOOK)
    draft = _draft(store, base)
    bar = st.container(horizontal=True)
    view = st.session_state.get("rubric.view") or FORM
    rubric, problem = _edited(base, draft, view)
    bar.segmented_control(
        say("View"), [FORM, TOML], key="rubric.view", default=FORM, required=True,
        format_func=say, label_visibility="collapsed", disabled=problem is not None,
    )  # fmt: skip
    if problem:
        with st.container(key="rubric-problem"):
            st.error(plain(problem), icon=":material/error:")
        _leave()
        return
    _keep(base, rubric)
    _saving(store, base, rubric)


def _draft(store: Store, base: Rubric) -> Rubric:
    """Return the draft of this session; a fresh one where it has another base."""
    kept = st.session_state.get(DRAFT)
    if kept and kept["base"] == base.body():
        return kept["rubric"]
    _forget()
    if rubric_edits.is_own(store, base.name):
        return base
    name, title = (
        free(store, old)
        for free, old in (
            (rubric_edits.free_name, base.name),
            (rubric_edits.free_title, base.title),
        )
    )
    return base.model_copy(update={"name": name, "title": title})


def _edited(base: Rubric, draft: Rubric, view: str) -> tuple[Rubric, str | None]:
    """The draft as the user left it in this view, or the draft with what is wrong."""
    try:
        if view == TOML:
            text = st.text_area(say("Rubric"), as_toml(draft), height=560, key="rubric.toml")
            st.caption(say("Press Ctrl+Enter to check your text."))
            return parse(text, YOURS), None
        _keep(base, draft)  # what the buttons of the form change
        left, right = st.columns([3, 2])
        with left:
            filled = form(draft)
        _keep(base, filled)
        text = as_toml(filled)
        with right.container(key="rubric-toml"):
            st.code(text, language="toml", wrap_lines=True)
        return parse(text, YOURS), None
    except Problem as problem:
        return draft, str(problem)


def _keep(base: Rubric, draft: Rubric) -> None:
    st.session_state[DRAFT] = {"base": base.body(), "rubric": draft}


def _forget() -> None:
    """Forget the draft, and what its form was filled with."""
    for key in [key for key in st.session_state if str(key).startswith("rubric.")]:
        del st.session_state[key]


def _saving(store: Store, base: Rubric, rubric: Rubric) -> None:
    """Show the effect of saving, the choice to carry grades over, and the button Save."""
    carried = carrying(store, base, rubric)
    with st.expander(say("Preview for annotators")):
        read = rubric.in_language(language())
        for criterion in read.criteria:
            st.html(criterion_html(read, criterion))
    agreed = freeze_agreed(store, base, rubric)
    _warn_of_outdated(base, rubric)
    with st.container(horizontal=True):
        save = action_button(
            say("Save as {name}", name=rubric.name),
            store.why_no_lead() or _why_not(rubric == base, agreed),
            type="primary",
            key="rubric.save",
        )
        _leave()
    if save:
        _save(store, base, rubric, carried)


def _warn_of_outdated(base: Rubric, rubric: Rubric) -> None:
    """Name the translations of an earlier wording; saving stays possible."""
    for name, languages in outdated(base, rubric).items():
        earlier = said(
            "The wording of {criterion} changed, but not its translation ({languages}), which "
            "shows annotators the earlier wording. Correct the translation, or empty it to show "
            "the original.",
            criterion=rubric.criterion(name).heading(),
            languages=joined(", ", map(called, languages)),
        )
        st.warning(plain(earlier), icon=":material/translate:")


def _why_not(same: bool, agreed: bool) -> str | None:
    """Return why Save is disabled."""
    if same:
        return say("Nothing was changed yet.")
    return None if agreed else say("Confirm above that the frozen wording may change.")


def _save(store: Store, base: Rubric, rubric: Rubric, carried: dict[str, str]) -> None:
    try:
        rubric_edits.save(store, base, rubric, carried, despite_freeze=True)  # as was agreed
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _forget()
    st.toast(say("Saved as {name}.", name=plain(rubric.name)))
    remember(rubric=rubric.name, edit=None, criterion=None)
    st.session_state["pick.rubric.anew"] = st.session_state.get("pick.rubric.anew", 0) + 1
    st.rerun()


def _leave() -> None:
    if st.button(say("Discard"), key="rubric.discard"):
        _forget()
        remember(edit=None, criterion=None)
        st.rerun()
