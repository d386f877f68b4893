"""Comparisons on screen: variants side by side, or one of the predefined comparisons."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.messages import Problem, said
from concord.model import Sheet
from concord.reports.comparison import compare_document, reading_choice, studies
from concord.reports.comparison.study import Study
from concord.reports.comparison.study import document as study_document
from concord.store.database import Store
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.language import plain, say
from concord.ui.screens.agreement import cached_comparison
from concord.ui.screens.agreement.cached_comparison import ComparedSheet
from concord.ui.screens.agreement.compare_pick import CompareChoice
from concord.ui.widgets import TO_JUDGES, next_screen_link, select, switch, terms

_POOL = "pool"
_QUESTIONS = {"evaluation": said("evaluation"), _POOL: said("few-shot pool")}
_TERMS = (
    *("variant", "distance", "skill", said("same answers"), said("paired difference"), "spread"),
    *("test-retest", "ccc", "QWK", "exact", said("failure recall"), "bias", said("model ranking")),
    *("composite", "baseline"),
)


def side_by_side(found: ComparedSheet, choice: CompareChoice, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    compared = cached_comparison.compared(found, *choice)
    name = f"{found.sheet.name}-compare-{choice.target}"
    shown = compare_document.document(compared)
    with title:
        render.head(shown, in_one=True)
    if compared.weighting:
        st.caption(plain(compared.weighting))
    terms(*_TERMS)
    if shown.charts:  # columns for both, so that one alone is no wider
        for place, chart in zip(st.columns([3, 2], gap="large"), shown.charts, strict=False):
            with place:
                show_chart(chart, name)
    render.body(shown, name, in_full=True)
    next_screen_link(*TO_JUDGES)


def answered_study(store: Store, found: ComparedSheet, kind: str, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    questions = {name: plan.question for name, plan in studies.PLANS.items()}
    name = select(said("Question"), "study", questions, next(iter(questions)))
    pool = name == studies.READING and switch(said("Questions"), "questions", _QUESTIONS) == _POOL
    try:
        study = _study(store, found.sheet, name, kind, found.annotators.rubric.name, pool)
    except Problem as problem:  # nobody has graded the pool
        st.info(plain(str(problem)))
        return
    shown = study_document(study)
    shown = replace(shown, facts=shown.facts[1:])  # the picker shows the question
    with title:
        render.head(shown)
    render.body(shown, found.sheet.name, in_full=True)
    if pool and study.can_run:
        _judge_files(store, found.sheet, kind, found.annotators.rubric.name, study)
    if study.missing:
        next_screen_link(*TO_JUDGES)


@kept(said("Comparing the judges…"), 12)
def _study(store: Store, sheet: Sheet, name: str, kind: str, rubric: str, pool: bool) -> Study:
    return studies.run(store, sheet, name, kind=kind, rubric=rubric, pool=pool)


def _judge_files(store: Store, sheet: Sheet, kind: str, rubric: str, study: Study) -> None:
    """Offer the file of each judge with the rule that was chosen for it."""
    for judge in dict.fromkeys(row["judge"] for row in study.figures):
        try:
            name, text = _chosen(store, sheet, kind, rubric, judge)
        except Problem as problem:
            st.caption(plain(str(problem)))
            continue
        st.download_button(
            say("Download {name}.toml", name=name),
            text,
            f"{name}.toml",
            "application/toml",
            help=say("The judge with the chosen rule, and a record of how it was chosen."),
        )


@kept(said("Comparing the judges…"), 12)
def _chosen(store: Store, sheet: Sheet, kind: str, rubric: str, judge: str) -> tuple[str, str]:
    """Return the name and the file of a judge with the rule chosen on the pool."""
    asked = studies.request(store, sheet, (judge,), kind, rubric, pool=True)
    return reading_choice.judge_file(store, asked)
