"""What to do about measures that are low, each with the failing answers behind it, on screen."""

from collections import Counter
from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from data import answer_names
from data.counted import counted
from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import diagnosis, unrelated_texts
from reports.measured import Readings, short
from ui.frame import recall, remember
from ui.markdown import plain
from ui.measures import WIDTHS, links, may_list, unrelated
from ui.widgets import table


def to_do(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """What to look at where measures are low, each with the failing answers behind it."""
    cut = st.slider(
        "An answer fails below this share of a measure's range",
        0.05,
        0.95,
        _cut(),
        0.05,
        key="measures.cut",
        help="Of a likeness it fails where it is below 95 in 100 pairs of unrelated texts, where "
        "these are known.",
    )
    remember(cut=None if cut == diagnosis.CUT else cut)
    cuts = unrelated_texts.cuts(found, partial(unrelated, store, sheet))
    rows = _to_do((state(store, sheet), cut), found, cuts)
    if not rows:
        st.success("No answer fails by a measure that has an advice.", icon=":material/check:")
        return
    if not may_list(store):
        return
    judges = short(row["judge"] for row in rows)
    readings: Counter[tuple[str, str]] = Counter()
    for row in rows:
        of = row["measure"], row["judge"]
        readings[of] += 1
        _advice(store, row, judges[row["judge"]], f"{'.'.join(of)}.{readings[of]}")
    names = answer_names.of_sheet(store, sheet.id)
    whole_rows = pd.DataFrame([_failing(row, names) for row in rows])
    shown = whole_rows.drop(columns=["answers"]).assign(
        **{"found by": [judges[row["judge"]] for row in rows]}
    )
    table(shown, f"{name}-to-do", whole_rows, height="content", column_config=WIDTHS)


def _advice(store: Store, row: Mapping, judge: str, key: str) -> None:
    """What to look at; the failing answers are read, and noted as seen, once the fold is open."""
    head = f"{row['title']}: {row['failing']:,} of {counted(row['n'], 'answer')} fail ({judge})"
    icon = ":material/healing:"
    with st.expander(plain(head), icon=icon, key=f"measures.fold.{key}", on_change="rerun") as fold:
        st.markdown(f"**{plain(row['advice'])}**")
        st.caption(f"{diagnosis.share(row)} fail; an answer passes with {diagnosis.passes(row)}.")
        if fold.open:
            links(store, row["measure"], row["judge"], row["item_ids"])


def _failing(row: Mapping, names: Mapping[int, str]) -> dict:
    """A row of the list of advices, with all failing answers, for the CSV too."""
    return {
        "measure": row["title"],
        "found by": row["judge"],
        "failing": row["failing"],
        "of": row["n"],
        "share": diagnosis.share(row),
        "what to do": row["advice"],
        "answers": ", ".join(names[item_id] for item_id in row["item_ids"]),
    }


def _cut() -> float:
    """Where an answer begins to fail, as the URL says."""
    try:
        said = round(float(recall("cut") or diagnosis.CUT), 2)
    except ValueError:
        return diagnosis.CUT
    return said if 0.05 <= said <= 0.95 else diagnosis.CUT


@st.cache_data(max_entries=8, show_spinner="Looking for failing answers…")
def _to_do(key: tuple, _found: Readings, _cuts: dict) -> list[dict]:
    return diagnosis.rows(_found, key[1], _cuts)
