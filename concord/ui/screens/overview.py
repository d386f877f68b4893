"""Overview: the steps of a calibration, the next one, and the sample."""

from collections.abc import Iterator
from html import escape

import streamlit as st

from concord.judges.baseline.run import demo
from concord.messages import said
from concord.model import Sheet
from concord.reports.agreement import headline
from concord.reports.panel import candidates
from concord.reports.panel.panel import Panel
from concord.reports.workflow.workflow import Loop
from concord.rubrics.model import Rubric
from concord.samples.load import NAME, RUBRIC
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.actions import show_done
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.frame import remember
from concord.ui.language import plain, say, unbroken
from concord.ui.navigation import path
from concord.ui.widgets import next_screen_link

_MARKS = {"done": "✓", "next": said("next step"), "open": ""}


def loop_cards(loop: Loop) -> None:
    """The five steps in a row; the next one is marked."""
    with st.container(horizontal=True, key="loop", gap="small"):
        for place, step in enumerate(loop.steps, 1):
            with st.container(border=True, key=f"loop-{step.state}-{place}", height="stretch"):
                st.html(
                    f'<p class="concord-step"><span>{place}. {escape(say(step.title))}</span>'
                    f"<span>{say(_MARKS[step.state])}</span></p>"
                    f'<p class="concord-figure">{escape(unbroken(say(step.figure)))}</p>'
                    + "".join(
                        f'<p class="concord-note">{escape(unbroken(say(note)))}</p>'
                        for note in step.notes
                    )
                )
                if step.screen:
                    opened = {"rubric": step.rubric} if step.rubric else None
                    st.page_link(path(step.screen), label=say(step.link), query_params=opened)


def next_thing(loop: Loop) -> None:
    """The one next thing to do, with its button."""
    with st.container(key="next-thing"):
        st.markdown(say("**Next.** {why}", why=plain(loop.next.why)))
        label, icon = plain(loop.next.label), ":material/arrow_forward:"
        if st.button(label, type="primary", icon=icon, key="start.next"):
            if loop.next.rubric:
                remember(rubric=loop.next.rubric)
            opened = {"judge": loop.next.judge} if loop.next.judge else None
            st.switch_page(path(loop.next.screen), query_params=opened)


def news(loop: Loop) -> None:
    """Show the changes of the last 24 hours, collapsed."""
    if not loop.news:
        st.caption(say("Nothing changed in the last 24 hours."))
        return
    with st.expander(say("Changed in the last 24 hours ({n})", n=len(loop.news))):
        for sentence in loop.news:
            st.markdown(f"- {plain(sentence)}")


def best_figure(store: Store, sheet: Sheet) -> headline.Headline | None:
    """Return the best judge's exact agreement on a sheet; None where it is undefined."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return None
    return _headline(store, sheet, rubric_versions.named(store, graded[0])[1])


def could_be_seen(store: Store, sheet: Sheet) -> bool:
    """True where a judge's agreement can be computed by now, on any criterion."""
    return any(
        candidates.could_be_seen(panel, one.name)
        for panel in _panels(store, sheet)
        for one in panel.rubric.criteria
    )


def why_no_choice(store: Store, sheet: Sheet) -> str:
    """Return why no judge can be chosen under any rubric, in words; '' where one can be."""
    why = [candidates.why_none(panel) for panel in _panels(store, sheet)]
    return why[0] if why and all(why) else ""


def _panels(store: Store, sheet: Sheet) -> Iterator[Panel]:
    for rubric_id in rubric_versions.graded(store, sheet.id):
        _, rubric = rubric_versions.named(store, rubric_id)
        yield Report(store, sheet, rubric).panel


@kept(said("Reading the grades…"))
def _headline(store: Store, sheet: Sheet, rubric: Rubric) -> headline.Headline | None:
    # One criterion is read here and not the panel: the start screen opens first and often.
    return headline.headline(store, sheet, rubric)


def sample_button(store: Store, primary: bool = False) -> None:
    """Offer the sample where it is not loaded; load it, run the baseline and say so."""
    if sheets.find(store, NAME) or not store.may_lead():
        return
    kind = "primary" if primary else "secondary"
    if not st.button(
        say("Load the sample"), type=kind, icon=":material/science:", key="sample.load"
    ):
        return
    with st.spinner(say("Loading the sample and running the baseline over it…")):
        st.session_state["sheets.said"] = demo(store, again=True)
    remember(sheet=NAME, rubric=RUBRIC)
    st.rerun()


def sample_said() -> None:
    """Show the result of the last import, deletion or loading of the sample."""
    page, label = st.session_state.pop("sheets.next", None) or (None, "")
    if show_done("sheets.said") and page:
        next_screen_link(page, label)
