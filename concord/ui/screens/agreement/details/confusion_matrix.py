"""The confusion matrix of the chosen judge and criterion; its cells open."""

import streamlit as st

from concord.messages import Said, capital, counted, said
from concord.reports.agreement import confusion as report
from concord.reports.agreement.confusion import Confusion
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import how_many, noun, of_rubric, plural, score
from concord.store import items as store_items
from concord.ui.cached_reports import Report
from concord.ui.chart import show_chart
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.cached_agreement import confusion_table
from concord.ui.screens.agreement.cell_answers import answers
from concord.ui.screens.agreement.details import detail

_CLOSED = "none"
_MOST = 20
_ONLY_MEAN = said(
    "Only a mean of several annotators was imported. A mean is a continuous number, which has no "
    "cells. Import the annotators' own grades to see the confusion matrix."
)
_NOTHING_SHARED = said("The judge and the annotators graded nothing in common.")


def confusion_pick(found: Report, judge: str, criterion: str, kind: str) -> tuple[int, int] | None:
    """The heat map and a list of its cells; the chosen cell as (annotator's, judge's score)."""
    if found.on(criterion).is_continuous(criterion, found.judge_id(judge)):
        st.write(
            say(
                "The judge's grades are continuous numbers, which have no cells. The threshold "
                "below turns them into pass and fail."
            )
        )
        return None
    table = confusion_table(found, found.judge_id(judge), criterion, kind)
    cells = _cells(table)
    if not cells:
        st.write(say(_ONLY_MEAN if not found.people.annotators else _NOTHING_SHARED))
        return None
    key = f"cell.{found.sheet.id}.{criterion}.{judge}"
    options = [_CLOSED, *cells]
    wanted = recall("cell")
    if key not in st.session_state:
        st.session_state[key] = wanted if wanted in options else _CLOSED
    elif st.session_state[key] not in options:
        st.session_state[key] = _CLOSED
    times = st.session_state.setdefault(f"{key}.times", 0)
    chart, name = report.matrix(table, judge), f"confusion-{judge}-{criterion}-{times}"
    show_chart(
        chart,
        name,
        {"dark": _is_dark()},
        on_select=lambda: _clicked(key, f"figure.{name}-{chart.name}", options),
        selection_mode="points",
    )
    if kind == EACH and len(found.people.annotators) > 1:
        units = plural(of_rubric(found.rubric))
        st.caption(
            say("{units} on which annotators differ are in several cells.", units=capital(units))
        )
    chosen = st.selectbox(
        say("Read the answers of a cell"),
        options,
        format_func=lambda cell: cells.get(cell, say("Click a cell, or choose one here")),
        key=key,
        # A new key clears the chart's selection, which Streamlit offers no other way to reset.
        on_change=lambda: st.session_state.update({f"{key}.times": times + 1}),
    )
    remember(cell=None if chosen == _CLOSED else chosen)
    return None if chosen == _CLOSED else _scores(chosen)


def cell_answers(store, found: Report, judge: str, criterion: str, kind: str, cell) -> None:
    """The answers of a cell, with both reasons side by side."""
    judge_id = found.judge_id(judge)
    item_ids = report.cell(found.on(criterion), judge_id, criterion, *cell, kind)
    if not item_ids:
        st.caption(say("This cell no longer contains any answers."))
        return
    st.subheader(plain(_words(found, cell, len(item_ids), judge, criterion)), anchor=False)
    if found.rubric.units:
        _evidence(store, found, item_ids)
        return
    if cell[0] != cell[1]:
        st.page_link(
            "pages/review.py",
            label=say("Review them one by one"),
            icon=":material/checklist:",
            query_params=_link(found, judge, criterion, cell),
        )
    answers(store, found.on(criterion), judge_id, criterion, item_ids)


def _evidence(store, found: Report, item_ids: list[int]) -> None:
    """Links to the evidence of the answers whose units are in a cell."""
    units = noun(found.rubric.plural)
    st.write(say("Review shows their {units} side by side.", units=units))
    for stored in store_items.items(store, item_ids[:_MOST]):
        by = f" · {stored.item.answer_model}" if stored.item.answer_model else ""
        st.page_link(
            "pages/review.py",
            label=plain(f"{stored.item.question}{by}"),
            icon=":material/find_in_page:",
            query_params={
                "list": "claims",
                "sheet": found.sheet.name,
                "criterion": found.rubric.name,
                "entry": f"claims.{stored.id}",
            },
        )
    if len(item_ids) > _MOST:
        st.caption(say("{n:,} more in this cell.", n=len(item_ids) - _MOST))


def _link(found: Report, judge: str, criterion: str, cell: tuple[int, int]) -> dict[str, str]:
    """Return the URL parameters of the matching disagreements list."""
    looking = {"grader": one} if (one := recall("grader")) else {}
    return looking | {
        "sheet": found.sheet.name,
        "rubric": found.rubric.name,
        "judge": judge,
        "criterion": criterion,
        "cell": f"{cell[0]}:{cell[1]}",
    }


def _cells(table: Confusion) -> dict[str, str]:
    """Return the list entry of each non-empty cell, the worst disagreement first."""
    held = table.counts()
    ordered = sorted(held, key=lambda cell: (-abs(cell[0] - cell[1]), cell))
    return {
        f"{person}:{judge}": say(
            "annotator {person}, judge {judge}: {count}",
            person=score(table.units, person),
            judge=score(table.units, judge),
            count=how_many(table.units, count),
        )
        for (person, judge), count in ((cell, held[cell]) for cell in ordered)
    }


def _clicked(key: str, chart: str, options: list[str]) -> None:
    """Turn a click on the heat map into a choice in the list."""
    for point in st.session_state[chart].selection.points[:1]:
        cell = f"{point['y']}:{point['x']}"
        if cell in options:
            st.session_state[key] = cell


def _scores(cell: str) -> tuple[int, int]:
    person, judge = cell.split(":")
    return int(person), int(judge)


def _words(found: Report, cell: tuple[int, int], count: int, judge: str, criterion: str) -> Said:
    units = of_rubric(found.rubric)
    person, given = (score(units, level) for level in cell)
    answers = counted(count, "answer")
    if units:
        return said(
            "{answers} with {units} {person} from an annotator and {given} from {judge}",
            answers=answers,
            units=noun(found.rubric.plural),
            person=person,
            given=given,
            judge=judge,
        )
    return said(
        "{answers} with {criterion} {person} from an annotator and {given} from {judge}",
        answers=answers,
        criterion=criterion,
        person=person,
        given=given,
        judge=judge,
    )


def _is_dark() -> bool:
    return st.context.theme.type == "dark"


def _title(report: Report) -> Said:
    if report.rubric.units:
        return said("Annotator's label against the judge's")
    return said("Annotator's score against the judge's")


@detail("confusion", 0, _title, key="cell")
def confusion_matrix(report: Report, choice: AgreementChoice, name: str) -> None:
    """The confusion matrix, and the answers of the chosen cell."""
    judge, criterion, kind = choice
    cell = confusion_pick(report, judge, criterion, kind)
    if cell:
        cell_answers(report.store, report, judge, criterion, kind, cell)
