"""VERA's composite: a cross-encoder's score of an answer that states its metrics (VERA 2024).

Scores are stored like metric values, so every report on metrics reads them too.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from concord import metrics
from concord.definitions import canonical_json, digest
from concord.judges.transport.cross_encoder import has_cjk
from concord.messages import Problem, counted, joined
from concord.metrics.framework.metric import Metric
from concord.metrics.framework.statement import DoesNotFit, Pieces, enriched, statement
from concord.model import Sheet, status_words
from concord.reports.cells import reasons, written
from concord.reports.document import Column, Document, table_of
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings, indexed
from concord.stats.intervals.bootstrap import of_mean
from concord.stats.intervals.resampling import Draws
from concord.store import graders, items, metric_values
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.items import Stored
from concord.store.metric_values import NewMetricValue

ENCODED = "vera_composite"
VERA = (
    "vera_faithfulness",
    "vera_retrieval_recall",
    "vera_retrieval_precision",
    "vera_answer_relevance",
)
GRADER = "cross-encoder"
WHY_NONE = "No cross-encoder has scored these answers: `metrics --cross-encoder PLACE`."
CUT, CJK = "answer cut", "English vocabulary"
_FLAGS = {
    CUT: "Cut so that the statements fit",
    CJK: "Outside the cross-encoder's English vocabulary",
}
_CAVEAT = "A cross-encoder is trained to rank passages, not to read “the score is 0.7”."
_TEMPLATE = 4  # raise it when the words of `statement`, a title or a question, or the order change
_ITEMS_AT_ONCE = 8


class Encoder(Pieces, Protocol):
    """Protocol of a scorer of text pairs: `cross_encoder.CrossEncoder`."""

    name: str
    identity: str
    knows_cjk: bool

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The raw logit of each (question, answer)."""


class StatedMetric(NamedTuple):
    """A metric that is stated, by one judge under one reading."""

    metric: Metric
    judge: str
    switches: Mapping[str, str]


def stated(found: Readings, judge: str | None = None) -> list[StatedMetric]:
    """Return VERA's metrics that have values, with the newest reading of each.

    `judge` is whose values count where several computed a metric, as `name` or `name@fingerprint`.

    Raises:
        Problem: None has a value, or several judges computed one and none of them is named.
    """
    by_metric: dict[str, dict[str, StatedMetric]] = {}
    for one in found.records:
        called = judge in (None, one.judge, one.judge.partition("@")[0])
        if one.metric in VERA and one.value is not None and called:
            here = StatedMetric(metrics.named(one.metric), one.judge, one.switches)
            by_metric.setdefault(one.metric, {})[one.judge] = here
    if not by_metric:
        raise Problem("No answer has a value of VERA's metrics yet. Run the judge “vera” first.")
    for name, judges in by_metric.items():
        if len(judges) > 1:
            raise Problem(
                "Several judges computed {metric}: {names}. Name one with --judge.",
                metric=name,
                names=joined(", ", sorted(judges)),
            )
    return [one for name in VERA for one in by_metric.get(name, {}).values()]


def encode(
    store: Store,
    sheet: Sheet,
    encoder: Encoder,
    judge: str | None = None,
    progress: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Any]:
    """Score every answer that has all stated metrics and is not scored on the same values yet.

    A few answers at a time are stored, so a run that is stopped resumes there.

    Returns:
        How many answers were `scored`, were `there` before, and are `too_long`.
    """
    found = metric_records.read(store, sheet)
    chosen = stated(found, judge)
    over = ", ".join(f"{one.metric.name} by {one.judge}" for one in chosen)
    body = {
        "measure": ENCODED,  # hashed, as in `selection.chosen`
        "switches": {"over": over},
        "readings": [dict(one.switches) for one in chosen],
        "model": encoder.identity,
        "template": _TEMPLATE,
    }
    version = digest(body)
    metric_values.register(store, ENCODED, version, canonical_json(body))
    grader = graders.ensure(store, "metric", GRADER, encoder.identity, {"model": encoder.name})
    by_item: dict[int, dict[str, float]] = {}
    wanted = {one.metric.name: one[1:] for one in chosen}
    for one in found.records:
        is_stated = wanted.get(one.metric) == (one.judge, one.switches)
        if is_stated and one.repeat == 1 and one.value is not None:
            by_item.setdefault(one.item_id, {})[one.metric] = one.value
    whole = {
        item_id: {name: values[name] for name in wanted}
        for item_id, values in by_item.items()
        if values.keys() == wanted.keys()
    }
    known = {one.item_id: one.parts for one in found.records if one.version == version}
    todo = [one for one, mine in whole.items() if not mine.items() <= known.get(one, {}).items()]
    too_long = 0
    for start in range(0, len(todo), _ITEMS_AT_ONCE):
        made = [
            _scored(one, chosen, whole[one.id], encoder, Press(one.id, version, grader))
            for one in items.items(store, todo[start : start + _ITEMS_AT_ONCE])
        ]
        metric_values.record(store, made)
        too_long += sum(one.press.status == "too_long" for one in made)
        progress(f"{start + len(made):,} of {len(todo):,} answers")
    return {
        "scored": len(todo) - too_long,
        "there": len(whole) - len(todo),
        "too_long": too_long,
    }


def _scored(
    stored: Stored,
    chosen: Sequence[StatedMetric],
    values: Mapping[str, float],
    encoder: Encoder,
    press: Press,
) -> NewMetricValue:
    """One answer's score on its way to the disk."""
    question, answer = stored.item.question, stored.item.answer
    texts = [
        statement(one.metric, values[one.metric.name], one.metric.least(one.switches))
        for one in chosen
    ]
    try:
        whole = enriched(encoder, question, answer, texts)
    except DoesNotFit as fault:
        press = press._replace(status="too_long", reason=str(fault))
        return NewMetricValue(press, dict(values))
    [logit] = encoder.score([(question, whole.text)])
    flags = {CUT: whole.cut, CJK: not encoder.knows_cjk and has_cjk(question + answer)}
    reason = f"{encoder.name} on the answer with {len(texts)} statements"
    return NewMetricValue(
        press._replace(status="scored", score=logit, reason=reason),
        dict(values),
        [flag for flag, there in flags.items() if there],
        len(texts),
    )


def report(found: Readings, draws: Draws | None = None) -> dict[str, Any]:
    """Return the newest scores of a cross-encoder on a sheet, or `why_none` of its `n` answers.

    Returns:
        `judge`, what it was stated `over`, how many answers and `questions`, those `left_out` by
        status, and by `flags` those that were cut or are to be warned of; the `mean` logit with
        the bootstrap's percentiles over questions, and the `variance` of the resampled means (the
        squared standard error).
    """
    every = [one for one in found.records if one.metric == ENCODED and one.repeat == 1]
    mine = [one for one in every if one.version == every[-1].version]
    scored = [one for one in mine if one.value is not None]
    if not scored:
        return {"n": 0, "why_none": mine[0].reason if mine else WHY_NONE}
    cluster = indexed(one.cluster for one in scored)
    flags = Counter(flag for one in scored for flag in one.flags)
    mean = of_mean(np.array([one.value for one in scored]), cluster, draws or Draws())
    return {
        "n": len(scored),
        "questions": mean.questions,
        "left_out": dict(Counter(one.status for one in mine if one.value is None)),
        "flags": {flag: flags[flag] for flag in _FLAGS if flags[flag]},
        "over": mine[0].switches["over"],
        "judge": mine[0].judge,
        "mean": mean.interval,
        "variance": mean.variance,
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of a cross-encoder's scores."""
    n = found["n"]
    if not n:
        return Document(found["why_none"])
    parts = (
        ("excluded because", lambda one: status_words(one[0])),
        (Column("answers", "count"), itemgetter(1)),
    )
    return Document(
        f"VERA composite: mean logit {written(found['mean'], 'number')} on {counted(n, 'answer')}",
        (f"{found['judge']} over {found['over']}.",),
        (table_of("excluded", found["left_out"].items(), parts),),
        (
            _CAVEAT,
            *(f"{_FLAGS[flag]}: {of:,} answers." for flag, of in found["flags"].items()),
            *reasons([found["mean"].why_none]),
        ),
    )
