"""Sheets: the answers there are, and how more of them, and grades, come in."""

import streamlit as st

from concord.messages import joined
from concord.store import sheets
from concord.ui.frame import enter, may_act, recall, remember
from concord.ui.language import say
from concord.ui.looker import leads
from concord.ui.screens.browse import browse
from concord.ui.screens.import_grades import import_grades
from concord.ui.screens.import_sheet import import_sheet
from concord.ui.screens.overview import sample_button, sample_said
from concord.ui.screens.sheet_list import files, headline, offer_grades, overview, removal
from concord.ui.widgets import empty, finding, pick_sheet


def go(action: str | None) -> None:
    """Turn the screen to an import, or back to the sheets."""
    remember(do=action)
    st.rerun()


store = enter(__file__)
every = sheets.all_sheets(store)
may_import = may_act(store) and leads(store)
doing = (recall("do") if every else "import") if may_import else None
sample_said()

if doing == "grades":
    finding(
        say("Import grades"),
        say("Add grades given elsewhere, by annotators or judges, to an existing sheet."),
    )
    import_grades(store)
elif doing == "import":
    finding(
        say("Import answers" if every else "There is no sheet yet: import one, or load the sample"),
        say(
            "A sheet holds answers to questions, with contexts where there are any. It may already "
            "hold grades."
        ),
    )
    import_sheet(store)

if doing:
    with st.container(horizontal=True):
        if every and st.button(
            say("Back to the sheets"), icon=":material/arrow_back:", key="sheets.back"
        ):
            go(None)
        if not every:
            sample_button(store)
    st.stop()

sheet = pick_sheet(store)
if sheet is None:
    empty(say("There is no sheet yet"), say("Imported answers are listed here."))
    st.stop()
finding(headline(sheet), joined(", ", sheet.answer_models))
if may_import:
    with st.container(horizontal=True):
        label, icon = say("Import answers"), ":material/upload:"
        if st.button(label, type="primary", icon=icon, key="sheets.new"):
            go("import")
        if st.button(say("Import grades"), icon=icon, key="sheets.grades"):
            go("grades")
        sample_button(store)
offer_grades(store, sheet)
browse(store, sheet)
if len(every) > 1:
    with st.expander(say("All {n} sheets", n=len(every))):
        overview(every)
# With a key it stays open where a notice above it goes.
with st.expander(say("Imported files"), key="sheets.files", on_change="rerun"):
    files(store, sheet)
if may_import:
    removing = st.expander(say("Delete this sheet"), key="sheets.removing", on_change="rerun")
    if removing.open:
        with removing:
            removal(store, sheet)
