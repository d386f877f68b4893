"""Plan: how many answers to grade, and the next sample."""

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from concord.grading import grading_sets
from concord.importing import default_rubric
from concord.messages import Problem, capital, counted, joined, said
from concord.model import Sheet
from concord.reports.panel.panel import Panel
from concord.reports.planning import document, next_sample
from concord.reports.planning import plan as report
from concord.reports.planning.document import COMPARED, curve_name
from concord.reports.planning.next_sample import Proposal, raising
from concord.reports.planning.plan import Plan
from concord.reports.planning.power import PlannedDecision, PowerCurve
from concord.rubrics.model import Rubric
from concord.stats.decision.deciding_figure import FIGURES, MARGIN, DecidingFigure
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say, word
from concord.ui.report_picker import show_left_out
from concord.ui.widgets import (
    action_button,
    next_screen_link,
    number_field,
    pick_rubric,
    select,
    terms,
    url_number,
)

SIMULATING = said("Simulating decisions…")


class PlanInput(NamedTuple):
    """Input of the plan.

    Attributes:
        panel: The grades.
        rubric_id: The rubric's id.
        criterion: The criterion's name.
        half_width: Of the 95% CI of exact agreement.
        decided: The decision that is planned.
        compare: What the power curves compare.
    """

    panel: Panel
    rubric_id: int
    criterion: str
    half_width: float
    decided: PlannedDecision
    compare: str

    def plan(self, store: Store) -> Plan:
        """Return the plan without power curves, computed once for a state of the store."""
        panel, wanted = self.panel, (self.half_width, self.decided)
        found = _plan(store, panel.sheet, panel.rubric, self.criterion, wanted, panel)
        return report.comparing(found, self.compare)

    def with_curves(self, store: Store, found: Plan) -> Plan:
        """Return the plan with its power curves, and show how many are done meanwhile.

        Each is kept by itself. Leaving the screen, or changing what is asked, stops the work before
        the next one.
        """
        panel, curves = self.panel, []
        variants = found.decision.variants()
        for number, compared in enumerate(variants, start=1):
            of = curve_name(found.decision, compared)
            done = {"n": number, "total": len(variants)}
            doing = said("{doing} {n}/{total}: {what}", doing=SIMULATING, **done, what=of)
            with st.spinner(plain(doing)):
                wanted = (self.decided, self.compare, compared)
                curves.append(
                    _curve(store, panel.sheet, panel.rubric, self.criterion, wanted, panel, found)
                )
        return report.with_curves(found, curves)


def ask(store: Store, sheet: Sheet) -> PlanInput:
    """Rubric, criterion and what is wanted; kept in the URL."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rubric_id, rubric = _rubric(store, sheet)
        names = rubric.headings()
        criterion = select(said("Criterion"), "criterion", names, rubric.heaviest().name)
        label = say("Half-width of the 95% CI, points")
        half_width = url_number(label, "width", 1, 30, 5, unsaid=5, key="plan.width")
    decided, compare = decision()
    panel = Report(store, sheet, rubric).panel
    show_left_out(panel.not_included)
    return PlanInput(panel, rubric_id, criterion, half_width / 100, decided, compare)


def _rubric(store: Store, sheet: Sheet) -> tuple[int, Rubric]:
    """A rubric the sheet is graded under, or any where it is not graded yet."""
    graded = rubric_versions.graded(store, sheet.id)
    if graded:
        return pick_rubric(store, graded)
    names = rubric_versions.names(store)
    first = default_rubric.proposed_rubric(store, sheet)
    return pick_rubric(store, sorted(names, key=lambda name: name != first))


@kept(SIMULATING)
def _plan(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    criterion: str,
    wanted: tuple[float, PlannedDecision],
    _panel: Panel,
) -> Plan:
    return report.plan(store, _panel, *wanted, criterion, curves=False)


@kept(most=96)
def _curve(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    criterion: str,
    wanted: tuple[PlannedDecision, str, str | float],
    _panel: Panel,
    _found: Plan,
) -> PowerCurve:
    return report.curve(_panel, _found, wanted[-1])


def decision() -> tuple[PlannedDecision, str]:
    """The decision that is planned, and what the power curves compare."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figures = {key: capital(word(one.title)) for key, one in FIGURES.items()}
        deciding = _select(said("Deciding figure"), "figure", figures)
        margin, minimum = _of_figure(FIGURES[deciding])
    with st.expander(say("Further terms, and assumptions before a pilot"), icon=":material/tune:"):
        label = say("Candidates")
        judges = url_number(label, "candidates", 1, 32, 1, unsaid=1, key="plan.judges")
        # Annotators per answer; None for as many as so far.
        names = {"0": said("as in the grades so far"), "1": "1", "2": "2", "3": "3"}
        annotators = int(_select(said("Annotators per answer"), "each", names)) or None
        label = say("Interim looks")
        looks = url_number(label, "looks", 1, LOOKS_AT_MOST, 1, unsaid=1, key="plan.looks")
        compared = {key: capital(word(title)) for key, title in COMPARED.items()}
        compare = _select(said("Compare"), "compare", compared)
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


def curves(found: Plan) -> None:
    """Show the sample size and the power curves, and the rest behind Details."""
    shown, name = document.document(found), _name(found)
    terms("power", "half-width", "margin", "pilot", "enriched")
    size, *_ = shown.tables
    render.show_table(size, name, in_full=True, titled=False)
    show_charts(shown, name)
    render.body(replace(shown, tables=shown.tables[1:]), name)


def _name(found: Plan) -> str:
    """What the downloads' names begin with."""
    return f"{found.sheet}-plan"


USUAL = 40  # questions of a set, unless said otherwise
_EVEN, _ENRICHED = said("At random"), said("Oversample suspected failures")


def draw(store: Store, asked: PlanInput) -> None:
    """The next grading set: what it holds and means is said before it is made."""
    judges = list(raising(asked.panel))
    kinds = [_EVEN, _ENRICHED] if judges else [_EVEN]
    kind = st.radio(say("Sampling"), kinds, key="plan.kind", format_func=say, horizontal=True)
    with st.container(horizontal=True):
        questions = number_field(say("Questions"), 1, 100_000, USUAL, key="plan.questions")
        seed = number_field(
            say("Seed"),
            0,
            999_999,
            asked.panel.sheet.seed(),
            key="plan.seed",
        )
    extra, raisers = _enriching(judges) if kind == _ENRICHED else (0.0, [])
    if kind == _ENRICHED and not raisers:
        st.caption(say("Choose the judges whose failing scores mark suspected failures."))
        return
    try:
        wanted = next_sample.wanted(
            asked.panel, asked.criterion, int(questions), int(seed), extra, raisers
        )
        proposal = next_sample.propose(store, asked.panel, asked.rubric_id, wanted)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/info:")
        return
    _proposed(proposal, bool(extra))
    sets = grading_sets.of_sheet(store, asked.panel.sheet.id)
    name = st.text_input(
        say("Name"), grading_sets.next_name(sets, say), key=f"plan.name.{len(sets)}"
    )
    label = say("Create grading set")
    if action_button(label, store.why_no_lead(), type="primary", key="plan.make"):
        kept = next_sample.create(store, asked.panel, asked.rubric_id, name, wanted)
        st.session_state["plan.made"] = kept.sentence()
        st.rerun()


def made() -> None:
    """Show the last sample, and where to go next."""
    if show_done("plan.made"):
        next_screen_link("pages/annotate.py", said("Send it to annotators"))


def _enriching(judges: list[str]) -> tuple[float, list[str]]:
    """Return the share for suspected questions, and the judges whose failing scores mark them."""
    percent = st.slider(
        say("Share of questions for suspected failures only, in %"), 5, 90, 33, key="plan.extra"
    )
    raisers = st.multiselect(
        say("Suspected failures: answers that one of these judges fails"),
        judges,
        default=judges,
        key=f"plan.raisers.{'|'.join(judges)}",
        placeholder=say("Choose judges"),
    )
    return percent / 100, raisers


def _proposed(proposal: Proposal, is_enriched: bool) -> None:
    """Show the contents of the sample, and its effect on the statistics."""
    holds = [
        said(
            "{questions} with {answers}, of which annotators have graded {graded:,} already.",
            questions=counted(proposal.questions, "question"),
            answers=counted(proposal.answers, "answer"),
            graded=proposal.graded,
        )
    ]
    if proposal.held:
        held = counted(proposal.held, "question")
        holds.append(
            said("Excluded because already graded or in other sets: {questions}.", questions=held)
        )
    if is_enriched:
        holds.append(next_sample.WEIGHED)
    st.info(plain(joined(" ", holds)), icon=":material/casino:")
    for warning in proposal.warnings():
        st.warning(plain(warning), icon=":material/warning:")
    with st.expander(say("Inclusion probabilities"), icon=":material/percent:"):
        render.show_table(next_sample.probabilities(proposal.strata), "sample")
