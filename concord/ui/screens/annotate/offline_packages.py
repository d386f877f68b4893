"""Files for annotators without access, on the screen of grading sets: out and back in."""

import io
import zipfile

import streamlit as st

from concord.clock import day_of
from concord.grading import campaigns
from concord.grading.grading_sets import GradingSet
from concord.grading.offline import make, packages
from concord.grading.offline.make import ARGILLA, JSONL, LABEL_STUDIO, XLSX
from concord.messages import counted, said
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.screens.annotate.offline_return import take_back_file

_FORMS = {
    XLSX: said("Excel"),
    JSONL: said("JSON Lines"),
    LABEL_STUDIO: said("Label Studio"),
    ARGILLA: said("Argilla"),
}


def fold(store: Store, grading_set: GradingSet) -> None:
    """Make files for graders, and take them back."""
    key = f"packs.{grading_set.id}"
    with st.expander(say("Files for annotators without access"), icon=":material/inventory_2:"):
        st.write(
            say(
                "A blind file for each annotator: the rubric, the answers in the annotator's own "
                "order, and cells that accept only the scores of the rubric."
            )
        )
        for pack, rows, back in packages.of_set(store, grading_set.id):
            came = said(
                "{name}, created on {day}: {n} of {rows} returned",
                name=pack.grader,
                day=day_of(pack.created_at),
                n=back,
                rows=counted(rows, "row"),
            )
            st.caption(plain(came))
        _form(store, grading_set, key)
        _made(key)
        st.divider()
        take_back_file(store, key)


def _form(store: Store, grading_set: GradingSet, key: str) -> None:
    own = {one for one in campaigns.taken(store, grading_set.id).values() if one is not None}
    annotators = [one for one in graders.of_kind(store, "person") if not one.simulated]
    known = [one.name for one in annotators if not own or one.id in own]
    names = st.multiselect(
        say("For whom"),
        known,
        known if own else None,
        accept_new_options=not own,
        key=f"{key}.names",
        placeholder=say("Names"),
    )
    left, right = st.columns(2)
    left.slider(
        say("Hidden repeats, in %"),
        0,
        30,
        round(100 * grading_set.repeat_share),
        key=f"{key}.repeats",
    )
    forms = right.pills(
        say("As"),
        list(_FORMS),
        selection_mode="multi",
        default=[XLSX, JSONL],
        format_func=lambda one: say(_FORMS[one]),
        key=f"{key}.forms",
    )
    annotators = counted(len(names), "annotator", "annotators")
    st.button(
        say("Create files for {annotators}", annotators=annotators)
        if names
        else say("Create files"),
        disabled=not (names and forms),
        key=f"{key}.make",
        on_click=_make,
        args=(grading_set, key),
    )


def _make(grading_set: GradingSet, key: str) -> None:
    """Make the files as the fields say by now."""
    names, percent, forms = (st.session_state[f"{key}.{n}"] for n in ("names", "repeats", "forms"))
    repeats = percent / 100
    st.session_state.pop(f"{key}.made", None)
    with changing(f"{key}.refused") as store:
        made = make.make(store, grading_set, names, None, repeats, forms, store.by())
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in made.held.items():
                archive.writestr(name, content)
        st.session_state[f"{key}.made"] = (f"{grading_set.name}.zip", held.getvalue(), made.notes)


def _made(key: str) -> None:
    show_refused(f"{key}.refused")
    made = st.session_state.get(f"{key}.made")
    if made:
        name, content, notes = made
        for note in notes:
            st.caption(plain(note))
        st.download_button(
            say("Download them in one archive"),
            content,
            name,
            "application/zip",
            key=f"{key}.download",
            icon=":material/download:",
            on_click="ignore",
            type="primary",
        )
