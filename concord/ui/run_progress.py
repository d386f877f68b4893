"""A run: what it is expected to take, how far it is, how it ended; the same on every screen."""

from collections.abc import Callable, Sequence

import streamlit as st

from concord.judges.definition.model import Judge
from concord.judges.run import launch
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import CONCURRENCY, Job, Options
from concord.judges.run.progress import usd
from concord.judges.transport import api_keys
from concord.messages import counted, joined
from concord.reports.document import Table
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
from concord.store import runs
from concord.store.database import Store, is_read_only
from concord.ui.actions import refusals
from concord.ui.language import plain
from concord.ui.render import plain_table, rows_of, translated_rows
from concord.ui.sign_in import own_store
from concord.ui.widgets import number_field

_KEYS = "keys"  # in the session, which is in memory alone: the keys typed in it, by variable


def concurrency(key: str) -> int:
    """Return the maximum number of requests in flight; kept while the field is hidden."""
    return number_field(
        "Maximum concurrent requests",
        min_value=1,
        max_value=512,
        value=CONCURRENCY,
        key=key,
        persist_state="session",
    )


def budget(key: str, before: float | None = None) -> float | None:
    """Return the spending limit in USD, by default that of the previous run; None for no limit."""
    return number_field(
        "Budget per model, USD",
        min_value=0.0,
        value=before,
        step=0.5,
        format="%g",
        placeholder="no limit",
        key=key,
        help="The run stops before it exceeds the budget, except for requests in flight. A resumed "
        "run may spend the same amount again.",
        width=220,
    )


def why_no_key(judge: Judge, place: str = "judge") -> str | None:
    """Say where the key of a judge comes from and take one to type; return why there is none.

    `place` is one of the places on a screen that ask for a key.
    """
    api_keys.typed.set(st.session_state.setdefault(_KEYS, {}))
    no_key = workflow_runs.why_no_key(judge)
    with st.container(horizontal=True, vertical_alignment="center"):
        (st.warning if no_key else st.caption)(plain(workflow_runs.key_sentence(judge)))
        if api_keys.may_be_typed(judge) and not is_read_only():
            _key_field(judge.endpoint.api_key_env, place)
    return no_key


def _key_field(env: str, place: str) -> None:
    """Take the key of a variable for this session, or forget it."""
    keys = st.session_state[_KEYS]
    with st.popover("Key for this session", icon=":material/key:"):
        with st.form(f"{place}.key.{env}", clear_on_submit=True, border=False), refusals():
            typed = st.text_input(
                env,
                type="password",
                autocomplete="off",
                help="Kept in memory until this browser tab is closed; never stored.",
            ).strip()
            if st.form_submit_button("Use this key") and typed:
                keys[env] = api_keys.checked(env, typed)
                st.rerun()
        if env in keys and st.button("Forget the key", key=f"{place}.forget.{env}"):
            del keys[env]
            st.rerun()


def retirement(judge: Judge) -> None:
    """Warn where the model behind a judge is or will be retired."""
    warning = judge.retirement()
    if warning:
        st.warning(plain(warning), icon=":material/history:")


def start(
    store: Store,
    argument: str,
    jobs: Sequence[Job],
    options: Options,
    expected: Sequence[Estimate] = (),
) -> None:
    """Start a process for each job, and show the runs; the cost expected must fit the budget.

    `argument` is what the verb `judge` calls the judge; the budget is compared with the estimates
    `expected`.
    """
    with refusals():
        for one in expected:
            one.check_budget(options.budget)
        for job in jobs:
            launch.start(store, job, argument, options)
        st.rerun()


EVERY_S = 1.0


def expected(found: Estimate, model: str = "", closed: int = 0) -> None:
    """Show what a run is expected to take.

    Args:
        found: The estimate.
        model: The model, where it is one of several.
        closed: How many answers are never sent.
    """
    document = workflow_runs.estimate(found)
    headline = plain(document.headline)
    st.markdown(f"**{plain(model)}**: {headline}" if model else f"**{headline}**")
    _figures(document.tables[0], "Estimate of the run")
    excluded = counted(
        closed,
        "answer is excluded: judges may have seen its question.",
        "answers are excluded: judges may have seen their questions.",
    )
    if notes := joined(" ", (*document.notes, excluded if closed else "")):
        st.caption(plain(notes))


def live(look: Callable[[Store], State], key: str, lacking: str) -> None:
    """Show a run in progress, refreshed every second; rerun the page when it has ended.

    `look` returns the run's current state, `key` is unique on the screen, and `lacking` names what
    unusable replies lack, such as `a score`.
    """
    st.fragment(_live, run_every=EVERY_S)(look, key, lacking)


def outcome(found: State, lacking: str) -> None:
    """Show how the newest run ended, with reason and remedy where it failed."""
    counts, message = found.counts, found.message
    if found.phase == "stopped" and counts.before + counts.total:
        message = joined(" ", [message, f"{counts.so_far()} are done."])
    if found.phase == "done":
        if counts.done:
            (st.warning if counts.is_fruitless() else st.success)("The last run has ended.")
            _figures(workflow_runs.taken(counts), "Figures of the run")
        if message and not found.waiting:
            st.caption(plain(message))
    elif found.phase != "never":
        (st.error if found.phase == "failed" else st.info)(plain(message))
    _troubles(found, lacking)


def _figures(table: Table, alt: str) -> None:
    """Show one row of figures; the runs of a judge are listed, and downloaded, elsewhere."""
    plain_table(translated_rows(rows_of(table)), alt)


def _live(look: Callable[[Store], State], key: str, lacking: str) -> None:
    with refusals(), own_store() as store:
        found = look(store)
        # The run ended: the entire page changes, so the rerun is not limited to the fragment.
        if not found.is_live():
            st.rerun()
        _progress(found, lacking)
        if found.phase == "running" and st.button(
            "Stop", icon=":material/stop_circle:", key=f"{key}.stop"
        ):
            runs.request_stop(store, found.run_id)
            st.rerun(scope="fragment")


def _progress(found: State, lacking: str) -> None:
    counts = found.counts
    if found.phase == "starting" or not counts.total:
        st.progress(0.0, "Starting…")
        st.caption("The run is a separate process: it continues if you close this page or the app.")
        return
    if found.phase != "running":
        words = {
            "stopping": "**Stopping.** Waiting a few seconds for the requests in flight.",
            "ending": "**Ending.** Storing the replies received.",
        }
        st.markdown(words[found.phase])
    st.progress(counts.share(), f"**{counts.so_far()} done** ({counts.share():.0%})")
    budget = [] if found.budget is None else [f"budget {usd(found.budget)}"]
    st.caption(plain(joined(" · ", [*workflow_runs.live_lines(counts), *budget])))
    _troubles(found, lacking)


def _troubles(found: State, lacking: str) -> None:
    if lines := found.counts.trouble_lines():
        head = f"Without {plain(lacking)}:"
        st.warning("\n".join([head, "", *(f"- {plain(line)}" for line in lines)]))
