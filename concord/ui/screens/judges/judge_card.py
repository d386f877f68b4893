"""The card of a judge: what it is, its run, and what goes to and fro."""

import streamlit as st

from concord.judges.definition import registry, stated_price
from concord.judges.definition.model import Judge
from concord.model import Sheet
from concord.reports.workflow.judge_table import Entry
from concord.store.database import Store
from concord.ui import run_start
from concord.ui.frame import may_act
from concord.ui.language import plain, say
from concord.ui.screens.judges.baseline_card import baseline_card
from concord.ui.screens.judges.combined_card import combined_card
from concord.ui.screens.judges.price_form import price_form


def begin_card(store: Store, sheet: Sheet, argument: str, entry: Entry | None) -> Judge | None:
    """Begin the card of a judge; `entry`: None for a judge from a file.

    Returns:
        The judge that the rest of the card is about; None where the card is complete: of the
        baseline, of a combined judge, and of a judge of which only the grades are known.
    """
    if entry is not None and entry.judge is None:
        _elsewhere(store, entry)
        return None
    judge = registry.named(store, argument)
    st.subheader(plain(judge.name), anchor=False)
    if judge.about:
        st.write(say(judge.about) if judge.is_preset() else plain(judge.about))
    if judge.kind == "baseline":
        baseline_card(store, sheet, judge, entry)
        return None
    if judge.kind == "combined":
        combined_card(store, sheet, argument, judge, entry and entry.grader)
        return None
    run_start.retirement(judge)
    return judge


def _elsewhere(store: Store, entry: Entry) -> None:
    """A judge of which only the grades are known."""
    st.subheader(plain(entry.argument), anchor=False)
    st.info(
        say(
            "The grades of this judge were imported. Its prompt is unknown, so it cannot be run. "
            "Agreement is computed as for any other judge."
        )
    )
    if entry.grader.simulated:
        st.warning(say("Simulated: no model gave these grades. They only demonstrate the screens."))
    if may_act(store) and stated_price.may_state(store, entry.grader):
        price_form(store, entry.grader)
