"""Next sample: the next grading set as the plan proposes it, and its effect on the figures.

It may take answers that judges fail, among which annotators find failing ones sooner.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from concord.grading import active_sampling, grading_sets
from concord.grading.active_sampling import SampleRequest
from concord.messages import Problem, counted, joined, said
from concord.reports.document import Column, Table
from concord.reports.panel.panel import Panel
from concord.store.database import Store

WEIGHED = (
    "Inclusion probabilities are stored and all figures are weighted by their inverse, so none is "
    "biased by the choice."
)


def wanted(
    panel: Panel, criterion: str, questions: int, seed: int, extra: float = 0.0
) -> SampleRequest:
    """Return the sample to take, a share `extra` of it for answers that a judge fails.

    A Problem where such are wanted and no judge has graded.
    """
    if not extra:
        return SampleRequest(questions, seed)
    judges = [judge.id for judge in panel.judges.values() if judge.kind == "judge"]
    if not judges:
        raise Problem(
            "No judge has graded this sheet, so there are no suspected failures. Run one first, "
            "for example the baseline, or sample at random."
        )
    failing = list(panel.rubric.failing(panel.rubric.criterion(criterion)))
    marks = [panel.of(criterion, judge) for judge in judges]
    failed = np.any([one.scored & np.isin(one.score, failing) for one in marks], axis=0)
    items = frozenset(panel.items["id"].to_numpy()[panel.open & failed].tolist())
    return SampleRequest(questions, seed, items, extra)


def propose(store: Store, panel: Panel, rubric_id: int, wanted: SampleRequest) -> dict[str, Any]:
    """Return the draw that `create` would make now; a Problem where it cannot.

    `graded` are the answers that annotators have graded already, `held` the questions passed over
    because they are graded or in a grading set, and `warning` what to consider before.
    """
    pool = active_sampling.pool(store, panel.sheet, rubric_id, wanted)
    drawn = active_sampling.drawn(pool, wanted)
    items = {answer.item_id for answer in drawn.answers}
    graded = {
        item
        for (_, person), marks in panel.marks.items()
        if person in panel.annotators
        for item in panel.items["id"].to_numpy()[marks.status >= 0].tolist()
    }
    warning = ""
    if wanted.extra:
        sets = grading_sets.of_sheet(store, panel.sheet.id)
        if unknown := graded.difference(items, *(grading_sets.items(store, s.id) for s in sets)):
            warning = said(
                "Creating this set excludes {answers} from the figures: annotators graded them "
                "outside every grading set, so their inclusion probability is unknown. A random "
                "sample does not exclude them.",
                answers=counted(len(unknown), "answer"),
            )
    return {
        "questions": sum(count for count, _ in drawn.strata.values()),
        "answers": len(items),
        "graded": len(items & graded),
        "strata": drawn.strata,
        "held": pool.held,
        "warning": warning,
    }


def create(
    store: Store, panel: Panel, rubric_id: int, name: str | None, wanted: SampleRequest
) -> dict[str, Any]:
    """Take the sample and store it as a set; without a name it is numbered."""
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    given = (name or "").strip() or grading_sets.next_name(sets)
    made = active_sampling.create(store, panel.sheet, rubric_id, given, wanted)
    return {
        "set": made.name,
        "questions": made.questions,
        "answers": made.answers,
        "seed": made.seed,
        "enriched": wanted.extra,
        "strata": dict(grading_sets.strata(store, made.id)),
    }


def sentence(made: Mapping[str, Any]) -> str:
    """Return what was sampled."""
    sampled = said(
        "“{name}” contains {questions} with {answers}, sampled with seed {seed}.",
        name=made["set"],
        questions=counted(made["questions"], "question"),
        answers=counted(made["answers"], "answer"),
        seed=made["seed"],
    )
    return joined(" ", [sampled, WEIGHED]) if made["enriched"] else sampled


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
