"""Cause tags: kept row by row, and never part of any figure."""

import json

import pytest

from concord.grading import disagreement_causes
from concord.grading.disagreement_causes import CAUSES, Tag
from concord.messages import Conflict, Problem
from concord.reports.agreement import agreement
from concord.reports.disagreements import disagreements
from concord.reports.document import as_json
from concord.reports.ranking import ranking
from concord.store import grades, items
from tests.support.panels import ATLAS, give, judge, panel


def tagged(store, doc_qa, ana, grade_ids, cause="rubric_unclear", **more):
    version = doc_qa.versions()["correctness"]
    return disagreement_causes.tag(store, Tag(1, version, tuple(grade_ids), cause, ana, **more))


def test_a_tag_is_a_row_without_a_score_that_the_judge_triggered(
    store, sheet, doc_qa, ana, differing
):
    assert tagged(store, doc_qa, ana, differing, note=" what is complete? ")
    row = store.row("select * from adjudications")
    assert (row["score"], row["triggered_by"], row["blind"]) == (None, "judge", 0)
    assert json.loads(row["grade_ids"]) == sorted(differing)
    assert row["note"] == "what is complete?"


def test_no_figure_of_any_report_changes_by_a_bit(store, sheet, doc_qa, ana, differing):
    def everything():
        found = panel(store, doc_qa)
        kinds = ("each", "consensus")
        reports = ranking.report(found), *(agreement.report(found, k) for k in kinds)
        return json.dumps(as_json(reports))

    before = everything()
    for cause in CAUSES:
        tagged(store, doc_qa, ana, differing, cause)
    assert store.value("select count(*) from adjudications") == len(CAUSES)
    assert everything() == before


def test_grades_that_changed_meanwhile_are_not_tagged(store, sheet, doc_qa, ana, differing):
    give(store, doc_qa, "Ben", {ATLAS: 1})
    with pytest.raises(Conflict):
        tagged(store, doc_qa, ana, differing)
    with pytest.raises(Conflict):
        tagged(store, doc_qa, ana, differing[:1])


def test_simulated_annotators_and_judges_tag_nothing(store, sheet, doc_qa, differing):
    for grader in (give(store, doc_qa, "sim", {}), judge(store, doc_qa, "gpt", {})):
        with pytest.raises(Problem):
            tagged(store, doc_qa, grader, differing)


def test_a_tag_is_gone_with_the_judges_grade_but_not_with_one_of_two_peoples(
    store, sheet, doc_qa, ana, differing
):
    def keys():
        versions = {doc_qa.versions()["correctness"]: "correctness"}
        return list(disagreements.held(disagreement_causes.of_sheet(store, sheet.id, versions)))

    tagged(store, doc_qa, ana, differing)
    gpt = panel(store, doc_qa).judges
    key = disagreements.Key(1, "correctness", next(iter(gpt)), 0, 3)
    assert keys() == [key]
    give(store, doc_qa, "Ben", {ATLAS: 1})
    assert keys() == [key]
    judge(store, doc_qa, "gpt", {ATLAS: 2})
    assert keys() == []


def test_looking_is_noted_once_for_each_item_before_it_is_shown(store, sheet, ana):
    ids = items.item_ids(store, sheet.id)[:3]
    grades.open_items(store, ids, ana)
    grades.open_items(store, ids, ana)
    assert store.value("select count(*) from openings where grader_id = ?", (ana,)) == 3
