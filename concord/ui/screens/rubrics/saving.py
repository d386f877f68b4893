"""Effect of saving an edited rubric on grades and frozen sets, and the choice to keep grades."""

import streamlit as st

from concord.messages import counted, joined, said
from concord.model import Sheet
from concord.reports.workflow import edit_effect
from concord.rubrics.edit import changes
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.store.rubrics.rubric_edits import GradeCounts
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.language import plain, say


def carrying(store: Store, base: Rubric, rubric: Rubric) -> dict[str, str]:
    """Show the effect of saving; return by criterion why its change is of wording only."""
    st.subheader(say("Effect of saving"), anchor=False)
    effects = st.container()
    given = {sheet.name: _given(store, sheet, base) for sheet in sheets.all_sheets(store)}
    carried, agreed = {}, set()
    for change in changes(base, rubric):
        n = sum(sum(of.get(change.criterion, GradeCounts(0, 0))) for of in given.values())
        if change.may_carry and n and _is_wording(change.criterion, n):
            agreed.add(change.criterion)
            carried[change.criterion] = _why(change.criterion)
    with effects:
        found = edit_effect.document(edit_effect.effect(base, rubric, given, agreed))
        st.markdown(f"**{plain(found.headline)}**")
        render.show_table(found.tables[0], "edit-effect", in_full=True)
        _sets(store, base, rubric)
    return carried


@kept(said("Counting grades…"))
def _given(store: Store, sheet: Sheet, rubric: Rubric) -> dict[str, GradeCounts]:
    return rubric_edits.grade_counts(store, sheet.id, rubric)


def _sets(store: Store, base: Rubric, rubric: Rubric) -> None:
    """Say which grading sets keep the earlier wording."""
    if rubric.versions() == base.versions():
        return
    held = rubric_edits.sets_under(store, base)
    if held:
        st.caption(
            say(
                "These grading sets keep the rubric they were made with: {sets}. Make a new set to "
                "grade under the edited one.",
                sets=plain(joined(", ", held)),
            )
        )


def _is_wording(criterion: str, grades: int) -> bool:
    words = said(
        "Only the wording of {criterion} changed: keep counting its {grades}",
        criterion=criterion,
        grades=counted(grades, "grade"),
    )
    return st.checkbox(say(words), key=f"rubric.carry.{criterion}")


def _why(criterion: str) -> str:
    """The reason to carry a criterion's grades over."""
    return st.text_input(
        say("Reason why the new wording changes no grade"),
        key=f"rubric.carry.{criterion}.why",
    )


def freeze_agreed(store: Store, base: Rubric, rubric: Rubric) -> bool:
    """The user's word on saving under a name whose words are frozen in some set."""
    frozen = rubric_versions.broken_freezes(store, base, rubric)
    if not frozen:
        return True
    st.warning(
        plain(
            said(
                "{name} is frozen: {sets}. The set keeps the frozen wording and is graded by it; "
                "what you save here applies to new sets, and grades that are no longer comparable "
                "are kept apart. Under another name none of this applies.",
                name=base.name,
                sets=joined(", ", frozen),
            )
        )
    )
    words = say("Save the new wording under {name} anyway", name=base.name)
    return st.checkbox(words, key="rubric.frozen")
