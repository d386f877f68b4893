"""The answers behind a cell of a confusion table, with judge and annotators side by side."""

from html import escape

import streamlit as st

from concord.messages import spoken
from concord.reports.agreement.confusion import AnswerGrades, GraderScore, answer_grades
from concord.reports.cells import scores
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.store import grades, items
from concord.store.database import Store
from concord.ui.language import say, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import (
    LOOK,
    answer_text,
    comparison,
    grade_cell,
    listed,
    table,
)

PAGE = 5


def answers(store: Store, panel: Panel, judge_id: int, criterion: str, item_ids: list[int]) -> None:
    """The answers, a page at a time; that they were opened is noted, and by whom where known."""
    person = looker(store)
    if not agreed(store, person):
        return
    st.html(LOOK)
    pages = items.pages(len(item_ids), PAGE)
    key = f"cell_answers.{judge_id}.{criterion}.{item_ids[0]}.{len(item_ids)}"
    number = st.pagination(pages, key=key) if pages > 1 else 1
    shown = item_ids[PAGE * (number - 1) : PAGE * number]
    for one in answer_grades(store, panel, judge_id, shown):
        grades.open_item(store, one.stored.id, person.id if person else None)
        answer(one, criterion)


def answer(one: AnswerGrades, criterion: str) -> None:
    """One answer with the scores and reasons of its judges and annotators, a criterion first."""
    item = one.stored.item
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    with st.container(border=True):
        st.html(comparison(answer_text(item.question, by, item.answer), _grades(one, criterion)))
        if item.contexts or item.reference or item.turns:
            title = say("Contexts ({n})", n=len(item.contexts))
            with st.expander(title, key=f"contexts.{one.stored.id}"):
                parts = [(say("Earlier turns"), item.conversation)] if item.turns else []
                parts += [(say("Context {n}", n=of.rank), of.text) for of in item.contexts]
                parts += [(say("Reference answer"), text) for text in item.reference]
                st.html(listed(parts))


def _grades(one: AnswerGrades, criterion: str) -> str:
    """Scores and reasons: a column per grader, the chosen criterion first."""
    everything = (*one.judge, *one.annotators)
    who = list(dict.fromkeys((given.grader, given.simulated) for given in everything))
    criteria = list(dict.fromkeys(given.criterion for given in everything))
    criteria.sort(key=lambda name: name != criterion)
    by = {(given.grader, given.criterion): given for given in everything}
    rows = (
        f'<tr class="{"chosen" if name == criterion else ""}">'
        f"<th>{escape(word(spoken(name)))}</th>"
        + "".join(_cell(by.get((grader, name))) for grader, _ in who)
        + "</tr>"
        for name in criteria
    )
    heads = (word(named(name, simulated)) for name, simulated in who)
    return table(say("Grades"), (say("criterion"), *heads), rows)


def _cell(given: GraderScore | None) -> str:
    again = given.again if given else ()
    return grade_cell(given, say("repeats: {scores}", scores=scores(again)) if again else "")
