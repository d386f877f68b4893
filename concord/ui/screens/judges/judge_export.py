"""Export of a judge for another tool, in the download menu: the file and what differs there."""

from functools import partial

import streamlit as st

from concord.judges.checks.check_request import setup
from concord.judges.definition.model import Judge
from concord.judges.exporting import targets
from concord.judges.exporting.carried import carried, refused
from concord.judges.exporting.target import Target
from concord.messages import Problem, said
from concord.reports.certificate.exported_judge import ExportedJudge, document, exported, status
from concord.store.database import Store
from concord.ui.frame import offer_download_choice, pick_tool
from concord.ui.language import plain, say

_TOOL = "judge.export"


def offer_export(store: Store, sheet_name: str, judge: Judge) -> None:
    """Offer a judge as a file for each tool; or say why it is not exported, and what to do."""
    if why := refused(judge):
        offer_download_choice(lambda: st.caption(plain(why)))
        return
    known, tool = targets.known(), st.session_state.get(_TOOL)
    made = _made(store, sheet_name, judge, known[tool]) if tool in known else None
    offer_download_choice(partial(_choice, known, made))


def _made(store: Store, sheet_name: str, judge: Judge, target: Target) -> ExportedJudge | str:
    """Return the file of a tool; as text why the tool cannot run this judge."""
    try:
        found = carried(store, *setup(store, judge, None, sheet_name))
        return exported(target, found, target.write(found), None, status(store, found))
    except Problem as problem:
        return problem.on_screen


def _choice(known: dict[str, Target], made: ExportedJudge | str | None) -> None:
    titles = {name: target.title for name, target in known.items()}
    pick_tool(say("Export the judge for another tool"), titles, _TOOL)
    if isinstance(made, ExportedJudge):
        _file(known[made.tool], made)
    elif made:
        st.caption(plain(made))


def _file(target: Target, made: ExportedJudge) -> None:
    about = document(made)
    st.download_button(
        say("Download {file}", file=target.file),
        made.text,
        target.file,
        "text/plain",
        key="judge.exported",
        icon=":material/download:",
    )
    st.caption("\n\n".join(plain(text) for text in (about.headline, *about.facts)))
    st.markdown(f"**{say(said('What differs from this judge in Concord'))}**")
    st.caption("\n".join(f"- {plain(text)}" for text in about.notes))
