"""Export of grades in the download menu: CSV, and the file of each tool."""

from functools import partial

import streamlit as st

from concord.exporting import exported_tables, tool_grades
from concord.exporting.tool_grades import CSV, TOOLS, Tool, Written
from concord.messages import Problem, counted, said
from concord.model import Sheet
from concord.sampling import splits
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.caching import kept
from concord.ui.frame import offer_download, offer_download_choice, pick_tool
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.sign_in import VISITOR, own_store

_TOOL = "grades.export"


def offer_grades(store: Store, sheet: Sheet) -> None:
    """Offer a sheet's grades to leads, and to visitors of a read-only demo.

    Grades of the held-out test stay closed, as everywhere on the screens.
    """
    if not (leads(store) or store.who == VISITOR):
        return
    if not rubric_versions.graded(store, sheet.id):
        return
    offer_download(partial(_csv, sheet), f"{sheet.name}-grades.csv", "text/csv")
    tool, key = st.session_state.get(_TOOL), f"{_TOOL}.{sheet.id}"
    if tool not in TOOLS:
        offer_download_choice(_pick_tool)
        return
    graders = tool_grades.graders(store, sheet)
    made = _made(store, sheet, tool, st.session_state.get(key))
    offer_download_choice(partial(_choice, key, graders, TOOLS[tool], made))


def _csv(sheet: Sheet) -> bytes:
    with own_store() as store:
        try:
            return _written(store, sheet, CSV, ()).content
        except Problem:  # every grade is held out: an empty table
            return tool_grades.as_csv([], {})


def _written(store: Store, sheet: Sheet, tool: str, graders: tuple[str, ...]) -> Written:
    closed = splits.held_out(store, sheet.id)
    with exported_tables.reading_all(store):
        return tool_grades.write(store, sheet, tool, graders, closed=closed)


@kept(said("Reading the grades…"), 2)
def _made(store: Store, sheet: Sheet, tool: str, grader: str | None) -> Written | str:
    """Return the file of a tool; as text why it is not available."""
    try:
        return _written(store, sheet, tool, (grader,) if grader else ())
    except Problem as problem:
        return problem.on_screen


def _pick_tool() -> None:
    st.caption(
        say(
            "Files of grades include judges' grades, so anyone who reads them is no longer blind "
            "to these answers. Held-out questions are left out."
        )
    )
    titles = {name: tool.title for name, tool in TOOLS.items()}
    pick_tool(say("Export the grades for another tool"), titles, _TOOL)


def _choice(key: str, graders: list[str], tool: Tool, made: Written | str) -> None:
    _pick_tool()
    st.selectbox(say("Grader"), graders, index=None, placeholder=say("Any"), key=key)
    if isinstance(made, str):
        st.caption(plain(made))
        return
    st.download_button(
        say("Download {file}", file=tool.file),
        made.content,
        tool.file,
        key="grades.exported",
        icon=":material/download:",
    )
    held = said("In the file: {grades}", grades=counted(made.grades, "grade"))
    lines = [held, *tool_grades.reasons(made.left_out)]
    st.caption("\n".join(f"- {plain(text)}" for text in lines))
