"""Next sample: the next grading set as the plan proposes it, and its effect on the figures.

It may take answers that judges fail, among which annotators find failing ones sooner.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.grading import active_sampling, grading_sets
from concord.grading.active_sampling import SampleRequest
from concord.messages import Problem, counted, joined, said
from concord.model import Grader
from concord.reports.document import Column, Table
from concord.reports.panel.panel import Panel
from concord.store.database import Store


class Suspicion(NamedTuple):
    """Answers that judges suspect to fail on one criterion.

    Attributes:
        items: The ids of the answers that one of the judges fails.
        questions: Number of questions these belong to, of `of` questions that may be scored.
    """

    items: frozenset[int]
    questions: int
    of: int


def suspicion(panel: Panel, criterion: str, labels: Collection[str] | None = None) -> Suspicion:
    """Return the open answers that at least one of some judges (None: all of them) fails.

    A Problem where none of them has graded.
    """
    judges = raising(panel)
    wanted = judges if labels is None else {label: judges[label] for label in labels}
    if not wanted:
        raise Problem(
            "No judge has graded this sheet, so there are no suspected failures. Run one first, "
            "for example the baseline, or sample at random."
        )
    failing = list(panel.rubric.failing(panel.rubric.criterion(criterion)))
    failed = np.zeros(len(panel.items), bool)
    for judge in wanted.values():
        marks = panel.of(criterion, judge.id)
        failed |= panel.open & marks.scored & np.isin(marks.score, failing)
    ids = panel.items["id"].to_numpy()[failed]
    every = np.unique(panel.question[panel.open])
    return Suspicion(frozenset(ids.tolist()), len(np.unique(panel.question[failed])), len(every))


def raising(panel: Panel) -> dict[str, Grader]:
    """Return the judges whose scores mark suspects, by label; metrics are excluded."""
    return {panel.labels[i]: judge for i, judge in panel.judges.items() if judge.kind == "judge"}


WEIGHED = said(
    "Inclusion probabilities are stored and all figures are weighted by their inverse, so none is "
    "biased by the choice."
)


class Proposal(NamedTuple):
    """A sample before it is stored.

    Attributes:
        questions: How many questions it takes.
        answers: How many answers these have.
        graded: Those of them that annotators have graded already.
        strata: Sampled of how many questions, by stratum.
        held: Questions passed over because they are graded or in a grading set.
        suspected: Questions in the pool of which an answer is suspected to fail, of `of`.
        of: Questions in the pool.
        unknown: Answers that annotators graded outside every set and outside this one, whose
            grades an enriched sample would exclude from the figures; 0 for a random sample.
    """

    questions: int
    answers: int
    graded: int
    strata: dict[str, tuple[int, int]]
    held: int
    suspected: int
    of: int
    unknown: int

    def warnings(self) -> list[str]:
        """Return what to consider before the set is created."""
        found = []
        if self.unknown:
            found.append(
                said(
                    "Creating this set excludes {answers} from the figures: annotators graded them "
                    "outside every grading set, so their inclusion probability is unknown. A "
                    "random sample does not exclude them.",
                    answers=counted(self.unknown, "answer"),
                )
            )
        if 2 * self.suspected > self.of:
            found.append(
                said(
                    "Suspected failures are in {n:,} of {questions}, so oversampling them has "
                    "little effect. Select fewer judges, or sample at random.",
                    n=self.suspected,
                    questions=counted(self.of, "question"),
                )
            )
        return found


@dataclass(frozen=True)
class NextSample:
    """A grading set that was sampled.

    Attributes:
        enriched: Share of the sample for suspected failures.
        strata: Sampled of how many questions, by stratum.
    """

    set: str
    questions: int
    answers: int
    seed: int
    enriched: float
    strata: dict[str, tuple[int, int]]

    def sentence(self) -> str:
        """Return what was sampled."""
        made = said(
            "“{name}” contains {questions} with {answers}, sampled with seed {seed}.",
            name=self.set,
            questions=counted(self.questions, "question"),
            answers=counted(self.answers, "answer"),
            seed=self.seed,
        )
        return joined(" ", [made, WEIGHED]) if self.enriched else made


def wanted(
    panel: Panel,
    criterion: str,
    questions: int,
    seed: int,
    extra: float = 0.0,
    judges: Collection[str] | None = None,
) -> SampleRequest:
    """Return the sample to take; `judges` (labels; None: all) mark suspects where `extra` > 0."""
    if not extra:
        return SampleRequest(questions, seed)
    unknown = sorted(set(judges or ()) - set(panel.labels.values()))
    if unknown:
        raise Problem(
            "No judge “{judge}” has graded this sheet. These have: {judges}.",
            judge=unknown[0],
            judges=joined(", ", panel.labels.values()) or "none yet",
        )
    return SampleRequest(questions, seed, suspicion(panel, criterion, judges).items, extra)


def propose(store: Store, panel: Panel, rubric_id: int, wanted: SampleRequest) -> Proposal:
    """The draw that `create` would make now; a Problem where it cannot."""
    of = active_sampling.pool(store, panel.sheet, rubric_id, wanted)
    made = active_sampling.drawn(of, wanted)
    items = {answer.item_id for answer in made.answers}
    graded = _graded(panel)
    unknown = graded - items - _in_sets(store, panel) if wanted.extra else set()
    return Proposal(
        questions=sum(count for count, _ in made.strata.values()),
        answers=len(items),
        graded=len(items & graded),
        strata=made.strata,
        held=of.held,
        suspected=len(active_sampling.suspected(of.questions, wanted)),
        of=len(of.questions),
        unknown=len(unknown),
    )


def create(
    store: Store, panel: Panel, rubric_id: int, name: str | None, wanted: SampleRequest
) -> NextSample:
    """Take the sample and store it as a set; without a name it is numbered."""
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    given = (name or "").strip() or grading_sets.next_name(sets)
    made = active_sampling.create(store, panel.sheet, rubric_id, given, wanted)
    return NextSample(
        set=made.name,
        questions=made.questions,
        answers=made.answers,
        seed=made.seed,
        enriched=wanted.extra,
        strata=dict(grading_sets.strata(store, made.id)),
    )


def probabilities(strata: Mapping[str, tuple[int, int]]) -> Table:
    """Return the inclusion probability of each stratum."""
    rows = (
        (name or "unknown", taken, size, taken / size) for name, (taken, size) in strata.items()
    )
    columns = (
        Column("Stratum"),
        Column("Questions sampled", "count"),
        Column("Available", "count"),
        Column("Inclusion probability", "precise"),
    )
    return Table("strata", columns, tuple(rows))


def _graded(panel: Panel) -> set[int]:
    """The ids of the answers that an annotator who counts has graded."""
    ids, graded = panel.items["id"].to_numpy(), np.zeros(len(panel.items), bool)
    for (_, grader_id), marks in panel.marks.items():
        if grader_id in panel.annotators:
            graded |= marks.status >= 0
    return set(ids[graded].tolist())


def _in_sets(store: Store, panel: Panel) -> set[int]:
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    return set().union(*(grading_sets.items(store, one.id) for one in sets))
