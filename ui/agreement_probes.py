"""The probes of the agreement screen: what stands out in words, then every effect, then scores."""

import pandas as pd
import streamlit as st

from data.counted import counted
from reports.text import UNDEFINED, number, plain_share
from reports.unit_words import of_rubric, said
from reports.unit_words import score as worded_score
from rubrics.model import Rubric
from ui.agreement_pick import Choice
from ui.agreement_table import titled
from ui.markdown import plain
from ui.report import Report
from ui.terms import sentence
from ui.widgets import table

TITLES = {
    "leniency": "leniency",
    "spread": "central tendency",
    "length": "length",
    "halo": "halo",
    "self_preference": "self-preference",
}
_UNITS = {
    "leniency": "points",
    "spread": "times a person's",
    "length": "points per doubling",
    "halo": "correlation",
    "self_preference": "points",
}


def show(report: Report, choice: Choice, name: str) -> None:
    """The probes of the chosen judge, and which scores it used on the chosen criterion."""
    with st.popover("What the words mean", icon=":material/help:"):
        for term in TITLES.values():
            st.markdown(f"**{term}** · {sentence(term)}")
    every = report.probes()
    rows = [row for row in every if row["judge"] == choice.judge]
    if not rows:
        st.write("The baseline is a floor and is not probed. Choose a judge above.")
        return
    _findings(rows, sum(row["p"] is not None for row in every), report.rubric)
    shown = effects(rows, report.rubric).drop(columns="judge")
    whole = effects(every, report.rubric)
    table(shown, f"{name}-{choice.judge}-probes", whole, height="content")
    for why in dict.fromkeys(
        f"{TITLES[r['probe']]}: {r['why_none']}" for r in rows if r["why_none"]
    ):
        st.caption(plain(f"— {why}."))
    _scores(rows, report.rubric, choice, name)


def effects(rows: list[dict], rubric: Rubric) -> pd.DataFrame:
    """Every effect with its interval and its adjusted p, or why there is none."""
    return pd.DataFrame([_effect(row, rubric) for row in rows])


def _effect(row: dict, rubric: Rubric) -> dict:
    p = row["p_adjusted"]
    return {
        "judge": row["judge"],
        "probe": TITLES[row["probe"]],
        "criterion": titled(rubric, row["criterion"]) if row["criterion"] else "all",
        "effect": number(row, "" if row["probe"] == "spread" else "+"),
        "in": _UNITS[row["probe"]],
        "adjusted p": UNDEFINED if p is None else _p(p),
        said(rubric, "answers"): row["n"],
        "": _said(row),
    }


def _said(row: dict) -> str:
    """What an effect amounts to; the reason where there is none."""
    if row["p"] is None:
        return row["why_none"]
    return "stands out" if row["stands_out"] else "no clear sign"


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")


def _findings(rows: list[dict], tests: int, rubric: Rubric) -> None:
    """What stands out, one sentence each."""
    found = [row for row in rows if row["stands_out"]]
    for row in found:
        st.markdown(f"- {plain(row['sentence'])}")
    if not found:
        st.write("Nothing stands out.")
    st.caption(
        f"Exploratory: {counted(tests, 'test')} over all judges, adjusted together (Benjamini and "
        "Hochberg). A lean is not its cause: "
        + said(rubric, "longer answers may be better in ways people missed.")
    )


def _scores(rows: list[dict], rubric: Rubric, choice: Choice, name: str) -> None:
    """How often each score was given, and how far the judge departs from it."""
    lean = next(r for r in rows if (r["probe"], r["criterion"]) == ("leniency", choice.criterion))
    by_score = lean["details"].get("by_score")
    if not by_score:
        return
    st.markdown(f"**Scores given for {plain(titled(rubric, choice.criterion))}**")
    st.caption(
        "How far others are from a person who gave this score: at the ends of a scale one can only "
        "miss to one side, so compare the judge with the people."
    )
    table(scores(by_score, rubric), f"{name}-{choice.judge}-{choice.criterion}-scores")


def scores(by_score: list[dict], rubric: Rubric) -> pd.DataFrame:
    """One line per score: shares by people and judge, and both one's distance from it."""
    words = {"units": of_rubric(rubric)}
    return pd.DataFrame(
        [
            {
                "score": worded_score(words, row["score"]) if rubric.units else row["score"],
                "people give it": plain_share(row["people"]),
                "the judge gives it": plain_share(row["judge"]),
                "the judge is off by": _signed(row["bias"]),
                "another person is off by": _signed(row["people_bias"]),
            }
            for row in by_score
        ]
    )


def _signed(value: float | None) -> str:
    return UNDEFINED if value is None else number({"value": value, "low": None}, "+")
