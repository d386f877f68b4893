"""Import answers in three steps: see the file, map its columns, set the scale."""

from collections.abc import Sequence
from contextlib import nullcontext

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.grading import sheet_progress
from concord.importing import numbering, sheet_import
from concord.importing import spec as specs
from concord.importing.answer_file import read
from concord.importing.columns import ColumnMap, head
from concord.importing.faults import Checked
from concord.importing.fields import ITEM_FIELDS
from concord.importing.proposals import propose
from concord.importing.readers import cells as of_cell
from concord.importing.readers.table import Table
from concord.importing.recognition import open_file, refuse_grades
from concord.importing.spec import Spec
from concord.messages import Problem, counted, said
from concord.reports.workflow import import_preview
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.text.display import one_line
from concord.ui import import_findings, render
from concord.ui.actions import refusals
from concord.ui.column_mapping import item_columns
from concord.ui.import_findings import read_once
from concord.ui.language import plain, say
from concord.ui.screens.import_scale import Scaled, scale
from concord.ui.upload import choice, opened_and_joined, uploaded
from concord.ui.widgets import action_button

KEY = "import"
_CUT = 300


def import_sheet(store: Store) -> None:
    """The whole way from a file to a stored sheet."""
    file = uploaded(KEY, "import")
    if file is None:
        return
    above = st.container()
    with refusals():
        with st.container(border=True):
            st.markdown(say("**1. See:** the contents of the file"))
            table = _see(file)
        with st.container(border=True):
            columns, spec, key = _mapping(table)
            taken = st.container()
        scaled = scale(store, table, columns, spec, key)
        with taken:
            found, number = _read(store, table, scaled, spec, key)
            seen = read_once(
                f"{KEY}.preview", import_findings.last(KEY), lambda: import_preview.preview(found)
            )
            counts = plain(import_preview.sentence(seen))
            st.markdown(say("**Preview of the import:** {counts}", counts=counts))
            answers = import_preview.first_answers(seen["first"])
            render.show_table(answers, "preview")
        # What needs no attention is imported without scrolling past the steps.
        with nullcontext() if found.refused() or scaled.is_new else above:
            good = said(
                "{answers} to {questions}, all valid",
                answers=counted(seen["answers"], "answer"),
                questions=counted(seen["questions"], "question"),
            )
            import_findings.report(found, good)
            spec = specs.of(
                *(table, found.columns, scaled.rubrics, scaled.is_new, scaled.words),
                number_answers=number,
            )
            _take(store, found, scaled.rubrics, spec)


def _read(
    store: Store, table: Table, scaled: Scaled, spec: Spec | None, key: str
) -> tuple[Checked, bool]:
    """The file as it is mapped, and whether its answers are numbered.

    They are where they collide and differ or the spec says so, unless unticked.
    """
    columns, rubrics, words, _, spread = scaled
    bodies = tuple(one.body() for one in rubrics)
    how = (*choice(KEY), columns.spoken(), bodies, tuple(words.items()), tuple(spread))

    def reading(numbers: numbering.Numbers | None = None) -> Checked:
        return read(table, columns, rubrics, words, numbers, spread)

    plain_read = read_once(f"{KEY}.plain", how, reading)
    collides = any(bad.problem.code == "two_contents" for bad in plain_read.bad_rows)
    number = st.checkbox(
        say("Number several answers of a question (QUESTION/a1, QUESTION/a2, …)"),
        collides or bool(spec and spec.number_answers),
        key=f"{key}.number.{collides}",
    )
    into = st.session_state.get(f"{KEY}.into.{plain_read.sha256}") or table.source.stem
    found = read_once(
        KEY,
        (*how, number and into),
        lambda: reading(numbering.of_sheet(store, into)) if number else plain_read,
    )
    return found, number


def _mapping(table: Table) -> tuple[ColumnMap, Spec | None, str]:
    """Show the mapping, prefilled: the map, the spec it began with, and a key of its widgets.

    Raises:
        Problem: something that is needed is not chosen yet, or a saved mapping does not fit.
    """
    title, saved = st.columns([3, 1], vertical_alignment="center")
    title.markdown(say("**2. Map:** assign columns to fields"))
    with saved.popover(say("Saved mapping"), icon=":material/bookmark:", width="stretch"):
        file = st.file_uploader(say("A saved mapping (.toml)"), type="toml", key=f"{KEY}.spec")
    spec = None
    if file is not None:
        try:
            spec = specs.parse(file.getvalue().decode("utf-8-sig"), file.name)
        except UnicodeDecodeError:
            raise Problem(
                "{file} is not UTF-8 text. Choose a mapping saved here.", file=plain(file.name)
            ) from None
    begun = (*choice(KEY), file and file.file_id)
    start = read_once(f"{KEY}.start", begun, lambda: _start(table, spec))
    key = f"{KEY}.{'.'.join(map(str, begun))}"
    return item_columns(table, start, key), spec, key


def _start(table: Table, spec: Spec | None) -> tuple[str, ...]:
    """The words that a mapping begins with: saved, of a tool, or proposed."""
    if spec is not None:
        return spec.map
    if table.origin:
        mentioned = {word.partition("=")[0].rstrip(":") for word in table.origin.words}
        unsaid = (f"{field}=" for field in ITEM_FIELDS if field not in mentioned)
        return (*table.origin.words, *unsaid)
    proposal = propose(table)
    return (*proposal.words, *proposal.grades)


def _see(file: UploadedFile) -> Table:
    """The file as a table, with its first rows."""
    table = opened_and_joined(file, KEY, open_file)
    refuse_grades(table)

    def first_rows() -> pd.DataFrame:
        first = head(table, import_preview.ANSWERS)
        cells = ([one_line(of_cell.shown(cell), _CUT) for cell in one.cells] for one in first)
        return pd.DataFrame(dict(zip(table.columns, row, strict=False)) for row in cells)

    rows = read_once(f"{KEY}.raw", choice(KEY), first_rows)
    render.plain_table(rows, said("The first rows"))
    return table


def _take(store: Store, read: Checked, rubrics: Sequence[Rubric], spec: Spec) -> None:
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
    planned = read_once(
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
        import_findings.finished(KEY, name, taken.sentence(name))
