"""Metrics by segment: bootstrap means of a topic's questions beside those of others."""

import numpy as np
import pytest

from concord.messages import Problem
from concord.reports.metrics import metric_records
from concord.reports.segments import (
    SHARED,
    agreement,
    agreement_document,
    compared,
    metrics,
    offered,
)
from concord.stats.core.estimate import TOO_FEW
from concord.stats.intervals.resampling import Draws
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.panels import give as panels_give
from tests.support.panels import judge, panel

SETS = ("sales", "basketball", "random")


def values(*means, seed=1):
    random = np.random.default_rng(seed)
    return [m + random.uniform(-0.1, 0.1) for m in means for _ in range(20)]


def report(store, sheet, topic=None, by="set"):
    column = compared(store, sheet, by)
    readings = metric_records.read(store, sheet)
    return metrics(readings, column, topic, Draws(300, 7))


def verdicts(found):
    return [one["verdict"] for row in found["metrics"] for one in row["contrasts"]]


def test_each_segment_is_held_against_the_topic(store, three_sets):
    give(store, three_sets.id, "faithfulness", values(0.8, 0.5, 0.3))
    found = report(store, three_sets)
    (row,) = found["metrics"]
    assert (found["topic"], [one["segment"] for one in row["segments"]]) == ("sales", [*SETS])
    means = [one["mean"].value for one in row["segments"]]
    assert means == pytest.approx([0.8, 0.5, 0.3], abs=0.03)
    assert [one["difference"].value for one in row["contrasts"]] == pytest.approx(
        [0.3, 0.5], abs=0.05
    )
    assert verdicts(found) == ["better", "better"]
    assert all(one["exceeds"] == 1 and one["overlap"] == 0 for one in row["contrasts"])
    other = report(store, three_sets, topic="random")
    assert other["metrics"][0]["segments"][0]["segment"] == "random"
    assert verdicts(other) == ["worse", "worse"]


def test_segments_that_are_alike_are_inconclusive_and_one_without_values_is_not_compared(
    store, three_sets
):
    given = values(0.5, 0.5, 0.5)
    given[40:] = [None] * 20
    give(store, three_sets.id, "faithfulness", given)
    found = report(store, three_sets)
    assert verdicts(found) == ["inconclusive", "not compared"]
    assert found["metrics"][0]["segments"][2]["left_out"] == {"refused": 20}


def test_under_ten_questions_there_is_no_interval_and_no_verdict(store, three_sets):
    given = values(0.8, 0.5, 0.3)
    given[:12] = [None] * 12
    give(store, three_sets.id, "faithfulness", given)
    found = report(store, three_sets)
    first = found["metrics"][0]["segments"][0]
    assert (first["n"], first["left_out"], first["mean"].why_none) == (8, {"refused": 12}, TOO_FEW)
    assert verdicts(found) == ["inconclusive", "inconclusive"]


def test_segments_that_share_questions_have_means_and_no_contrast(store):
    """Answering models answer the same questions: independent resamples would be wrong."""
    made = [made_item(n, m) for n in range(20) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, "faithfulness", [0.9 - n % 2 / 2 + n / 1000 for n in range(40)])
    found = report(store, sheet, by="answer_model")
    means = [one["mean"].value for one in found["metrics"][0]["segments"]]
    assert means == pytest.approx([0.92, 0.42], abs=0.01)
    (one,) = found["metrics"][0]["contrasts"]
    assert (one["verdict"], one["difference"].why_none) == ("not compared", SHARED)


def test_clusters_can_be_the_segments_and_then_questions_are_resampled(store):
    made = [made_item(n, cluster="ab"[n // 12]) for n in range(24)]
    sheet = additions.add(store, "documents", made, "d.csv", "4" * 64, {})
    give(store, sheet.id, "faithfulness", [0.9, 0.8] * 6 + [0.1, 0.2] * 6)
    assert offered(store, sheet) == ["cluster"]
    found = report(store, sheet, by="cluster")
    assert [one["questions"] for one in found["metrics"][0]["segments"]] == [12, 12]
    assert verdicts(found) == ["better"]


def graded(store, rubric, teams: list[str | int | None], exact: list[bool]):
    """One answer per question, each with its team; the judge is one point off where not exact."""
    made = [
        made_item(n, metadata={} if team is None else {"team": team})
        for n, team in enumerate(teams)
    ]
    sheet = additions.add(store, "teams", made, "t.csv", "1" * 64, {})
    panels_give(store, rubric, "Ana", {n: 2 for n in range(len(made))})
    judge(store, rubric, "gpt", {n: 2 if hit else 3 for n, hit in enumerate(exact)})
    return sheet


def found(store, rubric, sheet, column="team"):
    segments = compared(store, sheet, column)
    return agreement(panel(store, rubric), segments, criterion="correctness")


def test_segments_by_size_those_without_a_value_last_and_counted(store, doc_qa):
    teams = ["Rome"] * 12 + ["Oslo"] * 20 + [None] * 14 + ["Lima"] * 3
    sheet = graded(store, doc_qa, teams, [True] * 49)
    report = found(store, doc_qa, sheet)
    (row,) = report["judges"]
    assert [(one["segment"], one["answers"], one["n"]) for one in row["segments"]] == [
        ("Oslo", 20, 20),
        ("Rome", 12, 12),
        ("Lima", 3, 3),
        (None, 14, 14),
    ]
    assert (report["without_value"], row["reported"], row["compared"]) == (14, 3, 3)
    shown = agreement_document(report, doc_qa)
    assert [line[0] for line in shown.tables[0].rows] == ["Oslo", "Rome", "Lima", "no value"]


def test_numbers_are_segments_as_they_are_and_too_many_are_refused(store, doc_qa):
    sheet = graded(store, doc_qa, [*range(50)], [True] * 50)
    assert len(found(store, doc_qa, sheet)["judges"][0]["segments"]) == 50
    with pytest.raises(Problem, match="“size”"):
        found(store, doc_qa, sheet, "size")


def test_fifty_one_values_are_refused_with_the_remedy(store, doc_qa):
    sheet = graded(store, doc_qa, [*range(51)], [True] * 51)
    with pytest.raises(Problem, match="has 51 different values; at most 50"):
        found(store, doc_qa, sheet)


def test_lists_are_refused(store, doc_qa):
    sheet = graded(store, doc_qa, [["a", "b"], ["c"]], [True] * 2)
    with pytest.raises(Problem, match="“team”"):
        found(store, doc_qa, sheet)


def test_by_cluster_questions_are_resampled(store, doc_qa, give, judge):
    """A segment that is one cluster has a figure from 10 questions."""
    made = [made_item(n, cluster="ab"[n % 2]) for n in range(30)]
    sheet = additions.add(store, "docs", made, "t.csv", "1" * 64, {})
    give("Ana", {n: 2 for n in range(30)})
    judge("gpt", {n: 2 + (n % 3 == 0) for n in range(30)})
    (row,) = found(store, doc_qa, sheet, "cluster")["judges"]
    assert [(one["clusters"], one["exact"].value) for one in row["segments"]] == [
        (15, pytest.approx(2 / 3))
    ] * 2
    assert all(one["exact"].low is not None for one in row["segments"])
