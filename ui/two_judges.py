"""Two judges on screen: the paired test, and where they differ."""

import pandas as pd
import streamlit as st

from reports.choose_sentence import points
from reports.text import UNDEFINED
from reports.two_judges import EXACT
from ui.markdown import plain
from ui.widgets import table


def where_they_differ(found: dict) -> None:
    """The test in words, and the difference by criterion, answering model and length."""
    st.subheader(plain(found["sentence"]), anchor=False)
    with st.expander("Where the two differ"):
        rows = [_line(row) for row in found["groups"]]
        table(pd.DataFrame(rows), f"two-judges-{found['first']}-{found['second']}")
        unit = "exact agreement" if found["measure"] == EXACT else "nearness on the scale"
        st.caption(
            plain(
                f"Points are {found['first']} minus {found['second']}, in {unit}; p-values are "
                f"{found['adjusted']}."
            )
        )


def _line(row: dict) -> dict:
    return {
        "by": row["by"],
        "group": row["group"],
        "answers": row["n"],
        "points": points(row["difference"]),
        "p, adjusted": UNDEFINED if row["p_adjusted"] is None else f"{row['p_adjusted']:.3f}",
    }
