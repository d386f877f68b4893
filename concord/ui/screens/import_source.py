"""What an import of answers reads and where it goes: the file, its preview, and the sheet."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.grading import sheet_progress
from concord.importing import sheet_import
from concord.importing import spec as specs
from concord.importing.answer_file import AnswerSheet
from concord.importing.columns import head
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.readers.table import Table
from concord.importing.recognition.recognise import open_file
from concord.importing.spec import Spec
from concord.messages import Problem, counted, said
from concord.reports.workflow import import_preview
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.text.display import one_line
from concord.ui import import_findings, render
from concord.ui.language import plain, say
from concord.ui.upload import choice, opened_and_joined
from concord.ui.widgets import action_button

KEY = "import"
_CUT = 300


def see(file: UploadedFile) -> tuple[Table, DeltaGenerator]:
    """The file as a table, and a place for a note."""
    table = opened_and_joined(file, KEY, open_file)
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file with “Import grades”.",
            file=table.source.name,
        )
    shown, note = st.container(), st.empty()

    def first_rows() -> pd.DataFrame:
        return pd.DataFrame(
            dict(zip(table.columns, map(shown_cell, one.cells), strict=False))
            for one in head(table, import_preview.ANSWERS)
        )

    def shown_cell(cell: Cell) -> str:
        return one_line(of_cell.shown(cell), _CUT)

    with shown:
        rows = import_findings.read_once(f"{KEY}.raw", choice(KEY), first_rows)
        render.plain_table(rows, said("The first rows"))
    return table, note


def show_taken(seen: Mapping[str, Any], titles: Mapping[str, str]) -> None:
    """Show what would be taken: the counts, and the first answers; `titles` are by criterion."""
    counts = plain(import_preview.sentence(seen))
    st.markdown(say("**Preview of the import:** {counts}", counts=counts))
    render.show_table(import_preview.first_answers(seen["first"], titles=titles), "preview")


def take(store: Store, read: AnswerSheet, rubrics: Sequence[Rubric], spec: Spec) -> None:
    """Into which sheet, what that would change, and the button that does it."""
    if not read.items:
        st.info(say(import_findings.NO_GOOD_ROW))
        return
    stem, names = read.table.source.stem, [sheet.name for sheet in sheets.all_sheets(store)]
    options = names if stem in names else [stem, *names]
    name = st.columns(2)[0].selectbox(
        say("Into sheet"),
        options,
        options.index(stem),
        key=f"{KEY}.into.{read.sha256}",
        accept_new_options=True,
    )
    if not (name := (name or "").strip()):
        st.info(say("Give the sheet a name."))
        return
    planned = import_findings.read_once(
        f"{KEY}.plan",
        (
            *import_findings.last(KEY),
            *(name, sheets.find(store, name), sheet_progress.newest_grade(store)),
        ),
        lambda: sheet_import.take_sheet(store, read, name, rubrics, dry_run=True),
    )
    changes = planned.items or planned.items_extended or planned.grades
    st.markdown(plain(planned.sentence(name)))
    if not (changes or planned.conflicts):
        return
    if planned.conflicts:
        import_findings.conflicts(planned.conflicts, stem)
    differing = {conflict.row for conflict in planned.conflicts}
    left = len({row.row for row in read.bad_rows} | differing)
    agreed = not left or import_findings.without(
        counted(planned.items, "answer"),
        counted(left, "row"),
        f"{KEY}.without.{read.sha256}",
        read,
        differing,
    )
    why = None if changes else say("There is nothing new to import.")
    if not agreed:
        why = say("Confirm above what is left out.")
    with st.container(horizontal=True):
        go = action_button(
            say("Import into {name}", name=plain(name)), why, type="primary", key=f"{KEY}.go"
        )
        st.download_button(
            say("Save mapping"),
            specs.as_toml(spec),
            f"{stem}-mapping.toml",
            "application/toml",
            key=f"{KEY}.save",
            icon=":material/bookmark_add:",
        )
    if go:
        with st.spinner(say("Storing {n}…", n=counted(len(read.items), "answer")), show_time=True):
            taken = sheet_import.take_sheet(store, read, name, rubrics, partial=bool(left))
        kinds = {grade.grader_kind for grade in read.grades}
        people, judges = bool({"person", "mean"} & kinds), "judge" in kinds
        import_findings.finished(KEY, name, taken.sentence(name), people, judges)
