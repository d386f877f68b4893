import numpy as np
import pytest

from concord import Problem, agreement, choose
from concord.reports.agreement import agreement as report
from concord.store.rubrics import rubric_versions
from tests.support.panels import panel


def test_the_table_has_every_statistic_of_the_report(store, close_judges):
    found = agreement(store, "numbers", rubric="doc-qa-0-3")
    expected = report.report(panel(store, rubric_versions.named(store, "doc-qa-0-3")[1]))
    assert found == expected
    table = found.to_pandas().set_index(["judge", "criterion", "statistic"])
    assert table.index.is_unique
    assert len(table) == sum(len(row.statistics.by_key) for row in found.rows)
    row = next(one for one in found.rows if one.judge == "cheap")
    line = table.loc["cheap", row.criterion, "exact"]
    assert tuple(line[["value", "low", "high"]]) == row.statistics["exact"][:3]
    assert line["human_ceiling"] == row.ceiling.statistics["exact"].value
    assert line["majority_baseline"] == row.majority_baseline.exact and line["n"] == row.n


def test_what_is_undefined_is_nan_with_its_reason(store, close_judges):
    store.execute("delete from grades where id > 8")
    store.execute("update grades set grader_id = (select id from graders where name = 'cheap')")
    with pytest.raises(Problem):
        agreement(store, annotators=["Ana"])
    table = agreement(store).to_pandas()
    assert len(table) and table.value.isna().all() and table.why_none.str.len().gt(0).all()
    assert table.value.dtype == np.float64


def test_the_consensus_and_the_whole_report_can_be_asked_for(store, close_judges):
    assert {row.reference for row in agreement(store, reference="consensus").rows} == {"consensus"}
    assert agreement(store, whole=True).bias_tests
    with pytest.raises(Problem):
        agreement(store, reference="mean of all")


def test_a_choice_fixes_its_terms_and_takes_one_look(store, close_judges):
    asked = {"margin": 0.15, "minimum": 0.6, "criterion": "correctness"}
    found = choose(store, "dear", **asked)
    again = choose(store, "dear", **asked)
    assert store.value("select count(*) from looks") == 1
    assert found.verdict == again.verdict == "good_enough" and found.winner == "cheap"
    table = found.to_pandas().set_index("judge")
    assert [*table.index] == [one.judge for one in found.judges]
    assert bool(table.is_reference["dear"]) and table.verdict["cheap"] == "good_enough"
    (cheap,) = (one for one in found.judges if one.judge == "cheap")
    assert table.value["cheap"] == cheap.value.value
    assert table.difference_low["cheap"] == cheap.difference.low
    assert np.isnan(table.cost_per_1000["cheap"])  # its grades were imported


def test_a_choice_among_unknown_or_without_answers_is_a_problem(store, close_judges):
    with pytest.raises(Problem):
        choose(store, "nobody")
    with pytest.raises(Problem, match="nowhere"):
        choose(store, "dear", "nowhere")
    with pytest.raises(Problem, match="margin"):
        choose(store, "dear", figure="mae")


def test_one_annotator_can_be_named_without_a_list(store, close_judges):
    assert agreement(store, annotators="Ana") == agreement(store, annotators=["Ana"])
