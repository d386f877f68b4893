"""Segments: agreement and metrics in each segment of the answers that a column names.

Sources: VERA (2024) for the contrast of a metric, `stats.intervals.bootstrap` for its figures.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from concord import metrics as known_metrics
from concord.messages import Problem, capital, joined, listed, said
from concord.model import BASELINE, Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.metrics.metric_records import Readings, indexed
from concord.reports.metrics.metrics import status_counts
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import (
    annotators_sentence,
    criterion_of,
    heading,
    named,
    words,
)
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import reason, undefined
from concord.stats.core.tables import NEGLIGIBLE, distinct
from concord.stats.intervals.bootstrap import another, of_mean
from concord.stats.intervals.resampling import Draws
from concord.stats.segments import Contrast, by_segment, contrast
from concord.stats.statistics import BY_KEY
from concord.store import items
from concord.store.database import Store

ANSWER_MODEL, CLUSTER, SYNTHETIC = "answer_model", "cluster", "synthetic"
FIELDS = {ANSWER_MODEL: "answering model", CLUSTER: "cluster", SYNTHETIC: "synthetic"}
SEGMENTS_AT_MOST = 50
SEVERAL = range(2, 13)  # segments of a column that the screen of metrics offers
STATISTICS = (
    *("exact", "within_one", "off_by_two", "failure_recall", "failure_precision"),
    *("bias", "qwk"),
)
_LISTS = {"relevant_ids", "rubric"}  # values that name no segment


class SegmentColumn(NamedTuple):
    """The segment of every answer of a sheet.

    Attributes:
        name: The column, a key of `FIELDS` or a column of the sheet.
        title: What it is called.
        segments: By item id; '' for an answer without a value.
    """

    name: str
    title: str
    segments: dict[int, str]

    @property
    def values(self) -> list[str]:
        """The segments in order of the first answer of each, without ''."""
        return list(dict.fromkeys(filter(None, self.segments.values())))


def columns(store: Store, sheet: Sheet) -> list[str]:
    """Return every column by which a sheet may be segmented, the fields of an answer first."""
    own = items.column_names(store, sheet.id)
    return [*FIELDS, *(name for name in own if name not in FIELDS and name not in _LISTS)]


def offered(store: Store, sheet: Sheet) -> list[str]:
    """Return the columns that put the answers in two to twelve segments."""
    return [one for one in columns(store, sheet) if len(read(store, sheet, one).values) in SEVERAL]


def read(store: Store, sheet: Sheet, column: str) -> SegmentColumn:
    """Read the segment of every answer; an unknown column leaves all without one.

    A list or an object names no segment. Of columns with the same name, the field of an answer
    counts.
    """
    values = items.field_values if column in FIELDS else items.column_values
    found = values(store, sheet.id, column)
    if column == SYNTHETIC:
        found = {item: "synthetic" if value else "not synthetic" for item, value in found.items()}
    segments = {
        item: "" if value is None or isinstance(value, list | dict) else str(value).strip()
        for item, value in found.items()
    }
    return SegmentColumn(column, FIELDS.get(column, column), segments)


def compared(store: Store, sheet: Sheet, column: str) -> SegmentColumn:
    """Read the segments by a column for a comparison of all of them.

    Raises:
        Problem: The sheet has no such column, it holds lists alone, or it has too many values.
    """
    found = read(store, sheet, column)
    if not found.values and column not in FIELDS:
        raise Problem(
            "No answer of the sheet {sheet} has a single value in a column “{column}”. Available: "
            "{columns}.",
            sheet=sheet.name,
            column=column,
            columns=joined(", ", columns(store, sheet)),
        )
    if len(found.values) > SEGMENTS_AT_MOST:
        raise Problem(
            "The column “{column}” has {n:,} different values; at most {most} segments are "
            "compared. Choose a column with fewer, such as ranges in place of numbers.",
            column=found.title,
            n=len(found.values),
            most=SEGMENTS_AT_MOST,
        )
    return found


def agreement(
    panel: Panel,
    column: SegmentColumn,
    kind: str = EACH,
    criterion: str | None = None,
    judge: int | None = None,
) -> dict[str, Any]:
    """Return agreement with annotators by segment, of one judge and criterion or of all.

    `judges` has a row per judge and criterion, without the composite and continuous grades. Of its
    segments most answers come first, those without a value (None) last; `difference` is the figure
    minus that of all other answers.
    """
    values, segment = np.unique(
        [column.segments[item] for item in panel.items["item_id"].tolist()], return_inverse=True
    )
    sizes = np.bincount(segment).tolist()
    names = [criterion] if criterion else [one.name for one in panel.rubric.criteria]
    grounds = [ground(panel, name, kind) for name in names]
    rows = []
    for judge_id in panel.judges if judge is None else [judge]:
        for on in grounds:
            if panel.is_continuous(on.name, judge_id):
                continue
            grader = panel.judges[judge_id]
            pairs = on.pairs(grader)
            if column.name == CLUSTER:  # each is one cluster, so questions are resampled
                pairs = pairs._replace(cluster=panel.question[pairs.item])
            mine, failing = segment[pairs.item], panel.rubric.failing(on.criterion)
            family = by_segment(pairs, mine, len(values), panel.rubric.scale, failing, STATISTICS)
            annotators = on.annotators_on(panel.mask(pairs.item))
            segments = [
                {
                    "segment": value or None,
                    "answers": size,
                    "n": one.n,
                    "questions": distinct(panel.question[pairs.item[mine == place]]),
                    "clusters": one.clusters,
                    **one.figures,
                    "difference": one.differences,
                }
                for place, (value, size, one) in enumerate(
                    zip(values.tolist(), sizes, family.segments, strict=True)
                )
            ]
            segments.sort(key=lambda one: (not one["segment"], -one["n"], -one["answers"]))
            rows.append(
                {
                    "judge": panel.labels[judge_id],
                    "criterion": on.name,
                    "simulated": grader.simulated,
                    "floor": grader.name == BASELINE,
                    "annotators": len(annotators),
                    "simulated_annotators": sum(one.simulated for one in annotators),
                    "n": distinct(pairs.item),
                    **family._asdict(),
                    "segments": segments,
                }
            )
    found = {
        "by": column.name,
        "title": column.title,
        "reference": kind,
        "without_value": sum(not one for one in column.segments.values()),
        "judges": rows,
    }
    note = panel.continuous_note()
    return found | {"not_compared": note} if note else found


def agreement_document(
    found: dict[str, Any], rubric: Rubric, statistics: Sequence[str] = ("exact",)
) -> Document:
    """Return in which segments the exact agreement of a judge differs, and a table a statistic.

    The judge is the one with most answers, on the heaviest criterion.
    """
    note, rows = found.get("not_compared") or "", found["judges"]
    if not rows:
        return Document(note)
    heaviest = rubric.heaviest().name
    best = max(rows, key=lambda row: (row["criterion"] == heaviest, not row["floor"], row["n"]))
    simulated = annotators_sentence(best["simulated_annotators"], best["annotators"])
    adjusted = said(
        "CIs and p-values are adjusted for {reported} segments (Bonferroni). No significant "
        "difference does not show equality.",
        **best,
    )
    return Document(
        _agreement_headline(found["title"], best, rubric),
        (simulated,),
        tuple(_agreement_table(found, rubric, key) for key in statistics),
        (adjusted if best["compared"] else "", note),
    )


def _agreement_headline(title: str, row: dict[str, Any], rubric: Rubric) -> str:
    apart = [
        one["segment"] or "no value"
        for one in row["segments"]
        if one["difference"]["exact"].differs
    ]
    text = (
        "By {title}, the exact agreement of {judge} on {criterion} differs significantly in: {in}"
    )
    if not row["compared"]:
        text = "Too few questions to compare {judge} on {criterion} between segments by {title}"
    about = {"judge": named(row["judge"], row["simulated"]), "in": listed(apart) or "no segment"}
    return said(text, title=title, criterion=criterion_of(rubric, row["criterion"]), **about)


def _agreement_table(found: dict[str, Any], rubric: Rubric, key: str) -> Table:
    of, title = BY_KEY[key], found["title"]
    parts = (
        (title, lambda one: one["segment"] or "no value"),
        ("judge", lambda one: named(one["judge"], one["simulated"])),
        ("criterion", lambda one: heading(rubric, one["criterion"])),
        (Column(words(rubric).plural, "count"), "answers"),
        (Column("n", "count"), "n"),
        (Column("questions", "count"), "questions"),
        (Column(of.head, of.kind, help=of.heading), key),
        (
            Column("minus the rest", "points" if of.kind == "share" else "difference"),
            lambda one: one["difference"][key].estimate,
        ),
        (Column("adjusted p", "p"), lambda one: one["difference"][key].p_adjusted),
    )
    lines = [row | one for row in found["judges"] for one in row["segments"]]
    return table_of(f"by-{found['by']}-{key}", lines, parts, f"{capital(of.titled())} by {title}")


BETTER, WORSE, UNSURE = "better", "worse", "inconclusive"
NOT_COMPARED = "not compared"
SHARED = reason("segments_share_questions")


def metrics(
    readings: Readings,
    column: SegmentColumn,
    topic: str | None = None,
    draws: Draws | None = None,
) -> dict[str, Any]:
    """Return the bootstrap mean of every metric by segment, and the topic's contrasts with others.

    `topic` is by default the segment of the first answer, and comes first.

    Raises:
        Problem: There is no such segment.
    """
    names, draws = column.values, draws or Draws()
    if topic is not None and topic not in names:
        raise Problem(
            "There is no segment “{set}”. Available: {sets}.", set=topic, sets=joined(", ", names)
        )
    names.sort(key=lambda name: name != topic if topic else 0)
    each = list(accumulate(names[1:], lambda last, _: another(last), initial=draws))
    by_key: dict[tuple, dict[str, list]] = {}
    for one in readings.records:
        if name := column.segments[one.item_id]:
            key = one.judge, one.metric, tuple(sorted(one.switches.items()))
            by_key.setdefault(key, {}).setdefault(name, []).append(one)
    rows = []
    for (judge, metric, switches), by_name in by_key.items():
        means, segments, clusters = [], [], []
        for name, own in zip(names, each, strict=True):
            mine = by_name.get(name, [])
            scored = [one for one in mine if one.value is not None]
            # By cluster each segment is one, so questions are resampled.
            by_question = column.name == CLUSTER
            clusters.append([one.question_id if by_question else one.cluster for one in scored])
            values = np.array([one.value for one in scored], float)
            item = indexed(one.item_id for one in scored)
            mean = of_mean(values, indexed(clusters[-1]), own, item)
            means.append(mean)
            left_out = Counter(one.status for one in mine if one.value is None)
            segments.append(
                {
                    "segment": name,
                    "n": mean.n,
                    "questions": mean.questions,
                    "mean": mean.best,
                    "variance": mean.variance,
                    "left_out": dict(sorted(left_out.items())),
                }
            )
        contrasts = []
        for other, mean, theirs in zip(names[1:], means[1:], clusters[1:], strict=True):
            shared = {*clusters[0]} & {*theirs}
            one = Contrast(undefined(SHARED), None, None) if shared else contrast(means[0], mean)
            verdict = {"verdict": _verdict(one, metric)}
            contrasts.append({"against": other, **one._asdict(), **verdict})
        about = {"judge": judge, "metric": metric, "title": known_metrics.title(metric)}
        about |= {"switches": dict(switches), "segments": segments, "contrasts": contrasts}
        rows.append(about)
    return {
        "by": column.name,
        "title": column.title,
        "topic": names[0] if names else "",
        "without_value": sum(not name for name in column.segments.values()),
        "resamples": draws.resamples,
        "seed": draws.seed,
        "metrics": rows,
    }


def _verdict(found: Contrast, metric: str) -> str:
    low, high = found.difference.low, found.difference.high
    if found.difference.value is None:
        return NOT_COMPARED
    if low is None or (low <= NEGLIGIBLE and high >= -NEGLIGIBLE):
        return UNSURE
    known = known_metrics.available().get(metric)
    lower_is_better = known is not None and known.better == "lower"
    return BETTER if (low > 0) != lower_is_better else WORSE


def metrics_document(found: dict[str, Any]) -> Document:
    """Return how the topic compares with the others, and the means behind it."""
    topic, title, rows = found["topic"], found["title"], found["metrics"]
    every = [row | one for row in rows for one in row["contrasts"]]
    contrasts = [one for one in every if one["verdict"] != NOT_COMPARED]
    verdicts = Counter(one["verdict"] for one in contrasts)
    headline = said(
        "{topic} scores better in {better:,} and worse in {worse:,} of {n:,} comparisons with "
        "other segments by {title}",
        topic=topic,
        better=verdicts[BETTER],
        worse=verdicts[WORSE],
        n=len(contrasts),
        title=title,
    )
    of_metric = ("metric", "title"), ("judge", "judge")
    contrast_parts = (
        *of_metric,
        ("compared with", "against"),
        (Column("difference", "difference"), "difference"),
        (Column("P(above)", "share"), "exceeds"),
        (Column("overlap", "share"), "overlap"),
        ("result", "verdict"),
    )
    mean_parts = (
        *of_metric,
        ("segment", "segment"),
        (Column("n", "count"), "n"),
        (Column("questions", "count"), "questions"),
        (Column("mean", "number"), "mean"),
        (Column("variance of the mean", "precise"), "variance"),
        ("left out", lambda one: status_counts(one["left_out"])),
    )
    means = [row | one for row in rows for one in row["segments"]]
    return Document(
        headline,
        (),
        (
            table_of("contrasts", contrasts, contrast_parts, said("{topic} compared", topic=topic)),
            table_of("segments", means, mean_parts),
        ),
        ("Each 95% CI is pointwise.",),
        said("B = {resamples:,} resamples of whole questions, seed {seed}.", **found),
    )
