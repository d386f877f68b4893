"""VERA's composite: a cross-encoder's score of an answer that states its metrics (VERA 2024).

Scores are stored like metric values, so every report on metrics reads them too. Stored with the
logit of the answer with its statements is that of the answer alone.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
from concord.reports.document import Column, Document, Table
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
PLAIN = "plain answer"
CUT, PLAIN_CUT, CJK = "answer cut", "plain answer cut", "English vocabulary"
WHY_NONE = "No cross-encoder has scored these answers: `metrics --cross-encoder PLACE`."
_FLAGS = {
    CUT: "Cut so that the statements fit",
    PLAIN_CUT: "Cut even without statements",
    CJK: "Outside the cross-encoder's English vocabulary",
}
_CAVEAT = "A cross-encoder is trained to rank passages, not to read “the score is 0.7”."
_TEMPLATE = 3  # raise it when the words of `statement`, a title or a question, or the order change
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
        How many answers were `scored`, were `there` before, are `too_long`, and by reason were
        `left_out`.
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
    left_out, wanted = Counter(), {one.metric.name: one[1:] for one in chosen}
    for one in found.records:
        if one.repeat == 1 and wanted.get(one.metric) == (one.judge, one.switches):
            values = by_item.setdefault(one.item_id, {})
            if one.value is None:
                left_out[f"{metrics.title(one.metric)}: {status_words(one.status)}"] += 1
            else:
                values[one.metric] = one.value
    whole = {
        item_id: {name: values[name] for name in wanted}
        for item_id, values in by_item.items()
        if values.keys() == wanted.keys()
    }
    if never := found.items - len(by_item):
        left_out["not looked at yet"] = never
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
        "left_out": dict(left_out),
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
        plain = enriched(encoder, question, answer)
    except DoesNotFit as fault:
        press = press._replace(status="too_long", reason=str(fault))
        return NewMetricValue(press, dict(values))
    logit, alone = encoder.score([(question, whole.text), (question, plain.text)])
    flags = {CUT: whole.cut, PLAIN_CUT: plain.cut}
    flags[CJK] = not encoder.knows_cjk and has_cjk(question + answer)
    reason = f"{encoder.name} on the answer with {len(texts)} statements"
    return NewMetricValue(
        press._replace(status="scored", score=logit, reason=reason),
        {**values, PLAIN: alone},
        [flag for flag, there in flags.items() if there],
        len(texts),
    )


def report(found: Readings, draws: Draws | None = None) -> dict[str, Any]:
    """Return the newest scores of a cross-encoder on a sheet, or `why_none` of its `n` answers.

    Returns:
        `judge`, what it was stated `over`, how many answers and `questions`, those `left_out` by
        status, and by `flags` those that were cut or are to be warned of; the `mean` logit with
        the bootstrap's percentiles over questions, the `variance` of the resampled means (the
        squared standard error), and `plain`, the mean without statements.
    """
    draws = draws or Draws()
    every = [one for one in found.records if one.metric == ENCODED and one.repeat == 1]
    mine = [one for one in every if one.version == every[-1].version]
    scored = [one for one in mine if one.value is not None]
    if not scored:
        return {"n": 0, "why_none": mine[0].reason if mine else WHY_NONE}
    cluster = indexed(one.cluster for one in scored)
    flags = Counter(flag for one in scored for flag in one.flags)
    mean = of_mean(np.array([one.value for one in scored]), cluster, draws)
    plain = of_mean(np.array([one.parts[PLAIN] for one in scored]), cluster, draws)
    return {
        "n": len(scored),
        "questions": mean.questions,
        "left_out": dict(Counter(one.status for one in mine if one.value is None)),
        "flags": {flag: flags[flag] for flag in _FLAGS if flags[flag]},
        "over": mine[0].switches["over"],
        "judge": mine[0].judge,
        "mean": mean.interval,
        "variance": mean.variance,
        "plain": plain.interval,
    }


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of a cross-encoder's scores."""
    n = found["n"]
    if not n:
        return Document(found["why_none"])
    mean, left_out = written(found["mean"], "number"), found["left_out"].items()
    heads = Column("answers"), Column("mean logit", "number"), Column("n", "count")
    rows = ("with statements", found["mean"], n), ("without statements", found["plain"], n)
    out = Column("excluded because"), Column("answers", "count")
    return Document(
        f"VERA composite: mean logit {mean} on {counted(n, 'answer')}",
        (f"{found['judge']} over {found['over']}.",),
        (
            Table("vera", heads, rows),
            Table("excluded", out, tuple((status_words(why), of) for why, of in left_out)),
        ),
        (
            _CAVEAT,
            *(f"{_FLAGS[flag]}: {of:,} answers." for flag, of in found["flags"].items()),
            *reasons([found["mean"].why_none]),
        ),
    )
