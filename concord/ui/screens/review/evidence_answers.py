"""The list of answers whose evidence can be shown, narrowed, and the one that is chosen."""

import pandas as pd
import streamlit as st

from concord.messages import counted, said
from concord.model import Grader, Sheet
from concord.reports.units import evidence_list
from concord.reports.units.evidence_list import LIST, MODEL
from concord.store import items
from concord.store.database import Store
from concord.ui import work_list
from concord.ui.cached_metrics import title
from concord.ui.caching import kept
from concord.ui.frame import recall, remember
from concord.ui.language import say, word
from concord.ui.screens.review.evidence_pick import NONE, Picked
from concord.ui.widgets import picked_row

SIZE, HEIGHT = 20, 560
_QUESTION, _MODEL, _FIGURE, _ROW = 138, 64, 48, 84  # px; all fit next to the evidence
_HEAD = 38  # px
_LETTERS = 16  # of an id in a line


def narrow(store: Store, sheet: Sheet, picked: Picked) -> Picked:
    """The list with only one answering model's answers, or those that hold some words."""
    every = picked.listed.rows
    with st.container(horizontal=True, key="evidence-narrow"):
        model = work_list.filters(LIST, every)["answered"]
        words = st.text_input(
            say("With the words"),
            recall("words") or "",
            placeholder=say("question, answer or id"),
            key=f"evidence.words.{sheet.id}",
        ).strip()
    remember(words=words or None)
    matching = _matching(store, sheet, words) if words else None
    found = evidence_list.narrowed(picked.listed, model, matching)
    if len(found.rows) < len(every):
        differ = int((found.rows["differ"] > 0).sum())
        st.caption(
            say(
                "{n:,} of {answers}; graders disagree on {differ:,}.",
                n=len(found.rows),
                answers=counted(len(every), "answer"),
                differ=differ,
            )
        )
    return picked._replace(listed=found)


def pick_answer(store: Store, picked: Picked, who: Grader | None) -> int | None:
    """Show the list, a page at a time; return the answer selected in it or named in the URL.

    The list shows judges' grades, so all answers on the page are recorded as seen by the viewer.
    """
    rows = picked.listed.rows
    if not len(rows):
        return None
    place = work_list.current(picked.listed.ids())
    page, key = _page(rows, picked, place)
    work_list.opened(store, page.index.tolist(), who)
    row = picked_row(
        page.drop(columns=["graders"]).assign(question=_titles(store, page)),
        key,
        said("Answers, disagreements first"),
        height=min(HEIGHT, _HEAD + _ROW * len(page)),
        row_height=_ROW,
        column_order=_columns(rows),
        column_config={
            "question": st.column_config.TextColumn(say("answer"), width=_QUESTION),
            MODEL: st.column_config.TextColumn(say("model"), width=_MODEL),
            "differ": st.column_config.NumberColumn(
                say("differ"), help=say("Units graders differ on"), width=_FIGURE
            ),
            "units": st.column_config.NumberColumn(say("units")),
            "value": st.column_config.NumberColumn(
                say("value"),
                format="%.3f",
                help=word(title(picked.by[1])) if picked.by else None,
                width=_FIGURE,
            ),
        },
    )
    chosen = _followed(key, row, page, int(rows.index[place]))
    remember(answer=chosen)
    return chosen


def go_on(picked: Picked, item_id: int) -> None:
    """The ways to the answers before and behind."""
    listed = picked.listed.ids()
    with st.container(horizontal=True):
        work_list.steps(listed, listed.place(str(item_id)))


def _columns(rows) -> list[str]:
    """The columns that say something, those that tell answers apart first."""
    names = ["question", MODEL, "differ", "value", "units"]
    return [name for name in names if name != MODEL or rows[name].any()]


def _titles(store: Store, page: pd.DataFrame) -> list[str]:
    """The id of each answer and its question: questions may begin alike."""
    asked = {one.id: one.item.question for one in items.items(store, page.index.tolist())}
    return [f"{broken(name)}: {asked[at]}" for at, name in page["answer"].items()]


def broken(name: str) -> str:
    """An id in lines that its column holds, the middle of a very long one left out.

    A table does not break a word, and would show its beginning alone, which many ids share.
    """
    if len(name) <= _LETTERS or " " in name:
        return name
    if len(name) > 2 * _LETTERS:
        name = f"{name[: _LETTERS - 1]}…{name[-_LETTERS:]}"
    return f"{name[:_LETTERS]}\n{name[_LETTERS:]}"


def _page(rows: pd.DataFrame, picked: Picked, place: int) -> tuple[pd.DataFrame, str]:
    """The page of the list that is shown, that of the chosen answer at first, and its key."""
    pages = items.pages(len(rows), SIZE)
    first = place // SIZE + 1
    name = f"{picked.rubric.name if picked.rubric else NONE}.{picked.by}.{len(rows)}"
    number = 1
    if pages > 1:
        key = f"evidence.page.{name}.{first}"
        number = st.pagination(pages, default=first, max_visible_pages=3, key=key)
    return rows.iloc[SIZE * (number - 1) : SIZE * number], f"evidence.list.{name}.{number}"


def _followed(key: str, row: int | None, page: pd.DataFrame, chosen: int) -> int:
    """The answer of a row that was chosen just now; one chosen earlier says nothing any more."""
    if (key, row) != st.session_state.get("evidence.chosen"):
        st.session_state["evidence.chosen"] = key, row
        if row is not None and row < len(page):
            return int(page.index[row])
    return chosen


@kept(said("Searching…"), 12)
def _matching(store: Store, sheet: Sheet, words: str) -> set[int]:
    return items.matching(store, sheet.id, words)
