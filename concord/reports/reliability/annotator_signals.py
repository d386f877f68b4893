"""Annotator signals: which of agreement, gold, repeats, drift and speed are out of line.

The figures are those of the other reports; `annotator_alerts` has the rule. Only leads may read
the results of gold items.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from concord.grading import grading_sets
from concord.model import Grader
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.reliability import gold_results
from concord.reports.reliability.annotator_overlap import (
    Partner,
    against_others,
    partners,
    with_whom,
)
from concord.reports.reliability.annotator_quality import in_thirds
from concord.reports.reliability.speeding import FLOOR, median_seconds, speeding
from concord.reports.reliability.test_retest import again
from concord.stats.core.pairs import annotators_pairs
from concord.stats.reliability import annotator_alerts as rule
from concord.stats.reliability.annotator_alerts import Worse
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class Signal:
    """One figure of an annotator, and whether it is out of line.

    Attributes:
        figure: `agreement`, `exact`, `gold`, `repeats`, `drift` or `speed`.
        criterion: None for the speed, which is that of whole answers.
        n: Answers it rests on.
        own: The annotator's figure; None where undefined.
        others: What it is compared with: the other annotators, the first third, or the limit.
        p: Of the one-sided test; None where there are too few data.
    """

    figure: str
    criterion: str | None
    n: int
    own: float | None
    others: float | None
    p: float | None
    alert: bool


@dataclass(frozen=True)
class AnnotatorSignals:
    """The figures of an annotator, and their tests.

    Attributes:
        tests: How many tests share the level of an alert.
        partners: Every other annotator who shares an answer, by criterion and name.
        timed: Answers with a time.
        seconds: Median of these; None below ten.
        others_timed: Answers of the other annotators with a time.
        others_seconds: Median of these; None below ten.
    """

    signals: tuple[Signal, ...] = ()
    tests: int = 0
    partners: tuple[Partner, ...] = ()
    timed: int = 0
    seconds: float | None = None
    others_timed: int = 0
    others_seconds: float | None = None

    @property
    def alerts(self) -> list[Signal]:
        """The signals that are out of line."""
        return [one for one in self.signals if one.alert]


_Tests = dict[tuple[str, str | None], Worse]


def measured(store: Store, panel: Panel, moments: Moments) -> dict[int, AnnotatorSignals]:
    """Return what each annotator's grades say, by grader id."""
    paces, flagged = speeding(store, panel, moments)
    fast = Counter(one.annotator for one in flagged if one.why == FLOOR)
    shared = _partners(panel)
    found = {}
    for one, tests in _tests(store, panel, moments).items():
        name = panel.annotators[one].name
        pace = next(pace for pace in paces if pace.annotator == name)
        tests[rule.SPEED, None] = rule.too_fast(fast[name], pace.n)
        raised = rule.alerts(tests)
        signals = (Signal(*key, *test, alert=key in raised) for key, test in tests.items())
        count = sum(test.p is not None for test in tests.values())
        found[one] = AnnotatorSignals(
            tuple(signals), count, tuple(shared[one]), *median_seconds(panel, moments, one)
        )
    return found


def _partners(panel: Panel) -> dict[int, list[Partner]]:
    """The agreement of each annotator with every other one they share answers with."""
    found: dict[int, list[Partner]] = {one: [] for one in panel.annotators}
    for name in (one for one in panel.criteria if one != COMPOSITE):
        for one, rows in partners(ground(panel, name, EACH)).items():
            found[one] += rows
    return found


def _tests(store: Store, panel: Panel, moments: Moments) -> dict[int, _Tests]:
    """The tests of each annotator by figure and criterion, but for that of speed."""
    found: dict[int, _Tests] = {one: {} for one in panel.annotators}
    gold = _gold(store, panel)
    for name in (one for one in panel.criteria if one != COMPOSITE):
        on = ground(panel, name, EACH)
        repeats = {one.id: _repeated(panel, one, name) for one in panel.annotators.values()}
        for one, person in panel.annotators.items():
            for figure, test in _compared(on, person, moments).items():
                found[one][figure, name] = test
            hits = gold.get(name, {})
            found[one][rule.GOLD, name] = _against(rule.GOLD, hits, person.name)
            found[one][rule.REPEATS, name] = _against(rule.REPEATS, repeats, one)
    return found


def _compared(on: CriterionPanel, person: Grader, moments: Moments) -> dict[str, Worse]:
    """The tests of agreement with the other annotators."""
    given = on.each()
    others = given.grader != person.id
    pairs = annotators_pairs(given.item[others], given.score[others], on.panel.cluster)
    when = moments.of(on.name, person.id)
    third = in_thirds(np.where(on.panel.counted(on.name, person.id), when, np.nan))
    third = np.full(len(when), -1) if third is None else third
    own = rule.Shared(against_others(on, person), with_whom(on, person))
    return rule.of_criterion(own, on.weighed(pairs), third)


def _repeated(panel: Panel, person: Grader, criterion: str) -> tuple[int, int]:
    """Return how many hidden repeats got the same score, and how many there are."""
    second = again(panel, person, criterion)
    first = panel.of(criterion, person.id).score[second["item"].to_numpy(int)]
    return int((first == second["score"].to_numpy(float)).sum()), len(second)


def _gold(store: Store, panel: Panel) -> dict[str, dict[str, tuple[int, int]]]:
    """Exact and all grades of gold items over the sets of the panel's rubric."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for name, criterion, right, n in _gold_rows(store, panel):
        of = found.setdefault(criterion, {})
        before = of.get(name, (0, 0))
        of[name] = before[0] + right, before[1] + n
    return found


def _gold_rows(store: Store, panel: Panel) -> Iterator[tuple[str, str, int, int]]:
    versions = panel.rubric.versions()
    for one in grading_sets.of_sheet(store, panel.sheet.id):
        if rubric_versions.get(store, one.rubric_id).versions() == versions:
            for row in gold_results.results(store, one).annotators:
                share = row.accuracy.exact.value
                if row.criterion in versions and share is not None:
                    yield row.name, row.criterion, round(share * row.accuracy.n), row.accuracy.n


def _against(figure: str, right: dict, one: object) -> Worse:
    """An annotator's hits compared with those of all others together."""
    own, n = right.get(one, (0, 0))
    hits, of = (sum(part) for part in zip((0, 0), *right.values(), strict=True))
    return rule.worse_shares(figure, own, n, hits - own, of - n)
