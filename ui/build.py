"""The parts of the build screen: a draft beside its document, the decision on it, and what is next.

Every text here was written by a model or comes from a file: it is shown as it is and runs nothing.
"""

from functools import partial
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from data import drafts, sheets
from data.counted import counted
from data.drafts import APPROVED, FAULTY, REJECTED, STATES, WAITING, Draft, Words
from data.quote import place
from data.store import Store, open_store
from problems import Problem
from ui.frame import recall, remember
from ui.markdown import plain
from ui.widgets import finding, table

LOOK = Path(__file__).parent / "build.css"
# How much of a document is shown before and after the quote, in characters.
AROUND = 20_000
_FIRST = "python cli.py build FOLDER --sheet NAME --judge JUDGE"


def pick(store: Store) -> str | None:
    """The sheet that is being built; None where none is."""
    names = drafts.builds(store)
    if not names:
        return None
    wanted = recall("sheet")
    index = names.index(wanted) if wanted in names else len(names) - 1
    if len(names) == 1:
        return names[0]
    name = st.selectbox("Sheet that is being built", names, index=index, key="pick.build")
    remember(sheet=name)
    return name


def first_command() -> None:
    """How drafting begins, for the clipboard."""
    st.code(_FIRST, language=None, wrap_lines=True)


def headline(store: Store, name: str) -> None:
    """How many drafts wait and what became of the others; and what was done last."""
    counts = drafts.counts(store, name)
    waiting, approved = counts[WAITING], counts[APPROVED]
    if waiting:
        title = f"{counted(waiting, 'draft waits', 'drafts wait')} for your word"
    elif approved:
        title = f"{counted(approved, 'question is', 'questions are')} ready to be asked"
    else:
        title = "No drafted question is left"
    faulty = counted(counts[FAULTY], "draft")
    finding(
        f"{name}: {title}",
        f"{approved:,} approved, {counts[REJECTED]:,} rejected. {faulty} thrown away unread, "
        "mostly because a quote did not stand in its document. Nothing is asked before a person "
        "approves it, and every answer to it is marked synthetic.",
    )
    said = st.session_state.pop("build.said", None)
    if said:
        done, sentence = said
        show = st.success if done else st.error
        show(plain(sentence), icon=":material/check:" if done else ":material/error:")


def chosen(store: Store, name: str) -> Draft | None:
    """The draft that the URL names, else the first that waits; None where none is left."""
    wanted = recall("draft")
    if wanted and wanted.isdecimal():
        named = next((d for d in drafts.of_sheet(store, name) if d.id == int(wanted)), None)
        if named:
            return named
    return next(iter(drafts.of_sheet(store, name, WAITING)), None)


def document(store: Store, draft: Draft) -> None:
    """The document with the quote marked; of a long one what stands around the quote."""
    st.html(LOOK)
    st.subheader(plain(draft.document), anchor=False)
    text = drafts.document(store, draft.document_id).text
    begin, end = place(draft.words.quote, text) or (0, 0)
    first, last = max(0, begin - AROUND), min(len(text), end + AROUND)
    before = f"<i>({first:,} characters before this)</i>\n" if first else ""
    left = len(text) - last
    after = f"\n<i>({left:,} characters after this)</i>" if left else ""
    mark = f"<mark>{escape(text[begin:end])}</mark>" if end else ""
    st.html(
        f'<div class="concord-document">{before}{escape(text[first:begin])}{mark}'
        f"{escape(text[end:last])}{after}</div>"
    )


def decide(store: Store, draft: Draft) -> None:
    """The draft's words, which may be changed, and the decision on them."""
    st.subheader(f"Draft {draft.id}", anchor=False)
    st.caption(plain(_state(draft)))
    key = f"build.{draft.id}"
    with st.form(f"{key}.form", border=False):
        st.text_area("Question", draft.words.question, key=f"{key}.question", height=100)
        st.text_area("Reference answer", draft.words.reference, key=f"{key}.reference", height=120)
        st.text_area(
            "Quote, word for word from the document",
            draft.words.quote,
            key=f"{key}.quote",
            height=120,
        )
        st.text_input("Your name", _who(), key=f"{key}.who")
        st.text_input("Why, if you reject it", key=f"{key}.why")
        with st.container(horizontal=True):
            for label, decision, kind in (
                ("Approve", APPROVED, "primary"),
                ("Reject", REJECTED, "secondary"),
            ):
                st.form_submit_button(
                    label,
                    on_click=partial(_decided, store.path, draft.id, decision),
                    type=kind,
                    key=f"{key}.{decision}",
                )


def next_step(store: Store, name: str) -> None:
    """The command that has models answer, once a question is approved."""
    if not drafts.counts(store, name)[APPROVED]:
        return
    st.subheader("Have models answer", anchor=False)
    sheet = sheets.find(store, name)
    if sheet:
        by = ", ".join(sheet.answer_models)
        st.write(plain(f"“{name}” has {counted(sheet.items, 'answer')} by {by}."))
    quoted = "'" + name.replace("'", "'\\''") + "'"
    command = f"python cli.py answer JUDGE --model MODEL --model MODEL --sheet {quoted}"
    st.code(command, language=None, wrap_lines=True)


def overview(store: Store, name: str) -> None:
    """Every draft with its state; a chosen row opens it again."""
    with st.expander("All drafts", key="build.all"):
        found = sorted(drafts.of_sheet(store, name), key=lambda draft: STATES.index(draft.state))
        wanted = st.selectbox(
            "Open again",
            [draft.id for draft in found],
            index=None,
            format_func=lambda number: f"Draft {number}",
            key=f"build.open.{name}",
        )
        if wanted and str(wanted) != recall("draft"):
            st.session_state.pop(f"build.open.{name}")
            remember(draft=wanted)
            st.rerun()
        table(pd.DataFrame(map(_row, found)), f"{name}-drafts")


def _decided(path: str, draft_id: int, decision: str) -> None:
    """Put the decision on disk, with the words as they stand in the form."""
    held = {
        field: st.session_state[f"build.{draft_id}.{field}"].strip()
        for field in (*Words._fields, "who", "why")
    }
    words = Words(*(held[field] for field in Words._fields))
    try:
        with open_store(path) as store:
            if decision == APPROVED:
                drafts.approve(store, draft_id, held["who"], words)
            else:
                drafts.reject(store, draft_id, held["who"], held["why"])
    except Problem as problem:
        st.session_state["build.said"] = (False, str(problem))
        return
    st.session_state["build.by"] = held["who"]
    remember(draft=None)
    st.session_state["build.said"] = (True, f"Draft {draft_id} is {decision}.")


def _who() -> str:
    """Who decided last in this session, else the grader the URL names."""
    return st.session_state.get("build.by") or recall("grader") or ""


def _state(draft: Draft) -> str:
    by = f" by {draft.who}" if draft.who else ""
    why = f": {draft.why}" if draft.why else ""
    edited = ", in other words than the model's" if draft.edited else ""
    return f"Written by {draft.model}; {draft.state}{by}{edited}{why}"


def _row(draft: Draft) -> dict:
    return {
        "draft": draft.id,
        "state": draft.state,
        "document": draft.document,
        "question": draft.words.question,
        "reference": draft.words.reference,
        "quote": draft.words.quote,
        "by": draft.who,
        "why": draft.why,
        "model": draft.model,
        "edited": draft.edited,
    }
