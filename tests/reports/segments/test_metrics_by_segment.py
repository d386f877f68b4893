"""Metrics by segment: bootstrap means of a topic's questions beside those of others."""

import json

import numpy as np
import pytest

from concord.messages import Problem
from concord.reports.metrics import metric_records
from concord.reports.segments import metrics_by_segment, segment_column
from concord.reports.segments.metrics_by_segment import SHARED
from concord.stats.core.estimate import TOO_FEW
from concord.stats.intervals.resampling import Draws
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give

SETS = ("sales", "basketball", "random")


def values(*means, seed=1):
    random = np.random.default_rng(seed)
    return [m + random.uniform(-0.1, 0.1) for m in means for _ in range(20)]


def report(store, sheet, topic=None, by="set"):
    column = segment_column.compared(store, sheet, by)
    readings = metric_records.read(store, sheet)
    return metrics_by_segment.report(readings, column, topic, Draws(300, 7))


def verdicts(found):
    return [one.verdict for row in found.metrics for one in row.contrasts]


def test_each_segment_is_held_against_the_topic(store, three_sets):
    give(store, three_sets.id, "faithfulness", values(0.8, 0.5, 0.3))
    found = report(store, three_sets)
    (row,) = found.metrics
    assert (found.topic, [one.segment for one in row.segments]) == ("sales", [*SETS])
    means = [one.estimate.value for one in row.segments]
    assert means == pytest.approx([0.8, 0.5, 0.3], abs=0.03)
    assert [one.difference.value for one in row.contrasts] == pytest.approx([0.3, 0.5], abs=0.05)
    assert verdicts(found) == ["better", "better"]
    assert all(one.exceeds == 1 and one.overlap == 0 for one in row.contrasts)
    other = report(store, three_sets, topic="random")
    assert other.metrics[0].segments[0].segment == "random"
    assert verdicts(other) == ["worse", "worse"]


def test_where_lower_is_better_the_lower_segment_fares_better(store, three_sets):
    give(store, three_sets.id, "noise_sensitivity_relevant", values(0.2, 0.5, 0.8))
    assert verdicts(report(store, three_sets)) == ["better", "better"]


def test_segments_that_are_alike_are_inconclusive_and_one_without_values_is_not_compared(
    store, three_sets
):
    given = values(0.5, 0.5, 0.5)
    given[40:] = [None] * 20
    give(store, three_sets.id, "faithfulness", given)
    found = report(store, three_sets)
    assert verdicts(found) == ["inconclusive", "not compared"]
    assert found.metrics[0].segments[2].left_out == {"refused": 20}


def test_under_ten_questions_there_is_no_interval_and_no_verdict(store, three_sets):
    given = values(0.8, 0.5, 0.3)
    given[:12] = [None] * 12
    give(store, three_sets.id, "faithfulness", given)
    found = report(store, three_sets)
    first = found.metrics[0].segments[0]
    assert (first.n, first.left_out, first.estimate.why_none) == (8, {"refused": 12}, TOO_FEW)
    assert verdicts(found) == ["inconclusive", "inconclusive"]


def test_shares_have_wilsons_interval(store, three_sets):
    give(store, three_sets.id, "vera_faithfulness", [1] * 20 + [1, 0] * 10 + [0] * 20)
    first = report(store, three_sets).metrics[0].segments[0]
    assert first.estimate.value == 1 and 0.8 < first.estimate.low < 1


def test_segments_that_share_questions_have_means_and_no_contrast(store):
    """Answering models answer the same questions: independent resamples would be wrong."""
    made = [made_item(n, m) for n in range(20) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, "faithfulness", [0.9 - n % 2 / 2 + n / 1000 for n in range(40)])
    found = report(store, sheet, by="answer_model")
    means = [one.estimate.value for one in found.metrics[0].segments]
    assert means == pytest.approx([0.92, 0.42], abs=0.01)
    (one,) = found.metrics[0].contrasts
    assert (one.verdict, one.difference.why_none) == ("not compared", SHARED)


def test_clusters_can_be_the_segments_and_then_questions_are_resampled(store):
    made = [made_item(n, cluster="ab"[n // 12]) for n in range(24)]
    sheet = additions.add(store, "documents", made, "d.csv", "4" * 64, {})
    give(store, sheet.id, "faithfulness", [0.9, 0.8] * 6 + [0.1, 0.2] * 6)
    assert metrics_by_segment.offered(store, sheet) == ["cluster"]
    found = report(store, sheet, by="cluster")
    assert [one.questions for one in found.metrics[0].segments] == [12, 12]
    assert verdicts(found) == ["better"]


def test_answers_without_a_value_are_in_no_segment(store):
    made = [made_item(n, metadata={"set": s}) for n, s in enumerate(["in"] * 10 + [None] * 4)]
    sheet = additions.add(store, "some", made, "s.csv", "3" * 64, {})
    give(store, sheet.id, "faithfulness", [0.5] * 14)
    found = report(store, sheet)
    assert (found.without_value, found.metrics[0].segments[0].n) == (4, 10)


def test_the_command_reports_any_column_and_refuses_an_unknown_topic(store, three_sets, run):
    give(store, three_sets.id, "faithfulness", values(0.8, 0.5, 0.3))
    words = ["metrics", "--sheet", "three", "--by", "set"]
    found = json.loads(run(*words, "--topic", "random", "--json").output)["segments"]
    assert (found["by"], found["topic"]) == ("set", "random")
    assert [one["verdict"] for one in found["metrics"][0]["contrasts"]] == ["worse", "worse"]
    assert "P(above)" in run(*words).output
    run(*words, "--topic", "rugby", code=2)
    with pytest.raises(Problem):
        report(store, three_sets, by="mood")
