"""Working through refutations: one on screen, two keys, and on to the next."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from concord.messages import counted, joined, said
from concord.model import Grader, Sheet
from concord.reports.panel.simulated import named
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import Found, Passage
from concord.reports.units.contradicted_claims_list import LIST
from concord.reports.work_list import Listed
from concord.resources import ASSETS
from concord.store.database import Store
from concord.store.units import contradicted_claims
from concord.store.units.contradicted_claims import CONFIRMED, OVERTURNED, Refutation
from concord.text.display import visible
from concord.ui import work_list
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.language import word as worded
from concord.ui.looker import agreed, pick_person
from concord.ui.widgets import finding, select

LOOK = ASSETS / "contradicted.css"
_PROBLEM = "contradicted.problem"


def pick(store: Store, sheet: Sheet) -> tuple[Found | None, Grader | None]:
    """The list under a rubric and of a judge, and who works; None where nothing is refutable."""
    rubrics = {rubric.name: rubric for rubric in contradicted.rubrics(store, sheet)}
    if not rubrics:
        return None, None
    with st.container(horizontal=True):
        name = select(said("Rubric"), "rubric", {n: r.title for n, r in rubrics.items()}, "")
        every = contradicted.read(store, sheet, rubrics[name])
        judge = work_list.filters(LIST, every)["judge"]
        why = said("Your decision on a verdict is stored with your name.")
        grader = pick_person(store, why)
    return contradicted.read(store, sheet, rubrics[name], judge) if judge else every, grader


def headline(found: Found) -> None:
    """Show how many refutations were confirmed, and their precision."""
    figures = contradicted.precision(found.listed)
    finding(contradicted.headline(figures))
    for note in _notes(found, figures):
        st.caption(plain(note))


def work(store: Store, found: Found, grader: Grader | None) -> None:
    """The refutation on screen; that it was opened is noted first, and by whom where known."""
    show_refused(_PROBLEM)
    if not found.listed or not agreed(grader, tags=True):
        return
    listed = LIST.of(found.listed, ordered=False)  # a review moves none
    place = work_list.current(listed)
    one = listed[place]
    work_list.opened(store, [one.item_id], grader)
    passages = contradicted.passages(store, one, found.rubric)
    _verdict(one, contradicted.elsewhere(found, one))
    _buttons(listed, place, grader)
    texts = "".join(_text(passage) for passage in passages)
    st.html(f'<div class="concord-contradicted">{_unplaced(one, passages)}{texts}</div>')


def _notes(found: Found, figures: contradicted.Precision) -> list[str]:
    """What is left to review, the method of the CI, and the limits."""
    method = said("CI: {method}.", method=said(figures.precision.method))
    left = counted(figures.open, "refutation")
    return [
        *([said("{refutations} left to review.", refutations=left)] if figures.open else []),
        *([method] if figures.precision.low is not None else []),
        *contradicted.notes(figures.precision, contradicted.counts_often(figures, found.rubric)),
        *([_closed(found.closed)] if found.closed else []),
        said("Reviews change no grade and no other figure."),
    ]


def _closed(n: int) -> str:
    return said("{n:,} on held-out questions or in the few-shot pool are not shown.", n=n)


def _verdict(one: Refutation, elsewhere: Sequence[Refutation]) -> None:
    by = f" · {plain(one.answer_model)}" if one.answer_model else ""
    judge = worded(named(one.judge, one.simulated))
    why = say("Reason given by {judge}", judge=judge)
    st.caption(say("{judge} calls it contradicted", judge=plain(judge)) + by)
    st.html(LOOK)
    st.html(
        f'<div class="concord-contradicted"><p class="asked">{escape(visible(one.question))}</p>'
        f'<p class="unit">{escape(visible(one.unit))}</p>'
        f"<h3>{escape(why)}</h3>"
        f'<p class="why">{escape(visible(one.reason)) or say("No reason was given.")}</p></div>'
    )
    if one.word:
        done = said(
            "Confirmed by {who}." if one.word == CONFIRMED else "Overturned by {who}.", who=one.who
        )
        st.write(plain(joined(" ", [done, one.note])))
    for other in elsewhere:
        told = said(
            "{who} confirmed the same for {judge}."
            if other.word == CONFIRMED
            else "{who} overturned the same for {judge}.",
            who=other.who,
            judge=named(other.judge, other.simulated),
        )
        st.caption(plain(joined(" ", [told, other.note])))


def _unplaced(one: Refutation, passages: list[Passage]) -> str:
    """Return the judge's quote where it occurs in none of the texts."""
    if not one.quote or any(passage.quoted for passage in passages):
        return ""
    head = escape(say("Quote not found in any text"))
    return f"<h3>{head}</h3><p class='text'>{escape(one.quote)}</p>"


def _text(passage: Passage) -> str:
    marked = f"<mark>{escape(passage.quoted)}</mark>" if passage.quoted else ""
    return (
        f"<h3>{escape(worded(passage.title))}</h3><p class='text'>{escape(passage.before)}{marked}"
        f"{escape(passage.behind)}</p>"
    )


def _buttons(listed: Listed[Refutation], place: int, grader: Grader | None) -> None:
    """Show buttons bound to the refutation above them, whatever is on screen when clicked."""
    one = listed[place]
    reviews = [
        (CONFIRMED, say("Confirm: the judge is right"), "Y"),
        (OVERTURNED, say("Overturn: the judge is wrong"), "X"),
        *([("", say("Withdraw"), None)] if one.word and grader else []),
    ]
    with st.container(horizontal=True):
        for word, name, key in reviews:
            st.button(
                name,
                key=f"contradicted.{word or 'back'}.{one.grade_id}",
                type="primary" if word and one.word == word else "secondary",
                shortcut=key,
                disabled=grader is None,
                on_click=_say,
                args=(listed, place, word, grader.id if grader else None),
            )
        work_list.steps(listed, place, keyboard=True)
    st.caption(
        say(
            "{n} of {total}"
            if grader
            else "{n} of {total}. Enter your name to confirm or overturn.",
            n=place + 1,
            total=len(listed),
        )
    )


def _say(listed: Listed[Refutation], place: int, word: str, grader_id: int) -> None:
    """Keep the word, and go on to the next that is left to look at."""
    with changing(_PROBLEM) as store:
        contradicted_claims.review(store, listed[place].grade_id, word, grader_id)
    if _PROBLEM not in st.session_state:
        following = listed.next_open(place) if word else None
        work_list.go(listed, place if following is None else following)
