"""One judge: what it is, its run box, and what goes to and fro."""

from dataclasses import replace

import streamlit as st

from concord import clock
from concord.judges.baseline import run
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.running import session
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.certificate.drift import drift
from concord.reports.workflow.judge_list import Entry
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.sheets import Sheet
from concord.ui.frame import recall
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.judges.judge_prompt import views
from concord.ui.screens.judges.judge_run import run_box
from concord.ui.screens.judges.judge_start import overrides
from concord.ui.screens.judges.metric_card import metric_card

DRIFTS = 3  # the newest are shown


def card(store: Store, sheet: Sheet, entry: Entry | None) -> Judge | None:
    """The chosen judge, or the one of the file that the URL names; returns it to copy from."""
    if entry is not None and entry.judge is None:
        _elsewhere(entry)
        return None
    try:
        return _card(store, sheet, entry)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return None


def _card(store: Store, sheet: Sheet, entry: Entry | None) -> Judge | None:
    argument = entry.argument if entry else recall("judge")
    judge = registry.named(store, argument)
    st.subheader(plain(judge.name), anchor=False)
    if judge.about:
        st.write(say(judge.about) if judge.is_preset() else plain(judge.about))
    if judge.kind == "baseline":
        _baseline(store, sheet, judge, entry)
        return None
    warning = judge.retirement(clock.today())
    if warning:
        st.warning(plain(warning), icon=":material/history:")
    if judge.kind == "metric":
        return metric_card(store, sheet, judge, argument)
    box = st.container()
    over = replace(overrides(judge, argument), sheet_name=sheet.name)
    job = session.prepare(store, argument, over)
    grader = graders.find(store, "judge", f"{job.judge.name}@{job.fingerprint}")
    with box:
        _drift(store, grader)
        run_box(store, argument, job, grader, over)
    views(store, job, grader)
    return job.judge


def _drift(store: Store, grader: Grader | None) -> None:
    """What the server says of the model behind the judge, where that changed."""
    found = drift(store, grader) if grader else []
    if found:
        told = [one.sentence for one in found[-DRIFTS:]]
        more = [said("It changed {n:,} times in all.", n=len(found))] if len(found) > DRIFTS else []
        st.warning(plain(joined("\n\n", [*told, *more])), icon=":material/published_with_changes:")


def _baseline(store: Store, sheet: Sheet, judge: Judge, entry: Entry) -> None:
    """The floor: what it is, what it needs, and running it, which asks nobody."""
    with st.container(border=True, key="judge-run"):
        st.markdown(
            say(
                "It reads surface features only: how far the answer overlaps with question and "
                "contexts, its length, repetition and symbols. It learns from annotators' grades "
                "and "
                "grades each question by a model that has not seen it. A judge that does not beat "
                "it understands nothing that counting words would not. It needs {what}, and is "
                "trained anew when there are more grades.",
                what=run.NEEDS,
            )
        )
        done = entry.state.phase == "done"
        told = st.session_state.pop("judge.baseline.said", "")
        if told or done:
            n = entry.state.counts.done
            answers = said("It has graded {n:,} answers of this sheet.", n=n)
            st.success(say(told or answers), icon=":material/check:")
        if not st.button(
            say("Train it anew on today's grades, free" if done else "Run the baseline now, free"),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.baseline",
        ):
            return
        with st.spinner(say("Learning from the annotators' grades…")):
            outcome = session.judge(
                store, judge.name, session.Options(sheet_name=sheet.name), lambda _: True
            )
        st.session_state["judge.baseline.said"] = outcome.said
        st.rerun()


def _elsewhere(entry: Entry) -> None:
    """A judge of which only the grades are known."""
    st.subheader(plain(entry.argument), anchor=False)
    st.info(
        say(
            "The grades of this judge came with the sheet or from a file. Its prompt is not known "
            "here, so it cannot be run; it counts in the agreement like any other judge."
        )
    )
    if entry.grader.simulated:
        st.warning(say("Simulated: no model gave these grades. They show what the screens do."))
