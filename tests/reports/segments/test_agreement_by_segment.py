"""Agreement by segment: the segments of a column, the finding in words, and what is refused."""

import pytest

from concord.messages import Problem
from concord.reports import terminal
from concord.reports.segments import agreement_by_segment, segment_column
from concord.reports.segments.agreement_by_segment_document import document
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel


def graded(store, rubric, teams: list[str | int | None], exact: list[bool]):
    """One answer per question, each with its team; the judge is one point off where not exact."""
    made = [
        made_item(n, metadata={} if team is None else {"team": team})
        for n, team in enumerate(teams)
    ]
    sheet = additions.add(store, "teams", made, "t.csv", "1" * 64, {})
    give(store, rubric, "Ana", {n: 2 for n in range(len(made))})
    judge(store, rubric, "gpt", {n: 2 if hit else 3 for n, hit in enumerate(exact)})
    return sheet


def found(store, rubric, sheet, column="team"):
    segments = segment_column.compared(store, sheet, column)
    return agreement_by_segment.report(panel(store, rubric), segments, criteria=["correctness"])


def test_segments_by_size_those_without_a_value_last_and_counted(store, doc_qa):
    teams = ["Rome"] * 12 + ["Oslo"] * 20 + [None] * 14 + ["Lima"] * 3
    sheet = graded(store, doc_qa, teams, [True] * 49)
    report = found(store, doc_qa, sheet)
    (row,) = report.judges
    assert [(one.segment, one.answers, one.n) for one in row.segments] == [
        ("Oslo", 20, 20),
        ("Rome", 12, 12),
        ("Lima", 3, 3),
        (None, 14, 14),
    ]
    assert (report.without_value, row.reported, row.compared) == (14, 3, 3)
    shown = document(report, doc_qa)
    assert shown.headline == (
        "No segment by team differs significantly from the rest in the exact agreement of gpt on "
        "correctness (3 segments, adjusted)"
    )
    text = terminal.text(shown)
    assert "Without a value in this column: 14 answers, as a separate segment." in text
    assert "Not reported, with under 10 graded questions: Lima." in text
    assert "no value" in text


def test_the_headline_names_the_segments_that_differ(store, doc_qa):
    teams = ["Rome"] * 40 + ["Oslo"] * 40 + ["Lima"] * 40
    exact = [n % 10 < 9 for n in range(80)] + [n % 10 < 2 for n in range(40)]
    report = found(store, doc_qa, graded(store, doc_qa, teams, exact))
    assert document(report, doc_qa).headline == (
        "gpt agrees exactly with annotators on correctness less often in Lima and more often in "
        "Oslo and Rome than in the rest (3 segments by team, adjusted)"
    )


def test_one_segment_and_only_small_ones_are_no_comparison(store, doc_qa):
    report = found(store, doc_qa, graded(store, doc_qa, ["Rome"] * 12, [True] * 12))
    assert document(report, doc_qa).headline == (
        "All answers are in one segment by team: nothing to compare"
    )
    (row,) = report.judges
    assert row.segments[0].statistics["exact"].value == 1


def test_only_small_segments(store, doc_qa):
    teams = ["Rome"] * 9 + ["Oslo"] * 9
    report = found(store, doc_qa, graded(store, doc_qa, teams, [True] * 18))
    assert document(report, doc_qa).headline.startswith("No segment by team can be compared")
    assert all(one.statistics["exact"].value is None for one in report.judges[0].segments)


def test_numbers_are_segments_as_they_are_and_too_many_are_refused(store, doc_qa):
    sheet = graded(store, doc_qa, [*range(50)], [True] * 50)
    assert len(found(store, doc_qa, sheet).judges[0].segments) == 50
    with pytest.raises(Problem, match="has a column “size”"):
        found(store, doc_qa, sheet, "size")


def test_fifty_one_values_are_refused_with_the_remedy(store, doc_qa):
    sheet = graded(store, doc_qa, [*range(51)], [True] * 51)
    with pytest.raises(Problem, match="has 51 different values; at most 50"):
        found(store, doc_qa, sheet)


def test_lists_are_refused(store, doc_qa):
    sheet = graded(store, doc_qa, [["a", "b"], "c"], [True] * 2)
    with pytest.raises(Problem, match="are lists"):
        found(store, doc_qa, sheet)


def test_the_fields_of_an_answer_are_columns_too(store, doc_qa):
    sheet = graded(store, doc_qa, ["Rome", 1], [True] * 2)
    assert segment_column.columns(store, sheet) == ["answer_model", "cluster", "synthetic", "team"]
    for column, values in (
        ("answer_model", ["atlas"]),
        ("cluster", []),
        ("synthetic", ["not synthetic"]),
        ("team", ["Rome", "1"]),
    ):
        assert segment_column.compared(store, sheet, column).values == values


def test_by_cluster_questions_are_resampled(store, doc_qa):
    """A segment that is one cluster has a figure from 10 questions."""
    made = [made_item(n, cluster="ab"[n % 2]) for n in range(30)]
    sheet = additions.add(store, "docs", made, "t.csv", "1" * 64, {})
    give(store, doc_qa, "Ana", {n: 2 for n in range(30)})
    judge(store, doc_qa, "gpt", {n: 2 + (n % 3 == 0) for n in range(30)})
    (row,) = found(store, doc_qa, sheet, "cluster").judges
    assert [(one.clusters, one.statistics["exact"].value) for one in row.segments] == [
        (15, pytest.approx(2 / 3))
    ] * 2
    assert all(one.statistics["exact"].low is not None for one in row.segments)
