"""Third step of an import: which scores the grades are, and the rubric they are read under."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from concord.importing.columns import ColumnMap
from concord.importing.proposals.grade_rubric import under
from concord.importing.proposals.grade_scales import GradeScales, grade_scales, shown_scale
from concord.importing.readers.table import Table
from concord.importing.scale import Scale
from concord.importing.scores import Words
from concord.importing.spec import Spec
from concord.messages import Problem, joined, said
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.language import say
from concord.ui.render import table_of
from concord.ui.screens.data.grade_words import by_key, grade_words
from concord.ui.screens.data.import_rubric import pick_rubric

_VALUES = 12


class Scaled(NamedTuple):
    """Scale on which the grades are read.

    Attributes:
        columns: The column map, with the criteria as the rubric calls them.
        rubric: The rubric; None where the file has no grades, or they are left out.
        words: Scores by word.
        spelt: The same as the file spells the words.
        is_new: Whether the import makes the rubric.
    """

    columns: ColumnMap
    rubric: Rubric | None = None
    words: Words = MappingProxyType({})
    spelt: Mapping[str, float | None] = MappingProxyType({})
    is_new: bool = False


def scale(store: Store, table: Table, columns: ColumnMap, spec: Spec | None, key: str) -> Scaled:
    """Show how the grades are read; `key` changes with the file and where its mapping began.

    Raises:
        Problem: there are no grades, or no scale that a rubric can be chosen by.
    """
    if not (columns.scores or columns.column("score")):
        return Scaled(columns)
    seen = import_findings.read_once(
        f"{key}.scales",
        (columns.spoken(),),
        lambda: grade_scales(table, columns),
        said("Checking every row…"),
    )
    with st.container(border=True):
        st.markdown(say("**3. Scale:** what the scores mean"))
        if not seen.criteria:
            raise Problem("The grade columns are empty. Deselect them above.")
        spelt = grade_words(seen, columns, spec, key)
        words = by_key(spelt)
        whole, scales, different = import_findings.read_once(
            f"{key}.whole",
            (columns.spoken(), tuple(words.items())),
            lambda: (
                seen.of(seen.criteria, words),
                _by_criterion(seen, words),
                seen.different(words),
            ),
            said("Checking every row…"),
        )
        _show(scales)
        rubric, names = pick_rubric(
            store, seen.criteria, whole, spec, f"{key}.scale", table.source.stem,
            different=different,
            titled=all("{" not in one.criterion for one in columns.scores) and bool(columns.scores),
        )  # fmt: skip
    return Scaled(under(columns, rubric, names), rubric, words, spelt, bool(names))


def _by_criterion(seen: GradeScales, words: Words) -> dict[str, Scale]:
    return {criterion: seen.of([criterion], words) for criterion in seen.criteria}


def _show(scales: Mapping[str, Scale]) -> None:
    """Show per criterion what occurs and the scale that is read off it."""
    rows = [
        {
            said("Criterion"): criterion,
            said("Grades"): one.n,
            said("Values"): _values(one),
            said("Scale"): shown_scale(one.scale),
            said("Why"): one.reason,
        }
        for criterion, one in scales.items()
    ]
    table_of(rows, "scales", in_full=True)


def _values(one: Scale) -> str:
    parts = [said("{value} ×{n:,}", value=value.text, n=value.n) for value in one.values[:_VALUES]]
    return joined(", ", [*parts, *(["…"] if len(one.values) > _VALUES else [])])
