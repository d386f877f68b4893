"""The replies of a judge to one answer: what each took, and the request it answers."""

import json
from collections.abc import Mapping

import streamlit as st

from concord.judges.running.progress import tokens, usd
from concord.language.grade_statuses import status_words
from concord.messages import joined, minute, said
from concord.model import Grader
from concord.reports.reliability import reply_distributions
from concord.reports.reliability.test_retest import by_reply
from concord.store import grades, runs
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.ui.language import plain, say
from concord.ui.looker import agreed, looker
from concord.ui.render import show_table


def replies(
    store: Store, stored: Stored, grader: Grader | None, versions: Mapping[str, str] | None = None
) -> None:
    """Show every reply to an answer; who looks has seen what judges said of it.

    Args:
        store: The open store.
        stored: The answer.
        grader: The judge; None where it never ran.
        versions: The versions of the criteria, by name, whose repeated scores are compared.
    """
    found = runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info(
            say("This judge has not replied to this answer yet. Run it, or choose another answer.")
        )
        return
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, stored.id, person.id if person else None)
    if versions:
        names = {version: name for name, version in versions.items()}
        given = grades.of_grader(store, grader.id, [stored.id], list(names))
        if again := by_reply(given, names):
            st.markdown(f"**{plain(again)}**")
        show_table(reply_distributions.table(store, stored.id, grader.id, versions), grader.name)
    for reply in found:
        with st.container(border=True):
            _reply(reply)


def _reply(reply: Row) -> None:
    about = [
        said("**{status}**", status=status_words(reply["status"])),
        *([said("for {part}", part=reply["part"])] if reply["part"] else []),
        said("repeat {n}, attempt {tries}", n=reply["repeat"], tries=reply["attempt"]),
        plain(reply["model"] or said("the server named no model")),
        tokens(reply["tokens_in"] or 0, reply["tokens_out"] or 0),
        said("cost unknown") if reply["cost"] is None else usd(reply["cost"]),
        said("{n:.1f} s", n=reply["latency"] or 0),
    ]
    st.markdown(say(joined(" · ", about)).replace("$", r"\$"))
    st.caption(plain(said("{time} UTC", time=minute(reply["created_at"]))))
    st.code(_laid_out(reply["raw"]), language="json", wrap_lines=True)
    with st.expander(say("The request as it was sent")):
        st.code(_laid_out(reply["request"]), language="json", wrap_lines=True)


def _laid_out(text: str) -> str:
    """JSON with indents; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
