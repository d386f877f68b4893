"""Reports on screen: computed once for a state of the store, however often a page reruns."""

import json
from collections.abc import Sequence
from fractions import Fraction

import streamlit as st

from data import rubric_versions
from data.counted import counted
from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import agreement, confusion, headline, ranking
from reports.panel import Panel, read
from reports.simulated import named
from rubrics.model import Rubric
from ui.frame import recall, remember
from ui.widgets import empty, pick_rubric, pick_sheet


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
        self._key = (state(store, sheet), rubric.body(), people)
        everyone: Panel = _panel(self._key[:2], store, sheet, rubric)
        self.panel = everyone if people is None else everyone.choosing(people)

    def agreement(self, kind: str) -> dict:
        """The agreement report under a kind of reference."""
        return _agreement(self._key, kind, self.panel)

    def by_answer_model(self, kind: str, criterion: str) -> list[dict]:
        """The rows of one criterion for each answering model's answers alone."""
        return _by_answer_model(self._key, kind, criterion, self.panel)

    def confusion(self, judge: int, criterion: str, kind: str) -> dict:
        """The confusion table of one judge."""
        return _confusion(self._key, judge, criterion, kind, self.panel)

    def ranking(self, weights: dict[str, Fraction]) -> dict:
        """The ranking under some weights."""
        return _ranking(self._key, tuple(sorted(weights.items())), self.panel)

    def best(self) -> str | None:
        """The label of the judge closest to people on the heaviest criterion."""
        found = _best(self._key, self.panel)
        return found.judge if found else None

    def judge_id(self, label: str) -> int:
        """The id of a judge by label."""
        return next(i for i, name in self.panel.labels.items() if name == label)


def pick_report(store: Store) -> Report | None:
    """Sheet, rubric and people; None where something is missing, which the screen then says."""
    row = st.container(horizontal=True)
    with row:
        sheet = pick_sheet(store)
    if sheet is None:
        empty(
            "There is no sheet yet",
            "Import answers, or load the sample; people and judges grade them, and this screen "
            "says how far the judges may be trusted.",
            "pages/sheets.py",
            "To the sheets",
        )
        return None
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        _nobody_graded(sheet)
        return None
    with row:
        _, rubric = pick_rubric(store, graded)
    everyone = Report(store, sheet, rubric, None)
    people = _pick_people(everyone.panel)
    return everyone if people is None else Report(store, sheet, rubric, people)


def best_figure(store: Store, sheet: Sheet) -> str | None:
    """The best judge's exact agreement on a sheet in a few words; None where there is none."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return None
    _, rubric = rubric_versions.named(store, graded[0])
    found = _headline((state(store, sheet), rubric.body()), store, sheet, rubric)
    return found.sentence() if found else None


def missing(found: Report) -> bool:
    """Whether people's or judges' grades are missing; the screen says so and what to do."""
    if not found.panel.people:
        _nobody_graded(found.sheet)
        return True
    if not found.panel.judges:
        empty(
            f"People have graded {found.sheet.name}, no judge has yet",
            "Run a judge. The baseline needs neither a key nor a network and shows what every "
            "judge has to beat.",
            "pages/judges.py",
            "To the judges",
        )
        return True
    return False


def _nobody_graded(sheet: Sheet) -> None:
    empty(
        f"No person has graded {sheet.name} yet",
        "Judges are held against people, so somebody has to grade first: draw a grading set and "
        "grade it, or import grades made elsewhere.",
        "pages/grading.py",
        "To the grading sets",
    )


def _pick_people(panel: Panel) -> tuple[str, ...] | None:
    """Who counts as people; None for those who count by rule."""
    simulated = {person.name for person in panel.persons.values() if person.simulated}
    default = [person.name for person in panel.people.values()]
    names = [*default, *panel.uncounted]
    if len(names) < 2:
        return None
    with st.popover(_counting(_said_people(names) or default, simulated), icon=":material/group:"):
        chosen = st.multiselect(
            "People who count",
            names,
            default=_said_people(names) or default,
            format_func=lambda name: named(name, name in simulated),
            key=f"people.{panel.sheet.id}",
            help="Whose grades the judges are held against.",
        )
        st.caption("With nobody chosen, everyone counts who does by rule.")
    by_rule = not chosen or set(chosen) == set(default)
    remember(people=None if by_rule else json.dumps(sorted(chosen), ensure_ascii=False))
    return None if by_rule else tuple(sorted(chosen))


def _counting(chosen: Sequence[str], simulated: set[str]) -> str:
    """How many people count, in words for a button."""
    invented = len(simulated.intersection(chosen))
    people = counted(len(chosen), "person counts", "people count")
    return f"{people}, {invented} simulated" if invented else people


def _said_people(names: Sequence[str]) -> list[str]:
    """The people the URL names who have graded."""
    try:
        said = json.loads(recall("people") or "[]")
    except ValueError:
        return []
    return [name for name in said if name in names] if isinstance(said, list) else []


@st.cache_resource(max_entries=6, show_spinner="Reading the grades…")
def _panel(key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric) -> Panel:
    return read(_store, _sheet, _rubric)


@st.cache_data(max_entries=24, show_spinner="Comparing judges with people…")
def _agreement(key: tuple, kind: str, _panel: Panel) -> dict:
    return agreement.report(_panel, kind)


@st.cache_data(max_entries=24, show_spinner="Comparing by answering model…")
def _by_answer_model(key: tuple, kind: str, criterion: str, _panel: Panel) -> list[dict]:
    return agreement.rows_by_answer_model(_panel, kind, [criterion])


@st.cache_data(max_entries=48, show_spinner=False)
def _confusion(key: tuple, judge: int, criterion: str, kind: str, _panel: Panel) -> dict:
    return confusion.confusion(_panel, judge, criterion, kind)


@st.cache_data(max_entries=24, show_spinner="Ranking the answering models…")
def _ranking(key: tuple, weights: tuple, _panel: Panel) -> dict:
    return ranking.report(_panel.weighing(dict(weights)))


@st.cache_data(max_entries=24, show_spinner=False)
def _best(key: tuple, _panel: Panel) -> headline.Headline | None:
    return headline.best(_panel)


@st.cache_data(max_entries=24, show_spinner="Reading the grades…")
def _headline(key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric):
    return headline.headline(_store, _sheet, _rubric)
