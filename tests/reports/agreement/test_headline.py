from dataclasses import replace

from concord.reports.agreement import agreement, document
from concord.reports.agreement.agreement import best
from concord.reports.agreement.document import chart, finding, tables
from concord.reports.cells import shown
from concord.stats.agreement.coefficients import VerdictCounts
from concord.stats.statistics import BY_KEY, KEYS, counts
from tests.support.agreement_rows import figure, row, statistics


def test_the_best_judge_on_the_heaviest_criterion(sheet, give, judge, panel):
    give("Ana", {n: 3 for n in range(4)})
    judge("good", {0: 3, 1: 3, 2: 3, 3: 0})
    judge("bad", {n: 0 for n in range(4)})
    found = best(panel())
    assert (found.judge, found.criterion, found.n) == ("good", "correctness", 4)
    assert found.exact.value == 3 / 4


def test_a_judge_that_scored_the_easy_answers_alone_does_not_lead(
    sheet, doc_qa, give, judge, panel
):
    give("Ana", {n: 3 if n < 4 else 0 for n in range(8)})
    judge("whole", {n: 3 if n < 6 else 0 for n in range(8)})
    judge("easy", {n: 3 for n in range(4)})
    assert best(panel()).judge == "whole"
    told = document.document(agreement.report(panel()), doc_qa).headline
    assert told.startswith("whole is not clearly better than")


def test_without_grades_of_both_on_the_heaviest_criterion_the_next_one_counts(
    sheet, give, judge, panel
):
    give("Ana", {0: 3, 1: 2})
    give("Ana", {0: 3, 1: 2}, criterion="readability")
    judge("gpt", {0: 3, 1: 0}, criterion="readability")
    found = best(panel())
    assert (found.judge, found.criterion, found.n) == ("gpt", "readability", 2)


def test_grades_that_were_not_blind_are_named_where_no_other_are_in_common(
    sheet, doc_qa, give, judge, panel
):
    give("Ana", {0: 2, 1: 3}, blind=False)
    judge("gpt", {0: 2, 1: 3})
    found = agreement.report(panel()).rows
    (of_correctness,) = (one for one in found if one.criterion == "correctness")
    assert finding(of_correctness, doc_qa).headline == (
        "gpt has no answer in common with annotators who graded blind on correctness"
    )


def test_a_share_of_fewer_than_ten_that_fail_is_their_number_in_every_table_and_chart(rubric):
    def told(called, key):
        found = replace(statistics(0.5), counts=counts(VerdictCounts(45, 195, called)))
        worst = {"failed": 3} | dict.fromkeys(KEYS, figure(0.4))
        made = row("gpt", found, worst_case=worst)
        *_, failing = tables([made], rubric[1])
        heads, (cells, *_) = shown(failing)
        drawn = chart([made], rubric[1], key, {"gpt": 0}).rows[0][1][0].found
        return cells[heads.index(BY_KEY[key].head)], drawn.why_none

    assert told(9, "failure_precision") == ("too few (9)", "too few (9)")
    assert told(10, "failure_precision") == ("50%", None)
    assert told(9, "failure_recall") == ("50%", None)


def test_a_table_has_the_figures_of_its_scale_and_what_they_are_read_against(rubric):
    of_four, of_two = rubric[1], rubric[1].model_copy(update={"scale": (0, 1)})
    (agreement_table, *_), (two,) = (tables([row()], one) for one in (of_four, of_two))
    assert [one.title for one in agreement_table.columns][-4:] == [
        *("exact", "within one", "QWK", "bias")
    ]
    assert {"accuracy", "kappa", "failure recall"} <= {one.title for one in two.columns}
    names = [line[0] for line in agreement_table.rows]
    assert [*dict.fromkeys(names)] == [
        "gpt",
        "inter-annotator agreement",
        "majority-class baseline",
    ]
