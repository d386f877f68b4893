"""Annotator cards: progress, quality and alerts of each annotator of a sheet; for leads.

Cards are in the order of names, never ranked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from concord.grading import assignments, campaigns, grading_sets, pauses, set_graders
from concord.grading.adjudication import adjudicators
from concord.grading.annotators import state_of
from concord.messages import Said
from concord.reports.document import FLAT
from concord.reports.panel.panel import Panel
from concord.reports.reliability import annotator_decisions, lone_annotator, testable_agreement
from concord.reports.reliability.annotator_signals import AnnotatorSignals, Signal
from concord.reports.reliability.testable_agreement import Enough
from concord.stats.reliability.annotator_alerts import EXACT
from concord.store import graders
from concord.store.annotator_states import INCLUDED, AnnotatorState
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class SetProgress:
    """Progress of an annotator in a grading set: answers done, in total, and the due date.

    `removed` is true for one who was removed from the set; `pace` is their median seconds per
    answer, None before the fifth.
    """

    set: str
    done: int
    total: int
    deadline: str | None
    removed: bool
    pace: float | None


@dataclass(frozen=True)
class AnnotatorCard:
    """The figures of an annotator that a lead needs.

    `alike` says which judge's scores theirs equal while nobody shares their answers.
    `state` is whether the grades count on this sheet; `decided` by whom, when and why, None by
    default. `paused` is since when, None while they grade; `to_adjudicate` are the answers of the
    sheet that are assigned to them to adjudicate and still open; `testable` is whether what is
    graded and assigned suffices to test their agreement, and their gold items; None without a set.
    """

    annotator: str
    grader_id: int
    simulated: bool
    progress: tuple[SetProgress, ...]
    measured: AnnotatorSignals = field(metadata=FLAT)
    paused: str | None
    to_adjudicate: int
    testable: Enough | None = None
    alike: tuple[Said, ...] = ()
    state: str = INCLUDED
    decided: AnnotatorState | None = None

    @property
    def alerts(self) -> list[Signal]:
        """The signals that are out of line."""
        return self.measured.alerts

    @property
    def removed(self) -> bool:
        """True for one who was removed from every set they had."""
        return bool(self.progress) and all(one.removed for one in self.progress)

    @property
    def alerted(self) -> list[str]:
        """The criteria that alerts are about."""
        return [*dict.fromkeys(one.criterion for one in self.alerts if one.criterion)]

    @property
    def agreement_tested(self) -> bool:
        """True where agreement with the others is tested on a criterion."""
        return any(one.p is not None for one in self.measured.signals if one.figure == EXACT)


def cards(
    store: Store, panel: Panel, measured: Mapping[int, AnnotatorSignals]
) -> tuple[AnnotatorCard, ...]:
    """Return a card per annotator who graded the sheet or was given a set of it."""
    progress = _progress(store, panel.sheet.id)
    testable = testable_agreement.of_panel(store, panel)
    people = {i: one for i, one in panel.persons.items() if not one.is_mean}
    people |= {one: graders.get(store, one) for one in progress if one not in people}
    found, lone = [], lone_annotator.lone_copies(panel)
    for one in sorted(people.values(), key=lambda one: (one.name.casefold(), one.id)):
        found.append(
            AnnotatorCard(
                annotator=one.name,
                grader_id=one.id,
                simulated=one.simulated,
                progress=tuple(progress.get(one.id, ())),
                alike=tuple(copy.sentence for copy in lone if copy.annotator == one.id),
                state=state_of(one, panel.states),
                decided=panel.states.get(one.id),
                measured=measured.get(one.id, AnnotatorSignals()),
                paused=pauses.since(store, one.id),
                to_adjudicate=adjudicators.left(store, one.id, panel.sheet.id),
                testable=testable.get(one.id),
            )
        )
    return tuple(found)


def with_open_alert(
    store: Store, panel: Panel, measured: Mapping[int, AnnotatorSignals]
) -> list[str]:
    """Return the names of those with an open alert who still grade: not paused, not removed."""
    removed = set_graders.left_sheet(store, panel.sheet.id)
    return sorted(
        panel.annotators[one].name
        for one in annotator_decisions.with_open_alert(panel, measured)
        if one not in removed and not pauses.of(store, one)
    )


def most_alerts_first(cards: tuple[AnnotatorCard, ...]) -> tuple[AnnotatorCard, ...]:
    """The cards by number of alerts, then by name."""
    return tuple(sorted(cards, key=lambda one: -len(one.alerts)))


def _progress(store: Store, sheet_id: int) -> dict[int, list[SetProgress]]:
    """The sets of each annotator who began one, or whom one is open to."""
    found: dict[int, list[SetProgress]] = {}
    for one in grading_sets.of_sheet(store, sheet_id):
        versions = list(rubric_versions.get(store, one.rubric_id).versions().values())
        campaign = campaigns.find(store, one.id)
        for grader_id in assignments.everyone(store, one.id):
            done = assignments.done(store, one, grader_id, versions)
            until = campaign.deadline if campaign else None
            gone = campaigns.has_left(store, one, grader_id)
            pace = assignments.pace(store, grader_id)
            found.setdefault(grader_id, []).append(SetProgress(one.name, *done, until, gone, pace))
    return found
