"""VERA's composite: a cross-encoder's score of an answer that states its metrics (VERA 2024).

Scores are stored like metric values, so every report on metrics reads them too. Stored with the
logit of the answer with its statements is that of the answer alone.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from concord import metrics
from concord.definitions import canonical_json, digest
from concord.judges.transport.cross_encoder import has_cjk
from concord.language.grade_statuses import status_words
from concord.messages import Problem, counted, joined, said
from concord.metrics.framework.metric import Metric
from concord.metrics.framework.statement import DoesNotFit, Pieces, enriched, statement
from concord.model import Sheet
from concord.reports.cells import reasons, written
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings, Record, indexed
from concord.stats.core.estimate import Estimate
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


class EncodingRun(NamedTuple):
    """Answers that a run of the cross-encoder scored, that were there before, and too long ones."""

    scored: int
    there: int
    too_long: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class VeraComposite:
    """The newest scores of a cross-encoder on a sheet.

    Attributes:
        over: The metrics that were stated.
        n: Answers scored; `left_out` counts the others by status.
        flags: What was cut or is to be warned of, and on how many answers.
        mean: Of the logit, with the bootstrap's percentiles over questions.
        variance: Of the resampled means: the squared standard error.
        plain: Mean logit of the answers without statements.
    """

    n: int = 0
    questions: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, int] = field(default_factory=dict)
    over: str | None = None
    judge: str | None = None
    mean: Estimate | None = None
    variance: float | None = None
    plain: Estimate | None = None
    why_none: str | None = None


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
) -> EncodingRun:
    """Score every answer that has all stated metrics and is not scored on the same values yet.

    A few answers at a time are stored, so a run that is stopped resumes there.
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
    values, left_out = _values(found, chosen)
    known = {one.item_id: one.parts for one in found.records if one.version == version}
    rows = [one for one, mine in values.items() if not mine.items() <= known.get(one, {}).items()]
    too_long = 0
    for start in range(0, len(rows), _ITEMS_AT_ONCE):
        made = [
            _scored(one, chosen, values[one.id], encoder, Press(one.id, version, grader))
            for one in items.items(store, rows[start : start + _ITEMS_AT_ONCE])
        ]
        metric_values.record(store, made)
        too_long += sum(one.press.status == "too_long" for one in made)
        progress(f"{start + len(made):,} of {len(rows):,} answers")
    return EncodingRun(len(rows) - too_long, len(values) - len(rows), too_long, left_out)


def _values(
    found: Readings, chosen: Sequence[StatedMetric]
) -> tuple[dict[int, dict[str, float]], dict[str, int]]:
    """The values of every metric by item id and name, and why other answers lack one."""
    by_item: dict[int, dict[str, Record]] = {}
    wanted = {one.metric.name: one for one in chosen}
    for one in found.records:
        column = wanted.get(one.metric)
        if column and one.repeat == 1 and column[1:] == (one.judge, one.switches):
            by_item.setdefault(one.item_id, {})[one.metric] = one
    values, out = {}, Counter()
    for item_id, mine in by_item.items():
        for name, column in wanted.items():
            one = mine.get(name)
            if one is None or one.value is None:
                why = status_words(one.status) if one else "not requested yet"
                out[f"{column.metric.title}: {why}"] += 1
                break
        else:
            values[item_id] = {name: mine[name].value for name in wanted}
    if never := found.items - len(by_item):
        out["not looked at yet"] = never
    return values, dict(sorted(out.items()))


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
        whole, plain = (
            enriched(encoder, question, answer, texts),
            enriched(encoder, question, answer),
        )
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


def report(found: Readings, draws: Draws | None = None) -> VeraComposite:
    """Return the newest scores of a cross-encoder on a sheet, or why there are none."""
    draws = draws or Draws()
    every = [one for one in found.records if one.metric == ENCODED and one.repeat == 1]
    mine = [one for one in every if one.version == every[-1].version]
    scored = [one for one in mine if one.value is not None]
    if not scored:
        return VeraComposite(why_none=mine[0].reason if mine else WHY_NONE)
    value = np.array([one.value for one in scored])
    cluster = indexed(one.cluster for one in scored)
    flags = Counter(flag for one in scored for flag in one.flags)
    mean = of_mean(value, cluster, draws)
    plain = of_mean(np.array([one.parts[PLAIN] for one in scored]), cluster, draws)
    return VeraComposite(
        n=len(scored),
        questions=mean.questions,
        left_out=dict(Counter(one.status for one in mine if one.value is None)),
        flags={flag: flags[flag] for flag in _FLAGS if flags[flag]},
        over=mine[0].switches["over"],
        judge=mine[0].judge,
        mean=mean.interval,
        variance=mean.variance,
        plain=plain.interval,
    )


def document(found: VeraComposite) -> Document:
    """Return what is shown of a cross-encoder's scores."""
    if found.why_none:
        return Document(found.why_none)
    rows = [("with statements", found.mean, found.n)]
    rows += [("without statements", found.plain, found.n)]
    parts = (
        (Column("answers"), lambda row: row[0]),
        (Column("mean logit", "number"), lambda row: row[1]),
        (Column("n", "count"), lambda row: row[2]),
    )
    out = Table(
        "excluded",
        (Column("excluded because"), Column("answers", "count")),
        tuple((status_words(why), n) for why, n in found.left_out.items()),
    )
    flags = (f"{_FLAGS[flag]}: {n:,} answers." for flag, n in found.flags.items())
    return Document(
        said(
            "VERA composite: mean logit {mean} on {answers}",
            mean=written(found.mean, "number"),
            answers=counted(found.n, "answer"),
        ),
        (said("{judge} over {metrics}.", judge=found.judge, metrics=found.over),),
        (table_of("vera", rows, parts), out),
        (_CAVEAT, *flags, *reasons([found.mean.why_none])),
    )
