"""The filters of the work list and who works on it, kept in the URL."""

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.grading.adjudication import disagreement_causes
from concord.grading.adjudication.disagreement_causes import CAUSES
from concord.messages import counted, said
from concord.model import Grader
from concord.reports.disagreements import disagreements
from concord.reports.disagreements.disagreements import TAGGED, UNTAGGED, Wanted
from concord.reports.panel.simulated import named
from concord.store.database import Store
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.components.disagreements_pane import Listed
from concord.ui.looker import agreed, pick_person
from concord.ui.widgets import select

ANY = "*"


def pick(store: Store, found: Report) -> tuple[Wanted, Grader | None]:
    """The filters and who works, in one row; the best judge and the heaviest criterion at first."""
    panel, rubric = found.panel, found.rubric
    judges = {label: named(label, panel.judges[i].simulated) for i, label in panel.labels.items()}
    criteria = rubric.headings()
    with st.container(horizontal=True, key="disagreements-filters"):
        every = _with_all(said("All judges"), judges)
        judge = select(said("Judge"), "judge", every, found.best() or ANY)
        first = rubric.heaviest().name
        every = _with_all(said("All criteria"), criteria)
        criterion = select(said("Criterion"), "criterion", every, first)
        judge_id = None if judge == ANY else found.judge_id(judge)
        criterion_name = None if criterion == ANY else criterion
        cells = _cells(found, judge_id, criterion_name)
        any_one = {ANY: said("Any")}
        cell = select(said("Scores"), "cell", any_one | cells, ANY, ANY)
        sizes = {str(size): said("{n} or more", n=size) for size in _sizes(rubric.scale)}
        size = select(said("Points apart"), "size", any_one | sizes, ANY, ANY)
        models = {ANY: said("All models")} | {model: model for model in panel.answer_models}
        model = select(said("Answers of"), "answer_model", models, ANY, ANY)
        tagged = {UNTAGGED: said("Not tagged yet"), TAGGED: said("Tagged"), **CAUSES}
        cause = select(said("Cause"), "cause", any_one | tagged, ANY, ANY)
        why = said("Tags are stored with your name.")
        grader = pick_person(store, "disagreements.person", why)
    wanted = Wanted(
        criterion_name,
        judge_id,
        None if cell == ANY else read_cell(cell),
        None if model == ANY else model,
        None if size == ANY else int(size),
        None if cause == ANY else cause,
    )
    return wanted, grader


def read_cell(cell: str) -> tuple[int, int]:
    """The annotator's and the judge's score of a cell as the URL holds it."""
    person, judge = cell.split(":")
    return int(person), int(judge)


def listed(store: Store, found: Report, wanted: Wanted) -> Listed:
    """Return all rows that pass the filters, with the tags as of when the filters were set."""
    key = (found.sheet.id, found.rubric.body(), *map(str, found.panel.annotators), *wanted)
    token = digest([str(part) for part in key])
    kept = st.session_state.get("disagreements.until")
    if kept is None or kept[0] != token:
        kept = (token, disagreement_causes.newest(store))
        st.session_state["disagreements.until"] = kept
    rows = disagreement_table(found, wanted._replace(cause=None))
    return Listed(found.panel, wanted, rows, token, kept[1])


def may_show(grader: Grader | None) -> bool:
    """True where the viewer confirmed the warning about seeing judges' scores."""
    return grader is None or agreed(grader, tags=True)


def _cells(found: Report, judge: int | None, criterion: str | None) -> dict[str, str]:
    return {
        f"{person}:{given}": said(
            "annotator {person}, judge {judge} ({answers})",
            person=person,
            judge=given,
            answers=counted(n, "answer"),
        )
        for person, given, n in _error_cells(found, judge, criterion)
    }


def _with_all(word: str, options: dict[str, str]) -> dict[str, str]:
    """The options with one for all of them before, where there are several."""
    return options if len(options) == 1 else {ANY: word, **options}


def _sizes(scale: tuple[int, ...]) -> list[int]:
    """Return every distance of two scores from 2 on."""
    return sorted({b - a for a in scale for b in scale if b - a > 1})


@spinning(said("Looking for disagreements…"))
@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_KEY)
def disagreement_table(report: Report, wanted: Wanted) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
