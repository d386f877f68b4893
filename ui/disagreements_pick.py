"""The filters of the work list and who works on it, kept in the URL."""

import streamlit as st

from data import causes
from data.causes import CAUSES
from data.counted import counted
from data.graders import Grader
from data.store import Store
from reports.disagreements import TAGGED, UNTAGGED, Wanted
from reports.simulated import named
from rubrics.model import digest
from ui.beside import agreed, pick_person
from ui.disagreements_pane import Listed
from ui.report import Report
from ui.widgets import select
from words.said import said

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
        why = said("Tags are kept with your name.")
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
    """The person's and the judge's score of a cell as the URL holds it."""
    person, judge = cell.split(":")
    return int(person), int(judge)


def listed(store: Store, found: Report, wanted: Wanted) -> Listed:
    """Everything the filters let through, with the tags as they are when filters are set."""
    key = (found.sheet.id, found.rubric.body(), *map(str, found.panel.people), *wanted)
    token = digest([str(part) for part in key])
    kept = st.session_state.get("disagreements.until")
    if kept is None or kept[0] != token:
        kept = (token, causes.newest(store))
        st.session_state["disagreements.until"] = kept
    rows = found.disagreements(wanted._replace(cause=None))
    return Listed(found.panel, wanted, rows, token, kept[1])


def may_show(grader: Grader | None) -> bool:
    """Whether whoever looks was told what seeing the judges' scores means, and went on."""
    return grader is None or agreed(grader, tags=True)


def _cells(found: Report, judge: int | None, criterion: str | None) -> dict[str, str]:
    return {
        f"{person}:{given}": said(
            "person {person}, judge {judge} ({answers})",
            person=person,
            judge=given,
            answers=counted(n, "answer"),
        )
        for person, given, n in found.error_cells(judge, criterion)
    }


def _with_all(word: str, options: dict[str, str]) -> dict[str, str]:
    """The options with one for all of them before, where there are several."""
    return options if len(options) == 1 else {ANY: word, **options}


def _sizes(scale: tuple[int, ...]) -> list[int]:
    """Every distance of two scores from 2 on."""
    return sorted({b - a for a in scale for b in scale if b - a > 1})
