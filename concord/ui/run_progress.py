"""A run: what it is expected to take, how far it is, how it ended; the same on every screen."""

from collections.abc import Callable

import streamlit as st

from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.progress import usd
from concord.messages import Problem, counted, joined, said
from concord.reports.document import Table
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State
from concord.store import runs
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.language import plain, say
from concord.ui.render import rows_of, translated_rows, whole_table
from concord.ui.run_start import BUDGET
from concord.ui.sign_in import own_store
from concord.ui.widgets import number_field

EVERY_S = 1.0


def expected(found: Estimate, model: str = "", closed: int = 0, purpose: str = "") -> None:
    """Show what a run is expected to take.

    Args:
        found: The estimate.
        model: The model, where it is one of several.
        closed: How many answers are never sent.
        purpose: What the model is asked for, where the screen has runs for several purposes.
    """
    document = workflow_runs.estimate(found)
    headline = plain(document.headline)
    bold = f"**{plain(model) if model else headline}**"
    st.markdown(say("{title}: {text}", title=bold, text=headline) if model else bold)
    _figures(document.tables[0], said("Estimate of the run"), f"{purpose}-{model}")
    excluded = counted(
        closed,
        "answer is excluded: judges may have seen its question.",
        "answers are excluded: judges may have seen their questions.",
    )
    notes = joined(" ", (*document.notes, excluded if closed else ""))
    if notes:
        st.caption(plain(notes))


def live(look: Callable[[Store], State], key: str, lacking: str) -> None:
    """Show a run in progress, refreshed every second; rerun the page when it has ended.

    `look` returns the run's current state, `key` is unique on the screen, and `lacking` names what
    unusable replies lack, such as `a score`.
    """
    st.fragment(_live, run_every=EVERY_S)(look, key, lacking)


def outcome(found: State, lacking: str) -> None:
    """Show how the newest run ended, with reason and remedy where it failed."""
    counts = found.counts
    if found.phase == "failed":
        st.error(plain(found.message), icon=":material/error:")
    elif found.phase == "stopped":
        any_yet = counts.before + counts.total
        done_yet = said("{so_far} are done.", so_far=counts.so_far()) if any_yet else ""
        st.info(plain(joined(" ", [found.message, done_yet])), icon=":material/pause_circle:")
    elif found.phase == "done" and counts.done:
        if counts.is_fruitless():
            st.warning(say("The last run has ended."), icon=":material/warning:")
        else:
            st.success(
                say("The last run has ended." if found.message else "The last run is done."),
                icon=":material/check_circle:",
            )
        _figures(workflow_runs.taken(counts), said("Figures of the run"), f"{found.run_id}")
        if found.message and not found.waiting:
            st.caption(plain(found.message))
    elif found.phase == "done" and found.message and not found.waiting:
        st.warning(plain(found.message), icon=":material/warning:")
    _troubles(found, lacking)


def _figures(table: Table, alt: str, name: str) -> None:
    """Show one row of figures; the runs of a judge are listed, and downloaded, elsewhere."""
    whole_table(translated_rows(rows_of(table)), f"{table.name}-{name}", alt)


def _live(look: Callable[[Store], State], key: str, lacking: str) -> None:
    with refusals(), own_store() as store:
        found = look(store)
        # The run ended: the entire page changes, so the rerun is not limited to the fragment.
        if not found.is_live():
            st.rerun()
        _progress(found, lacking)
        if found.phase == "running" and st.button(
            say("Stop"), icon=":material/stop_circle:", key=f"{key}.stop"
        ):
            runs.request_stop(store, found.run_id)
            st.rerun(scope="fragment")
        if found.phase == "running" and (found.budget is not None or found.counts.cost):
            _other_budget(found, key)


def _other_budget(found: State, box: str) -> None:
    """The budget of the run that is going on, which may be set, raised or lowered."""
    key = f"{box}.budget.run.{found.run_id}"
    number_field(
        say(BUDGET),
        min_value=0.0,
        value=found.budget,
        step=0.5,
        format="%g",
        placeholder=say("no limit" if found.budget is None else "unchanged"),
        key=key,
        on_change=_set_budget,
        args=(key, found.run_id),
        help=say("A changed budget takes effect within a second."),
        width=160,
    )


def _set_budget(key: str, run_id: int) -> None:
    """Store the budget only where the user entered one: it may be changed elsewhere too."""
    budget = st.session_state[key]
    if budget is not None:
        try:
            with own_store() as store:
                runs.set_budget(store, run_id, max(0.0, budget))
        except Problem as problem:
            st.toast(plain(str(problem)), icon=":material/error:")


def _progress(found: State, lacking: str) -> None:
    counts = found.counts
    if found.phase == "starting" or not counts.total:
        st.progress(0.0, say("Starting…"))
        st.caption(
            say("The run is a separate process: it continues if you close this page or the app.")
        )
        return
    if found.phase == "stopping":
        st.markdown(
            say(
                "**Stopping.** Waiting a few seconds for the requests in flight; a reply that "
                "takes longer is lost."
            )
        )
    if found.phase == "ending":
        st.markdown(say("**Ending.** Storing the replies received."))
    share = counts.share()
    so_far = said("**{so_far} done** ({share:.0%})", so_far=counts.so_far(), share=share)
    st.progress(share, say(so_far))
    budget = [] if found.budget is None else [said("budget {usd}", usd=usd(found.budget))]
    st.caption(plain(joined(" · ", [*workflow_runs.live_lines(counts), *budget])))
    if found.same_endpoint:
        st.caption(plain(found.same_endpoint))
    _troubles(found, lacking)


def _troubles(found: State, lacking: str) -> None:
    lines = found.counts.trouble_lines()
    if lines:
        head = plain(said("Without {lacking}:", lacking=lacking))
        st.warning("\n".join([head, "", *(f"- {plain(line)}" for line in lines)]))
