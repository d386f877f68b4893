"""Table of the score for each word among the grades of an import."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.columns import ColumnMap
from concord.importing.proposals.grade_scales import GradeScales, grade_scales
from concord.importing.readers.table import Table
from concord.importing.scores import Words
from concord.importing.spec import Spec
from concord.messages import said
from concord.reports.cells import UNDEFINED
from concord.text import rating_words
from concord.ui import import_findings
from concord.ui.language import say

_ROW_PX, _ROWS = 35, 8


def grade_words(
    seen: GradeScales,
    columns: ColumnMap,
    spec: Spec | None,
    key: str,
    scale: Sequence[int] = (),
) -> dict[str, float | None]:
    """The user's score of each word; None for a word that is no grade; no key where unsaid.

    `scale` is that of the rubric, where one is chosen; convention holds for words of it alone.
    """
    rows = import_findings.read_once(
        f"{key}.rows",
        (columns.spoken(), tuple(scale)),
        lambda: word_rows(seen, spec, scale),
        said("Checking every row…"),
    )
    if not rows:
        return {}
    st.caption(say("Map words and codes to scores, or mark them as no grade."))
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
    return spelt_scores(edited.to_dict("records"))


def words_under_rubric(table: Table, columns: ColumnMap, scale: Sequence[int], key: str) -> Words:
    """The user's scores of the words in a file of grades; nothing is shown where it has none."""
    seen = import_findings.read_once(
        f"{key}.scales",
        (columns.spoken(),),
        lambda: grade_scales(table, columns),
        said("Checking every row…"),
    )
    if not seen.words():
        return {}
    with st.container(border=True):
        st.markdown(f"**{say('Scale')}**")
        return by_key(grade_words(seen, columns, None, key, scale))


def word_rows(
    seen: GradeScales, spec: Spec | None, scale: Sequence[int] = ()
) -> list[dict[str, str | int | float | None]]:
    """A row per word: how often it occurs, and the score of the spec or of convention.

    So has a number far off the scale, which may be a code for no grade.
    """
    whole = seen.of(seen.criteria)
    codes = {one.text: one.n for one in whole.values if one.score in whole.outside}
    counts = seen.words() | codes
    saved = spec.scores if spec else {}
    of_spec = {rating_words.key(word): score for word, score in saved.items()}
    # Next to numbers, convention holds for words only on the scale that the numbers show.
    rated = rating_words.rated(counts if whole.kind == "words" else seen.words())
    holds = whole.kind == "words" or rated.scale == whole.scale
    usual = rated.scores if holds else {}
    if scale:
        usual = rating_words.rated_on(seen.words(), scale, of_spec)
    rows = []
    for word, n in counts.items():
        given = of_spec.get(rating_words.key(word), usual.get(word))
        score = None if given in (None, "") else float(given)
        rows.append({"word": word, "n": n, "score": score, "none": given == ""})
    return sorted(rows, key=lambda row: (row["score"] is None, row["score"] or 0, -row["n"]))


def spelt_scores(rows: Sequence[Mapping]) -> dict[str, float | None]:
    """Return the score of each word that has one; None for a word that is no grade."""
    found: dict[str, float | None] = {}
    for row in rows:
        if row["none"]:
            found[row["word"]] = None
        elif row["score"] is not None and not pd.isna(row["score"]):
            score = float(row["score"])
            found[row["word"]] = int(score) if score.is_integer() else score
    return found


def by_key(spelt: Mapping[str, float | None]) -> Words:
    """Return the scores by word as readers of scores take them."""
    return {rating_words.key(word): score for word, score in spelt.items()}
