"""What to do about disagreements: reword a criterion, show a judge examples, take the list away."""

import pandas as pd
import streamlit as st

from data.causes import RUBRIC
from data.counted import counted
from data.store import Store
from reports import disagreement, disagreements, resembling
from reports.disagreement import Disagreement
from reports.disagreements import Held, Key
from ui.disagreements_pane import Listed
from ui.frame import recall, remember
from ui.markdown import plain
from ui.regrade import after_change
from ui.report import Report
from ui.sign_in import own_store

REWORD, EXAMPLES, TAKE = "reword", "examples", "download"
_STEPS = {
    REWORD: "Reword the criterion",
    EXAMPLES: "Examples like this one",
    TAKE: "Download the list",
}


def next_steps(
    store: Store,
    found: Report,
    listed: Listed,
    here: Disagreement | None,
    tags: dict[Key, list[Held]],
) -> None:
    """One of the steps, as the URL says; none to begin with."""
    said = recall("next")
    chosen = st.segmented_control(
        "What to do about it",
        list(_STEPS),
        default=said if said in _STEPS else None,
        format_func=_STEPS.get,
        key="disagreements.next",
    )
    remember(next=chosen)
    if chosen == REWORD:
        _reword(store, found, listed, here, tags)
    elif chosen == EXAMPLES:
        _examples(store, listed, here)
    elif chosen == TAKE:
        _take(found, listed, tags)


def _reword(
    store: Store,
    found: Report,
    listed: Listed,
    here: Disagreement | None,
    tags: dict[Key, list[Held]],
) -> None:
    """What was called unclear, the way to the editor, and what it costs in grades."""
    name = listed.wanted.criterion or (here.key.criterion if here else None)
    if name is None:
        st.write("Choose a criterion first.")
        return
    heading = found.rubric.criterion(name).heading()
    notes = disagreements.noted(tags, name, RUBRIC)
    held = counted(len(notes), "disagreement")
    st.markdown(
        f"**{plain(heading)}** was called unclear in {held}. "
        "A new wording makes a new version of the criterion; the old grades stay with the old one."
    )
    for one in notes:
        if one.note:
            st.markdown(f"- {plain(one.note)} ({plain(one.who)})")
    st.page_link(
        "pages/rubric.py",
        label=f"Reword {plain(heading)}",
        icon=":material/edit:",
        query_params={
            "sheet": found.sheet.name,
            "rubric": found.rubric.name,
            "edit": "1",
            "criterion": name,
        },
    )
    after_change(store, found.rubric, name)


def _examples(store: Store, listed: Listed, here: Disagreement | None) -> None:
    """Graded answers that may be shown to a judge, and why others may not."""
    if here is None:
        st.write("There is no disagreement to find examples for.")
        return
    st.caption(resembling.WHY_NOT)
    offered = resembling.offered(store, listed.panel, here)
    if not offered:
        st.info(resembling.why_none(store, listed.panel), icon=":material/info:")
        st.page_link("pages/roles.py", label="To the roles", icon=":material/arrow_forward:")
        return
    st.markdown(
        'Judges with `source = "graded"` under `[examples]` show such answers by themselves. To '
        "choose one yourself, paste it below its score in the rubric."
    )
    for one in offered:
        _offered(one, here.key.person)


def _offered(one: resembling.Offered, missed: int) -> None:
    same = "the score the judge missed" if one.score == missed else "another score"
    item = one.stored.item
    with st.container(border=True):
        st.markdown(
            f"**{plain(item.question)}**  \n{plain(one.who)} gave {one.score}, {same}; "
            f"texts {one.likeness:.0%} alike."
        )
        st.text(item.answer or "(empty)")
        if one.reason:
            st.caption(plain(one.reason))
        with st.expander("As TOML", key=f"disagreements.toml.{one.stored.id}"):
            st.code(resembling.as_toml(one), language="toml", wrap_lines=True)


def _take(found: Report, listed: Listed, tags: dict[Key, list[Held]]) -> None:
    st.caption(
        "Every disagreement of the list with question, answer, both scores and reasons, cause and "
        "note; it shows what judges said, so whoever reads it no longer grades these answers blind."
    )
    name = f"{found.sheet.name}-{found.rubric.name}-disagreements"
    st.download_button(
        f"Download {counted(len(listed.rows), 'disagreement')} as CSV",
        lambda: _csv(listed, tags),
        f"{name}.csv",
        "text/csv",
        key="csv.disagreements",
        icon=":material/download:",
    )


def _csv(listed: Listed, tags: dict[Key, list[Held]]) -> bytes:
    rows = disagreements.with_cause(
        listed.panel, listed.rows, tags, listed.wanted.cause, listed.until
    )
    with own_store() as store:
        made = disagreement.as_rows(store, listed.panel, rows, tags)
    return pd.DataFrame(made).to_csv(index=False).encode("utf-8-sig")
