"""The parts of the ranking screen: what is read and kept, pickers, words and tables."""

from html import escape

import streamlit as st

from concord.messages import capital, said
from concord.reports.panel.exclusions import reasons
from concord.reports.panel.simulated import named
from concord.reports.panel.terminal_tables import ranks, tau_b
from concord.reports.panel.unit_words import heading
from concord.reports.ranking import order_findings as words
from concord.reports.ranking.ranking import PEOPLE
from concord.rubrics.model import Rubric
from concord.store.graders import BASELINE
from concord.ui import style, weights
from concord.ui.assets import ASSETS
from concord.ui.cached_reports import Report
from concord.ui.charts.order_chart import order_alt, order_chart
from concord.ui.frame import recall, remember
from concord.ui.glossary import sentence
from concord.ui.language import say
from concord.ui.localized_table import table_of, word
from concord.ui.markdown import plain
from concord.ui.screens.agreement.cached_ranking import ranking_report
from concord.ui.widgets import explained, figure, finding

QUESTION = said("Do people and judges put the answering models in the same order?")
_SHOWN = 4
CSS = ASSETS / "ranking.css"


def ranking(found: Report) -> dict:
    """The ranking with the weights that are explored, else with the rubric's."""
    return ranking_report(found, weights.explored(found.rubric) or found.rubric.weights())


def pick_judge(orders: list[dict]) -> dict | None:
    """The judge whose order stands beside the people's; None where no judge has graded."""
    if not orders:
        return None
    names = [order["judge"] for order in orders]
    wanted = recall("judge")
    first = names.index(wanted if wanted in names else words.best(orders)["judge"])
    chosen = names[first]
    if len(names) > 1:
        shown = {order["judge"]: word(words.judge_name(order)) for order in orders}
        chosen = st.selectbox(
            say("Judge"), names, index=first, format_func=shown.get, key="pick.ranking.judge"
        )
    remember(judge=chosen)
    return orders[names.index(chosen)]


def headline(found: dict, order: dict) -> None:
    """The finding in words, and what must stand beside it."""
    title = words.title(order)
    finding(title, words.detail(found, order))


def without_judge(found: dict) -> None:
    """The order by people alone, or the question where they have none."""
    order = words.by_people(found)
    finding(order or QUESTION, words.simulated_people(found) if order else "")


def exploration(rubric: Rubric) -> None:
    """Says that the weights are explored and not the rubric's, with the way back."""
    exploring = weights.explored(rubric)
    if exploring is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            say(
                "Exploration: weighed {explored}. The rubric's own weights are {own}; only they "
                "count elsewhere.",
                explored=weights.in_words(exploring),
                own=weights.in_words(rubric.weights()),
            ),
            icon=":material/tune:",
        )
        st.button(say("Reset"), on_click=weights.reset, icon=":material/undo:", key="weights.reset")


def chart(found: dict, order: dict, name: str) -> None:
    """The slope chart of one judge."""
    judges = [one["judge"] for one in found["orders"] if not words.is_floor(one)]
    look = style.judge_looks(judges).get(order["judge"], style.BASELINE)
    st.html(CSS)
    with st.container(key="order-chart"):
        figure(order_chart(order, look), name, order_alt(order))
        if order["swaps"]:
            st.caption(
                say(
                    "Red lines belong to models that swap; they are dashed where that may be "
                    "chance."
                )
            )


def certainty(order: dict) -> None:
    """How sure each step of the order is, in words; of many, those that are sure are folded."""
    pairs, judge = words.pairs(order), words.judge_name(order)
    folded = [pair for pair in pairs if words.is_sure(pair)] if len(pairs) > _SHOWN else []
    st.html(_pair_list([pair for pair in pairs if pair not in folded], judge))
    if folded:
        with st.expander(say("{n} more steps, all sure", n=len(folded))):
            st.html(_pair_list(folded, judge))
    if order["tau_b"] is not None:
        told = say("Kendall's tau-b between the two orders: {tau_b} (95% CI).", tau_b=tau_b(order))
        if order["tau_b_low"] is None:
            told = say("Kendall's tau-b between the two orders: {tau_b}.", tau_b=tau_b(order))
        st.caption(told)
    if order["why_none"]:
        st.caption(say("{sentence}.", sentence=capital(order["why_none"])))


def every_judge(found: dict, name: str) -> None:
    """A row for each judge: its order, the pairs that swap, and tau-b where there is one."""
    rows = [
        {
            said("judge"): words.judge_name(order),
            said("order"): words.judge_order(order),
            said("puts the other way round"): words.swaps_in_words(order),
            said("tau-b"): None if order["tau_b"] is None else tau_b(order),
            said("answers"): order["n"],
        }
        for order in found["orders"]
    ]
    table_of(_known(rows, "tau-b"), f"{name}-orders")


def by_criterion(found: dict[str, dict], judge: str, rubric: Rubric, name: str) -> None:
    """The order of one judge beside the annotators' by every criterion alone."""
    rows = [
        {
            said("criterion"): heading(rubric, criterion),
            said("annotators"): words.chain(order, PEOPLE) or words.UNDEFINED,
            said("judge"): words.judge_order(order),
            said("puts the other way round"): words.swaps_in_words(order),
            said("tau-b"): None if order["tau_b"] is None else tau_b(order),
            said("answers"): order["n"],
        }
        for criterion, one in found.items()
        for order in one["orders"]
        if order["judge"] == judge
    ]
    table_of(_known(rows, "tau-b"), f"{name}-criteria")


def composites(found: dict, name: str) -> None:
    """Every grader's mean composite of every answering model, with interval and counts."""
    rows = [
        {
            said("graded by"): _grader(row),
            said("answering model"): row["answer_model"],
            said("mean"): row["value"],
            said("low"): row["low"],
            said("high"): row["high"],
            said("ranks"): None if row["ranks"] is None else ranks(row["ranks"]),
            said("answers"): row["n"],
            said("questions"): row["questions"],
            said("why not"): row["why_none"],
        }
        for row in found["models"]
    ]
    rows = _known(_known(rows, said("why not")), said("ranks"))
    table_of(rows, f"{name}-composites", column_config=_numbers())
    if any(row["ranks"] is not None for row in found["models"]):
        st.caption(
            say(
                "Ranks: those that the model can hold, 95% for all models of a grader together. "
                "Means: a 95% CI each."
            )
        )


def _known(rows: list[dict], column: str) -> list[dict]:
    """The rows, without a column that is empty in all of them."""
    if any(row[column] is not None for row in rows):
        return rows
    return [{head: cell for head, cell in row.items() if head != column} for row in rows]


def left_out(found: dict) -> None:
    """What is not in the figures, by grader, and how they were made."""
    lines = [
        said("{grader}: {reasons}", grader=_people(grader), reasons=reasons(counts))
        for grader, counts in found["left_out"].items()
        if counts
    ]
    for line in lines or [said("No answer is left out.")]:
        st.markdown(plain(line))
    st.caption(plain(found["signature"]))


def explanations() -> None:
    """The terms of the screen, each one click away."""
    with st.container(horizontal=True):
        for term in ("composite", "order", "tau-b", "baseline"):
            explained(term, sentence(term))


def _numbers() -> dict:
    heads = (said("mean"), said("low"), said("high"))
    return {head: st.column_config.NumberColumn(say(head), format="%.2f") for head in heads}


def _pair_list(pairs: list[dict], judge: str) -> str:
    rows = [
        f'<li class="{"swap" if pair["swap"] else ""}"><b>{escape(word(pair["reading"]))}</b>'
        f"{escape(word(words.pair_sentence(pair, judge)))}</li>"
        for pair in pairs
    ]
    return f'<ul class="concord-pairs">{"".join(rows)}</ul>'


def _grader(row: dict) -> str:
    if row["grader"] == BASELINE:
        return said("{variant} (the floor)", variant=BASELINE)
    return named(_people(row["grader"]), row["simulated"] and row["kind"] != "person")


def _people(grader: str) -> str:
    return said("people") if grader == PEOPLE else grader
