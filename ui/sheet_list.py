"""The sheets there are, one of them page by page, where it came from, and its removal."""

import json
from html import escape

import pandas as pd
import streamlit as st

from data import browse, sheets
from data.contents import Stored
from data.counted import counted
from data.sheets import Sheet
from data.store import Store
from ui.frame import remember
from ui.markdown import plain
from ui.widgets import table

PAGE = 25


def headline(sheet: Sheet) -> str:
    """What a sheet holds, in a few words."""
    models = len(sheet.answer_models)
    by = f" by {models} models" if models > 1 else ""
    answers, questions = counted(sheet.items, "answer"), counted(sheet.questions, "question")
    return f"{sheet.name}: {answers} to {questions}{by}"


def overview(every: list[Sheet]) -> None:
    """All sheets with their counts."""
    rows = [
        {
            "sheet": sheet.name,
            "answers": sheet.items,
            "questions": sheet.questions,
            "synthetic": sheet.synthetic,
            "answering models": ", ".join(sheet.answer_models) or "not said",
            "imported": sheet.imported_at[:10],
            "from": sheet.source_name,
        }
        for sheet in every
    ]
    table(pd.DataFrame(rows), "sheets")


def answers(store: Store, sheet: Sheet) -> None:
    """The answers of a sheet, a page at a time; the chosen one in full."""
    pages = browse.pages(sheet.items, PAGE)
    number = st.pagination(pages, key=f"sheets.page.{sheet.id}") if pages > 1 else 1
    shown = browse.page(store, sheet.id, number, PAGE)
    picked = st.dataframe(
        pd.DataFrame(map(_line, shown)),
        hide_index=True,
        key=f"sheets.answers.{sheet.id}.{number}",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "question": st.column_config.TextColumn(width="medium"),
            "answer": st.column_config.TextColumn(width="large"),
        },
        alt=f"Page {number} of the answers of {sheet.name}",
    )
    for row in picked.selection.rows[:1]:
        _in_full(shown[row])
    if shown and not picked.selection.rows:
        st.caption("Choose a row to read it in full.")


def files(store: Store, sheet: Sheet) -> None:
    """The files the sheet and its grades came from."""
    rows = [
        {
            "file": row["source_name"],
            "holds": "answers" if row["kind"] == "sheet" else "grades",
            "imported": row["imported_at"][:16].replace("T", " "),
            "encoding": row["encoding"] or "",
            "columns": ", ".join(json.loads(row["column_map"]).get("columns", [])),
            "sha256": row["sha256"][:16],
        }
        for row in sheets.imports(store, sheet.id)
    ]
    table(pd.DataFrame(rows), f"{sheet.name}-files")


def removal(store: Store, sheet: Sheet) -> None:
    """What deleting the sheet takes along, and the deletion once its name is typed."""
    going = sheets.would_go(store, sheet)
    said = [f"{count:,} {noun}" for noun, count in going.items() if count]
    st.markdown(f"Deleting **{plain(sheet.name)}** removes for good: {', '.join(said)}.")
    st.caption("There is no way back. `python cli.py backup FILE` keeps a copy of everything.")
    typed = st.text_input("Type the sheet's name to confirm", key=f"sheets.confirm.{sheet.id}")
    if st.button(
        f"Delete {sheet.name} and all that hangs on it",
        disabled=typed.strip() != sheet.name,
        key="sheets.delete",
        icon=":material/delete:",
    ):
        sheets.delete(store, sheet)
        st.session_state["sheets.said"] = f"{sheet.name} was deleted, with {', '.join(said)}."
        remember(sheet=None)
        st.rerun()


def _line(stored: Stored) -> dict:
    item = stored.item
    return {
        "item": item.own_id or "",
        "question": item.question,
        "answering model": item.answer_model or "",
        "answer": item.answer,
        "contexts": len(item.contexts),
    }


def _in_full(stored: Stored) -> None:
    """One answer with everything the sheet holds about it, as plain text."""
    item = stored.item
    parts = [
        ("Question", item.question),
        (f"Answer{f' by {item.answer_model}' if item.answer_model else ''}", item.answer),
        *((f"Context {context.rank}", context.text) for context in item.contexts),
        *(("Reference answer", text) for text in item.reference),
        *(("Reference context", text) for text in item.reference_contexts),
    ]
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text) or '<i>(empty)</i>'}</dd>"
        for name, text in parts
    )
    with st.container(border=True):
        st.html(f'<dl class="concord-item">{rows}</dl>')
