"""The start of a judge's run from the judges screen, in a process of its own."""

import streamlit as st

from concord.judges.running import launch
from concord.judges.running.engine import Options, Plan, check_budget
from concord.judges.running.estimate import Estimate
from concord.problems import Problem
from concord.store.database import Store
from concord.ui.markdown import plain


def go(
    store: Store,
    argument: str,
    plan: Plan,
    options: Options,
    expected: Estimate | None = None,
) -> None:
    """Start and show the run; where `expected` is given, its cost must fit the budget.

    What stands in the way is said instead.
    """
    try:
        if expected is not None:
            check_budget(options.budget, expected)
        launch.start(store, plan, argument, options)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    st.rerun()
