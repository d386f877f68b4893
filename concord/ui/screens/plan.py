"""Plan: how many answers to grade, and the next sample."""

import streamlit as st

from concord.grading import grading_sets
from concord.importing import grade_scales
from concord.messages import Problem, capital, counted
from concord.model import Sheet
from concord.reports import plan as report
from concord.reports import samples
from concord.reports.panel.panel import Panel
from concord.reports.plan import PlannedDecision, document
from concord.rubrics.model import Rubric
from concord.stats.decision.deciding_figure import FIGURES, MARGIN
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain
from concord.ui.reports import Report, show_left_out
from concord.ui.widgets import (
    action_button,
    next_screen_link,
    no_sheet,
    number_field,
    pick_rubric,
    pick_sheet,
    select,
    terms,
    url_number,
)

USUAL = 40  # questions of a set, unless said otherwise


def show(store: Store) -> None:
    """Show the screen."""
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(
            "then this screen estimates how many questions and annotators are needed to "
            "measure a judge's agreement."
        )
        return
    if show_done("plan.made"):
        next_screen_link("pages/annotate.py", "Send it to annotators")
    title = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        graded = rubric_versions.graded(store, sheet.id)
        first = "" if graded else grade_scales.proposed_rubric(store, sheet)
        names = graded or sorted(rubric_versions.names(store), key=lambda name: name != first)
        rubric_id, rubric = pick_rubric(store, names)
        heaviest = rubric.heaviest().name
        criterion = select("Criterion", "criterion", rubric.headings(), heaviest)
    decision = _pick_decision()
    panel = Report(store, sheet, rubric).panel
    show_left_out(panel.not_included)
    shown = document(_plan(store, sheet, rubric, criterion, decision, panel))
    with title:
        render.head(shown, in_one=True)
    terms("power", "margin", "pilot", "enriched")
    show_charts(shown, f"{sheet.name}-plan")
    render.body(shown, f"{sheet.name}-plan")
    if may_act(store):
        with st.expander("Next answers to grade", icon=":material/casino:"):
            _draw(store, panel, rubric_id, criterion)


@kept("Simulating decisions…")
def _plan(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    criterion: str,
    decision: PlannedDecision,
    _panel: Panel,
) -> dict:
    return report.plan(store, _panel, decision, criterion)


def _pick_decision() -> PlannedDecision:
    """The decision that is planned; kept in the URL."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figures = {key: capital(one.title) for key, one in FIGURES.items()}
        figure = _select("Deciding figure", "figure", figures)
        margin, minimum = _of_figure(figure)
    with st.expander("Further terms, and assumptions before a pilot", icon=":material/tune:"):
        label = "Candidates"
        judges = url_number(label, "candidates", 1, 32, 1, unsaid=1, key="plan.judges")
        # Annotators per answer; None for as many as so far.
        names = {"0": "as in the grades so far", "1": "1", "2": "2", "3": "3"}
        annotators = int(_select("Annotators per answer", "each", names)) or None
        label = "Interim looks"
        looks = url_number(label, "looks", 1, LOOKS_AT_MOST, 1, unsaid=1, key="plan.looks")
        shares = (
            _percent("Minimum failure recall, in %", "failure_recall", 50),
            _percent("Minimum failure precision, in %", "failure_precision", 0),
        )
        assumed = (
            _percent("Expected exact agreement, %", "share", 80, 5),
            _percent("Expected exact agreement of two annotators, %", "ceiling", 80, 5),
            _percent("Expected failing answers, % (0: as graded so far)", "failing", 0),
        )
    return PlannedDecision(figure, margin, minimum, *shares, judges, annotators, looks, *assumed)


def _of_figure(figure: str) -> tuple[float, float | None]:
    """Margin and limit in the figure's unit; shares are typed in percent."""
    deciding = FIGURES[figure]
    share, title = deciding.kind == "share", deciding.title
    unit, own = (100, "") if share else (1, f".{figure}")
    margin = url_number(
        "Margin, in percentage points" if share else "Margin",
        f"margin{own}",
        unit / 100,
        unit / 2,
        unit * MARGIN,
        unsaid=unit * MARGIN,
        step=unit / 100,
        key=f"plan.margin{own}",
        format="%g",
    )
    end = "Minimum" if deciding.higher_is_better else "Maximum"
    minimum = url_number(
        f"{end} {title}{', in %' if share else ''}",
        f"minimum{own}",
        0.0,
        None if deciding.kind == "points" else float(unit),
        0.0,
        unsaid=0.0,
        step=unit / 20,
        key=f"plan.minimum{own}",
        format="%g",
        help="0: none.",
    )
    return margin / unit, minimum / unit or None


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


def _draw(store: Store, panel: Panel, rubric_id: int, criterion: str) -> None:
    """The next grading set: what it holds and means is said before it is made."""
    with st.container(horizontal=True):
        questions = number_field("Questions", 1, 100_000, USUAL, key="plan.questions")
        seed = number_field("Seed", 0, 999_999, panel.sheet.seed(), key="plan.seed")
    extra = 0
    if any(judge.kind == "judge" for judge in panel.judges.values()):
        label = "Share of questions for suspected failures only, in %"
        extra = st.slider(label, 0, 90, 0, key="plan.extra")
    try:
        numbers = int(questions), int(seed), extra / 100
        wanted = samples.request(panel, criterion, *numbers)
        proposal = samples.propose(store, panel, rubric_id, wanted)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/info:")
        return
    number, answers = (counted(proposal[f"{one}s"], one) for one in ("question", "answer"))
    st.info(f"{number}: {answers}", icon=":material/casino:")
    if extra:
        st.caption(samples.WEIGHED)
    if proposal["warning"]:
        st.warning(plain(proposal["warning"]), icon=":material/warning:")
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    key = f"plan.name.{len(sets)}"
    name = st.text_input("Name", grading_sets.next_name(sets), key=key)
    label = "Create grading set"
    if action_button(label, store.why_no_lead(), type="primary", key="plan.make"):
        made = samples.create(store, panel, rubric_id, name, wanted)
        st.session_state["plan.made"] = samples.sentence(made)
        st.rerun()
