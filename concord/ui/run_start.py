"""The start of a run, for whatever is asked: speed, budget, key, and its process."""

from collections.abc import Sequence

import streamlit as st

from concord import clock
from concord.judges.definition.model import Judge
from concord.judges.running import launch
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.engine import check_budget
from concord.judges.running.job import Job, Options
from concord.judges.running.run_loop import CONCURRENCY
from concord.judges.transport import api_keys, key_source
from concord.messages import Said, said
from concord.reports.workflow import runs
from concord.store.database import Store, is_read_only
from concord.ui.actions import refusals
from concord.ui.language import plain, say
from concord.ui.widgets import number_field

BUDGET = said("Budget, USD")
_KEYS = "keys"  # in the session, which is in memory alone: the keys typed in it, by variable


def concurrency(key: str) -> int:
    """Return the maximum number of requests in flight; kept while the field is hidden."""
    return number_field(
        say("Maximum concurrent requests"),
        min_value=1,
        max_value=512,
        value=CONCURRENCY,
        key=key,
        help=say("A local server usually handles few; a large provider handles many."),
        persist_state="session",
    )


def budget(key: str, before: float | None, label: str = BUDGET) -> float | None:
    """Return the spending limit in USD, by default that of the previous run; None for no limit."""
    return number_field(
        say(label),
        min_value=0.0,
        value=before,
        step=0.5,
        format="%g",
        placeholder=say("no limit"),
        key=key,
        help=say(
            "The run stops before it exceeds the budget, except for requests in flight. A resumed "
            "run may spend the same amount again."
        ),
        width=220,
    )


def why_no_key(judge: Judge, place: str = "judge") -> Said | None:
    """Say where the key of a judge comes from and take one to type; return why there is none.

    `place` is one of the places on a screen that ask for a key.
    """
    key_source.typed.set(st.session_state.setdefault(_KEYS, {}))
    no_key = runs.why_no_key(judge)
    with st.container(horizontal=True, vertical_alignment="center"):
        (st.warning if no_key else st.caption)(say(runs.key_sentence(judge)))
        if api_keys.may_be_typed(judge) and not is_read_only():
            _key_field(judge.endpoint.api_key_env, place)
    return no_key


def _key_field(env: str, place: str) -> None:
    """Take the key of a variable for this session, or forget it."""
    keys = st.session_state[_KEYS]
    with st.popover(say("Key for this session"), icon=":material/key:"):
        with st.form(f"{place}.key.{env}", clear_on_submit=True, border=False), refusals():
            typed = st.text_input(
                env,
                type="password",
                autocomplete="off",
                help=say("Kept in memory until this browser tab is closed; never stored."),
            ).strip()
            if st.form_submit_button(say("Use this key")) and typed:
                keys[env] = api_keys.checked(env, typed)
                st.rerun()
        if env in keys and st.button(say("Forget the key"), key=f"{place}.forget.{env}"):
            del keys[env]
            st.rerun()


def retirement(judge: Judge) -> None:
    """Warn where the model behind a judge is or will be retired."""
    warning = judge.retirement(clock.today())
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
            check_budget(options.budget, one)
        for job in jobs:
            launch.start(store, job, argument, options)
        st.rerun()
