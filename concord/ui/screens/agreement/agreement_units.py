"""What is folded below the agreement on units: the failing verdict, numbers of answers, lists."""

import pandas as pd
import streamlit as st

from concord.messages import Said, capital, joined, said
from concord.reports.agreement.unit_agreement import list_sentence
from concord.reports.panel.exclusions import reason
from concord.reports.panel.terminal_tables import number, share
from concord.reports.panel.unit_words import noun
from concord.reports.units import extraction
from concord.ui.cached_reports import Report
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement import cached_agreement
from concord.ui.screens.agreement.agreement_pick import Choice

TERMS = (
    *(said("unit precision"), said("failure recall"), said("by people"), said("list errors")),
    said("extraction"),
)


def show(report: Report, choice: Choice, name: str) -> None:
    """Precision and recall, then measures by judge and by people, then errors of the lists."""
    terms(*TERMS)
    found = cached_agreement.units(report, choice.kind)
    failing = found["failing"]
    if failing:
        words = plain(joined(" or ", failing[0]["failing"]))
        units = capital(noun(report.rubric.plural))
        st.markdown(say("**{units} called {labels}**", units=units, labels=words))
        lines = [_failing(row) for row in failing]
        table_of(lines, f"{name}-failing", pd.json_normalize(failing))
    if found["by_answer"]:
        st.markdown(say("**Numbers of answers, by the judge's verdicts and by people's labels**"))
        rows = found["by_answer"]
        lines = [_by_answer(row) for row in rows]
        table_of(lines, f"{name}-by-answer", pd.json_normalize(rows))
        for row in rows:
            if row["left_out"]:
                st.caption(plain(_left_out(row)))
    st.markdown(say("**The lists themselves**"))
    st.write(plain(list_sentence(found["lists"], report.rubric)))
    for row in found["extraction"]:
        st.write(plain(extraction.sentence(row)))
        if row["left_out"]:
            st.caption(plain(said("— left out: {reasons}.", reasons=_reasons(row))))


def _failing(row: dict) -> dict[str, str]:
    return {
        said("Judge"): row["judge"],
        "n": f"{row['n']:,}",
        said("Precision"): _share_of(row["precision"]),
        said("Recall"): _share_of(row["recall"]),
    }


def _share_of(found: dict) -> Said:
    return said("{share} of {n}", share=share(found), n=found["failing"])


def _by_answer(row: dict) -> dict[str, str]:
    return {
        said("Judge"): row["judge"],
        said("Measure"): row["measure"].replace("_", " "),
        said("Answers"): f"{row['n']:,}",
        said("Mean distance"): number(row["mae"]),
        said("Bias"): number(row["bias"], "+"),
        said("Spearman"): number(row["spearman"]),
    }


def _left_out(row: dict) -> Said:
    return said(
        "— {judge}, {measure}, left out: {reasons}.",
        judge=row["judge"],
        measure=row["measure"].replace("_", " "),
        reasons=_reasons(row),
    )


def _reasons(row: dict) -> Said:
    return joined(
        ", ",
        [said("{count:,} {why}", count=n, why=reason(why)) for why, n in row["left_out"].items()],
    )
