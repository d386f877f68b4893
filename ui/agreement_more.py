"""What is folded below the agreement: chance, annotators, repeats, left out, how it was made."""

import streamlit as st

from reports.panel import COMPOSITE
from ui import agreement_table as tables
from ui.markdown import plain
from ui.terms import sentence
from ui.widgets import table


def terms(*names: str) -> None:
    """The explanations of some terms, one click away."""
    with st.popover("What the words mean", icon=":material/help:"):
        for name in names:
            st.markdown(f"**{name}** · {sentence(name)}")


def more(found: dict, name: str) -> None:
    """The folded parts; a fold computes nothing that the report does not hold already."""
    rows = found["rows"]
    criteria = [row for row in rows if row["criterion"] != COMPOSITE]
    with st.expander("Corrected for chance, and the composite"):
        terms("kappa", "qwk", "ac2", "alpha", "tau-b", "ccc", "mae", "composite")
        table(tables.chance_corrected(rows), f"{name}-chance")
        _reasons(rows)
    with st.expander("May a judge stand in for a person? The alternative annotator test"):
        terms("alt-test")
        _alt_tests(criteria, name)
    with st.expander("How steady each person is: answers that came back"):
        terms("repeats")
        if found["reliability"]:
            table(tables.repeats(found["reliability"]), f"{name}-repeats")
        else:
            st.write("No answer has come back to a person yet.")
    with st.expander("What was left out, and why"):
        terms("left out", "blind")
        _left_out(found, name)
    with st.expander("How it was made"):
        for row in rows:
            st.code(row["signature"], language=None, wrap_lines=True)


def uncounted(found: dict) -> None:
    """Who has graded and does not count, and why."""
    for person, why in found["uncounted"].items():
        st.caption(plain(f"{person} does not count: {why}."))


def _alt_tests(rows: list[dict], name: str) -> None:
    """The tests; one sentence where none of them could be made."""
    reasons = {test["why_none"] for row in rows for test in row["alt_test"]}
    if len(reasons) == 1 and None not in reasons:
        st.write(f"Not given: {reasons.pop()}.")
    else:
        table(tables.alt_tests(rows), f"{name}-alt-test")


def _left_out(found: dict, name: str) -> None:
    frame = tables.left_out(found["rows"])
    if len(frame):
        table(frame, f"{name}-left-out")
    else:
        st.write("Nothing: every answer of the sheet is in every figure.")


def _reasons(rows: list[dict]) -> None:
    """Why figures are missing, each reason once."""
    reasons = {row[name]["why_none"] for row in rows for name in ("qwk", "alpha", "ccc", "tau_b")}
    for reason in sorted(reasons - {None}):
        st.caption(f"— {reason}")
