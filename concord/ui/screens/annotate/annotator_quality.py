"""How each annotator graded throughout, on screen; for whoever leads the grading."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from concord.language.grade_statuses import reason
from concord.messages import said
from concord.reports.cells import UNDEFINED, number, share
from concord.reports.panel.simulated import named
from concord.store.database import Store
from concord.store.permissions import LEAD, Who
from concord.ui.cached_reports import Report
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.annotate.cached_annotators import quality_report


def quality(store: Store, report: Report, criterion: str, zone: str, name: str) -> None:
    """A fold with everything, for those who may see it."""
    if not may_see(store.who):
        return
    title = say("How each annotator graded throughout, and what came too fast")
    with st.expander(title, key="fold.quality", on_change="rerun") as fold:
        if fold.open:
            found = quality_report(report, zone)
            terms("throughout", "repeats", said("too fast"))
            _throughout([row for row in found["rows"] if row["criterion"] == criterion], name)
            _by_hour(found, criterion, name)
            _pace(found, name)


def may_see(who: Who | None) -> bool:
    """Whether an annotator may see how each graded: a lead, and anybody where nobody signs in."""
    return who is None or who.role == LEAD


def _throughout(rows: list[dict], name: str) -> None:
    st.caption(
        say(
            "First and last third of each annotator's grades: points above (+) or below (−) the "
            "others on the same answers, how often the same score, and on answers that came back. "
            "By name."
        )
    )
    shown = [
        {
            said("annotator"): named(row["annotator"], row["simulated"]),
            said("timed grades"): row["graded"],
            said("n, first"): _of_part(row["first"], "n", str),
            said("n, last"): _of_part(row["last"], "n", str),
            said("first third"): _of_part(row["first"], "bias", _signed),
            said("last third"): _of_part(row["last"], "bias", _signed),
            said("change"): _signed(row["bias_change"]),
            said("exact, first"): _of_part(row["first"], "exact", share),
            said("exact, last"): _of_part(row["last"], "exact", share),
            said("came back"): row["repeats"]["n"],
            said("same again"): share(row["repeats"]["exact"]),
            said("within one"): share(row["repeats"]["within_one"]),
        }
        for row in rows
    ]
    table_of(shown, f"{name}-throughout", pd.json_normalize(rows))
    for why in dict.fromkeys(row["why_none"] for row in rows if row["why_none"]):
        st.caption(f"— {plain(said('{sentence}.', sentence=why))}")


def _by_hour(found: dict, criterion: str, name: str) -> None:
    shown = [
        {
            said("annotator"): row["annotator"],
            said("hours"): part["hours"],
            "n": part["n"],
            said("points"): _signed(part["bias"]),
            said("exact"): share(part["exact"]),
        }
        for row in found["rows"]
        for part in row["by_hour"]
        if row["criterion"] == criterion
    ]
    if shown:
        st.caption(plain(said("By hour of the day, {zone}.", zone=found["zone"])))
        table_of(shown, f"{name}-hours")


def _pace(found: dict, name: str) -> None:
    st.caption(say("Seconds of attention on an answer, and letters of it a second; medians."))
    shown = [
        {
            said("annotator"): named(row["annotator"], row["simulated"]),
            said("answers"): row["n"],
            said("seconds"): _rounded(row["seconds"]),
            said("letters a second"): _rounded(row["letters_per_second"]),
            said("too fast"): row["flagged"],
            said("without a time"): row["untimed"],
        }
        for row in found["pace"]
    ]
    table_of(shown, f"{name}-pace")
    if found["flagged"]:
        st.caption(
            say("Graded too fast to have been read. None of them is left out of any figure.")
        )
        flagged = pd.DataFrame(found["flagged"]).drop(columns=["item_id"])
        table_of(list(map(_flagged, found["flagged"])), f"{name}-too-fast", flagged)
    elif any(row["n"] for row in found["pace"]):
        st.caption(say("No grade came faster than its answer can be read."))


def _flagged(row: dict) -> dict:
    return {
        said("annotator"): row["annotator"],
        said("answer"): row["item"],
        said("letters"): row["letters"],
        said("seconds"): _rounded(row["seconds"]),
        said("letters a second"): _rounded(row["letters_per_second"]),
        said("why"): reason(row["why"]),
    }


def _of_part(part: dict | None, name: str, words: Callable[[Any], str]) -> str:
    return words(part[name]) if part else UNDEFINED


def _signed(one: dict) -> str:
    return number(one, "+")


def _rounded(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.1f}"
