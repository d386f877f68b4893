"""Files for annotators without access, on the screen of grading sets: out and back in."""

import io
import zipfile

import streamlit as st

from concord.grading import campaigns
from concord.grading.grading_sets import GradingSet
from concord.grading.offline import make, packages, take_back
from concord.grading.offline.files import ARGILLA, JSONL, LABEL_STUDIO, XLSX
from concord.grading.offline.take_back import Coming
from concord.importing import sheet_import
from concord.importing.readers.formats import open_table
from concord.importing.readers.source import BROWSER_MAX_BYTES
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.store import graders
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.sign_in import own_store

_FORMS = {
    XLSX: said("Excel"),
    JSONL: said("JSON Lines"),
    LABEL_STUDIO: said("Label Studio"),
    ARGILLA: said("Argilla"),
}
_CHOICES = {
    None: said("Take nothing in, and say so"),
    sheet_import.KEEP: said("Keep the stored grades"),
    sheet_import.REPLACE: said("Replace the stored grades"),
}


def fold(store: Store, grading_set: GradingSet) -> None:
    """Make files for graders, and take them back."""
    key = f"packs.{grading_set.id}"
    with st.expander(say("Files for annotators without access"), icon=":material/inventory_2:"):
        st.write(
            say(
                "A blind file for each person: the rubric, the answers in an order of their own, "
                "and cells that take the scores of the rubric and nothing else."
            )
        )
        for pack, rows, back in packages.of_set(store, grading_set.id):
            came = said(
                "{name}, made on {day}: {n} of {rows} came back",
                name=pack.grader,
                day=pack.created_at[:10],
                n=back,
                rows=counted(rows, "row"),
            )
            st.caption(plain(came))
        _form(store, grading_set, key)
        _made(key)
        st.divider()
        _back(store, key)


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
        say("Answers that come back hidden, of 100"),
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
        say("Make the files of {annotators}", annotators=annotators)
        if names
        else say("Make the files"),
        disabled=not (names and forms),
        key=f"{key}.make",
        on_click=_make,
        args=(grading_set, key),
    )


def _make(grading_set: GradingSet, key: str) -> None:
    """Make the files as the fields say by now."""
    names, percent, forms = (st.session_state[f"{key}.{n}"] for n in ("names", "repeats", "forms"))
    repeats = percent / 100
    try:
        with own_store() as store:
            by = store.by()
            made = make.make(store, grading_set, names, None, repeats, forms, by)
    except Problem as problem:
        st.session_state[f"{key}.made"] = str(problem)
        return
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in made.held.items():
            archive.writestr(name, content)
    st.session_state[f"{key}.made"] = (f"{grading_set.name}.zip", held.getvalue(), made.notes)


def _made(key: str) -> None:
    made = st.session_state.get(f"{key}.made")
    if isinstance(made, str):
        st.error(plain(made), icon=":material/error:")
    elif made:
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


def _back(store: Store, key: str) -> None:
    taken = st.session_state.pop(f"{key}.said", None)
    if taken:
        st.success(plain(taken), icon=":material/check:")
    file = st.file_uploader(
        say("A file that came back"),
        key=f"{key}.file",
        max_upload_size=BROWSER_MAX_BYTES // 1024**2,
    )
    if file is None:
        return
    try:
        coming = import_findings.read_once(
            key, (file.file_id,), lambda: _read(store, file), said("Checking every row…")
        )
        _report(coming, key)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")


def _read(store: Store, file) -> Coming:
    def opened(worksheet: str | None = None):
        data = file.getvalue()
        return open_table(data, file.name, worksheet=worksheet, max_bytes=BROWSER_MAX_BYTES)

    table = take_back.table_of(opened(), opened)
    if table is None:
        raise Problem(
            said(
                "{file} has no row codes, so it is none of these files. Grades of other files are "
                "taken in on Sheets.",
                file=file.name,
            )
        )
    return take_back.read(store, table, {})


def _report(coming: Coming, key: str) -> None:
    read, bad = coming.read, coming.read.refused()
    annotators = ", ".join(pack.grader for pack in read.packs)
    good = counted(len(read.grades), "good grade")
    st.write(plain(said("{annotators}: {grades}.", annotators=annotators, grades=good)))
    for sentence in read.beside():
        st.caption(plain(sentence))
    if bad:
        st.write(say("Not complete and right: {rows}.", rows=counted(bad, "row")))
        import_findings.bad_rows(read.bad_rows, read.table.source.stem)
    if not read.grades:
        return
    agreed = not bad or import_findings.without(
        len(read.grades),
        said("grades"),
        counted(len(read.bad_rows), "fault"),
        read.warnings(),
        f"{key}.without.{read.sha256}",
    )
    chosen = f"{key}.choice.{read.sha256}"
    st.radio(
        say("Where a stored grade differs"),
        list(_CHOICES),
        format_func=lambda one: say(_CHOICES[one]),
        key=chosen,
    )
    st.button(
        say("Take them in"),
        type="primary",
        disabled=not agreed,
        key=f"{key}.take",
        on_click=_take,
        args=(coming, bool(bad), chosen, key),
    )


def _take(coming: Coming, partial: bool, chosen: str, key: str) -> None:
    try:
        with own_store() as store:
            taken = take_back.take(store, coming, partial, st.session_state[chosen])
    except Problem as problem:
        st.session_state[f"{key}.made"] = str(problem)
        return
    import_findings.forget(key)
    st.session_state[f"{key}.said"] = taken.sentence(coming.sheet.name)
