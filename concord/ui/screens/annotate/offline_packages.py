"""Files for annotators without access: made, and taken in again when they come back."""

import io
import zipfile
from functools import partial

import streamlit as st

from concord.clock import day_of
from concord.grading import campaigns
from concord.grading.grading_sets import GradingSet
from concord.grading.offline import make, packages, take_back
from concord.grading.offline.make import Made
from concord.grading.offline.take_back import Coming
from concord.importing import sheet_import
from concord.messages import Problem, counted, said
from concord.store import graders
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import changing, refusals, show_done, show_refused
from concord.ui.language import plain, say
from concord.ui.upload import LIMIT_MB, of_worksheet
from concord.ui.widgets import action_button

_REPORT = "report"  # an option that is None would look like no choice to a new radio
_CHOICES = {
    _REPORT: said("Import nothing and report the difference"),
    sheet_import.KEEP: said("Keep the stored grades"),
    sheet_import.REPLACE: said("Replace the stored grades"),
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
        _take_back(store, key)


def _form(store: Store, grading_set: GradingSet, key: str) -> None:
    own = {one for one in campaigns.taken(store, grading_set.id).values() if one is not None}
    annotators = [one for one in graders.of_kind(store, "person") if not one.simulated]
    known = [one.name for one in annotators if not own or one.id in own]
    names = st.multiselect(
        say("Annotators"),
        known,
        known if own else None,
        accept_new_options=not own,
        key=f"{key}.names",
        placeholder=say("Names"),
    )
    percent = st.slider(
        say("Hidden repeats, in %"),
        0,
        30,
        round(100 * grading_set.repeat_share),
        key=f"{key}.repeats",
    )
    annotators = counted(len(names), "annotator", "annotators")
    label = say("Create files")
    if names:
        label = say("Create files for {annotators}", annotators=annotators)
    why = None if names else say("Choose annotators first.")
    if action_button(label, why, key=f"{key}.make"):
        st.session_state.pop(f"{key}.made", None)
        with refusals():
            made = make.make(store, grading_set, names, None, percent / 100, store.by())
            _keep(made, f"{grading_set.name}.zip", key)
            st.rerun()


def _keep(made: Made, name: str, key: str) -> None:
    """Keep the files that were made as one archive in the session."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in made.held.items():
            archive.writestr(file, content)
    st.session_state[f"{key}.made"] = (name, held.getvalue(), made.notes)


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


def _take_back(store: Store, key: str) -> None:
    """Ask for a file that came back, show what it holds, and take it in."""
    show_done(f"{key}.said")
    file = st.file_uploader(
        say("Returned file"),
        key=f"{key}.file",
        max_upload_size=LIMIT_MB,
    )
    if file is None:
        return
    with refusals():
        coming = import_findings.read_once(
            key, (file.file_id,), lambda: _read(store, file), said("Checking every row…")
        )
        _report(coming, key)


def _read(store: Store, file) -> Coming:
    table = take_back.table_of(of_worksheet(file), partial(of_worksheet, file))
    if table is None:
        raise Problem(
            "{file} has no row codes, so it is not one of these files. Import grades of other "
            "files on Data.",
            file=file.name,
        )
    return take_back.read(store, table)


def _report(coming: Coming, key: str) -> None:
    read, bad = coming.read, coming.read.refused()
    good = counted(len(read.grades), "valid grade")
    st.write(plain(said("{annotator}: {grades}.", annotator=read.pack.grader, grades=good)))
    for sentence in read.skipped():
        st.caption(plain(sentence))
    if bad:
        st.write(say("Incomplete or invalid: {rows}.", rows=counted(bad, "row")))
        import_findings.bad_rows(read.bad_rows, read.table.source.stem)
    if not read.grades:
        return
    agreed = not bad or import_findings.without(
        counted(len(read.grades), "grade"),
        counted(bad, "row"),
        read.warnings(),
        f"{key}.without.{read.sha256}",
        read.left_out(),
    )
    chosen = f"{key}.choice.{read.sha256}"
    st.radio(
        say("Where a stored grade differs"),
        list(_CHOICES),
        format_func=lambda one: say(_CHOICES[one]),
        key=chosen,
    )
    action_button(
        say("Import grades"),
        None if agreed else say("Confirm above what is left out."),
        type="primary",
        key=f"{key}.take",
        on_click=_take_in,
        args=(coming, bool(bad), chosen, key),
    )


def _take_in(coming: Coming, partial: bool, chosen: str, key: str) -> None:
    with changing(f"{key}.refused") as store:
        choice = st.session_state[chosen]
        kept = None if choice == _REPORT else choice
        taken = take_back.store_grades(store, coming, partial, kept)
        import_findings.forget(key)
        st.session_state[f"{key}.said"] = taken.sentence(coming.sheet.name)
