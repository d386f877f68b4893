"""Overview: the steps of a calibration, the next one, and the sample."""

from html import escape

import streamlit as st

from concord.judges.baseline.run import demo
from concord.model import Sheet
from concord.reports.agreement import agreement
from concord.reports.workflow.workflow import Loop
from concord.samples.load import NAME, RUBRIC
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.actions import show_done
from concord.ui.frame import remember
from concord.ui.language import plain, say, unbroken
from concord.ui.looker import leads
from concord.ui.navigation import path
from concord.ui.reports import Report, open_alerts
from concord.ui.screens import flags
from concord.ui.widgets import next_screen_link

_MARKS = {"done": "✓", "next": "next step", "open": ""}


def loop_cards(loop: Loop) -> None:
    """The five steps in a row, each a link; the next one is marked."""
    with st.container(horizontal=True, key="loop", gap="small"):
        for place, step in enumerate(loop.steps, 1):
            with st.container(border=True, key=f"loop-{step.state}-{place}", height="stretch"):
                label = f"{place}. {step.title}"
                st.page_link(path(step.screen), label=label, query_params=step.query)
                notes = "".join(
                    f'<p class="concord-note">{escape(unbroken(say(note)))}</p>'
                    for note in step.notes
                )
                st.html(
                    f'<p class="concord-step"><span>{say(_MARKS[step.state])}</span></p>'
                    f'<p class="concord-figure">{escape(unbroken(say(step.figure)))}</p>{notes}'
                )


def next_thing(loop: Loop) -> None:
    """The one next thing to do, with its button."""
    with st.container(key="next-thing"):
        st.markdown(f"**{say('Next.')}** {plain(loop.next.why)}")
        label, icon = plain(loop.next.label()), ":material/arrow_forward:"
        if st.button(label, type="primary", icon=icon, key="start.next"):
            st.switch_page(path(loop.next.screen), query_params=loop.next.query)


def asked(store: Store, sheet: Sheet) -> None:
    """Show leads the flags without a reply."""
    if not leads(store):
        return
    found = flags.of_sheet(store, sheet.id)
    if not all(one.replied for one in found):
        st.info(plain(flags.headline(found)), icon=":material/flag:")
        next_screen_link("pages/annotate.py", "Read and reply")


def news(loop: Loop) -> None:
    """Show the changes of the last 24 hours, collapsed."""
    if loop.news:
        with st.expander("Changed in the last 24 hours"):
            st.markdown("\n".join(f"- {plain(text)}" for text in loop.news))


def of_grades(store: Store, sheet: Sheet) -> tuple[agreement.Headline | None, tuple[str, ...]]:
    """Return the best judge's exact agreement, and the annotators with an open alert."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return None, ()
    rubric = rubric_versions.named(store, graded[0])[1]
    report = Report(store, sheet, rubric)
    alerts = dict.fromkeys(one.annotator for one in open_alerts(report))
    return report.headline(), tuple(alerts)


def sample_button(store: Store, primary: bool = False) -> None:
    """Offer the sample where it is not loaded; load it, run the baseline and say so."""
    if sheets.find(store, NAME) or not store.may_lead():
        return
    kind = "primary" if primary else "secondary"
    if not st.button("Load the sample", type=kind, icon=":material/science:", key="sample.load"):
        return
    with st.spinner("Loading the sample and running the baseline over it…"):
        st.session_state["sheets.said"] = demo(store, again=True)
    remember(sheet=NAME, rubric=RUBRIC)
    st.rerun()


def sample_said() -> None:
    """Show the result of the last import, deletion or loading of the sample."""
    show_done("sheets.said")
