"""Adjudication in the grading pane: the same component and keys, with letters in place of names."""

from functools import partial
from typing import Any
from uuid import uuid4

import streamlit as st

from concord.definitions import digest
from concord.messages import Problem
from concord.reports.disagreements import adjudication_keys
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.store import adjudicator_view
from concord.ui.components import adjudication_data
from concord.ui.components.grading_pane import GRADING, SHARED, Reply, number, spoken
from concord.ui.components.payload import payload
from concord.ui.frame import recall
from concord.ui.language import say
from concord.ui.sign_in import own_store

_ROOM = """
:root { --grading-height: max(34rem, calc(100dvh - 21rem)); }
</style>"""


@st.fragment
def adjudication_pane(wanted: AdjudicationPick) -> None:
    """Show the cases one by one; each key press is stored as an adjudication."""
    st.html(SHARED + _ROOM)
    who = wanted.adjudicator.id if wanted.adjudicator else 0
    about = (wanted.panel.sheet.id, wanted.panel.rubric.name, wanted.trigger, wanted.seed)
    token = digest([*map(str, about)])
    name = f"adjudicating.{token}.{who}"
    state = st.session_state.get(name)
    batch = (state and state.get("batch")) or {}
    GRADING(
        key=name,
        data=_data(wanted, name, token, batch),
        default={"batch": None},
        on_batch_change=partial(_save, wanted, name, token),
    )


def _save(wanted: AdjudicationPick, name: str, token: str) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = st.session_state[name]["batch"]
    if not batch:
        return
    reply = Reply(heard=batch["seq"])
    try:
        with own_store() as store:
            adjudicator_view.blind(store)
            sent = batch["keys"] if batch["set"] == token else []
            saved = adjudication_keys.save(store, wanted, sent)
        refused = {press_id: say(why) for press_id, why in saved.refused.items()}
        reply = Reply(batch["seq"], saved.on_disk, refused)
    except Problem as problem:
        reply = Reply(batch["seq"], problem=say(str(problem)))
    st.session_state[f"{name}.reply"] = reply


def _data(wanted: AdjudicationPick, name: str, token: str, batch: dict[str, Any]) -> dict[str, Any]:
    at = batch.get("at") or number(recall("at"))
    try:
        with own_store() as store:
            adjudicator_view.blind(store)
            found = adjudication_data.read(store, wanted, token, at, set(batch.get("have", ())))
    except Problem as problem:
        return {"closed": say(str(problem)), **payload(spoken(False))}
    reply = st.session_state.get(f"{name}.reply") or Reply()
    session = st.session_state.setdefault("grading.session", uuid4().hex)
    return {
        **payload(found),
        **payload(reply),
        **payload(spoken(False)),
        "session": session,
        "at": at,
    }
