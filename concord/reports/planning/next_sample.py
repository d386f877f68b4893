"""Drawing: the next grading set as the plan proposes it, and what it means for the figures."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from concord.grading import active_sampling, grading_sets
from concord.grading.active_sampling import Wanted
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.panel.panel import Panel
from concord.reports.planning.suspected_failures import suspicion
from concord.sampling.sample import OTHERS, SUSPECTED
from concord.store.database import Store

WEIGHED = said(
    "Every chance is known and kept, so every figure weighs an answer by one over its chance: "
    "none is biased by the choice."
)
_GROUPS = {SUSPECTED: said("suspected"), OTHERS: said("not suspected")}


class Proposal(NamedTuple):
    """A draw before it is stored.

    Attributes:
        questions: How many questions it takes.
        answers: How many answers these have.
        graded: How many of those answers someone has graded already.
        strata: Drawn of how many questions, by stratum.
        held: Questions passed over because they are graded or in a grading set.
        suspected: Questions in the pool of which an answer is suspected to fail, of `of`.
        of: Questions in the pool.
        unknown: Answers that annotators graded outside every set and outside this one, whose
        grades an
            enriched draw would leave out of the figures; 0 for an even draw.
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
        """What to mind before the set is made, each as a sentence."""
        found = []
        if self.unknown:
            found.append(
                said(
                    "{answers} that annotators graded outside every grading set will be left out "
                    "of "
                    "the figures as soon as this set is made: nobody knows what chance they had. "
                    "An even draw keeps them in.",
                    answers=counted(self.unknown, "answer"),
                )
            )
        if 2 * self.suspected > self.of:
            found.append(
                said(
                    "{n:,} of {questions} are suspected, so there is little to favour. Let fewer "
                    "judges say what is suspected, or draw evenly.",
                    n=self.suspected,
                    questions=counted(self.of, "question"),
                )
            )
        return found


class Made(NamedTuple):
    """A grading set that was drawn, and what there is to say of it."""

    grading_set: GradingSet
    wanted: Wanted
    strata: dict[str, tuple[int, int]]

    def sentence(self) -> str:
        """What was drawn, in words."""
        made = self.grading_set
        holds = said(
            "“{name}” holds {questions} with {answers}, drawn with seed {seed}.",
            name=made.name,
            questions=counted(made.questions, "question"),
            answers=counted(made.answers, "answer"),
            seed=made.seed,
        )
        return joined(" ", [holds, WEIGHED]) if self.wanted.extra else holds

    def as_json(self) -> dict:
        """The set for `--json`."""
        made = self.grading_set
        return {
            "set": made.name,
            "questions": made.questions,
            "answers": made.answers,
            "seed": made.seed,
            "enriched": self.wanted.extra,
            "strata": {name: list(counts) for name, counts in self.strata.items()},
        }


def wanted(
    panel: Panel,
    criterion: str,
    questions: int,
    seed: int,
    extra: float = 0.0,
    judges: Collection[str] | None = None,
) -> Wanted:
    """What to draw; `judges` (labels; None: all) raise suspicion where `extra` is above 0."""
    if not extra:
        return Wanted(questions, seed)
    unknown = sorted(set(judges or ()) - set(panel.labels.values()))
    if unknown:
        raise Problem(
            said(
                "No judge “{judge}” has graded this sheet. These have: {judges}.",
                judge=unknown[0],
                judges=joined(", ", panel.labels.values()) or said("none yet"),
            )
        )
    return Wanted(questions, seed, suspicion(panel, criterion, judges).items, extra)


def propose(store: Store, panel: Panel, rubric_id: int, wanted: Wanted) -> Proposal:
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


def create(store: Store, panel: Panel, rubric_id: int, name: str | None, wanted: Wanted) -> Made:
    """Draw the set and store it; without a name it is numbered."""
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    given = (name or "").strip() or grading_sets.next_name(sets)
    made = active_sampling.create(store, panel.sheet, rubric_id, given, wanted)
    return Made(made, wanted, grading_sets.strata(store, made.id))


def stratum(name: str) -> str:
    """A stratum of a draw in words: its answering models, and whether its answers are suspected."""
    models, semicolon, group = name.rpartition("; ")
    if group not in _GROUPS:
        return name or said("unknown")
    if not semicolon:
        return _GROUPS[group]
    return said("{models}; {group}", models=models, group=_GROUPS[group])


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
