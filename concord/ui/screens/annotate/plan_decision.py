"""The decision that a plan is for: figure, margin, minima, candidates, annotators and looks."""

import streamlit as st

from concord.messages import capital, said
from concord.reports.planning.power import PlannedDecision
from concord.reports.planning.power_document import COMPARED
from concord.stats.decision.deciding_figure import FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.ui.frame import recall, remember
from concord.ui.language import say, word
from concord.ui.widgets import select, url_number


def decision() -> tuple[PlannedDecision, str]:
    """The decision that is planned, and what the power curves compare."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figures = {key: capital(word(one.title)) for key, one in FIGURES.items()}
        deciding = _select(said("Deciding figure"), "figure", figures)
        margin, minimum = _of_figure(FIGURES[deciding])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = say("Candidates")
        judges = url_number(label, "candidates", 1, 32, 1, unsaid=1, key="plan.judges")
        annotators = _annotators()
        label = say("Interim looks")
        looks = url_number(label, "looks", 1, LOOKS_AT_MOST, 1, unsaid=1, key="plan.looks")
        compared = {key: capital(word(title)) for key, title in COMPARED.items()}
        compare = _select(said("Compare"), "compare", compared)
    with st.expander(say("Minima, and assumptions before a pilot"), icon=":material/tune:"):
        shares = (
            _percent(say("Minimum failure recall, in %"), "failure_recall", 50),
            _percent(say("Minimum failure precision, in %"), "failure_precision", 0),
        )
        assumed = (
            _percent(say("Expected exact agreement, %"), "share", 80, 5),
            _percent(say("Expected exact agreement of two annotators, %"), "ceiling", 80, 5),
            _percent(say("Expected failing answers, % (0: as graded so far)"), "failing", 0),
        )
    terms = (deciding, margin, minimum, *shares, judges, annotators, looks, *assumed)
    return PlannedDecision(*terms), compare


def _of_figure(deciding: DecidingFigure) -> tuple[float, float | None]:
    """Margin and limit in the figure's unit; shares are typed in percent."""
    share, title = deciding.kind == "share", word(deciding.title)
    unit, own = (100, "") if share else (1, f".{deciding.key}")
    margin = url_number(
        say("Margin, in percentage points") if share else say("Margin of {figure}", figure=title),
        f"margin{own}",
        unit / 100,
        unit / 2,
        unit * MARGIN,
        unsaid=unit * MARGIN,
        step=unit / 100,
        key=f"plan.margin{own}",
        format="%g",
    )
    limit = said("Minimum {figure}") if deciding.higher_is_better else said("Maximum {figure}")
    minimum = url_number(
        say(said("Minimum {figure}, in %") if share else limit, figure=title),
        f"minimum{own}",
        0.0,
        None if deciding.kind == "points" else float(unit),
        0.0,
        unsaid=0.0,
        step=unit / 20,
        key=f"plan.minimum{own}",
        format="%g",
        help=say("0: no minimum." if deciding.higher_is_better else "0: no limit."),
    )
    return margin / unit, minimum / unit or None


def _annotators() -> int | None:
    """Annotators per answer; None for as many as so far."""
    names = {"0": said("as in the grades so far"), "1": "1", "2": "2", "3": "3"}
    return int(_select(said("Annotators per answer"), "each", names)) or None


def _select(label: str, key: str, options: dict[str, str]) -> str:
    """A choice that begins with the first of the options, of which the URL says nothing."""
    first = next(iter(options))
    return select(label, key, options, first, unsaid=first)


def _percent(label: str, key: str, first: int, least: int = 0) -> float | None:
    """A share in percent, kept in the URL; None for 0."""
    wanted = recall(key) or ""
    value = int(wanted) if wanted.isdecimal() and least <= int(wanted) <= 100 else first
    chosen = st.slider(label, least, 100, value, 5, key=f"plan.{key}")
    remember(**{key: None if chosen == first else chosen})
    return chosen / 100 or None
