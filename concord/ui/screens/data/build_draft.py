"""Review of a draft next to its document, and the list of all drafts.

Every text here comes from a model or a file: it is shown verbatim and never rendered as markup.
"""

from html import escape

import streamlit as st

from concord.building import drafts
from concord.building.drafts import APPROVED, REJECTED, STATES, WAITING, Draft, Words
from concord.messages import joined, said
from concord.reports.workflow import building
from concord.resources import ASSETS
from concord.store.database import Store
from concord.text.quotations import find
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say

LOOK = ASSETS / "build.css"
# How much of a document is shown before and after the quote, in characters.
AROUND = 20_000
_FIELDS = {
    "question": said("Question"),
    "reference": said("Reference answer"),
    "quote": said("Quote, word for word from the document"),
}


def chosen(store: Store, name: str) -> Draft | None:
    """The draft that the URL names, else the first that waits; None where none is left."""
    wanted = recall("draft")
    if wanted and wanted.isdecimal():
        named = next((d for d in drafts.of_sheet(store, name) if d.id == int(wanted)), None)
        if named:
            return named
    return next(iter(drafts.of_sheet(store, name, WAITING)), None)


def read_and_decide(store: Store, draft: Draft) -> None:
    """Show the document next to the draft, and the form of the decision."""
    document, form = st.columns([3, 2])
    with document:
        _document(store, draft)
    with form:
        _decide(store, draft)


def _document(store: Store, draft: Draft) -> None:
    """Show the document with the quote marked; for a long one the surroundings of the quote."""
    st.html(LOOK)
    st.subheader(plain(draft.document), anchor=False)
    text = drafts.document(store, draft.document_id).text
    begin, end = find(draft.words.quote, text) or (0, 0)
    first, last = max(0, begin - AROUND), min(len(text), end + AROUND)
    left = len(text) - last
    before = say("({n:,} characters before this)", n=first)
    before = f"<i>{before}</i>\n" if first else ""
    after = say("({n:,} characters after this)", n=left)
    after = f"\n<i>{after}</i>" if left else ""
    mark = f"<mark>{escape(text[begin:end])}</mark>" if end else ""
    st.html(
        f'<div class="concord-document">{before}{escape(text[first:begin])}{mark}'
        f"{escape(text[end:last])}{after}</div>"
    )


def _decide(store: Store, draft: Draft) -> None:
    """The draft's words, which may be changed, and the decision on them."""
    st.subheader(say("Draft {number}", number=draft.id), anchor=False)
    st.caption(plain(_state(draft)))
    key = f"build.{draft.id}"
    texts = ("question", 100), ("reference", 120), ("quote", 120)
    with st.form(f"{key}.form", border=False):
        words = Words(
            **{
                name: st.text_area(
                    say(_FIELDS[name]), getattr(draft.words, name), key=f"{key}.{name}", height=high
                ).strip()
                for name, high in texts
            }
        )
        who = st.text_input(say("Your name"), _who(), key=f"{key}.who").strip()
        why = st.text_input(say("Why, if you reject it"), key=f"{key}.why").strip()
        with st.container(horizontal=True):
            approved = st.form_submit_button(
                say("Approve"), type="primary", key=f"{key}.{APPROVED}"
            )
            rejected = st.form_submit_button(say("Reject"), key=f"{key}.{REJECTED}")
    with refusals():
        if approved:
            drafts.approve(store, draft.id, who, words)
        elif rejected:
            drafts.reject(store, draft.id, who, why)
        if approved or rejected:
            _decided(draft.id, APPROVED if approved else REJECTED, who)


def overview(store: Store, name: str) -> None:
    """Show every draft with its state; selecting a row reopens it."""
    if not building.has_drafts(store, name):
        return
    with st.expander(say("All drafts"), key="build.all"):
        found = sorted(drafts.of_sheet(store, name), key=lambda draft: STATES.index(draft.state))
        wanted = st.selectbox(
            say("Reopen"),
            [draft.id for draft in found],
            index=None,
            format_func=lambda number: say("Draft {number}", number=number),
            placeholder=say("Choose"),
            key=f"build.open.{name}",
        )
        if wanted and str(wanted) != recall("draft"):
            st.session_state.pop(f"build.open.{name}")
            remember(draft=wanted)
            st.rerun()
        render.show_table(building.draft_table(found), name)


def _decided(draft_id: int, decision: str, who: str) -> None:
    """Go on to the next draft, which says what was decided."""
    st.session_state["build.by"] = who
    st.session_state["build.said"] = said(
        "Draft {number} is {state}.", number=draft_id, state=building.state_words(decision)
    )
    remember(draft=None)
    st.rerun()


def _who() -> str:
    """Return the last reviewer of this session, else the grader in the URL."""
    return st.session_state.get("build.by") or recall("grader") or ""


def _state(draft: Draft) -> str:
    state = building.state_words(draft.state)
    if draft.who:
        state = said("{state} by {who}", state=state, who=draft.who)
    if draft.edited:
        state = joined(", ", [state, said("edited")])
    if draft.why:
        state = said("{state}: {why}", state=state, why=draft.why)
    return said("Written by {model}; {state}", model=draft.model, state=state)
