"""Side by side: the finding, distance from people, the table of figures, and what to run next."""

import pandas as pd
import streamlit as st

from reports import compare_words as words
from reports.compare_table import heads, lines, reasons
from ui import compare_chart as charts
from ui.agreement_more import terms, uncounted
from ui.compare_pick import Choice
from ui.comparison import Comparison
from ui.language import say
from ui.markdown import plain
from ui.rows import table_of
from ui.widgets import figure, finding
from words.said import said

FIGURE = said("figure")
WORDS = ("variant", "distance", "skill", said("same answers"), "beside", "spread", "steady")
_LISTS = (("models",), ("neighbours", "judge"), ("neighbours", "people"))  # no cell holds them


def side_by_side(found: Comparison, choice: Choice) -> None:
    """The whole view."""
    told = found.report(choice.labels, choice.target, choice.base, choice.kind)
    name = f"{found.sheet.name}-compare-{choice.target}"
    finding(words.title(told), words.detail(told))
    uncounted(told)
    if told["weighting"]:
        st.caption(plain(told["weighting"]))
    terms(*WORDS, "ccc", "qwk", "exact", "caught", "bias", "order", "composite", "baseline")
    if told["n"]:
        _charts(told, name)
    st.subheader(say("Every figure, a column per variant"), anchor=False)
    columns = heads(told)
    widths = {head: st.column_config.TextColumn(width=200) for head in columns}
    table_of(
        [{FIGURE: name} | dict(zip(columns, cells, strict=True)) for name, cells in lines(told)],
        f"{name}-figures",
        _numbers(told),
        widths | {FIGURE: st.column_config.TextColumn(pinned=True, width=225)},
        height="content",
    )
    for sentence in reasons(told):
        st.caption(f"— {plain(sentence)}")
    _advice(told)
    with st.expander(say("How it was made")):
        st.code(told["signature"], language=None, wrap_lines=True)


def _charts(told: dict, name: str) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        figure(
            charts.distance(told, charts.distance_title(told)),
            f"{name}-distance",
            charts.distance_alt(told),
        )
    with right:
        figure(
            charts.scores(told, charts.scores_title(told)),
            f"{name}-scores",
            charts.scores_alt(told),
        )


def _numbers(told: dict) -> pd.DataFrame:
    """Every figure as a number, a row per variant, for the download."""
    return pd.json_normalize(told["variants"], sep=" ").drop(
        columns=[" ".join(("order", *path)) for path in _LISTS], errors="ignore"
    )


def _advice(told: dict) -> None:
    advice = words.advice(told)
    if not advice:
        return
    st.subheader(say("What to run to learn more"), anchor=False)
    for sentence in advice:
        st.markdown(f"- {plain(sentence)}")
    st.page_link("pages/judges.py", label=say("To the judges"), icon=":material/arrow_forward:")
