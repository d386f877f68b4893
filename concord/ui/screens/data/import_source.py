"""First step of an import: see the file, and what a recognised export of another tool holds."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing.readers.table import Table
from concord.importing.recognition.found import Found, found_in
from concord.importing.recognition.recognise import open_file
from concord.importing.recognition.stored_answers import open_grades_of, stored_id_words
from concord.messages import Problem, said
from concord.model import Sheet
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.language import plain
from concord.ui.render import table_of
from concord.ui.screens.data.import_preview import raw_rows, show_raw
from concord.ui.upload import choice, opened


def see(file: UploadedFile, key: str) -> tuple[Table, DeltaGenerator]:
    """The file as a table, and a place for a note."""
    table = opened(file, key, open_file)
    found = import_findings.read_once(
        f"{key}.found", choice(key), lambda: found_in(table), said("Reading the file…")
    )
    if found:
        _show_found(found)
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file with “Import grades”.",
            file=table.source.name,
        )
    shown, note = st.container(), st.empty()
    with shown:
        rows = import_findings.read_once(
            f"{key}.raw", choice(key), lambda: raw_rows(table), said("Reading the file…")
        )
        show_raw(rows)
    return table, note


def see_grades(store: Store, sheet: Sheet, file: UploadedFile, key: str) -> tuple[Table, list[str]]:
    """The file of grades as a table, and the map of its stored ids where no name says which.

    Of an export with answers, the grades of stored answers.
    """
    read = partial(open_grades_of, store, sheet)
    table = opened(file, key, read, (sheet.id, sheet.items))
    if found := found_in(table):
        _show_found(found)
    ids = import_findings.read_once(
        f"{key}.ids",
        choice(key),
        lambda: stored_id_words(store, sheet, table),
        said("Reading the file…"),
    )
    return table, ids


def _show_found(found: Found) -> None:
    """Show the counts, the identities of the judges, and what is left out."""
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in found.sentences()))
    judges = [
        {
            said("Judge"): one.name,
            said("Model"): one.model,
            said("Version"): one.version,
            said("Prompt"): one.prompt,
        }
        for one in found.judges
        if one.model or one.version or one.prompt
    ]
    if judges:
        table_of(judges, "judges")
