"""The start of a judge's run from the judges screen, in a process of its own."""

import streamlit as st

from data.store import Store
from judges import process, session
from judges.estimate import Estimate
from judges.job import Job
from judges.session import Options
from problems import Problem
from ui.markdown import plain


def go(
    store: Store, argument: str, job: Job, options: Options, expected: Estimate | None = None
) -> None:
    """Start and show the run; where `expected` is given, its cost must fit the budget.

    What stands in the way is said instead.
    """
    try:
        if expected is not None:
            session.check_budget(options.budget, expected)
        process.start(store, job, argument, options)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    st.rerun()
