"""The probes of the agreement screen: what stands out in words, then every effect, then scores."""

import pandas as pd
import streamlit as st

from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.panel.terminal_tables import UNDEFINED, number, plain_share
from concord.reports.panel.unit_words import of_rubric
from concord.reports.panel.unit_words import said as of_units
from concord.reports.panel.unit_words import score as worded_score
from concord.rubrics.model import Rubric
from concord.ui.cached_reports import Report
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.agreement_table import titled
from concord.ui.screens.agreement.cached_agreement import bias_rows

TITLES = {
    "leniency": said("leniency"),
    "spread": said("central tendency"),
    "length": said("length"),
    "halo": said("halo"),
    "self_preference": said("self-preference"),
}
_UNITS = {
    "leniency": said("points"),
    "spread": said("times a person's"),
    "length": said("points per doubling"),
    "halo": said("correlation"),
    "self_preference": said("points"),
}


def show(report: Report, choice: Choice, name: str) -> None:
    """The probes of the chosen judge, and which scores it used on the chosen criterion."""
    terms(*TITLES.values())
    every = bias_rows(report)
    rows = [row for row in every if row["judge"] == choice.judge]
    if not rows:
        st.write(say("The baseline is a floor and is not probed. Choose a judge above."))
        return
    _findings(rows, sum(row["p"] is not None for row in every), report.rubric)
    shown = [{k: v for k, v in one.items() if k != "judge"} for one in effects(rows, report.rubric)]
    whole = pd.DataFrame(effects(every, report.rubric))
    table_of(shown, f"{name}-{choice.judge}-probes", whole, height="content")
    for why in dict.fromkeys(map(_missing, (row for row in rows if row["why_none"]))):
        st.caption(plain(why))
    _scores(rows, report.rubric, choice, name)


def effects(rows: list[dict], rubric: Rubric) -> list[dict]:
    """Every effect with its interval and its adjusted p, or why there is none."""
    return [_effect(row, rubric) for row in rows]


def _missing(row: dict) -> Said:
    return said("— {probe}: {why}.", probe=TITLES[row["probe"]], why=row["why_none"])


def _effect(row: dict, rubric: Rubric) -> dict:
    p = row["p_adjusted"]
    return {
        said("judge"): row["judge"],
        said("probe"): TITLES[row["probe"]],
        said("criterion"): titled(rubric, row["criterion"]) if row["criterion"] else said("all"),
        said("effect"): number(row, "" if row["probe"] == "spread" else "+"),
        said("in"): _UNITS[row["probe"]],
        said("adjusted p"): UNDEFINED if p is None else _p(p),
        of_units(rubric, said("answers")): row["n"],
        "": _said(row),
    }


def _said(row: dict) -> str:
    """What an effect amounts to; the reason where there is none."""
    if row["p"] is None:
        return row["why_none"]
    return said("stands out" if row["stands_out"] else "no clear sign")


def _p(value: float) -> str:
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")


def _findings(rows: list[dict], tests: int, rubric: Rubric) -> None:
    """What stands out, one sentence each."""
    found = [row for row in rows if row["stands_out"]]
    for row in found:
        st.markdown(f"- {plain(row['sentence'])}")
    if not found:
        ran = any(row["p"] is not None for row in rows)
        st.write(say("Nothing stands out." if ran else "No probe could be run."))
    exploratory = said(
        "Exploratory: {tests} over all judges, adjusted together (Benjamini and Hochberg).",
        tests=counted(tests, "test"),
    )
    longer = said("A lean is not its cause: longer answers may be better in ways people missed.")
    st.caption(say(joined(" ", [exploratory, of_units(rubric, longer)])))


def _scores(rows: list[dict], rubric: Rubric, choice: Choice, name: str) -> None:
    """How often each score was given, and how far the judge departs from it."""
    lean = next(r for r in rows if (r["probe"], r["criterion"]) == ("leniency", choice.criterion))
    by_score = lean["details"].get("by_score")
    if not by_score:
        return
    what = plain(titled(rubric, choice.criterion))
    st.markdown(say("**Scores given for {criterion}**", criterion=what))
    st.caption(
        say(
            "How far others are from a person who gave this score: at the ends of a scale one can "
            "only miss to one side, so compare the judge with the people."
        )
    )
    table_of(scores(by_score, rubric), f"{name}-{choice.judge}-{choice.criterion}-scores")


def scores(by_score: list[dict], rubric: Rubric) -> list[dict]:
    """One line per score: shares by people and judge, and both one's distance from it."""
    words = {"units": of_rubric(rubric)}
    return [
        {
            said("score"): worded_score(words, row["score"]) if rubric.units else row["score"],
            said("people give it"): plain_share(row["people"]),
            said("the judge gives it"): plain_share(row["judge"]),
            said("the judge is off by"): _signed(row["bias"]),
            said("another person is off by"): _signed(row["people_bias"]),
        }
        for row in by_score
    ]


def _signed(value: float | None) -> str:
    return UNDEFINED if value is None else number({"value": value, "low": None}, "+")
