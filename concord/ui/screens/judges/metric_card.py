"""One judge for measures: which it finds, what that takes, its run, and what goes to and fro."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from concord.importing.fields import ITEM_FIELDS
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import plan, preview
from concord.judges.metric_runs.estimate import MeasureEstimate, basis, estimate, missing_inputs
from concord.judges.metric_runs.job import MeasureJob
from concord.judges.running.engine import Options
from concord.language.plurals import counted
from concord.messages import joined, said
from concord.metrics.framework.metric import NEEDS
from concord.metrics.selection import choice
from concord.model import Item
from concord.reports.metrics import metric_records
from concord.reports.metrics.metrics import found_by
from concord.reports.workflow import canaries, judge_check, judge_list
from concord.reports.workflow.runs import State
from concord.store import graders, runs
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.items import Stored
from concord.store.sheets import Sheet
from concord.ui import run_progress
from concord.ui.cached_metrics import title
from concord.ui.language import say
from concord.ui.localized_table import table_of, word
from concord.ui.markdown import plain
from concord.ui.screens.judges.canaries import canary_button, tried
from concord.ui.screens.judges.judge_prompt import note_opening, one_of_views, reply_view, runs_view
from concord.ui.screens.judges.judge_run import check_button, checked, limits, with_budget
from concord.ui.screens.judges.judge_start import go
from concord.ui.screens.judges.own_judges import overrides

LACKING = said("a number")


def measure_card(store: Store, sheet: Sheet, judge: Judge, argument: str) -> Judge:
    """The card of a judge for measures; returns it with the overrides applied."""
    box = st.container()
    over = Options(sheet_name=sheet.name)
    if judge.model is not None:
        over = replace(overrides(judge, argument), sheet_name=sheet.name)
        judge = judge.with_overrides(over.model, over.base_url)
    with box:
        job = plan.prepare(store, judge, choice(judge), over)
        grader = graders.find(store, "metric", job.grader)
        _run_box(store, argument, job, grader, over)
    if job.judge.model is not None:
        _views(store, job, grader)
    else:
        runs_view(store, job, grader)
    return job.judge


def _run_box(
    store: Store, argument: str, job: MeasureJob, grader: Grader | None, over: Options
) -> None:
    """How the judge stands with the sheet: at work, or ready to be started or resumed."""
    found = judge_list.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            run_progress.live(lambda s: judge_list.state(s, job.sheet.id, grader), "judge", LACKING)
            return
        run_progress.outcome(found, judge_list.done_sentence, LACKING)
        _numbers(store, job, grader)
        _start(store, argument, job, over, found)


def _numbers(store: Store, job: MeasureJob, grader: Grader | None) -> None:
    """What it has found so far: of how many answers, and the mean."""
    rows = found_by(metric_records.read(store, job.sheet), job.grader) if grader else []
    if rows:
        shown = sorted(rows, key=lambda row: not row["n"])  # those without any number last
        made = [_number(row) for row in shown]
        table_of(made, f"{job.judge.name}-measures", pd.DataFrame(rows), height="content")


def _number(row: dict) -> dict:
    return {
        said("measure"): title(row["measure"]),
        said("mean"): row["mean"],
        said("n"): row["n"],
        said("of"): row["of"],
        said("left out"): row["left out"],
        said("reading"): row["reading"],
    }


def _start(store: Store, argument: str, job: MeasureJob, over: Options, found: State) -> None:
    """Which measures, the estimate, what is lacking, limits and the button."""
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [measure.name for measure in job.measures]
    wanted = st.multiselect(
        say("Measures"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.measures.{place}",
        help=say("Measures share what they ask, so that all together cost less than one by one."),
    )
    top = st.container()
    options = limits(over, job, place)
    if not wanted:
        top.info(say("Choose a measure."))
        return
    options = replace(options, measures=tuple(wanted) if wanted != names else over.measures)
    out = job.left_out
    job = plan.prepare(store, job.judge, choice(job.judge, wanted), options)
    job = job._replace(left_out=out)
    expected = _expected(store, job, found)
    with top:
        _said(store, job, expected)
        if judge_list.is_all_done(expected):
            return
        ready = job.judge.model is None or judge_list.has_key(job.judge)
        if job.judge.model is not None:
            (st.caption if ready else st.warning)(say(judge_list.key_sentence(job.judge)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = with_budget(options, expected, place, found.budget)
            start = st.button(
                _label(expected, bool(job.settled)),
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready,
            )
            checking = job.judge.model is not None and check_button(ready)
            known = _canaries(job)
            trying = canary_button(known, ready)
        if checking:
            checked(store, judge_check.named(store, argument, over.model, over.base_url))
        if trying:
            tried(store, known)
        if start:
            go(store, argument, plan.MetricPlan(job), options, expected)


def _expected(store: Store, job: MeasureJob, found: State) -> MeasureEstimate:
    """The estimate; rehearsing takes a second or two, so it is kept while nothing changes."""
    versions = tuple(one.version for one in job.criteria.values())
    left = len(job.pending), job.settled, job.failed, job.retried, job.repeats
    place = job.sheet.id, job.fingerprint, versions, left, found.run_id, found.counts.calls
    kept = st.session_state.get("judge.measures.expected")
    if kept is None or kept[0] != place:
        with st.spinner(say("Rehearsing what would be asked…")):
            kept = place, estimate(store, job)
        st.session_state["judge.measures.expected"] = kept
    return kept[1]


def _canaries(job: MeasureJob) -> canaries.Trials:
    """What the judge is tried with; rehearsed once while nothing changes."""
    names = tuple(measure.name for measure in job.measures)
    place = job.fingerprint, names
    kept = st.session_state.get("judge.measures.canaries")
    if kept is None or kept[0] != place:
        kept = place, canaries.of_judge(job.judge, names)
        st.session_state["judge.measures.canaries"] = kept
    return kept[1]


def _said(store: Store, job: MeasureJob, expected: MeasureEstimate) -> None:
    """The estimate in words, what answers lack, and what is left out."""
    told = joined(" ", [expected.sentence(), *basis(job)])
    st.markdown(f"**{plain(counted(job.sheet.items, 'answer'))}:** {plain(told)}")
    if job.closed:
        st.caption(
            say("{n:,} are never asked: judges may have seen their questions.", n=job.closed)
        )
    lacking = missing_inputs(store, job, title)
    if lacking and job.pending:
        st.warning("\n".join(f"- {plain(line)}" for line in [*lacking, *_columns(job)]))


def _columns(job: MeasureJob) -> list[str]:
    """Which columns of a file bring what answers lack."""
    lacked = {lack.what for lack in job.lacks}
    needed = [need for need, words in NEEDS.items() if words in lacked and need in ITEM_FIELDS]
    if not needed:
        return []
    names = ", ".join(f"“{need}”" for need in needed)
    return [
        said("An import brings that in the columns {names}.", names=names)
        if len(needed) > 1
        else said("An import brings that in the column {names}.", names=names)
    ]


def _label(expected: MeasureEstimate, begun: bool) -> str:
    if not expected.calls:
        return say("Find them, free")
    return say(judge_list.run_label(expected, begun))


def _views(store: Store, job: MeasureJob, grader: Grader | None) -> None:
    """One of the views of a judge for measures, as the URL says."""
    of_answer = {
        said("Requests"): lambda stored: _requests(job, stored.item),
        said("Replies"): lambda stored: _replies(store, stored, grader),
    }
    one_of_views(store, job, grader, "judge.measure.show", of_answer)


def _requests(job: MeasureJob, item: Item) -> None:
    """Every request about an answer, one at a time."""
    sent = preview.requests(job, item)
    if not sent:
        st.info(say("Nothing is asked about this answer."))
        return
    number = st.selectbox(
        say("Request, of {n:,} that all measures share", n=len(sent)),
        range(len(sent)),
        format_func=lambda place: f"{place + 1}. {sent[place].name}",
        key="judge.request",
        help=say("Claims and verdicts that a model will give are made up here."),
    )
    for message in sent[number].messages:
        st.markdown(f"**{message['role']}**")
        st.code(message["content"], language=None, wrap_lines=True)


def _replies(store: Store, stored: Stored, grader: Grader | None) -> None:
    """Every reply to what the item holds, each with the request it answers."""
    found = runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info(
            say("This judge has not replied to this answer yet. Run it, or choose another answer.")
        )
        return
    note_opening(store, stored)
    for reply in found:
        with st.container(border=True):
            reply_view(reply)
