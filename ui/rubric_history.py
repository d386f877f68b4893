"""The table of a rubric's criterion versions and the grades that hang on each."""

import pandas as pd
import streamlit as st

from data.rubric_edits import Version
from ui.widgets import table


def history_table(versions: list[Version]) -> None:
    """Every version of every criterion, with its grades and where they count as well."""
    st.caption(
        "A version is what a grader decides by: the criterion's question, the scale, the meaning "
        "of each score and what is shown. A version that grades hang on never changes; an edit "
        "makes a new one. Weights, titles and examples are not part of it."
    )
    table(pd.DataFrame(map(_row, versions)), "versions")


def _row(version: Version) -> dict:
    return {
        "criterion": version.criterion,
        "version": version.version[:8],
        "state": "current" if version.newest else "earlier",
        "grades": version.grades,
        "since": version.since[:10],
        "counts also under": "; ".join(
            f"{target[:8]} ({why})" for target, why in version.counted_in
        ),
    }
