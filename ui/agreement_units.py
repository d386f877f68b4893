"""What is folded below the agreement on units: the failing verdict, numbers of answers, lists."""

import pandas as pd
import streamlit as st

from reports import extraction
from reports.text import number, share
from reports.unit_agreement import list_sentence
from ui import agreement_more
from ui.agreement_pick import Choice
from ui.markdown import plain
from ui.report import Report
from ui.widgets import table


def show(report: Report, choice: Choice, name: str) -> None:
    """Precision and recall, then measures by judge and by people, then errors of the lists."""
    agreement_more.terms("unit precision", "caught", "by people", "list errors", "extraction")
    found = report.units(choice.kind)
    failing = found["failing"]
    if failing:
        words = " or ".join(failing[0]["failing"])
        st.markdown(f"**{report.rubric.plural.capitalize()} called {plain(words)}**")
        table(pd.DataFrame(map(_failing, failing)), f"{name}-failing", pd.json_normalize(failing))
    if found["by_answer"]:
        st.markdown("**Numbers of answers, by the judge's verdicts and by people's labels**")
        rows = found["by_answer"]
        table(pd.DataFrame(map(_by_answer, rows)), f"{name}-by-answer", pd.json_normalize(rows))
        for row in rows:
            if row["left_out"]:
                st.caption(plain(_left_out(row)))
    st.markdown("**The lists themselves**")
    st.write(plain(list_sentence(found["lists"], report.rubric)))
    for row in found["extraction"]:
        st.write(plain(extraction.sentence(row)))
        if row["left_out"]:
            st.caption(plain(f"— left out: {_reasons(row)}."))


def _failing(row: dict) -> dict[str, str]:
    return {
        "Judge": row["judge"],
        "n": f"{row['n']:,}",
        "Precision": f"{share(row['precision'])} of {row['precision']['failing']}",
        "Recall (caught)": f"{share(row['recall'])} of {row['recall']['failing']}",
    }


def _by_answer(row: dict) -> dict[str, str]:
    return {
        "Judge": row["judge"],
        "Measure": row["measure"].replace("_", " "),
        "Answers": f"{row['n']:,}",
        "Mean distance": number(row["mae"]),
        "Bias": number(row["bias"], "+"),
        "Spearman": number(row["spearman"]),
    }


def _left_out(row: dict) -> str:
    return f"— {row['judge']}, {row['measure'].replace('_', ' ')}, left out: {_reasons(row)}."


def _reasons(row: dict) -> str:
    return ", ".join(f"{count:,} {why}" for why, count in row["left_out"].items())
