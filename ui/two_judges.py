"""Two judges on screen: the paired test, and where they differ."""

import streamlit as st

from reports.choose_reason import points
from reports.panel import COMPOSITE
from reports.text import UNDEFINED
from reports.two_judges import EXACT
from ui.language import say
from ui.markdown import plain
from ui.rows import table_of
from words.said import said


def where_they_differ(found: dict) -> None:
    """The test in words, and the difference by criterion, answering model and length."""
    st.subheader(plain(found["sentence"]), anchor=False)
    with st.expander(say("Where the two differ")):
        rows = [_line(row) for row in found["groups"]]
        table_of(rows, f"two-judges-{found['first']}-{found['second']}")
        exact = found["measure"] == EXACT
        st.caption(
            plain(
                said(
                    "Points are {first} minus {second}, in {unit}; p-values are {adjusted}.",
                    first=found["first"],
                    second=found["second"],
                    unit=said("exact agreement" if exact else "nearness on the scale"),
                    adjusted=found["adjusted"],
                )
            )
        )


def _line(row: dict) -> dict:
    return {
        said("split by"): row["by"],
        said("group"): said("composite") if row["group"] == COMPOSITE else row["group"],
        said("answers"): row["n"],
        said("points"): points(row["difference"]),
        said("p, adjusted"): UNDEFINED if row["p_adjusted"] is None else f"{row['p_adjusted']:.3f}",
    }
