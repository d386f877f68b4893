"""What a look at a decision found: the finding, the chart, the judges, and the history."""

import pandas as pd
import streamlit as st

from concord.messages import said, small
from concord.problems import Problem
from concord.reports.decision import choose
from concord.reports.decision.findings import detail, headline, ordinal, rest
from concord.reports.decision.judge_table import intervals, shown
from concord.reports.decision.more_labels import would_tell
from concord.reports.decision.reasons import points
from concord.reports.decision.verdict import (
    CEILING,
    DIFFERENCE,
    KAPPA,
    MAJORITY,
    MINIMUM,
    REFERENCE,
    VERDICTS,
    heeds_assay,
)
from concord.reports.panel.simulated import named
from concord.reports.panel.terminal_tables import number, share
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.charts import choose_chart
from concord.ui.frame import recall, remember
from concord.ui.glossary import sentence, terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement.compare_pick import FLIPS
from concord.ui.screens.decide.choose_form import NEW, in_words
from concord.ui.widgets import figure, finding

_TERMS = (
    said("good enough"),
    "margin",
    "simultaneous",
    "look",
    "ceiling",
    said("majority-class baseline"),
    said("failure recall"),
)
_CONDITIONS = {
    DIFFERENCE: (said("Not worse than the reference judge by the margin"), points),
    MINIMUM: (said("Exact agreement reaches the minimum"), share),
    KAPPA: (said("Better than chance (quadratic kappa)"), number),
    CEILING: (said("Comes near people's agreement with one another"), points),
    MAJORITY: (said("Exact agreement is not below the majority-class baseline"), share),
    REFERENCE: (said("The reference judge itself has not failed (its exact agreement)"), share),
}
_WIDE = (said("exact"), said("difference, points"), said("judge - people, points"))
_STATES = {
    "clear": said("✓ holds"),
    "fails": said("✗ fails"),
    "open": said("? open"),
    "none": said("not asked"),
}


def result(store: Store, report: Report, decision: Decision) -> dict | None:
    """Show a decision: what was found, or what a look now would take; the document if shown."""
    try:
        stand = choose.standing(store, report.panel, decision)
    except Problem as problem:  # the reference judge is gone; other terms are the way out
        st.error(plain(str(problem)), icon=":material/error:")
        _other_terms()
        return None
    stale = stand.shown is None or not heeds_assay(stand.shown)
    if stale and not stand.look.new:
        choose.look(store, report.panel, decision)  # these grades were looked at before: it is free
        stand = choose.standing(store, report.panel, decision)
    found = stand.shown or stand.before
    if found is None:
        finding(say("The terms are fixed, and nobody has looked yet"), in_words(decision))
        _look_button(store, report, decision, stand)
        _other_terms()
        return None
    finding(headline(found))
    st.markdown(plain(rest(found)))
    st.caption(plain(detail(found)))
    if stand.shown is None:
        st.info(
            say(
                "This was found on {day}, on other grades than count now.",
                day=found["looked_at"][:10],
            ),
            icon=":material/history:",
        )
        _look_button(store, report, decision, stand)
    st.markdown(f":material/lock: {plain(in_words(decision))}")
    return found


def judges(found: dict, name: str) -> None:
    """The chart and the table of the judges."""
    with st.container(horizontal=True):
        by = _pick_axis()
        terms(*_TERMS)
        _other_terms()
    figure(choose_chart.scatter(found, by), f"{name}-choose-{by}", choose_chart.alt(found))
    wider = st.column_config.TextColumn(help=sentence("simultaneous"))
    table_of(
        shown(found),
        f"{name}-choose",
        whole=_whole(found),
        column_config=dict.fromkeys(_WIDE, wider),
    )
    st.caption(plain(intervals(found)))
    for judge, why in found["left_out"].items():
        st.caption(plain(said("{judge} is left out: {why}.", judge=judge, why=said(why))))


def conditions(found: dict, name: str) -> None:
    """What each verdict rests on, and how many more answers would tell."""
    with st.expander(say("What each verdict rests on")):
        table_of(_condition_rows(found), f"{name}-conditions")
        st.caption(plain(found["signature"]))
    with st.expander(say("How many more questions would tell")):
        st.write(
            say(
                "If the answers to come show the judge level with the reference judge and with "
                "people, so many questions would settle the verdict with a chance of 80%. It is a "
                "range, since few questions say little about how much questions differ."
            )
        )
        for row in found["judges"]:
            st.markdown(f"- {plain(_more(row, found))}")


def beside_reference(found: dict) -> None:
    """The way to the answers on which the judge of the finding and the reference judge differ."""
    if found["about"] != found["against"]:
        st.page_link(
            "pages/compare.py",
            label=plain(
                said(
                    "{first} and {second}, answer by answer",
                    first=found["about"],
                    second=found["against"],
                )
            ),
            icon=":material/compare_arrows:",
            query_params={
                "view": FLIPS,
                "first": found["against"],
                "second": found["about"],
                "sheet": found["sheet"],
                "rubric": found["rubric"],
            },
        )


def history(store: Store, report: Report, decision: Decision) -> None:
    """Every decision on this sheet and every look at it, the newest first."""
    every = decisions.of_sheet(store, report.sheet.id, rubric=report.rubric.name)
    rows = [row for one in reversed(every) for row in _history_rows(store, one)]
    with st.expander(say("Decisions and looks ({n})", n=len(rows)), expanded=False):
        table_of(rows, f"{report.sheet.name}-looks")
        others = {str(one.id): say(in_words(one)) for one in every}
        if len(every) > 1:
            chosen = st.selectbox(
                say("Open a decision"),
                list(others),
                index=list(others).index(str(decision.id)),
                format_func=others.get,
                key=f"choose.open.{decision.id}.{len(every)}",
            )
            if chosen != str(decision.id):
                remember(decision=chosen)
                st.rerun()


def _other_terms() -> None:
    if st.button(say("Fix other terms"), icon=":material/add:", key="choose.other"):
        remember(decision=NEW)
        st.rerun()


def _look_button(store: Store, report: Report, decision: Decision, stand) -> None:
    number = stand.look.number
    if stand.look.level is None:
        st.warning(
            say(
                "All four looks are spent, so another one gives no verdict. Take new questions: "
                "import them as a sheet of their own, or open sealed ones with a certificate."
            )
        )
        label = say("Look all the same ({ordinal} look)", ordinal=small(ordinal(number)))
    else:
        label = say("Take the {ordinal} look of four", ordinal=small(ordinal(number)))
    if st.button(label, type="primary", icon=":material/visibility:", key="choose.look"):
        choose.look(store, report.panel, decision)
        st.rerun()


def _pick_axis() -> str:
    options = {"cost_per_1000": say("Price"), "seconds": say("Seconds")}
    chosen = st.segmented_control(
        say("Against"),
        list(options),
        default=recall("axis") if recall("axis") in options else "cost_per_1000",
        format_func=options.get,
        required=True,
        key="choose.axis",
        label_visibility="collapsed",
    )
    remember(axis=chosen)
    return chosen


def _condition_rows(found: dict) -> list[dict]:
    return [
        {
            said("judge"): named(row["judge"], row["simulated"]),
            said("condition"): _CONDITIONS[name][0],
            said("state"): _STATES[one["state"]],
            said("figure, with limits that hold together"): _CONDITIONS[name][1](one["estimate"]),
            said("why empty"): said(one["estimate"]["why_none"] or ""),
        }
        for row in found["judges"]
        for name, one in row["conditions"].items()
    ]


def _more(row: dict, found: dict) -> str:
    judge = named(row["judge"], row["simulated"])
    if row["more_labels"]:
        more = would_tell(row["more_labels"], found)
        return said("{judge}: {more}.", judge=judge, more=more)
    return said("{judge}: {why}.", judge=judge, why=said(row["more_labels_why_none"]))


def _history_rows(store: Store, decision: Decision) -> list[dict]:
    fixed = {
        said("fixed after agreement could be seen"): said("yes")
        if decision.fixed_after_sight
        else said("no"),
        said("terms"): in_words(decision),
    }
    taken = [
        {
            said("looked at"): one.created_at[:16].replace("T", " "),
            said("look"): small(ordinal(one.result["looks"])),
            said("verdict"): VERDICTS[one.result["verdict"]],
            said("winner"): one.result["winner"] or "",
            said("answers"): str(one.result["answers"]),
        }
        for one in reversed(decisions.looks(store, decision))
    ]
    return [one | fixed for one in taken] or [{said("looked at"): said("not yet")} | fixed]


def _whole(found: dict) -> pd.DataFrame:
    """Every figure as a number, for the CSV."""
    figures = ("difference", "exact", "qwk", "judge_minus_ceiling", "failure_recall")
    plain_keys = ("judge", "fingerprint", "simulated", "is_reference", "verdict", "vetoed", "n")
    money = ("cost_per_1000", "seconds", "seconds_p95", "on_front")
    return pd.DataFrame(
        {key: row[key] for key in (*plain_keys, *money)}
        | {f"{name}_{end}": row[name][end] for name in figures for end in ("value", "low", "high")}
        | {"failing": row["failure_recall"]["failing"], "why": "; ".join(row["why"])}
        for row in found["judges"]
    )
