"""The loop as five cards, the one next thing to do, and what changed since yesterday."""

from html import escape

import streamlit as st

from concord.messages import said
from concord.reports.workflow.workflow import Loop, Step
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.markdown import plain

_MARKS = {"done": "✓", "next": said("next"), "open": ""}


def loop_cards(loop: Loop) -> None:
    """The five steps in a row; the next one carries the primary button below them."""
    with st.container(horizontal=True, key="loop", gap="small"):
        for place, step in enumerate(loop.steps, 1):
            _card(place, step)


def next_thing(loop: Loop) -> None:
    """The one next thing to do, with its button."""
    with st.container(key="next-thing"):
        st.markdown(say("**Next.** {why}", why=plain(loop.next.why)))
        label, icon = say(loop.next.label), ":material/arrow_forward:"
        if st.button(label, type="primary", icon=icon, key="start.next"):
            if loop.next.rubric:
                remember(rubric=loop.next.rubric)
            st.switch_page(loop.next.page)


def news(loop: Loop) -> None:
    """What changed in the last 24 hours, folded."""
    if not loop.news:
        st.caption(say("Nothing changed in the last 24 hours."))
        return
    with st.expander(say("Changed in the last 24 hours ({n})", n=len(loop.news))):
        for sentence in loop.news:
            st.markdown(f"- {plain(sentence)}")


def _card(place: int, step: Step) -> None:
    with st.container(border=True, key=f"loop-{step.state}-{place}", height="stretch"):
        st.html(
            f'<p class="concord-step"><span>{place}. {escape(say(step.title))}</span>'
            f"<span>{say(_MARKS[step.state])}</span></p>"
            f'<p class="concord-figure">{escape(say(step.figure))}</p>'
            f'<p class="concord-note">{escape(say(step.note))}</p>'
        )
        if step.page:
            st.page_link(step.page, label=say(step.link))
