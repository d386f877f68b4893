"""The choices of the agreement screen: judge, criterion, reference and figure, kept in the URL."""

from typing import NamedTuple

import streamlit as st

from reports.reference import CONSENSUS, EACH
from reports.simulated import named
from ui.frame import recall, remember
from ui.report import Report

_REFERENCES = {EACH: "Each person", CONSENSUS: "Consensus"}
_FIGURES = {"exact": "Exact", "within_one": "Within one", "caught": "Failing caught"}


class Choice(NamedTuple):
    """What the screen shows: a judge's label, a criterion, a kind of reference."""

    judge: str
    criterion: str
    kind: str


def pick(found: Report) -> Choice:
    """The pickers in one row; the best judge and the heaviest criterion to begin with."""
    judges = {label: found.panel.judges[i] for i, label in found.panel.labels.items()}
    criteria = {criterion.name: criterion.heading() for criterion in found.rubric.criteria}
    with st.container(horizontal=True):
        judge = _select(
            "Judge",
            "judge",
            {label: named(label, judge.simulated) for label, judge in judges.items()},
            found.best() or next(iter(judges)),
        )
        criterion = _select("Criterion", "criterion", criteria, found.rubric.heaviest().name)
        kind = _switch("Held against", "reference", _REFERENCES)
    return Choice(judge, criterion, kind)


def pick_figure() -> str:
    """Which figure the chart shows."""
    return _switch("Chart shows", "figure", _FIGURES, label_visibility="collapsed")


def _select(label: str, key: str, options: dict[str, str], first: str) -> str:
    said = recall(key)
    names = list(options)
    chosen = st.selectbox(
        label,
        names,
        index=names.index(said if said in names else first),
        format_func=options.get,
        key=f"pick.{key}.{'|'.join(names)}",
    )
    remember(**{key: chosen})
    return chosen


def _switch(label: str, key: str, options: dict[str, str], **how) -> str:
    said = recall(key)
    chosen = st.segmented_control(
        label,
        list(options),
        default=said if said in options else next(iter(options)),
        format_func=options.get,
        required=True,
        key=f"pick.{key}",
        **how,
    )
    remember(**{key: chosen})
    return chosen
