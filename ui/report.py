"""Reports on screen: computed once for a state of the store, however often a page reruns."""

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import pandas as pd
import streamlit as st

from data import rubric_versions
from data.counted import counted
from data.decisions import Decision
from data.graders import Grader
from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import (
    agreement,
    among_people,
    annotator_warnings,
    candidates,
    checks,
    confusion,
    disagreements,
    grader_quality,
    headline,
    holds,
    moments,
    people,
    probes,
    ranking,
    unit_agreement,
)
from reports.panel import Panel
from reports.panel_reading import read
from reports.simulated import named
from rubrics.model import Rubric
from ui.frame import recall, remember
from ui.language import say
from ui.markdown import plain
from ui.not_yet import nobody_graded
from ui.spinner import spinning
from ui.widgets import no_sheet, pick_rubric, pick_sheet
from words.said import Said, said


class Report:
    """The reports over one sheet, rubric and choice of people, each computed once and kept.

    Attributes:
        sheet: The sheet.
        rubric: The rubric.
        panel: The grades.
    """

    def __init__(self, store: Store, sheet: Sheet, rubric: Rubric, people: tuple[str, ...] | None):
        self.sheet = sheet
        self.rubric = rubric
        self._store = store
        self._key = (state(store, sheet), rubric.body(), people)
        everyone: Panel = _panel(self._key[:2], store, sheet, rubric)
        self.panel = everyone if people is None else everyone.choosing(people)

    def agreement(self, kind: str) -> dict:
        """The agreement report under a kind of reference."""
        return _agreement(self._key, kind, self.panel)

    def whole_rows(self, kind: str) -> list[dict]:
        """The rows of the agreement report with every further figure."""
        return _whole_rows(self._key, kind, self.panel, self.agreement(kind)["rows"])

    def probes(self) -> list[dict]:
        """Every probe of every judge."""
        return _probes(self._key, self._store, self.panel)

    def among_people(self) -> list[dict]:
        """How reliable the people are together, one row per criterion."""
        return _among_people(self._key, self.panel)

    def annotator_warnings(self, criterion: str) -> list[dict]:
        """The warnings about annotators on a criterion."""
        return _annotator_warnings(self._key, criterion, self.panel)

    def people(self, criterion: str, zone: str) -> dict:
        """How far people agree on a criterion; days are those of a time zone."""
        return _people(self._key, criterion, zone, self._store, self.panel)

    def quality(self, zone: str) -> dict:
        """How each person graded throughout, for whoever leads the grading."""
        return _quality(self._key, zone, self._store, self.panel)

    def units(self, kind: str) -> dict:
        """What is said of units beyond the rows; only of a rubric of units."""
        return _units(self._key, kind, self._store, self.panel)

    def not_run(self, kind: str) -> list[dict]:
        """Every check that could not run, and what would enable it."""
        found = self.agreement(kind) | {"rows": self.whole_rows(kind)}
        return checks.not_run(self.panel, found, self.probes())

    def by_answer_model(self, kind: str, criterion: str, judge: int) -> list[dict]:
        """The rows of one judge and criterion for each answering model's answers alone."""
        return _by_answer_model(self._key, kind, criterion, judge, self.panel)

    def confusion(self, judge: int, criterion: str, kind: str) -> dict:
        """The confusion table of one judge."""
        return _confusion(self._key, judge, criterion, kind, self.panel)

    def disagreements(self, wanted: disagreements.Wanted) -> pd.DataFrame:
        """Every disagreement that the filters let through, worst first; not to be changed."""
        return _disagreements(self._key, wanted, self.panel)

    def error_cells(self, judge: int | None, criterion: str | None) -> list[tuple[int, int, int]]:
        """The error cells of a judge and a criterion, or of all of them, worst first."""
        return _error_cells(self._key, judge, criterion, self.panel)

    def ranking(self, weights: dict[str, Fraction]) -> dict:
        """The ranking under some weights."""
        return _ranking(self._key, tuple(sorted(weights.items())), self.panel)

    def ranking_by_criterion(self) -> dict[str, dict]:
        """The order of the answering models by every criterion alone."""
        return _ranking_by_criterion(self._key, self.panel)

    def holds(self, decision: Decision, against: Grader, judge: Grader) -> dict:
        """How far the verdict on a judge under a decision holds."""
        key = (*self._key, decision.id, judge.id)
        return _holds(key, self.panel, decision, against, judge)

    def best(self) -> str | None:
        """The label of the judge closest to people on the heaviest criterion."""
        found = _best(self._key, self.panel)
        return found.judge if found else None

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.panel.labels.items() if name == label)


def pick_report(store: Store, then: str, units: bool = False) -> Report | None:
    """Sheet, rubric and people; None where something is missing, which the screen then says.

    Args:
        store: The open store.
        then: What the screen says once people and judges have graded, to end a sentence (said).
        units: Offer rubrics of units too, where parts of answers are graded.
    """
    row = st.container(horizontal=True)
    with row:
        sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(said("people and judges grade them, and {then}", then=then))
        return None
    graded = rubric_versions.graded(store, sheet.id)
    graded += rubric_versions.units_graded(store, sheet.id) if units else []
    if not graded:
        nobody_graded(store, sheet)
        return None
    with row:
        _, rubric = pick_rubric(store, graded)
    everyone = Report(store, sheet, rubric, None)
    people = _pick_people(everyone.panel)
    weighting = agreement.weighting(everyone.panel)
    if weighting:
        st.caption(plain(weighting))
    return everyone if people is None else Report(store, sheet, rubric, people)


def best_figure(store: Store, sheet: Sheet) -> str | None:
    """The best judge's exact agreement on a sheet in a few words; None where there is none."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return None
    _, rubric = rubric_versions.named(store, graded[0])
    found = _headline((state(store, sheet), rubric.body()), store, sheet, rubric)
    return found.sentence() if found else None


def could_be_seen(store: Store, sheet: Sheet) -> bool:
    """Whether how far a judge agrees with people could be seen by now, on any criterion."""
    for rubric_id in rubric_versions.graded(store, sheet.id):
        _, rubric = rubric_versions.named(store, rubric_id)
        panel = _panel((state(store, sheet), rubric.body()), store, sheet, rubric)
        if any(candidates.could_be_seen(panel, one.name) for one in rubric.criteria):
            return True
    return False


def _pick_people(panel: Panel) -> tuple[str, ...] | None:
    """Who counts as people; None for those who count by rule."""
    simulated = {person.name for person in panel.persons.values() if person.simulated}
    default = [person.name for person in panel.people.values()]
    names = [*default, *panel.uncounted]
    if len(names) < 2:
        return None
    wanted = _named_people(names) or default
    with st.popover(say(_counting(wanted, simulated)), icon=":material/group:"):
        chosen = st.multiselect(
            say("People who count"),
            names,
            default=wanted,
            format_func=lambda name: _called(name, name in simulated),
            key=f"people.{panel.sheet.id}",
            help=say("Whose grades the judges are held against."),
        )
        st.caption(say("With nobody chosen, everyone counts who does by rule."))
    by_rule = not chosen or set(chosen) == set(default)
    remember(people=None if by_rule else json.dumps(sorted(chosen), ensure_ascii=False))
    return None if by_rule else tuple(sorted(chosen))


def _called(name: str, simulated: bool) -> str:
    """A person's name, which is data, and whether they are simulated, which is said."""
    called = named(name, simulated)
    return say(called) if isinstance(called, Said) else called


def _counting(chosen: Sequence[str], simulated: set[str]) -> Said:
    """How many people count, in words for a button."""
    invented = len(simulated.intersection(chosen))
    people = counted(len(chosen), "person counts", "people count")
    if not invented:
        return people
    return said("{people}, {n} simulated", people=people, n=invented)


def _named_people(names: Sequence[str]) -> list[str]:
    """The people the URL names who have graded."""
    try:
        wanted = json.loads(recall("people") or "[]")
    except ValueError:
        return []
    return [name for name in wanted if name in names] if isinstance(wanted, list) else []


@spinning(said("Reading the grades…"))
@st.cache_resource(max_entries=6, show_spinner=False)
def _panel(key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric) -> Panel:
    return read(_store, _sheet, _rubric)


@spinning(said("Comparing judges with people…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _agreement(key: tuple, kind: str, _panel: Panel) -> dict:
    return agreement.report(_panel, kind)


@spinning(said("Computing every statistic…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _whole_rows(key: tuple, kind: str, _panel: Panel, _short: list[dict]) -> list[dict]:
    return agreement.whole_rows(_panel, kind, short=_short)


@spinning(said("Comparing people…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _among_people(key: tuple, _panel: Panel) -> list[dict]:
    return among_people.rows(_panel)


@spinning(said("Comparing people…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _annotator_warnings(key: tuple, criterion: str, _panel: Panel) -> list[dict]:
    return annotator_warnings.warnings(_panel, [criterion])


@spinning(said("Comparing people…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _people(key: tuple, criterion: str, zone: str, _store: Store, _panel: Panel) -> dict:
    known = moments.read(_store, _panel)
    return people.criterion(_store, _panel, criterion, known, moments.zone(zone))


@spinning(said("Looking at each person's grades…"))
@st.cache_data(max_entries=4, show_spinner=False)
def _quality(key: tuple, zone: str, _store: Store, _panel: Panel) -> dict:
    known = moments.read(_store, _panel)
    return grader_quality.grader_quality(_store, _panel, known, moments.zone(zone))


@spinning(said("Finding the numbers by people's labels…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _units(key: tuple, kind: str, _store: Store, _panel: Panel) -> dict:
    return unit_agreement.report(_store, _panel, kind)


@spinning(said("Probing the judges…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _probes(key: tuple, _store: Store, _panel: Panel) -> list[dict]:
    return probes.probes(_panel, probes.lengths(_store, _panel))


@spinning(said("Comparing by answering model…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _by_answer_model(
    key: tuple, kind: str, criterion: str, judge: int, _panel: Panel
) -> list[dict]:
    every = partial(agreement.rows, judges=[judge])
    return agreement.rows_by_answer_model(_panel, kind, [criterion], every)


@st.cache_data(max_entries=48, show_spinner=False)
def _confusion(key: tuple, judge: int, criterion: str, kind: str, _panel: Panel) -> dict:
    return confusion.confusion(_panel, judge, criterion, kind)


@spinning(said("Looking for disagreements…"))
@st.cache_resource(max_entries=12, show_spinner=False)
def _disagreements(key: tuple, wanted: disagreements.Wanted, _panel: Panel) -> pd.DataFrame:
    return disagreements.every(_panel, wanted)


@st.cache_data(max_entries=24, show_spinner=False)
def _error_cells(key: tuple, judge: int | None, criterion: str | None, _panel: Panel) -> list:
    return disagreements.cells(_panel, judge, criterion)


@spinning(said("Ranking the answering models…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _ranking(key: tuple, weights: tuple, _panel: Panel) -> dict:
    return ranking.report(_panel.weighing(dict(weights)))


@spinning(said("Ranking the answering models…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _ranking_by_criterion(key: tuple, _panel: Panel) -> dict[str, dict]:
    return ranking.by_criterion(_panel)


@spinning(said("Replaying the verdict…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _holds(
    key: tuple, _panel: Panel, _decision: Decision, _against: Grader, _judge: Grader
) -> dict:
    return holds.holds(_panel, _decision, _against, _judge)


@st.cache_data(max_entries=24, show_spinner=False)
def _best(key: tuple, _panel: Panel) -> headline.Headline | None:
    return headline.best(_panel)


@spinning(said("Reading the grades…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _headline(key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric):
    return headline.headline(_store, _sheet, _rubric)
