"""Add a judge, or save an edited copy of one: a form over the fields of its definition."""

from typing import Any

import streamlit as st

from concord.definitions import digest
from concord.importing import grade_scales
from concord.judges.combined import possible_members
from concord.judges.definition import model, providers, registry
from concord.judges.definition.model import PLACEHOLDERS, Judge
from concord.judges.kinds.combined import Combined
from concord.judges.prompting.prompt import as_text
from concord.messages import Problem
from concord.metrics import available
from concord.model import Sheet
from concord.reports.workflow import judges
from concord.rubrics.model import FIRST
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.actions import refusals
from concord.ui.frame import recall, remember
from concord.ui.model_form import model_fields
from concord.ui.widgets import action_button

COMBINED = "combined"
_PLACES = ", ".join(f"${name}" for name in PLACEHOLDERS)


def add_button(first: bool) -> None:
    """Offer to add a judge; the main action where it is the first."""
    action_button(
        "Add judge",
        "The form is open below." if recall("add") else None,
        type="primary" if first else "secondary",
        icon=":material/add:",
        key="judge.add",
        on_click=lambda: remember(add=1),
    )


def add_judge(store: Store, sheet: Sheet) -> str | None:
    """Show the form; return what names the judge that was chosen or saved just now, else None."""
    made = None
    with st.container(border=True, key="opened-judge-form"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = _starting_point(store)
            use = chosen in model.presets() and st.button("Use as it is", key="judge.use")
            if st.button("Close", icon=":material/close:", key="judge.close"):
                remember(add=None)
                st.rerun()
        with refusals():
            base = _base(store, sheet, chosen)
            if not base.trained:
                made = judge_form(store, sheet, base)
    made = chosen if use else made
    if made:
        remember(add=None)
    return made


def judge_form(
    store: Store, sheet: Sheet, base: Judge, examples: tuple[str, ...] = ()
) -> str | None:
    """Show what defines a judge; return what names its edited copy once that is saved, else None.

    `examples` are the content hashes of answers that are to be its examples.
    """
    taken = registry.names(store)
    name = registry.next_name(base, taken) if base.name in taken else base.name
    text = None
    if "prompt" not in base.unused:
        by = rubric_versions.argument(store, base.rubric)[1]
        text = as_text(base, by)
    before = base.model_dump(exclude_defaults=True) | {"name": name, "prompt": text}
    held = dict(before)
    if examples and text is not None:
        held["examples"] = {"source": "graded", "chosen": examples}
        if base.recipe() == "zero_shot":
            held["prompt"] = as_text(base.changed({"prompt": "few_shot"}), by)
    choices = {
        "rubric": rubric_versions.names(store),
        "members": possible_members(store, sheet),
        "metrics": [*available()],
    }
    key = f"judge.form.{digest([base.body(), name, *examples])}"
    with st.form(key, border=False):
        own = {"prompt": _prompt, "price": _price}
        given = model_fields(type(base), held, key, base.unused, choices, own)
        why = store.why_no_lead()
        pressed = st.form_submit_button(
            "Save as a copy" if base.name in taken else "Save judge",
            type="primary",
            icon=":material/save:",
            key="judge.save",
            disabled=why is not None,
            help=why,
        )
    if not pressed:
        return None
    with refusals():
        # What is as before, or as it is where nothing is said, is no change.
        values = {
            field: value
            for field, value in given.items()
            if value not in (before.get(field), getattr(base, field))
        }
        named = values.pop("name", None) or name
        if not values and base.name in taken:
            raise Problem("Nothing was changed yet.")
        return judges.save(store, sheet.name, registry.copied(store, base, named, values))
    return None


def _prompt(held: Any, key: str) -> str | None:
    help_text = f"Placeholders: {_PLACES}. The answer and the rubric are required."
    return st.text_area("Prompt", held or "", height=360, key=key, help=help_text) or None


def _price(held: Any, key: str) -> Any:
    """Two fields for USD per million tokens: both 0 is free, one alone is not a price."""
    own = held if isinstance(held, dict) else {} if held is None else {"input": 0, "output": 0}
    given = {}
    for column, name in zip(st.columns(2), ("input", "output"), strict=True):
        given[name] = column.number_input(
            f"USD per million {name} tokens",
            min_value=0.0,
            value=float(own[name]) if name in own else None,
            key=f"{key}.{name}",
            format="%g",
            placeholder="unknown, or in prices.toml",
            help="0 in both if the model is free.",
        )
    if None in given.values():
        return None
    return {**own, **given} if any(given.values()) else 0


def _starting_point(store: Store) -> str:
    """Return what to begin with: a judge of the user's own, a server, a preset, or a combination.

    The servers in use come first.
    """
    every = graders.of_kind(store, *registry.KINDS)
    own = {one.label(): judge for one in every if (judge := registry.stored(one))}
    used = {server.name for judge in own.values() if (server := providers.of(judge))}
    servers = sorted(providers.known(), key=lambda name: name not in used)
    titles = {f"server:{name}": f"Server: {providers.named(name).title}" for name in servers}
    names = [*reversed([*own]), *titles, *model.presets(), COMBINED]
    wanted = recall("add")
    chosen = st.selectbox(
        "Start from",
        names,
        format_func=lambda name: titles.get(name, "Combine judges" if name == COMBINED else name),
        index=names.index(wanted) if wanted in names else 0,
        key="judge.base",
    )
    remember(add=chosen)
    return chosen


def _base(store: Store, sheet: Sheet, chosen: str) -> Judge:
    """The judge to begin with, under the rubric of the sheet unless it has a scale of its own."""
    rubric = grade_scales.proposed_rubric(store, sheet)
    if chosen == COMBINED:
        members = tuple(possible_members(store, sheet)[:2])
        if len(members) < 2:
            raise Problem(
                "A combined judge needs the grades of at least two judges on this sheet. Run them "
                "first, or import their grades."
            )
        keys = {"name": "my-jury", "kind": "combined", "rubric": rubric}
        return Combined(**keys, members=members, rule="mean")
    kind, _, server = chosen.partition(":")
    if kind == "server":
        begun = providers.beginning(providers.named(server), rubric=rubric)
        return model.parse(begun, "the definition")
    base = registry.named(store, chosen)
    return base.model_copy(update={"rubric": rubric}) if base.rubric == FIRST else base
