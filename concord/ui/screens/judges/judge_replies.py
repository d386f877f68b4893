"""A reply of a judge as it is read: what it took, and the request it answers."""

import json

import streamlit as st

from concord.judges.running.progress import tokens, usd
from concord.messages import joined, said
from concord.store import grades
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.agreement.cell_answers import looker

# How a reply stands, as it is stored.
STATUS = {
    "scored": said("scored"),
    "good": said("good"),
    "refused": said("refused"),
    "unparsable": said("unparsable"),
    "truncated": said("truncated"),
    "too_long": said("too_long"),
    "missing_input": said("missing_input"),
    "not_applicable": said("not_applicable"),
    "failed": said("failed"),
}


def reply_view(reply: Row) -> None:
    """One reply with what it took and the request it answers."""
    about = [
        said("**{status}**", status=STATUS.get(reply["status"], reply["status"])),
        *([said("for {part}", part=reply["part"])] if reply["part"] else []),
        said("repeat {n}, attempt {tries}", n=reply["repeat"], tries=reply["attempt"]),
        plain(reply["model"] or said("the server named no model")),
        tokens(reply["tokens_in"] or 0, reply["tokens_out"] or 0),
        said("cost unknown") if reply["cost"] is None else usd(reply["cost"]),
        f"{reply['latency'] or 0:.1f} s",
    ]
    st.markdown(say(joined(" · ", about)).replace("$", r"\$"))
    st.caption(reply["created_at"])
    st.code(_laid_out(reply["raw"]), language="json", wrap_lines=True, height=280)
    with st.expander(say("The request as it was sent")):
        st.code(_laid_out(reply["request"]), language="json", wrap_lines=True, height=420)


def note_opening(store: Store, stored: Stored) -> None:
    """An annotator who has seen what judges said of an answer no longer grades it blind."""
    person = looker(store)
    grades.open_item(store, stored.id, person.id if person else None)


def _laid_out(text: str) -> str:
    """JSON with indents; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
