"""What an import reads and where it goes: the file, its preview, and the sheet."""

from collections.abc import Mapping, Sequence
from functools import partial
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
from concord.importing.readers.table import Table
from concord.importing.recognition.recognise import Found, open_file
from concord.importing.recognition.stored_answers import open_grades_of, stored_id_words
from concord.importing.sheet_import import ANSWERS, Intake
from concord.importing.spec import Spec
from concord.messages import Problem, Said, counted, joined, said
from concord.model import Sheet
from concord.reports.workflow.import_preview import first_answers
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.ui import import_findings, render
from concord.ui.frame import remember
from concord.ui.language import plain, say
from concord.ui.render import table_of
from concord.ui.upload import choice, joined_with, opened
from concord.ui.widgets import action_button

_IN_SIGHT = 6  # rows
_CUT = 300


def raw_rows(table: Table) -> list[dict[str, str]]:
    """The first rows as text, long cells cut."""
    return [
        {
            column: _cut(of_cell.shown(cell))
            for column, cell in zip(table.columns, record.cells, strict=False)
        }
        for record in head(table, ANSWERS)
    ]


def show_taken(seen: Mapping[str, Any], titles: Mapping[str, str]) -> None:
    """Show what would be taken: the counts, and the first answers; `titles` are by criterion."""
    st.markdown(
        say(
            "**Preview of the import:** {counts}", counts=plain(sheet_import.preview_sentence(seen))
        )
    )
    if seen["grades"]:
        st.caption(plain(_grades(seen, titles)))
    render.show_table(first_answers(seen["first"], titles=titles), "preview")


def _grades(seen: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """The grades by criterion, and by whom."""
    by_title = {titles.get(name, name): n for name, n in seen["grades"].items()}
    criteria, graders = (
        joined(", ", [said("{name} {n:,}", name=name, n=n) for name, n in counts.items()])
        for counts in (by_title, seen["annotators"] | seen["judges"] | seen["metrics"])
    )
    return said(
        "Grades by criterion: {criteria}. By grader: {graders}.", criteria=criteria, graders=graders
    )


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"


def see(file: UploadedFile, key: str) -> tuple[Table, DeltaGenerator]:
    """The file as a table, and a place for a note."""
    table = opened(file, key, open_file)
    if table.origin:
        _show_found(table.origin)
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file with “Import grades”.",
            file=table.source.name,
        )
    table = joined_with(file, table, key)
    shown, note = st.container(), st.empty()
    with shown:
        rows = import_findings.read_once(
            f"{key}.raw", choice(key), lambda: raw_rows(table), said("Reading the file…")
        )
        render.plain_table(pd.DataFrame(rows), said("The first rows"), _IN_SIGHT)
    return table, note


def see_grades(store: Store, sheet: Sheet, file: UploadedFile, key: str) -> tuple[Table, list[str]]:
    """The file of grades as a table, and the map of its stored ids where no name says which.

    Of an export with answers, the grades of stored answers.
    """
    read = partial(open_grades_of, store, lambda: sheet)
    table = opened(file, key, read, (sheet.id, sheet.items))
    table = joined_with(file, table, key)
    if table.origin:
        _show_found(table.origin)
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


KEY = "import"


def take(store: Store, found: AnswerSheet, rubrics: Sequence[Rubric], spec: Spec) -> None:
    """Into which sheet, what that would change, and the button that does it."""
    if not found.items:
        st.info(say(import_findings.NO_GOOD_ROW))
        return
    name = _sheet_name(store, found)
    if not name:
        st.info(say("Give the sheet a name."))
        return
    planned = _planned(store, found, name, rubrics)
    differing = {conflict.row for conflict in planned.conflicts}
    left = len({row.row for row in found.bad_rows} | differing)
    changes = planned.items or planned.items_extended or planned.grades
    # Which answers are stored ones that the file gives without ids, or seems to give again.
    for note in planned.notes():
        st.warning(plain(note))
    if not (changes or planned.conflicts):
        st.info(say("Nothing would change: {name} already has all of this.", name=plain(name)))
        return
    if planned.conflicts:
        st.subheader(
            say(
                "Rows of the file that contradict {name}: {n:,}",
                n=len(differing),
                name=plain(name),
            ),
            anchor=False,
        )
        import_findings.conflicts(planned.conflicts, found.table.source.stem)
    agreed = not left or import_findings.without(
        _taken(planned),
        counted(left, "row"),
        f"{KEY}.without.{found.sha256}",
        found,
        differing,
    )
    words = said("Import {what} into {name}", what=_taken(planned), name=name)
    extended = _answers(planned.items_extended)
    if planned.items_extended and not (planned.items or planned.grades):
        words = said("Add the extra fields of {extended} to {name}", extended=extended, name=name)
    elif planned.items_extended:
        words = said(
            "Import {answers} into {name}, and the extra fields of {extended} already there",
            answers=_taken(planned),
            name=name,
            extended=extended,
        )
    why = None if changes else say("There is nothing new to import.")
    if not agreed:
        why = say("Confirm above what is left out.")
    with st.container(horizontal=True):
        go = action_button(say(words), why, type="primary", key=f"{KEY}.go")
        _save_mapping(spec, found.table.source.stem)
    if go:
        _keep(store, found, name, rubrics, partial=bool(left))


def _sheet_name(store: Store, found: AnswerSheet) -> str:
    names = [sheet.name for sheet in sheets.all_sheets(store)]
    stem = found.table.source.stem
    options = names if stem in names else [stem, *names]
    left, _ = st.columns(2)
    name = left.selectbox(
        say("Into sheet"),
        options,
        options.index(stem),
        key=f"{KEY}.into.{found.sha256}",
        accept_new_options=True,
    )
    return (name or "").strip()


def _planned(store: Store, found: AnswerSheet, name: str, rubrics: Sequence[Rubric]) -> Intake:
    """Return the effect of the import, computed once per choice."""
    wanted = (
        *import_findings.last(KEY),
        name,
        sheets.find(store, name),
        sheet_progress.newest_grade(store),
    )
    return import_findings.read_once(
        f"{KEY}.plan",
        wanted,
        lambda: sheet_import.take_sheet(store, found, name, rubrics, dry_run=True),
        import_findings.COMPARING,
    )


def _keep(
    store: Store, found: AnswerSheet, name: str, rubrics: Sequence[Rubric], partial: bool
) -> None:
    with st.spinner(
        say("Storing {answers}…", answers=counted(len(found.items), "answer")), show_time=True
    ):
        taken = sheet_import.take_sheet(store, found, name, rubrics, partial)
    import_findings.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(name)
    kinds = {grade.grader_kind for grade in found.grades}
    people, judges = bool({"person", "mean"} & kinds), "judge" in kinds
    st.session_state["sheets.next"] = next_screen(people, judges)
    remember(sheet=name, do=None)
    st.rerun()


def _save_mapping(spec: Spec, stem: str) -> None:
    """Offer the mapping as a spec, for the next file of this shape."""
    st.download_button(
        say("Save mapping"),
        specs.as_toml(spec),
        f"{stem}-mapping.toml",
        "application/toml",
        key=f"{KEY}.save",
        icon=":material/bookmark_add:",
    )


def next_screen(people: bool, judges: bool) -> tuple[str, str]:
    """The page that comes next, by who has graded, and the label of its link."""
    if people and judges:
        return "pages/agreement.py", said("Next: see how the judges agree with the annotators")
    if people:
        return "pages/judges.py", said("Next: let judges grade these answers")
    return "pages/annotate.py", said("Next: let annotators grade a sample of these answers")


def _taken(planned: Intake) -> Said:
    """The new answers, and their grades where there are any, in words."""
    answers = _answers(planned.items)
    if not planned.grades:
        return answers
    grades = counted(planned.grades, "grade")
    if not planned.items:
        return grades
    return said("{answers} and {grades}", answers=answers, grades=grades)


def _answers(n: int) -> Said:
    return counted(n, "answer")
