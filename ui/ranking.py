"""The parts of the ranking screen: what is read and kept, pickers, words and tables."""

import re
from fractions import Fraction
from html import escape

import pandas as pd
import streamlit as st

from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import order as words
from reports import panel as panels
from reports import ranking as report
from reports.panel import BASELINE, Panel
from rubrics.model import Rubric
from ui import style, weights
from ui.frame import recall, remember
from ui.order_chart import order_alt, order_chart
from ui.terms import sentence
from ui.widgets import explained, figure, finding, table

_PANELS, _RANKINGS = 4, 32


def ranking(store: Store, sheet: Sheet, rubric: Rubric) -> dict:
    """The ranking by the people that the URL names, with the weights that are explored."""
    at = state(store, sheet), rubric.name, chosen_people(store, sheet, rubric)
    exploring = weights.explored(rubric)
    return _ranking(store, sheet, rubric, *at, tuple(exploring.items()) if exploring else None)


def chosen_people(store: Store, sheet: Sheet, rubric: Rubric) -> tuple[str, ...]:
    """Who the URL says counts as people; () for those who count by default."""
    everyone = _everyone(_panel(store, sheet, rubric, state(store, sheet), rubric.name, ()))
    return tuple(name for name in everyone if name in st.query_params.get_all("people"))


def pick_people(store: Store, sheet: Sheet, rubric: Rubric) -> None:
    """Who counts as people; the choice is kept in the URL."""
    panel = _panel(store, sheet, rubric, state(store, sheet), rubric.name, ())
    default = [person.name for person in panel.people.values()]
    everyone = _everyone(panel)
    if len(everyone) < 2:
        return
    now = [*chosen_people(store, sheet, rubric)] or default
    key = "ranking.people"
    picked = st.multiselect(
        "Who counts as people",
        everyone,
        now,
        key=key,
        on_change=_people_picked,
        args=(key, default),
    )
    if not picked:
        st.caption("Nobody is chosen, so those who count by default do.")


def pick_judge(orders: list[dict]) -> dict | None:
    """The judge whose order stands beside the people's; None where no judge has graded."""
    if not orders:
        return None
    names = [order["judge"] for order in orders]
    wanted = recall("judge")
    first = names.index(wanted if wanted in names else words.best(orders)["judge"])
    chosen = names[first]
    if len(names) > 1:
        shown = {order["judge"]: words.judge_name(order) for order in orders}
        chosen = st.selectbox(
            "Judge", names, index=first, format_func=shown.get, key="pick.ranking.judge"
        )
    remember(judge=chosen)
    return orders[names.index(chosen)]


def headline(found: dict, order: dict) -> None:
    """The finding in words, and what must stand beside it."""
    title = words.title(order)
    finding(_plain(title), _plain(words.detail(found, order)))


def exploration(rubric: Rubric) -> None:
    """Says that the weights are explored and not the rubric's, with the way back."""
    exploring = weights.explored(rubric)
    if exploring is None:
        return
    own = weights.in_words(rubric.weights())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            f"Exploration: weighed {weights.in_words(exploring)}. The rubric's own weights are "
            f"{own}; only they count elsewhere.",
            icon=":material/tune:",
        )
        st.button("Reset", on_click=weights.reset, icon=":material/undo:", key="weights.reset")


def chart(found: dict, order: dict) -> None:
    """The slope chart of one judge."""
    judges = [one["judge"] for one in found["orders"] if not words.is_floor(one)]
    look = style.judge_looks(judges).get(order["judge"], style.BASELINE)
    figure(order_chart(order, look), "ranking", order_alt(order))


def certainty(order: dict) -> None:
    """How sure each step of the order is, in words."""
    judge = words.judge_name(order)
    rows = [
        f"<li><b>{escape(pair['reading'])}</b>{escape(words.pair_sentence(pair, judge))}</li>"
        for pair in words.pairs(order)
    ]
    st.html(f'<ul class="concord-pairs">{"".join(rows)}</ul>')
    if order["tau_b"] is not None:
        st.caption(f"Kendall's tau-b between the two orders: {order['tau_b']:.2f}.")
    elif order["why_none"]:
        st.caption(f"No tau-b: {order['why_none']}.")


def every_judge(found: dict) -> None:
    """A row for each judge: the pairs that swap, and tau-b where there is one."""
    rows = [
        {
            "judge": words.judge_name(order),
            "puts the other way round": words.swaps_in_words(order),
            "tau-b": order["tau_b"],
            "answers": order["n"],
        }
        for order in found["orders"]
    ]
    frame = pd.DataFrame(rows)
    if frame["tau-b"].isna().all():
        frame = frame.drop(columns="tau-b")
    table(frame, "orders", column_config=_NUMBERS)


def composites(found: dict) -> None:
    """Every grader's mean composite of every answering model, with interval and counts."""
    rows = [
        {
            "graded by": _grader(row),
            "answering model": row["answer_model"],
            "mean": row["value"],
            "low": row["low"],
            "high": row["high"],
            "answers": row["n"],
            "questions": row["questions"],
            "why not": row["why_none"],
        }
        for row in found["models"]
    ]
    frame = pd.DataFrame(rows)
    if frame["why not"].isna().all():
        frame = frame.drop(columns="why not")
    table(frame, "composites", column_config=_NUMBERS)


def left_out(found: dict) -> None:
    """What is not in the figures, by grader, and how they were made."""
    said = [
        f"{grader}: " + "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        for grader, reasons in found["left_out"].items()
        if reasons
    ]
    for line in said or ["No answer is left out."]:
        st.markdown(_plain(line))
    st.caption(_plain(found["signature"]))


def explanations() -> None:
    """The terms of the screen, each one click away."""
    with st.container(horizontal=True):
        for term in ("composite", "order", "tau-b", "baseline"):
            explained(term, sentence(term))


_NUMBERS = {
    name: st.column_config.NumberColumn(name, format="%.2f")
    for name in ("mean", "low", "high", "tau-b")
}


@st.cache_resource(max_entries=_PANELS, show_spinner=False)
def _panel(
    _store: Store, _sheet: Sheet, _rubric: Rubric, at: str, rubric: str, people: tuple[str, ...]
) -> Panel:
    """The panel as of a state of the store; `at` and `rubric` are what it is kept under."""
    return panels.read(_store, _sheet, _rubric, people or None)


@st.cache_data(max_entries=_RANKINGS, show_spinner=False)
def _ranking(
    _store: Store,
    _sheet: Sheet,
    _rubric: Rubric,
    at: str,
    rubric: str,
    people: tuple[str, ...],
    weighed: tuple[tuple[str, Fraction], ...] | None,
) -> dict:
    panel = _panel(_store, _sheet, _rubric, at, rubric, people)
    return report.report(panel.weighing(dict(weighed)) if weighed else panel)


def _everyone(panel: Panel) -> list[str]:
    return sorted({*(person.name for person in panel.people.values()), *panel.uncounted})


def _people_picked(key: str, default: list[str]) -> None:
    picked = st.session_state[key]
    if picked and sorted(picked) != sorted(default):
        st.query_params["people"] = picked
    else:
        st.query_params.pop("people", None)


def _grader(row: dict) -> str:
    if row["grader"] == BASELINE:
        return f"{BASELINE} (the floor)"
    marked = row["simulated"] and row["kind"] != "person" and "simulated" not in row["grader"]
    return f"{row['grader']} (simulated)" if marked else row["grader"]


def _plain(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>$~#:|])", r"\\\1", text)
