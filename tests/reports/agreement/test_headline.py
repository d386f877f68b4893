from dataclasses import replace

import pytest

from concord.reports.agreement import agreement, document
from concord.reports.agreement.charts import charts
from concord.reports.agreement.headline import best, finding, headline
from concord.reports.agreement.rows import (
    OtherModels,
    WorstCase,
)
from concord.reports.cells import shown
from concord.sampling import split_assignment, splits
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.statistics import BY_KEY, KEYS, counts
from concord.store import additions, graders, items, sheets
from concord.store.kept_results import state_key
from concord.store.rubrics import rubric_versions
from tests.support.agreement_rows import ceiling, figure, row, statistics
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel


def test_the_best_judge_on_the_heaviest_criterion(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {n: 3 for n in range(4)})
    judge(store, doc_qa, "good", {0: 3, 1: 3, 2: 3, 3: 0})
    judge(store, doc_qa, "bad", {n: 0 for n in range(4)})
    found = headline(store, sheet, doc_qa)
    assert (found.judge, found.criterion, found.n) == ("good", "correctness", 4)
    assert found.exact.value == 3 / 4
    assert found.sentence() == "75%"


def test_a_judge_that_scored_the_easy_answers_alone_does_not_lead(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {n: 3 if n < 4 else 0 for n in range(8)})
    judge(store, doc_qa, "whole", {n: 3 if n < 6 else 0 for n in range(8)})
    judge(store, doc_qa, "easy", {n: 3 for n in range(4)})
    assert (headline(store, sheet, doc_qa).judge, best(panel(store, doc_qa)).judge) == (
        "whole",
    ) * 2
    told = document.document(agreement.report(panel(store, doc_qa)), doc_qa).headline
    assert told.startswith("whole is not clearly better")


@pytest.mark.parametrize(("baseline", "is_named"), [(0.95, True), (0.76, False)])
def test_a_judge_below_the_floor_says_so(doc_qa, baseline, is_named):
    mine = row(found=EXACT)
    floor = replace(row(found=statistics(baseline)), judge="baseline", floor=True)
    facts = finding(mine, doc_qa, [mine, floor]).facts
    said = "Below the floor: the baseline has 95% on 240 answers."
    assert (said in facts) is is_named
    assert said not in finding(floor, doc_qa, [mine, floor]).facts


def test_without_grades_of_both_on_the_heaviest_criterion_the_next_one_counts(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3, 1: 2})
    give(store, doc_qa, "Ana", {0: 3, 1: 2}, criterion="readability")
    judge(store, doc_qa, "gpt", {0: 3, 1: 0}, criterion="readability")
    found = headline(store, sheet, doc_qa)
    assert (found.judge, found.criterion, found.n) == ("gpt", "readability", 2)


def test_whatever_is_simulated_says_so(sample_store):
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    found = headline(sample_store, sheets.find(sample_store, "sample"), rubric)
    assert found.judge == "simulated-careful-judge"
    assert found.sentence() == "75% [69, 80] (simulated)" and found.of == 3


def _grade(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {1: 2})


def _judge(store, sheet, doc_qa):
    judge(store, doc_qa, "gpt", {1: 2})


def _rename(store, sheet, doc_qa):
    graders.rename(store, graders.named(store, "person", "Ana").id, "Anna")


def _delete(store, sheet, doc_qa):
    graders.delete(store, graders.named(store, "person", "Ana").id)


def _assign(store, sheet, doc_qa):
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "held-out", "kept")


def _import(store, sheet, doc_qa):
    additions.add(store, sheet.name, [made_item(99)], "more.csv", "1" * 64, {})


def _adjudicate(store, sheet, doc_qa):
    with store.write():
        store.insert(
            "adjudications",
            item_id=items.item_ids(store, sheet.id)[0],
            version=doc_qa.versions()["correctness"],
            score=1,
            triggered_by="people",
            blind=1,
            created_at="2026-01-01",
        )


@pytest.mark.parametrize(
    "change", [_grade, _judge, _rename, _delete, _assign, _import, _adjudicate]
)
def test_the_state_changes_with_whatever_a_report_reads(store, sheet, doc_qa, change):
    give(store, doc_qa, "Ana", {0: 2})
    before = state_key(store, sheet)
    assert state_key(store, sheet) == before
    change(store, sheets.find(store, sheet.name), doc_qa)
    assert state_key(store, sheets.find(store, sheet.name)) != before


EXACT = statistics(0.5, exact=figure(0.83, 0.77, 0.88))


def test_grades_that_were_not_blind_are_named_where_no_other_are_in_common(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 2, 1: 3}, blind=False)
    judge(store, doc_qa, "gpt", {0: 2, 1: 3})
    found = agreement.report(panel(store, doc_qa)).rows
    (of_correctness,) = (one for one in found if one.criterion == "correctness")
    assert finding(of_correctness, doc_qa).headline == (
        "gpt has no answer in common with annotators who graded blind on correctness"
    )


FEW = OtherModels(3, "it takes ten", dict.fromkeys(KEYS))


def whole(judge, value=0.5, **changes):
    found = statistics(value, within={2: figure(0.9)})
    annotators = ceiling(9, statistics(0.8, within={2: figure(1.0)}))
    made = row(judge, found, ceiling=annotators, clustered_by_answer_model=FEW)
    return replace(made, **changes)


def lines(rubric, rows):
    """The lines of the first table of every statistic, by what they are called."""
    heads, cells = shown(document.statistics(rows, rubric).tables[0])
    return {line[0]: dict(zip(heads[1:], line[1:], strict=True)) for line in cells}


def notes(rubric, rows):
    return document.statistics(rows, rubric).notes


def test_a_share_of_fewer_than_ten_that_fail_is_their_number_in_every_table_and_chart(rubric):
    def of(called):
        found = statistics(0.5, within={2: figure(0.9)})
        worst = WorstCase(9, 3, 1, dict.fromkeys(KEYS, figure(0.4)))
        few = replace(found, counts=counts(VerdictCounts(45, 195, called)))
        return whole("gpt", statistics=few, worst_case=worst)

    def told(called, figure):
        failing = document.figures([of(called)], rubric[1]).tables[2]
        heads, (cells,) = shown(failing)
        chart = charts([of(called)], rubric[1], figure)[0].rows[0].marks[0].found
        one, every = BY_KEY[figure], lines(rubric[1], [of(called)])
        return cells[heads.index(one.head)], every[one.titled("")]["gpt"], chart.why_none

    assert told(9, "failure_precision") == ("too few (9)", "too few (9)", "too few (9)")
    assert told(10, "failure_precision") == ("50%", "50%", None)
    assert told(9, "failure_recall") == ("50%", "50%", None)
    (_, table) = document.exclusions([replace(of(9), failing=9)], rubric[1]).tables
    assert "too few (9)" not in shown(table)[1][0]
    few = replace(
        of(9), statistics=replace(of(9).statistics, counts=counts(VerdictCounts(9, 195, 50)))
    )
    (_, table) = document.exclusions([few], rubric[1]).tables
    assert shown(table)[1][0].count("too few (9)") == 2  # as it is, and with failures as errors
