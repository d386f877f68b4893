"""The parts of the screen Annotators: how far they agree, and where they differ."""

from collections.abc import Sequence
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from concord.messages import said
from concord.problems import Problem
from concord.reports.cells import number, share
from concord.reports.panel import grading_times
from concord.reports.panel.simulated import named
from concord.reports.reliability import annotator_findings as words
from concord.reports.reliability import contested_items
from concord.reports.reliability import second_annotator as plans
from concord.store import items
from concord.store.database import Store
from concord.ui import style
from concord.ui.annotator_notes import warned
from concord.ui.cached_reports import Report
from concord.ui.charts import metrics_chart
from concord.ui.frame import recall, remember
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of, word
from concord.ui.markdown import plain
from concord.ui.widgets import figure, finding, select, switch

WORDS = ("exact", said("within one"), "qwk", "alpha", "ceiling", "strictness")
WORDS += (said("annotator warnings"), said("second grader"))
_PERIODS = {"thirds": said("Thirds of the answers"), "days": said("Days")}
_PARTS = {
    "answer": said("answer"),
    "grader": said("grader"),
    "question": said("question"),
    "grader_on_question": said("grader on question"),
    "rest": said("rest"),
}
_LISTED = 30


def pick_criterion(report: Report) -> str:
    """The criterion that is looked at; the heaviest to begin with."""
    first = report.rubric.heaviest().name
    return select(said("Criterion"), "criterion", report.rubric.headings(), first)


def zone() -> str:
    """The time zone of the browser, where it says one that is known here; else UTC."""
    try:
        grading_times.zone(st.context.timezone)
    except Problem:
        return "UTC"
    return st.context.timezone or "UTC"


def headline(report: Report, found: dict) -> None:
    """The finding in words, who is simulated, and what the words mean."""
    simulated = sum(person.simulated for person in report.panel.annotators.values())
    finding(words.title(found, report.rubric), words.detail(found, simulated))
    warned(found["annotator_warnings"])
    terms(*WORDS)


def strictness(found: dict, name: str) -> None:
    """Each annotator's distance from the others, by name, and each two annotators."""
    st.subheader(say("Who is stricter, by how much"), anchor=False)
    st.caption(
        say(
            "Points above (+) or below (−) the others on the same answers. It says of nobody who "
            "is right."
        )
    )
    annotators = {
        word(named(row["annotator"], row["simulated"])): row["bias"] | {"n": row["n"]}
        for row in found["strictness"]
        if row["bias"]["value"] is not None
    }
    looks = dict.fromkeys(annotators, style.ANNOTATORS)
    title = say("How far from the others on the same answers, by name")
    axis = say("points below (−) or above (+) the others")
    chart = metrics_chart.dots(annotators, title, looks, axis)
    chart.add_vline(x=0, line=style.CEILING)
    figure(chart, f"{name}-strictness", metrics_chart.alt(annotators))
    st.subheader(say("Each two annotators"), anchor=False)
    sharing = [row for row in found["pairs"] if row["n"]]
    rows = [
        {
            said("annotators"): f"{row['one']}, {row['other']}",
            **_figures(row),
            said("first minus second"): number(row["bias"], "+"),
        }
        for row in sharing
    ]
    table_of(rows, f"{name}-pairs", pd.json_normalize(found["pairs"]))
    apart = words.apart(found)
    if apart:
        st.caption(plain(apart))
    _why([row[one] for row in sharing for one in ("exact", "alpha", "qwk")])


def over_time(found: dict, name: str) -> None:
    """Whether annotators came to agree more or less as the grading went on."""
    st.subheader(say("Over time"), anchor=False)
    if found["why_none"]:
        st.write(plain(said("Not shown: {why}.", why=found["why_none"])))
        return
    by = switch(said("By"), "by", _PERIODS, label_visibility="collapsed")
    rows = [
        {
            said("answers"): row["period"],
            said("since"): row["since"],
            said("until"): row["until"],
            **_figures(row),
        }
        for row in found[by]
    ]
    table_of(rows, f"{name}-{by}", pd.json_normalize(found[by]))
    _why([row[one] for row in found[by] for one in ("exact", "alpha", "qwk")])
    st.caption(
        say(
            "An answer counts where the last of its annotators graded it. Left out, without a "
            "time: "
            "{n:,}.",
            n=found["left_out"],
        )
        if found["left_out"]
        else say("An answer counts where the last of its annotators graded it.")
    )


def split(store: Store, report: Report, found: dict, name: str) -> None:
    """The answers that split annotators most; the chosen one is shown with everyone's reasons."""
    held, criterion = found["split"], found["criterion"]
    st.subheader(
        say("Annotators differ on {differ:,} of {n:,} answers", differ=held["differ"], n=held["n"]),
        anchor=False,
    )
    if not held["items"]:
        return
    st.caption(
        say(
            "Most different first. Choose a line to read the answer; whoever still has to grade "
            "it should not."
        )
    )
    shown = held["items"][:_LISTED]
    rows = [
        {
            said("answer"): row["item"],
            said("question"): row["question"],
            said("answered by"): row["answer_model"],
            said("scores"): " ".join(map(str, row["scores"])),
            said("points apart"): row["apart"],
            said("link"): f"?{_link(report, criterion, row['item_id'])}",
        }
        for row in shown
    ]
    table_of(
        rows,
        f"{name}-split",
        pd.DataFrame(held["items"]),
        key=f"split.{report.sheet.id}.{criterion}",
        on_select=lambda: _chosen(f"split.{report.sheet.id}.{criterion}", shown),
        selection_mode="single-row",
        column_config={
            said("link"): st.column_config.LinkColumn(say("link"), display_text=say("open"))
        },
    )
    st.page_link(
        "pages/adjudicate.py",
        label=say("Settle them, blind to judges and to who said what"),
        icon=":material/how_to_reg:",
        query_params={"sheet": report.sheet.name, "rubric": report.rubric.name},
    )
    listed = {row["item_id"] for row in held["items"]}
    chosen = recall("item") or ""
    if chosen.isdecimal() and int(chosen) in listed:
        _answer(store, report, criterion, int(chosen))


def second_grader(found: dict, name: str) -> None:
    """Whether to add a second annotator or grade more answers; the components folded below."""
    held = found["second_grader"]
    st.subheader(say(held["sentence"]), anchor=False)
    if held["why_none"]:
        return
    table_of(plans.shown(held), f"{name}-plans")
    for note in plans.notes(held):
        st.caption(plain(note))
    with st.expander(say("Variance components, in squared points")):
        parts = [
            {
                said("part"): _PARTS[part],
                said("variance"): number(one),
                said("why empty"): one["why_none"],
            }
            for part, one in held["components"].items()
        ]
        table_of(parts, f"{name}-components")


def _figures(row: dict) -> dict:
    return {
        "n": row["n"],
        said("exact"): share(row["exact"]),
        said("within one"): share(row["within_one"]),
        said("alpha"): number(row["alpha"]),
        said("QWK"): number(row["qwk"]),
    }


def _why(estimates: Sequence[dict]) -> None:
    """Why figures or intervals are missing, each reason once."""
    for why in dict.fromkeys(filter(None, (one["why_none"] for one in estimates))):
        st.caption(f"— {plain(said('{sentence}.', sentence=why))}")


def _link(report: Report, criterion: str, item_id: int) -> str:
    query = {"sheet": report.sheet.name, "rubric": report.rubric.name, "criterion": criterion}
    annotators = recall("annotators")
    return urlencode(query | ({"annotators": annotators} if annotators else {}) | {"item": item_id})


def _chosen(key: str, shown: Sequence[dict]) -> None:
    """Keep the chosen line in the URL."""
    rows = st.session_state[key].selection.rows
    remember(item=shown[rows[0]]["item_id"] if rows else None)


def _answer(store: Store, report: Report, criterion: str, item_id: int) -> None:
    """One answer with annotators' scores and reasons, rising and without names."""
    held = items.item(store, item_id).item
    with st.container(border=True):
        st.markdown(f"**{plain(held.question)}**")
        st.markdown(plain(held.answer))
        for score, reason in contested_items.said(store, report.panel, criterion, item_id):
            st.markdown(f"**{score}** {plain(reason) or say('no reason given')}")
