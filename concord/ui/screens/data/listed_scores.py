"""Scores of an annotator in the list of answers, next to those of the others, for leads."""

from collections.abc import Sequence

import streamlit as st

from concord.messages import Said
from concord.reports.reliability import answer_scores
from concord.store.answers import answer_record
from concord.store.database import Store
from concord.ui.frame import recall_several
from concord.ui.language import plain, say
from concord.ui.looker import leads, looker
from concord.ui.widgets import url_toggle


def listed_scores(
    store: Store, sheet: str, annotator: str, item_ids: Sequence[int]
) -> dict[int, dict[str, Said]]:
    """Return a cell by answer and criterion, where a lead asks for them; '' is no annotator.

    The criteria that a link names come first.
    """
    if not annotator or not leads(store):
        return {}
    name = plain(annotator)
    shown = url_toggle(
        say("Scores of {name} and of the other annotators", name=name),
        "scores",
        key=f"browse.scores.{annotator}",
        help=say("Annotators who still have to grade these answers are then no longer blind."),
    )
    if not shown:
        return {}
    st.page_link(
        "pages/progress.py",
        label=say("Progress of each annotator"),
        icon=":material/arrow_back:",
        query_params={"sheet": sheet},
    )
    person = looker(store)
    if person:  # who still has to grade an answer grades it blind
        waiting = {one: answer_record.waiting(store, one).annotators for one in item_ids}
        item_ids = [one for one in item_ids if person.name not in waiting[one]]
    st.caption(
        say(
            "First the score of {name}, then in parentheses those of the other annotators and the "
            "gold score of a gold item.",
            name=name,
        )
    )
    found = answer_scores.of_annotator(store, annotator, item_ids)
    first = recall_several("criteria")  # in a narrow window not all criteria have room
    return {
        one: dict(sorted(cells.items(), key=lambda cell: cell[0] not in first))
        for one, cells in found.items()
    }
