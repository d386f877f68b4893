"""Third step of an import: the score of each word, and the rubric the grades are read under."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.columns import ColumnMap
from concord.importing.grade_scales import (
    GradeScales,
    conventional,
    grade_scales,
    graded_by,
    narrow,
    proposed_fit,
    under,
    with_meanings,
    zero_to_one,
)
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words, shown_scale
from concord.importing.spec import Spec, makes_rubric, scale_of
from concord.messages import Problem, joined, said
from concord.reports.cells import UNDEFINED
from concord.reports.panel import wording
from concord.rubrics import fit
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text import rating_words
from concord.text.rating_words import rated_on
from concord.ui.import_findings import read_once
from concord.ui.language import plain, say, word
from concord.ui.render import table_of

_ROW_PX, _ROWS = 35, 8
_VALUES = 12
_NEW = ""


def scales_of(table: Table, columns: ColumnMap, key: str) -> GradeScales:
    """What the grades of a file show, read once."""
    wanted = (columns.spoken(),)
    return read_once(f"{key}.scales", wanted, lambda: grade_scales(table, columns))


def grade_words(
    seen: GradeScales, spec: Spec | None, key: str, scale: Sequence[int] = ()
) -> dict[str, float | None]:
    """The user's scores by word; None for a word that is no grade; no key where unsaid.

    `scale` is that of the rubric, where one is chosen; convention holds for words of it alone.
    """
    rows = word_rows(seen, spec, scale)
    if not rows:
        return {}
    edited = st.data_editor(
        pd.DataFrame(rows),
        key=f"{key}.words.{digest(repr(rows))}",  # an edit is kept by place, not by word
        hide_index=True,
        num_rows="fixed",
        disabled=("word", "n"),
        width="content",
        placeholder=UNDEFINED,
        height=_ROW_PX * (min(len(rows), _ROWS) + 1) + 3,
        column_config={
            "word": st.column_config.TextColumn(say("Word")),
            "n": st.column_config.NumberColumn(say("Grades")),
            "score": st.column_config.NumberColumn(say("Score")),
            "none": st.column_config.CheckboxColumn(say("No grade")),
        },
        alt=say("Scores of words"),
    )
    found: dict[str, float | None] = {}
    for row in edited.to_dict("records"):
        score = None if row["none"] or pd.isna(row["score"]) else float(row["score"])
        if row["none"] or score is not None:
            whole = score is not None and score.is_integer()
            found[rating_words.key(row["word"])] = int(score) if whole else score
    return found


def word_rows(
    seen: GradeScales, spec: Spec | None, scale: Sequence[int]
) -> list[dict[str, str | int | float | None]]:
    """A row per word: how often it occurs, and the score of the spec or of convention."""
    counts = seen.words()
    given = {rating_words.key(one): score for one, score in (spec.scores if spec else {}).items()}
    usual = rated_on(seen.words(), scale, given) if scale else conventional(seen, given)
    rows = []
    for spelling, n in counts.items():
        score = given.get(rating_words.key(spelling), usual.get(spelling))
        is_none = score == ""
        score = None if score in (None, "") else float(score)
        rows.append({"word": spelling, "n": n, "score": score, "none": is_none})
    return sorted(rows, key=lambda row: (row["score"] is None, row["score"] or 0, -row["n"]))


def values_shown(values: Iterable[tuple[str, int]]) -> str:
    """The first values with how often each occurs."""
    parts = [said("{value} ×{n:,}", value=text, n=n) for text, n in values]
    return joined(", ", [*parts[:_VALUES], *["…"][: len(parts) > _VALUES]])


class Scaled(NamedTuple):
    """Scale on which the grades are read.

    Attributes:
        columns: The column map, with the criteria as the rubrics call them.
        rubrics: The rubrics, one for each scale; none where the file has no grades.
        words: Scores by word.
        is_new: Whether the import makes the rubrics.
        spread: Criteria whose numbers of 0 to 1 are mapped to the scale.
    """

    columns: ColumnMap
    rubrics: tuple[Rubric, ...] = ()
    words: Words = MappingProxyType({})
    is_new: bool = False
    spread: Spread = ()


def scale(store: Store, table: Table, columns: ColumnMap, spec: Spec | None, key: str) -> Scaled:
    """Show how the grades are read; `key` changes with the file and where its mapping began.

    Raises:
        Problem: there are no grades, or no scale that a rubric can be chosen by.
    """
    if not (columns.scores or columns.column("score")):
        return Scaled(columns)
    seen = scales_of(table, columns, key)
    with st.container(border=True):
        st.markdown(say("**3. Scale:** what the scores mean"))
        if not seen.criteria:
            raise Problem("The grade columns are empty. Deselect them above.")
        words = grade_words(seen, spec, key)
        found = {criterion: seen.of([criterion], words) for criterion in seen.criteria}
        rows = [
            {
                "Criterion": criterion,
                "Grades": one.n,
                "Values": values_shown((text, n) for text, n, _ in one.values),
                "Scale": shown_scale(one.scale),
            }
            for criterion, one in found.items()
        ]
        table_of(rows, "scales")
        rubrics: list[Rubric] = []
        is_new, spread = False, set()
        for number, group in enumerate(seen.groups(words)):
            own = f"{key}.scale.{number}"
            taken = [one.name for one in rubrics]
            rubric, made = _rubric(store, seen, group, words, spec, own, table.source.stem, taken)
            rubrics.append(rubric)
            is_new |= made
            spread |= {*chosen_spread(table, seen, columns, rubric, words, own)}
    return Scaled(under(columns, rubrics), tuple(rubrics), words, is_new, spread)


def chosen_spread(
    table: Table, seen: GradeScales, columns: ColumnMap, rubric: Rubric, words: Words, key: str
) -> Spread:
    """The criteria whose numbers of 0 to 1 the user maps to a longer scale.

    Raises:
        Problem: there are such numbers, and the user has not chosen yet how they are read.
    """
    found = narrow(seen, columns, rubric, words)
    if not found:
        return ()
    ends = {"low": rubric.scale[0], "high": rubric.scale[-1]}
    is_mapped = st.radio(
        say("Numbers of 0 to 1 ({grades})", grades=plain(graded_by(found))),
        [True, False],
        index=None,
        format_func=lambda one: (
            say("Map 0 to {low} and 1 to {high}", **ends) if one else say("Keep them")
        ),
        key=f"{key}.zero_to_one",
    )
    if is_mapped is None:
        raise zero_to_one(table, found, rubric)
    return found.keys() if is_mapped else ()


def _rubric(
    store: Store,
    seen: GradeScales,
    group: Sequence[str],
    words: Words,
    spec: Spec | None,
    key: str,
    name: str,
    taken: Sequence[str],
) -> tuple[Rubric, bool]:
    """The rubric of criteria on one scale, chosen, or edited where it would be made.

    Args:
        store: Where the rubrics are.
        seen: The grades.
        group: The criteria as the file calls them.
        words: Scores by word.
        spec: The spec that the mapping began with, if any.
        key: Of the widgets.
        name: The name of the file.
        taken: The names of the rubrics of other scales.

    Returns:
        The rubric, and whether it is new.

    Raises:
        Problem: no rubric fits, and none can be made.
    """
    rubrics = {one: rubric_versions.named(store, one)[1] for one in rubric_versions.names(store)}
    found, taken = seen.of(group, words), [*rubrics, *taken]
    may_be, proposal, fitting = rubric_versions.of_import(store, name), None, []
    with suppress(Problem):  # nothing is proposed
        proposal = proposed_fit(seen, group, may_be, words, name, taken)
        fitting = [*([] if proposal.is_new else [proposal.rubric.name]), *proposal.others]
    options = [*dict.fromkeys([*fitting, _NEW, *rubrics])]
    wanted = (_NEW if proposal.is_new else proposal.rubric.name) if proposal else None
    if spec and spec.rubric:
        wanted = _NEW if makes_rubric(store, spec) else spec.rubric
    titles = wording.called(store, list(rubrics))
    chosen = st.selectbox(
        say("Rubric of {criteria}", criteria=plain(joined(", ", group))),
        options,
        None if wanted is None else options.index(wanted),
        format_func=lambda one: word(titles[one]) if one else say("A new rubric from these grades"),
        key=f"{key}.rubric.{fitting[:1]}.{group}",  # other columns, another proposal
        placeholder=say("Choose"),
    )
    if chosen is None:
        raise Problem(
            "No scale can be inferred from the grades. Give each word a score, or choose a rubric."
        )
    if chosen != _NEW:
        return rubrics[chosen], False
    name, scores, places = (spec and spec.rubric) or name, shown_scale(found.scale), st.columns(2)
    scores = (spec and spec.scale) or scores
    title = places[0].text_input(say("Name"), name, key=f"{key}.name").strip() or name
    scores = places[1].text_input(say("Scale"), scores, key=f"{key}.ends.{scores}")
    made = fit.new_rubric(group, scale_of(scores), title, taken)
    return with_meanings(made, group, seen, words), True
