"""Corrected scores on the ranking screen: raw and corrected side by side, and models compared."""

from collections.abc import Callable
from fractions import Fraction

import pandas as pd
import streamlit as st

from concord.messages import said, small
from concord.reports.panel.panel import Panel
from concord.reports.panel.sampling_weights import Drawn, drawn
from concord.reports.ranking import corrected, corrected_findings
from concord.store.database import Store
from concord.store.version_key import state
from concord.ui.cached_reports import Report
from concord.ui.frame import recall, remember
from concord.ui.glossary import sentence
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.spinner import spinning
from concord.ui.widgets import explained

_WAYS = {
    corrected.DRAW: said("A drawn set"),
    corrected.RATES: said("Error rates"),
    corrected.MATRIX: said("Confusion matrix"),
}
_TERMS = {corrected.DRAW: "ppi", corrected.RATES: "rogan-gladen", corrected.MATRIX: "matrix"}


def section(
    store: Store, report: Report, weights: dict[str, Fraction], judge: str, name: str
) -> None:
    """The answering models by one judge (its label) without its bias, or why there is no such."""
    st.subheader(say("Without the judge's bias"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = _pick_way()
        explained(said("corrected"), sentence("corrected"))
        explained(small(_WAYS[how]), sentence(_TERMS[how]))
    found = _report(store, report, weights, how)
    one = next((one for one in found["judges"] if one["judge"] == judge), None)
    reason = corrected_findings.why_not(found, one)
    if reason:
        st.write(plain(reason))
        if one and corrected_findings.has_own(one):
            _models(one, how, name)
        if how == corrected.DRAW:
            st.page_link(
                "pages/grading.py",
                label=say("Draw a grading set and grade"),
                icon=":material/arrow_forward:",
            )
        return
    people = [person.simulated for person in report.panel.people.values()]
    st.markdown(f"**{plain(corrected_findings.title(found, one))}**")
    st.caption(plain(corrected_findings.detail(found, one, people)))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _models(one, how, name)
        for note in corrected_findings.notes(one):
            st.caption(plain(note))
    with right:
        for pair in one["pairs"]:
            mark = ":material/check:" if pair["certain"] else ":material/question_mark:"
            raw = corrected.apart(pair["raw"], how)
            beside = plain(said("Raw {raw}", raw=raw))
            st.markdown(f"{mark} {plain(pair['sentence'])} :gray[{beside}]")


def _pick_way() -> str:
    wanted = recall("correct")
    how = st.segmented_control(
        say("Set right by"),
        list(_WAYS),
        default=wanted if wanted in _WAYS else corrected.DRAW,
        format_func=lambda way: say(_WAYS[way]),
        required=True,
        key="pick.correct",
    )
    remember(correct=None if how == corrected.DRAW else how)
    return how


def _models(one: dict, how: str, name: str) -> None:
    """Raw and corrected beside each other; the download has every number on its own."""
    lacking = any(model["corrected"]["why_none"] for model in one["models"])
    rows = [
        {
            said("answering model"): model["answer_model"],
            said("uncorrected"): corrected_findings.figure(model["raw"], how),
            said("corrected"): corrected_findings.figure(model["corrected"], how),
            said("answers"): model["n"],
            said("graded by people"): model["graded"],
            **(
                {said("annotators' own"): corrected_findings.figure(model["own"], how)}
                if model["own"]
                else {}
            ),
            **({said("why not"): model["corrected"]["why_none"]} if lacking else {}),
        }
        for model in one["models"]
    ]
    whole = pd.json_normalize(one["models"], sep="_")
    table_of(rows, f"{name}-{one['judge']}-corrected", whole=whole)


def _report(store: Store, report: Report, weights: dict[str, Fraction], how: str) -> dict:
    panel = report.panel
    key = (
        state(store, report.sheet),
        report.rubric.body(),
        tuple(panel.people),
        tuple(sorted(weights.items())),
        how,
    )
    return _corrected(key, panel.weighing(weights), lambda: drawn(store, panel))


@spinning(said("Taking out the judge's bias…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _corrected(key: tuple, _panel: Panel, _drawn: Callable[[], Drawn]) -> dict:
    return corrected.report(_panel, _drawn(), key[-1])
