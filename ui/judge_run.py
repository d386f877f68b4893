"""The run box: what a run would take, the button that starts it, and a run going on."""

from dataclasses import replace
from functools import partial

import streamlit as st

from data import runs
from data.graders import Grader
from data.store import Store, open_store
from judges import check, session
from judges.course import CONCURRENCY
from judges.estimate import Estimate, estimate
from judges.job import Job
from judges.progress import usd
from judges.session import Options
from problems import Problem
from reports import judging
from reports.judging import State
from ui.judge_batch import waiting_box
from ui.judge_start import go
from ui.markdown import plain

EVERY_S = 1.0
ARROW = ":material/arrow_forward:"
MARKS = {True: "✓", False: "✗", None: "–"}


def run_box(store: Store, argument: str, job: Job, grader: Grader | None, over: Options) -> None:
    """How the judge stands with the sheet: at work, or ready to be started or resumed."""
    found = judging.state(store, job.sheet.id, grader)
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            st.fragment(_live, run_every=EVERY_S)(job.sheet.id, grader)
            return
        _outcome(found)
        waiting_box(store, argument, job, over, found)
        _start(store, argument, job, over, found)


def _live(sheet_id: int, grader: Grader) -> None:
    """A run going on; looks again every second, and hands over to the page when it has ended."""
    try:
        with open_store() as store:
            found = judging.state(store, sheet_id, grader)
            if not found.is_live():
                st.rerun()
            _progress(found)
            if found.phase == "running" and st.button(
                "Stop", icon=":material/stop_circle:", key="judge.stop"
            ):
                runs.request_stop(store, found.run_id)
                st.rerun(scope="fragment")
            if found.phase == "running" and found.budget is not None:
                _other_budget(found)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")


def _other_budget(found: State) -> None:
    """The budget of the run that is going on, which may be raised or lowered."""
    key = f"judge.budget.run.{found.run_id}"
    st.number_input(
        "Budget, USD",
        min_value=0.0,
        value=found.budget,
        step=0.5,
        format="%.2f",
        key=key,
        on_change=_set_budget,
        args=(key, found.run_id),
        help="The run keeps to another budget within a second.",
        width=160,
    )


def _set_budget(key: str, run_id: int) -> None:
    """Only what someone enters is stored: the budget may be changed elsewhere too."""
    budget = st.session_state[key]
    if budget is not None:
        with open_store() as store:
            runs.set_budget(store, run_id, budget)


def _progress(found: State) -> None:
    counts = found.counts
    if found.phase == "starting" or not counts.total:
        st.progress(0.0, "Starting…")
        st.caption("The run is a process of its own: it goes on if this page or the app is closed.")
        return
    if found.phase == "stopping":
        st.markdown("**Stopping.** The requests in flight are waited for; they are paid already.")
    st.progress(counts.share(), f"**{counts.so_far()} done** ({counts.share():.0%})")
    budget = [f"budget {usd(found.budget)}"] if found.budget is not None else []
    st.caption(plain(" · ".join([*judging.live_lines(counts), *budget])))
    _troubles(found)


def _outcome(found: State) -> None:
    """How the newest run ended, with the reason and the remedy where it did not go through."""
    counts = found.counts
    if found.phase == "failed":
        st.error(plain(found.message), icon=":material/error:")
    elif found.phase == "stopped":
        said = f"{found.message} {counts.so_far()} are done."
        st.info(plain(said), icon=":material/pause_circle:")
    elif found.phase == "done" and counts.done:
        st.success(plain(judging.done_sentence(counts)), icon=":material/check_circle:")
        if found.message and not found.waiting:
            st.caption(plain(found.message))
    _troubles(found)


def _troubles(found: State) -> None:
    lines = found.counts.trouble_lines()
    if lines:
        st.warning(plain("\n".join(["Without a score:", "", *(f"- {x}" for x in lines)])))


def _start(store: Store, argument: str, job: Job, over: Options, found: State) -> None:
    """Estimate, limits and the button; the limits stand last, though all the rest follows them."""
    place = f"{job.sheet.id}.{job.fingerprint}"
    top = st.container()
    options = _options(over, job, place)
    job = session.prepared(store, job.judge, options)
    expected = estimate(store, job)
    with top:
        if judging.is_all_done(expected) and expected.in_batch:
            return
        if judging.is_all_done(expected) and found.phase == "done":
            st.page_link("pages/agreement.py", label="How far it agrees with people", icon=ARROW)
            return
        st.markdown(_estimated(expected, job))
        ready = judging.has_key(job.judge)
        (st.caption if ready else st.warning)(judging.key_sentence(job.judge))
        options = _with_way(options, expected, found, place)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            options = _with_budget(options, expected, place)
            label = judging.run_label(expected, bool(job.settled), options.batch)
            start = st.button(
                label,
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=not ready or judging.is_all_done(expected),
            )
            checking = st.button(
                "Check with one call",
                icon=":material/troubleshoot:",
                key="judge.check",
                help="Sends one small built-in item, nothing of the sheet, and says what works.",
                disabled=not ready,
            )
        if checking:
            _check(job)
        if start:
            go(store, argument, job, options, expected)


def _check(job: Job) -> None:
    """What one call finds: what works, what the server ignored, what to change."""
    with st.spinner("Asking once…"):
        report = check.send(check.prepare(job.judge, job.rubric, job.shots))
    lines = [f"- {MARKS[f.holds]} **{f.what}**: {plain(f.sentence)}" for f in report.findings]
    (st.success if report.holds else st.error)("\n".join(lines))


def _options(over: Options, job: Job, place: str) -> Options:
    """What the user limits: how many answers, how often, and whether to ask again."""
    with st.expander("Only some answers, repeats, speed, asking again"):
        limit = st.number_input(
            "Only the first answers",
            min_value=1,
            max_value=max(1, job.sheet.items),
            value=None,
            placeholder=f"all {job.sheet.items:,}",
            key=f"judge.limit.{place}",
            help="A few first show whether the prompt works, for a little money.",
        )
        repeats = st.number_input(
            "Replies per answer",
            min_value=1,
            max_value=20,
            key=f"judge.repeats.{place}",
            help="More than one shows how steady the judge is; agreement uses the first.",
        )
        concurrency = st.number_input(
            "Requests at once, at most",
            min_value=1,
            max_value=512,
            value=CONCURRENCY,
            key=f"judge.concurrency.{place}",
            help="A server on this machine mostly takes few; a large provider takes many.",
        )
        retry = st.checkbox(
            "Ask again where a reply gave no score",
            key=f"judge.retry.{place}",
            help="Replies that were refused or could not be read are settled otherwise.",
        )
    return Options(
        sheet_name=job.sheet.name,
        model=over.model,
        base_url=over.base_url,
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry,
    )


def _with_way(options: Options, expected: Estimate, found: State, place: str) -> Options:
    """Live or as a batch, where it makes a difference and no batch is open already."""
    if not expected.calls or expected.is_free() or found.waiting:
        return options
    batch = st.radio(
        "How to ask",
        [False, True],
        format_func=partial(judging.way, expected),
        key=f"judge.way.{place}",
        help="A provider's batch mode is made for work that can wait. Servers of your own mostly "
        "have none.",
    )
    return replace(options, batch=batch)


def _with_budget(options: Options, expected: Estimate, place: str) -> Options:
    """The budget field, where there is something to pay and the price is known."""
    if expected.is_free() or expected.cost is None:
        return options
    budget = st.number_input(
        "Budget, USD",
        min_value=0.0,
        value=None,
        step=0.5,
        format="%.2f",
        placeholder="no limit",
        key=f"judge.budget.{place}",
        help="The run stops before it is passed, but for the requests in flight.",
        width=160,
    )
    return replace(options, budget=budget)


def _estimated(expected: Estimate, job: Job) -> str:
    """The estimate, with what is never asked."""
    closed = ""
    if job.closed:
        closed = f" {job.closed:,} answers are never asked: judges may have seen their questions."
    return f"**{job.sheet.items:,} answers:** {plain(expected.sentence())}{closed}"
