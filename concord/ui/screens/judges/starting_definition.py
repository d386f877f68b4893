"""Where a new definition starts: a preset, a combined judge, a stored judge, or a server."""

import streamlit as st

from concord.importing import sheet_rubric
from concord.judges.combined.features import possible_members
from concord.judges.definition import model, providers, registry
from concord.judges.definition.model import Judge
from concord.judges.definition.toml import as_toml, beginning
from concord.messages import Problem
from concord.model import Sheet
from concord.rubrics.model import FIRST
from concord.store import graders
from concord.store.database import Store
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say

COMBINED = "combined"


def starting_point(store: Store) -> str:
    """Return what to begin with: a preset, `COMBINED`, a stored judge, or '' for a new one."""
    names = ["", COMBINED, *model.presets()]
    wanted = recall("add")
    if wanted not in names and wanted in {one.label() for one in graders.of_kind(store, "judge")}:
        names.append(wanted)
    words = {"": say("an empty form"), COMBINED: say("a combined judge")}
    chosen = st.selectbox(
        say("Start from"),
        names,
        format_func=lambda name: words.get(name) or plain(name),
        index=names.index(wanted) if wanted in names else 0,
        key="judge.base",
    )
    remember(add=chosen or 1)
    return chosen


def starting_definition(store: Store, sheet: Sheet, chosen: str) -> str | None:
    """Return the definition to begin with, as TOML; None for the baseline, which is as it is.

    It is under the rubric of the sheet; a copy of a preset for a scale of its own keeps that.

    Raises:
        Problem: Too few judges graded the sheet to combine them.
    """
    rubric = sheet_rubric.proposed_rubric(store, sheet)
    if chosen == COMBINED:
        members = possible_members(store, sheet)[:2]
        if len(members) < 2:
            raise Problem(
                "A combined judge needs the grades of at least two judges on this sheet. Run them "
                "first, or import their grades."
            )
        keys = {"name": "my-jury", "kind": "combined", "rubric": rubric}
        return as_toml(Judge(**keys, members=tuple(members), rule="mean"))
    base = model.presets().get(chosen)
    if base is not None:
        under = rubric if base.rubric == FIRST else base.rubric
        copied = base.model_copy(update={"name": f"my-{base.name}", "rubric": under})
        return None if base.kind == "baseline" else as_toml(copied)
    if chosen:
        return as_toml(registry.named(store, chosen))
    return beginning(next(iter(providers.known().values())), rubric=rubric)
