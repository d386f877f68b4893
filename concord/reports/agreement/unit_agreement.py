"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per answer the agreement of a metric; and errors of the lists of units. Precision and recall of the
failing verdict on units are in the rows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord import metrics
from concord.judges.metric_runs.metric_request import NOT_ASKED
from concord.language.grade_statuses import status_words
from concord.messages import said
from concord.metrics.framework.metric import Metric, Outcome
from concord.reports.metrics.metric_variants import replayed
from concord.reports.panel.panel import STATUS_NAMES, Panel
from concord.reports.units import extraction
from concord.reports.units.extraction import Extraction, ListWeights, list_weights, share
from concord.rubrics import list_check
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.statistics import composite_figures
from concord.store.database import Store
from concord.store.units import list_checks

NO_LIST = "no annotator has checked a list yet"


def lists(store: Store, panel: Panel) -> dict[str, int | Estimate]:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; `cannot_say` counts checks that an annotator could not make.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    found = found[found["person"].map(panel.lets_count).astype(bool)].reset_index(drop=True)
    on = list_weights(store, panel, found["item_id"], found["question_id"], found["cluster"])
    found = found.assign(weight=on.weight, place=on.cluster)[on.weight > 0]
    labelled = found[found["label"].notna()]
    shares = {
        name.replace(" ", "_"): _share_of_lists(labelled, name)
        for name in (*list_check.ERRORS, "any")
    }
    return {
        "lists": int(labelled["item_id"].nunique()),
        "annotators": int(labelled["person"].nunique()),
        "cannot_say": len(found) - len(labelled),
        **shares,
    }


def _share_of_lists(told: pd.DataFrame, error: str) -> Estimate:
    if told.empty:
        return undefined(NO_LIST)
    hit = (
        told["label"] != list_check.RIGHT
        if error == "any"
        else told["label"].map(lambda label: error in label.split(", "))
    )
    of_item = told.groupby("item_id")
    weight = (told["weight"] / of_item["person"].transform("count")).to_numpy()
    on = ListWeights(weight, np.unique(told["place"], return_inverse=True)[1], Counter())
    return share(on, hit.to_numpy(), np.ones(len(told)), of_item["weight"].first().to_numpy())


@dataclass(frozen=True)
class AnswerAgreement:
    """A metric by a judge's verdicts compared with its value by annotators' labels, per answer."""

    judge: str
    metric: str
    n: int
    annotators: int
    questions: int
    left_out: dict[str, int]
    mae: Estimate
    bias: Estimate
    spearman: Estimate


def by_answer(store: Store, panel: Panel) -> list[AnswerAgreement]:
    """Return a metric by a judge's verdicts and by annotators' labels, on the answers they share.

    The first reading of the metric for both. All pairs of an annotator and the judge count, an
    answer with total weight 1; answers that either has not labelled whole are in `left_out`.
    """
    rests = [one for one in metrics.available().values() if panel.rubric.name in one.rubrics]
    item_ids, criterion = panel.items["item_id"].to_numpy(), panel.rubric.criteria[0].name
    labelled = {
        person: np.unique(item_ids[panel.counted(criterion, person)]).tolist()
        for person in panel.annotators
    }
    every = sorted({item_id for ids in labelled.values() for item_id in ids})
    judges = [judge for judge in panel.judges.values() if judge.kind == "metric"]
    rows = []
    for metric in rests if every else ():
        annotators = {i: _outcomes(store, panel, metric, ids, i) for i, ids in labelled.items()}
        for judge in judges:
            found = _outcomes(store, panel, metric, every, judge.id)
            rows.append(_of_metric(panel, panel.labels[judge.id], metric, found, annotators))
    return rows


def _outcomes(
    store: Store, panel: Panel, metric: Metric, item_ids: Sequence[int], grader_id: int
) -> dict[int, Outcome]:
    """A grader's outcome of each answer; without a value, the status of a unit it did not score."""
    status = panel.of(panel.rubric.criteria[0].name, grader_id).status
    unscored = {
        int(panel.items["item_id"].iat[place]): STATUS_NAMES[status[place]]
        for place in np.flatnonzero(status > 0)
    }
    found = replayed(store, metric, item_ids, grader_id)
    for item_id in unscored.keys() & found.keys():
        if found[item_id].status == NOT_ASKED:
            found[item_id] = found[item_id]._replace(status=unscored[item_id])
    return found


# Why an answer has no value by a grader who gave no label to some of its units.
_OPEN = {
    "person": "not fully labelled by the annotator",
    "judge": "without all of the judge's verdicts",
}


def _of_metric(
    panel: Panel,
    judge: str,
    metric: Metric,
    told: Mapping[int, Outcome],
    annotators: Mapping[int, Mapping[int, Outcome]],
) -> AnswerAgreement:
    both, left_out = [], Counter()
    for person, found in annotators.items():
        for item_id, outcome in found.items():
            why = _why_not("person", outcome) or _why_not("judge", told[item_id])
            if why:
                left_out[why] += 1
            else:
                both.append((item_id, person, told[item_id].value, outcome.value))
    pairs = _pairs(panel, both)
    figures = composite_figures(pairs)
    few = len(np.unique(pairs.item)) < METRIC_FLOOR
    spearman = (
        undefined(rank_correlation.TOO_FEW)
        if few
        else rank_correlation.spearman(*pairs[:2], pairs.cluster, pairs.weight)
    )
    return AnswerAgreement(
        judge=judge,
        metric=metric.name,
        n=len({item_id for item_id, *_ in both}),
        annotators=len({person for _, person, *_ in both}),
        questions=len(np.unique(pairs.cluster)),
        left_out=dict(left_out),
        mae=figures["mae"],
        bias=figures["bias"],
        spearman=spearman,
    )


def _why_not(who: str, outcome: Outcome) -> str:
    if outcome.value is not None:
        return ""
    if outcome.status == NOT_ASKED:
        return _OPEN[who]
    return said(
        "{status} (annotator's labels)" if who == "person" else "{status} (judge's verdicts)",
        status=status_words(outcome.status),
    )


def _pairs(panel: Panel, both: Sequence[tuple[int, int, float, float]]) -> Pairs:
    """Pairs of a judge's and an annotator's number, every answer with total weight 1."""
    item_ids = panel.items["item_id"].to_numpy()
    places = {int(item_ids[place]): place for place in np.flatnonzero(panel.open)}
    graded = Counter(item_id for item_id, *_ in both)
    where = np.array([places[item_id] for item_id, *_ in both], int)
    return Pairs(
        judge=np.array([one[2] for one in both], float),
        annotator=np.array([one[3] for one in both], float),
        weight=np.array([1 / graded[one[0]] for one in both]) * panel.weight[where],
        item=where,
        cluster=panel.cluster[where],
    )


@dataclass(frozen=True)
class UnitAgreement:
    """The figures of units beyond the rows."""

    by_answer: tuple[AnswerAgreement, ...]
    lists: dict[str, int | Estimate]
    extraction: tuple[Extraction, ...]


def report(store: Store, panel: Panel) -> UnitAgreement | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return UnitAgreement(
        by_answer=tuple(by_answer(store, panel)),
        lists=lists(store, panel),
        extraction=extraction.report(store, panel),
    )
