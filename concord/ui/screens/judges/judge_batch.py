"""An open batch on the judges screen: how it stands, asking for its results, ending it."""

import streamlit as st

from concord.judges.running.engine import Options
from concord.judges.running.job import Job
from concord.judges.running.runner import RubricPlan
from concord.messages import joined
from concord.reports.workflow import judge_list
from concord.reports.workflow.runs import State
from concord.store.database import Store
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.judges.judge_start import go


def waiting_box(store: Store, argument: str, job: Job, over: Options, found: State) -> None:
    """The open batches of a judge over the sheet, where there are any."""
    if not found.waiting:
        return
    lines = judge_list.batch_lines(found)
    st.info(plain(joined("\n\n", lines)), icon=":material/schedule:")
    ready = judge_list.has_key(job.judge)
    about = {"sheet_name": job.sheet.name, "model": over.model, "base_url": over.base_url}
    with st.container(horizontal=True):
        ask = st.button(
            say("Ask for the results"),
            icon=":material/download:",
            key="judge.collect",
            help=say("What has come is stored; what was not answered can then be asked again."),
            disabled=not ready,
        )
        end = st.button(
            say("End the batch"),
            icon=":material/cancel:",
            key="judge.cancel_batch",
            help=say("What was answered until then is paid and stored; the rest is free again."),
            disabled=not ready,
        )
    if ask or end:
        go(store, argument, RubricPlan(job), Options(**about, batch=ask, cancel_batch=end))
