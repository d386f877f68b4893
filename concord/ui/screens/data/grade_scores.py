"""Scores of the words of a file of grades, and of its numbers of 0 to 1 on a longer scale."""

import streamlit as st

from concord.importing.columns import ColumnMap
from concord.importing.proposals import zero_to_one as of_scale
from concord.importing.proposals.grade_scales import shown_scale
from concord.importing.proposals.zero_to_one import Narrow
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words
from concord.messages import said
from concord.reports.units import checked_grades
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.language import plain, say
from concord.ui.render import table_of
from concord.ui.screens.data.grade_words import words_under_rubric

_MAPPED = said("Map 0 to {low} and 1 to {high}")
_MOST = 3  # problems that are shown
_KEPT = said("Keep the numbers as they are")


def scores_under_rubric(
    store: Store, table: Table, columns: ColumnMap, rubric: Rubric, key: str
) -> tuple[Words, Spread]:
    """The user's scores of the words in a file of grades, and of its numbers of 0 to 1.

    Raises:
        Problem: the user has not chosen yet how numbers of 0 to 1 are read.
    """
    if rubric.units:
        return {}, {}
    words = words_under_rubric(table, columns, rubric.scale, key)
    return words, _zero_to_one(store, table, columns, rubric, words, key)


def _zero_to_one(
    store: Store, table: Table, columns: ColumnMap, rubric: Rubric, words: Words, key: str
) -> Spread:
    """The scores that numbers of 0 to 1 are read as; nothing is shown where there are none."""
    found = import_findings.read_once(
        f"{key}.narrow",
        (columns.spoken(), tuple(words.items())),
        lambda: checked_grades.narrow(store, [rubric], table, columns, words),
        said("Checking every row…"),
    )
    if not found:
        return {}
    ends = {"low": rubric.scale[0], "high": rubric.scale[-1]}
    with st.container(border=True):
        st.markdown(
            say(
                "**Scale:** these numbers lie within 0 to 1, and the scale of {rubric} is {scale}",
                rubric=plain(rubric.name),
                scale=shown_scale(rubric.scale),
            )
        )
        table_of([_row(one, rubric) for one in found], "zero-to-one", in_full=True)
        refused = {str(one): one for grades in found for one in grades.refused(rubric.scale)}
        for problem in list(refused.values())[:_MOST]:
            st.warning(plain(problem))
        chosen = st.radio(
            say("How are they read?"),
            [_MAPPED, _KEPT],
            index=None,
            format_func=lambda one: say(one, **ends),
            key=f"{key}.zero_to_one",
        )
    if chosen is None:
        raise of_scale.refusal(table.source.name, found, rubric)
    return of_scale.spread(found, rubric.scale) if chosen == _MAPPED else {}


def _row(one: Narrow, rubric: Rubric) -> dict[str, str]:
    return {
        said("Criterion"): one.criterion,
        said("Graded by"): said("judges") if one.by_judges else said("annotators"),
        said("Values"): one.values(),
        said("Mapped"): one.pairs(rubric.scale),
    }
