import pytest

from concord.messages import message_of
from concord.reports.agreement.rows import rows
from concord.reports.document import as_json
from concord.reports.panel.panel import COMPOSITE
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge, panel


def worst(panel, criterion="correctness"):
    (found,) = [row for row in as_json(rows(panel)) if row["criterion"] == criterion]
    return found["worst_case"], found


def test_what_a_judge_left_unscored_counts_as_a_disagreement(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 0, 3: 1})
    judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 1, COBALT: None})
    found, row = worst(panel(store, doc_qa))
    assert (found["matched"], found["failed"], found["skipped"]) == (2, 1, 1)
    assert row["exact"]["value"] == pytest.approx(1 / 2)
    assert found["exact"]["value"] == pytest.approx(1 / 3)
    assert found["within_one"]["value"] == pytest.approx(2 / 3)
    # the one failing answer that the judge was asked about has no score
    assert row["failure_recall"]["value"] is None
    assert found["failure_recall"]["value"] == 0


def test_a_failing_answer_weighs_by_the_share_of_annotators_who_failed_it(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 0, BIRCH: 1})
    give(store, doc_qa, "Ben", {ATLAS: 0, BIRCH: 2})
    judge(store, doc_qa, "gpt", {ATLAS: 1, BIRCH: None})
    found, row = worst(panel(store, doc_qa))
    assert row["failure_recall"]["value"] == 1
    assert found["failure_recall"]["value"] == pytest.approx(1 / (1 + 1 / 2))


def test_a_judge_without_failures_has_its_own_figures(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2})
    judge(store, doc_qa, "gpt", {ATLAS: 3})
    found, row = worst(panel(store, doc_qa))
    assert (found["matched"], found["failed"], found["skipped"]) == (1, 0, 1)
    assert found["exact"] == row["exact"]


def test_for_the_composite_the_worst_case_is_undefined(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3})
    found, _ = worst(panel(store, doc_qa), COMPOSITE)
    assert found["exact"]["value"] is None
    assert "hardly ever equal" in message_of(found["exact"]["why_none"])
