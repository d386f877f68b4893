"""The table of a rubric's criterion versions and the grades that hang on each."""

import streamlit as st

from concord.messages import said
from concord.store.rubrics.rubric_edits import Version
from concord.ui.language import say
from concord.ui.localized_table import table_of


def history_table(versions: list[Version]) -> None:
    """Every version of every criterion, with its grades and where they count as well."""
    st.caption(
        say(
            "A version is what a grader decides by: the criterion's question, the scale, the "
            "meaning of each score and what is shown. A version that grades hang on never changes; "
            "an edit makes a new one. Weights, titles and examples are not part of it."
        )
    )
    table_of([_row(version) for version in versions], "versions")


def _row(version: Version) -> dict:
    return {
        said("criterion"): version.criterion,
        said("version"): version.version[:8],
        said("state"): said("current" if version.newest else "earlier"),
        said("grades"): version.grades,
        said("since"): version.since[:10],
        said("counts also under"): "; ".join(
            f"{target[:8]} ({why})" for target, why in version.counted_in
        ),
    }
