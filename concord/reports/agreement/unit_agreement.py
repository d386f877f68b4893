"""Unit agreement: what beside the agreement rows is said of graders of units.

Per unit the precision and recall of the failing verdict; per answer a metric's number by a judge's
verdicts against its number by annotators' labels; and apart from both, errors of the lists
themselves.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from concord import metrics
from concord.judges.metric_runs.undefined import NOT_ASKED
from concord.language.grade_statuses import status_words
from concord.messages import said
from concord.metrics.framework.metric import Metric, Outcome
from concord.reports.document import FLAT
from concord.reports.metrics.replay import replayed
from concord.reports.panel.comparison import ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.unit_words import worded
from concord.reports.units import extraction
from concord.reports.units.answer_comparison import ground as ground_of_answers
from concord.reports.units.extraction import Extraction
from concord.rubrics import list_check
from concord.stats.agreement import rank_correlation
from concord.stats.agreement.failure_recall import failure_precision
from concord.stats.core.clustered import kish
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.inclusion_weights import largest
from concord.stats.core.pairs import Pairs
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import composite_figures
from concord.store.database import Store
from concord.store.units import list_checks

NO_LIST = said("no annotator has checked a list yet")


@dataclass(frozen=True)
class CountedShare:
    """A share with the number of failing units that it is of."""

    estimate: Estimate = field(metadata=FLAT)
    failing: int | None


@dataclass(frozen=True)
class FailingVerdict:
    """Precision and recall of a judge's failing verdict on units; `failing` are its labels."""

    judge: str
    failing: tuple[str, ...]
    n: int
    precision: CountedShare
    recall: CountedShare


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


@dataclass(frozen=True)
class ListErrors:
    """Shares of lists of units with an error, or with `any`, by annotators who checked them.

    `cannot_say` counts checks that an annotator could not make.
    """

    lists: int
    annotators: int
    cannot_say: int
    shares: dict[str, Estimate] = field(metadata=FLAT)


@dataclass(frozen=True)
class UnitAgreement:
    """The figures of units beyond the rows."""

    failing: tuple[FailingVerdict, ...]
    by_answer: tuple[AnswerAgreement, ...]
    lists: ListErrors
    extraction: tuple[Extraction, ...]


def report(store: Store, panel: Panel, kind: str = EACH) -> UnitAgreement | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return UnitAgreement(
        failing=tuple(failing(panel, kind)),
        by_answer=tuple(by_answer(store, panel)),
        lists=lists(store, panel),
        extraction=extraction.report(store, panel),
    )


def failing(panel: Panel, kind: str = EACH) -> list[FailingVerdict]:
    """Return precision and recall of the failing verdict of each judge, each with its count."""
    on = ground(panel, panel.rubric.criteria[0].name, kind)
    fails = panel.rubric.failing(on.criterion)
    labels = tuple(one.label for one in on.criterion.levels if one.score in fails)
    rows = []
    for judge in panel.judges.values():
        judged, precision = on.judged(judge), failure_precision(on.pairs(judge), fails)
        rows.append(
            FailingVerdict(
                panel.labels[judge.id],
                labels,
                judged.n,
                CountedShare(precision.share, precision.items),
                CountedShare(judged.figures["failure_recall"], judged.failing),
            )
        )
    return worded(panel.rubric, rows)


def by_answer(store: Store, panel: Panel) -> list[AnswerAgreement]:
    """A metric by a judge's verdicts and by annotators' labels, on the answers they share.

    The first reading of the metric for both. All pairs of an annotator and the judge count, an
    answer with total weight 1; answers that either has not labelled whole are in `left_out`.
    """
    rests = [one for one in metrics.found().values() if panel.rubric.name in one.rubrics]
    labelled = {person: _labelled(panel, person) for person in panel.annotators}
    every = sorted({item_id for ids in labelled.values() for item_id in ids})
    judges = [judge for judge in panel.judges.values() if judge.kind == "metric"]
    rows = []
    for metric in rests if every else ():
        annotators = {i: replayed(store, metric, ids, i) for i, ids in labelled.items()}
        for judge in judges:
            found = replayed(store, metric, every, judge.id)
            rows.append(_of_metric(panel, panel.labels[judge.id], metric, found, annotators))
    return rows


def lists(store: Store, panel: Panel) -> ListErrors:
    """The share of checked lists with something missing, invented or not atomic, by annotators.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; lists that an annotator could not say anything of are in `cannot_say`.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    found = found[found["person"].map(panel.lets_count).astype(bool)].reset_index(drop=True)
    on = ground_of_answers(store, panel, found["item_id"], found["question_id"], found["cluster"])
    found = found.assign(weight=on.weight, place=on.cluster)[on.weight > 0]
    told = found[found["label"].notna()]
    shares = {
        name.replace(" ", "_"): _share_of_lists(told, name) for name in (*list_check.ERRORS, "any")
    }
    checked, annotators = int(told["item_id"].nunique()), int(told["person"].nunique())
    return ListErrors(checked, annotators, int(len(found) - len(told)), shares)


# Why an answer has no number by somebody who has not spoken of all of it.
_OPEN = {
    "person": said("not labelled whole by the annotator"),
    "judge": said("not asked of the judge yet"),
}


def _labelled(panel: Panel, person: int) -> list[int]:
    """The answers of which an annotator has labelled a unit that counts."""
    counted = panel.counted(panel.rubric.criteria[0].name, person)
    return sorted({int(one) for one in panel.items["item_id"].to_numpy()[counted]})


def _places(panel: Panel) -> dict[int, int]:
    """Where an open unit of each answer stands in the panel, by item id."""
    item_ids = panel.items["item_id"].to_numpy()
    return {int(item_ids[place]): int(place) for place in np.flatnonzero(panel.open)}


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
    few = len(np.unique(pairs.item)) < rank_correlation.FLOOR
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
        "{status} by the annotator" if who == "person" else "{status} by the judge",
        status=status_words(outcome.status),
    )


def _pairs(panel: Panel, both: Sequence[tuple[int, int, float, float]]) -> Pairs:
    """Pairs of a judge's and an annotator's number, every answer with total weight 1."""
    places = _places(panel)
    graded = Counter(item_id for item_id, *_ in both)
    where = np.array([places[item_id] for item_id, *_ in both], int)
    return Pairs(
        judge=np.array([one[2] for one in both], float),
        person=np.array([one[3] for one in both], float),
        weight=np.array([1 / graded[one[0]] for one in both]) * panel.weight[where],
        item=where,
        cluster=panel.cluster[where],
    )


def _share_of_lists(told: pd.DataFrame, error: str) -> Estimate:
    """The share of lists with an error, or with any."""
    if told.empty:
        return undefined(NO_LIST)
    hit = (
        told["label"] != list_check.RIGHT
        if error == "any"
        else told["label"].map(lambda label: error in label.split(", "))
    )
    annotators = told.groupby("item_id")["person"].transform("count")
    _, question = np.unique(told["place"], return_inverse=True)
    base = np.bincount(question, weights=told["weight"] / annotators)
    hits = np.bincount(question, weights=told["weight"] / annotators * hit)
    by_item = told.groupby("item_id")["weight"].first().to_numpy()
    return proportion(hits, base, kish(by_item), largest(by_item))
