"""The answers behind a cell of a confusion table, with judge and annotators side by side."""

from html import escape

import streamlit as st

from concord.language.grade_statuses import status_words
from concord.reports.agreement.confusion import AnswerGrades, Said, answer_grades
from concord.reports.cells import scores
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.resources import ASSETS
from concord.store import grades, items
from concord.store.database import Store
from concord.ui.language import say, word
from concord.ui.looker import agreed, looker
from concord.ui.markdown import safe_html

LOOK = ASSETS / "comparison.css"
PAGE = 5


def answers(store: Store, panel: Panel, judge_id: int, criterion: str, item_ids: list[int]) -> None:
    """The answers, a page at a time; that they were opened is noted, and by whom where known."""
    person = looker(store)
    if not agreed(person):
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
    nothing = f"<i>{escape(say('(empty)'))}</i>"
    with st.container(border=True):
        st.html(
            f'<div class="concord-comparison"><p class="asked">{escape(item.question)}</p>'
            f"<h3>{escape(by)}</h3>"
            f'<div class="answer">{safe_html(item.answer) or nothing}</div>'
            f"{_said_table(one, criterion)}</div>"
        )
        if item.contexts or item.reference or item.turns:
            title = say("Contexts ({n})", n=len(item.contexts))
            with st.expander(title, key=f"contexts.{one.stored.id}"):
                st.html(_sources(one))


def _said_table(one: AnswerGrades, criterion: str) -> str:
    """Scores and reasons: a column per grader, the chosen criterion first."""
    who = list(
        dict.fromkeys((said.grader, said.simulated) for said in (*one.judge, *one.annotators))
    )
    everything = (*one.judge, *one.annotators)
    criteria = list(dict.fromkeys(said.criterion for said in everything))
    criteria.sort(key=lambda name: name != criterion)
    by = {(said.grader, said.criterion): said for said in everything}
    heads = "".join(f"<th>{escape(word(named(name, simulated)))}</th>" for name, simulated in who)
    lines = "".join(
        f'<tr class="{"chosen" if name == criterion else ""}">'
        f"<th>{escape(name.replace('_', ' '))}</th>"
        + "".join(_cell(by.get((grader, name))) for grader, _ in who)
        + "</tr>"
        for name in criteria
    )
    return (
        f'<div class="scroll"><table><thead><tr><th></th>{heads}</tr></thead>{lines}</table></div>'
    )


def _cell(said: Said | None) -> str:
    if said is None:
        return "<td>–</td>"
    score = word(status_words(said.status)) if said.score is None else f"{said.score:g}"
    asked = say("repeats: {scores}", scores=scores(said.again)) if said.again else ""
    again = f" <small>{escape(asked)}</small>" if asked else ""
    return f"<td><b>{escape(score)}</b>{again}<p>{escape(said.reason)}</p></td>"


def _sources(one: AnswerGrades) -> str:
    item = one.stored.item
    parts = [(say("Earlier turns"), item.conversation)] if item.turns else []
    parts += [(say("Context {n}", n=context.rank), context.text) for context in item.contexts]
    parts += [(say("Reference answer"), text) for text in item.reference]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f'<dl class="concord-item">{rows}</dl>'
