"""Which answer's evidence is shown: the rubric of units, the measure that sorts, and the list."""

from typing import NamedTuple

import streamlit as st

import metrics
from data import rubric_versions
from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import evidence, evidence_list
from reports.evidence_list import Listed
from reports.measured import Readings, short
from rubrics.model import Rubric
from ui.frame import recall, remember
from ui.measured import title
from ui.widgets import select

NONE = "-"
_HEIGHT = 420


class Picked(NamedTuple):
    """The rubric of units (None: there are none), judge and measure that sort, and the list."""

    rubric: Rubric | None
    by: tuple[str, str] | None
    listed: Listed


def pick(store: Store, sheet: Sheet, found: Readings) -> Picked | None:
    """The pickers; None where there is neither a verdict on a unit nor a number."""
    rubrics = {name: rubric_versions.named(store, name)[1] for name in _judged(store, sheet)}
    if not rubrics and not found.records:
        return None
    rubric = None
    if rubrics:
        titles = {name: one.title or name for name, one in rubrics.items()}
        rubric = rubrics[select("What was judged", "units", titles, next(iter(titles)))]
    by = _pick_measure(found, rubric)
    key = state(store, sheet), rubric.name if rubric else NONE
    return Picked(rubric, by, _listed(key, store, sheet, found, rubric, by))


def pick_answer(picked: Picked) -> int | None:
    """The list, and the answer that is chosen in it or named in the URL."""
    rows = picked.listed.rows
    if not len(rows):
        return None
    shown = st.dataframe(
        rows.drop(columns=["graders"]),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"evidence.list.{picked.rubric.name if picked.rubric else NONE}.{picked.by}",
        height=min(_HEIGHT, 38 + 35 * len(rows)),
        column_order=_columns(rows),
        column_config={
            "differ": st.column_config.NumberColumn("differ", help="Units graders differ on"),
            "value": st.column_config.NumberColumn(
                title(picked.by[1]) if picked.by else "value", format="%.3f"
            ),
        },
        alt="The answers, those graders differ on first",
    )
    _follow(shown.selection.rows, rows)
    said = recall("answer") or ""
    known = said.isdecimal() and int(said) in rows.index
    chosen = int(said) if known else int(rows.index[0])
    remember(answer=chosen)
    return chosen


def go_on(picked: Picked, item_id: int) -> None:
    """The way to the next answer of the list."""
    after = evidence_list.next_after(picked.listed.rows, item_id)
    if st.button(
        "Next answer", icon=":material/arrow_downward:", disabled=after is None, key="evidence.next"
    ):
        remember(answer=after)
        st.rerun()


def _judged(store: Store, sheet: Sheet) -> list[str]:
    """The rubrics of units by which something was judged, in the order of the measures."""
    judged = rubric_versions.units_graded(store, sheet.id)
    order = [name for one in metrics.found().values() for name in one.rubrics]
    first = ["claims-in-contexts", *order]
    return sorted(judged, key=lambda name: first.index(name) if name in first else len(first))


def _pick_measure(found: Readings, rubric: Rubric | None) -> tuple[str, str] | None:
    """Judge and measure of the value that the list shows; the first that rests on the rubric."""
    pairs = list(dict.fromkeys((one.judge, one.measure) for one in found.records))
    if not pairs:
        return None
    name = rubric.name if rubric else ""
    pairs.sort(key=lambda pair: not evidence.rests_on(pair[1], name))
    names = short(judge for judge, _ in pairs)
    options = {
        f"{measure} {judge}": title(measure) + (f" ({names[judge]})" if len(names) > 1 else "")
        for judge, measure in pairs
    }
    chosen = select("Number in the list", f"sorted.{name or NONE}", options, next(iter(options)))
    measure, judge = chosen.split(" ", 1)
    return judge, measure


def _columns(rows) -> list[str]:
    """The columns that say something."""
    names = ["differ", "value", "answer", "answer model", "units"]
    return [name for name in names if name != "answer model" or rows[name].any()]


def _follow(chosen: list[int], rows) -> None:
    """Remember a row that was chosen just now; one chosen earlier says nothing any more."""
    if chosen != st.session_state.get("evidence.chosen"):
        st.session_state["evidence.chosen"] = chosen
        if chosen and chosen[0] < len(rows):
            remember(answer=int(rows.index[chosen[0]]))


@st.cache_data(max_entries=12, show_spinner="Looking for where graders differ…")
def _listed(
    key: tuple, _store: Store, _sheet: Sheet, _found: Readings, _rubric: Rubric | None, by
) -> Listed:
    measure = metrics.found().get(by[1]) if by else None
    is_high = measure is not None and measure.better == "lower"
    return evidence_list.listed(_store, _sheet, _found, _rubric, by, is_high)
