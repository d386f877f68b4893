from dataclasses import replace

from concord.metrics.prompts import verdicts as verdict_rubrics
from concord.reports.agreement import document
from concord.reports.agreement.charts import best_first, charts
from concord.reports.agreement.rows import (
    AboveBaseline,
    AgreementReport,
    BestOf,
    BiasTest,
    MajorityBaseline,
    OtherModels,
    SkippedAnalysis,
    WorstCase,
)
from concord.reports.agreement.unit_agreement import (
    ListErrors,
    UnitAgreement,
)
from concord.reports.cells import shown
from concord.stats.agreement.failure_recall import VerdictCounts
from concord.stats.statistics import BY_KEY, KEYS, counts
from tests.support.agreement_rows import ceiling, figure, row, statistics
from tests.support.evidence_room import CLAIMS

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


def test_judges_annotators_and_the_majority_class_are_columns(rubric):
    found = lines(rubric[1], [whole("gpt"), whole("other", 0.25)])
    assert found["exact agreement"] == {
        "gpt": "50%",
        "other": "25%",
        "human ceiling": "80%",
        "majority class": "70%",
    }
    assert found["bias"]["majority class"] == "+0.60"
    assert found["kappa"]["majority class"] == "—"
    assert found["within 2 points"]["human ceiling"] == "100%"
    assert found["exact agreement with unscored as errors"]["human ceiling"] == "—"


def test_annotators_are_those_of_the_largest_overlap(rubric):
    wide = whole("wide", ceiling=ceiling(90, statistics(0.6, within={2: figure(1.0)})))
    assert lines(rubric[1], [whole("gpt"), wide])["exact agreement"]["human ceiling"] == "60%"


def test_a_figure_that_no_judge_has_is_no_line_and_says_why(rubric):
    rows = [whole("gpt")]
    assert not any("other answering models" in name for name in lines(rubric[1], rows))
    assert notes(rubric[1], rows) == ("Other answering models: it takes ten.",)


def test_one_undefined_figure_is_a_dash_and_names_whose(rubric):
    flat = whole("flat")
    lacking = {"kappa": figure(None, why_none="no variation")}
    within = statistics(0.5, within={2: figure(0.9)}, **lacking)
    rows = [whole("gpt"), replace(flat, statistics=within)]
    line = lines(rubric[1], rows)["kappa"]
    assert (line["gpt"], line["flat"]) == ("0.50", "—")
    assert "Kappa (flat): no variation." in notes(rubric[1], rows)


def test_who_lacks_every_figure_is_named_once(rubric):
    alone = ceiling(0, statistics(None, "one annotator", {2: figure(None, why_none="x")}))
    found = notes(rubric[1], [whole("gpt", ceiling=alone)])
    lacking = [one for one in found if one.endswith(": one annotator.")]
    assert any(one.startswith("Exact agreement,") for one in lacking)
    assert all("(human ceiling)" in one for one in lacking)


def test_the_best_judge_is_the_headline_with_the_interval_over_all_of_them(rubric):
    near = statistics(0.6, exact=figure(0.8, 0.75, 0.85))
    rows = [
        row("baseline", statistics(0.9)),
        row("far", statistics(0.2)),
        row("near", near, best_of=BestOf(2, figure(0.8, 0.7, 0.9))),
    ]
    parts = ((), (), {}, None)

    def headline(*rows):
        return document.document(AgreementReport(rows, *parts), rubric[1]).headline

    assert headline(*rows) == "near has 80% exact agreement on correctness, best of 2"
    facts = document.document(AgreementReport(rows, *parts), rubric[1]).facts
    assert facts[0].startswith("80% [70, 90] exact") and "simultaneous over 2" in facts[0]
    assert headline(rows[0]).startswith("baseline has ")
    bare, lighter = replace(rows[1], n=0), row("near", near, criterion="readability")
    assert headline(bare, lighter).endswith(" exact agreement on readability")
    assert headline().startswith("No judge has graded this sheet yet.")


def test_the_composite_has_a_table_of_its_own(rubric):
    only = dict.fromkeys(("mae", "bias", "ccc"), figure(0.25))
    composite = row("gpt", statistics(None, "composites", **only), criterion="composite")
    untested = AboveBaseline("none", figure(None))
    level = MajorityBaseline("no grade", dict.fromkeys(KEYS), untested, untested)
    found = document.figures([row(), replace(composite, majority_baseline=level)], rubric[1])
    first, second, third = (shown(table) for table in found.tables)
    assert first[0][:5] == ["judge", "criterion", "n", "exact", "majority class"]
    assert second[0] == ["judge", "criterion", "n", "MAE", "bias", "CCC", "MAE between annotators"]
    assert second[1][0][1] == "composite"
    counts = ["failed by annotators", "passed by annotators", "failed by the judge"]
    assert third[0][2:5] == counts and third[1][0][2:5] == [45, 195, 50]
    assert third[0][5:] == [
        "failure recall",
        "failure precision",
        "false-alarm rate",
        "failure F1",
        "balanced accuracy",
    ]
    assert not {*first[0]} & {*third[0][2:]}


def test_exclusions_that_all_figures_share_are_one_row(rubric):
    some = {"in the held-out test": 4, "no annotator's grade": 2}
    rows = [
        row("a", left_out=some),
        row("b", left_out=some),
        row("b", left_out={"in the held-out test": 4}, criterion="readability"),
        row("a", left_out={"in the held-out test": 4}, criterion="readability"),
    ]
    left_out, failures = document.exclusions(rows, rubric[1]).tables
    assert left_out.columns[0].title.template == "excluded because"
    assert shown(left_out)[1] == [
        ["in the held-out test", 4, "all"],
        ["no annotator's grade", 2, "a (correctness); b (correctness)"],
    ]
    assert failures.rows == ()


def test_failures_stand_beside_the_figures_without_them(rubric):
    worst = WorstCase(9, 3, 1, dict.fromkeys(KEYS, figure(0.4)))
    (_, table) = document.exclusions([row(worst_case=worst)], rubric[1]).tables
    heads, (line,) = shown(table)
    assert heads[2:7] == ["matched", "failed", "skipped", "exact", "exact, unscored as errors"]
    assert line[2:7] == [9, 3, 1, "75%", "40%"]
    assert table.title == "Unscored answers counted as errors"
    of_units = row(criterion=CLAIMS.criteria[0].name, worst_case=worst)
    (_, table) = document.exclusions([of_units], CLAIMS).tables
    assert table.title == "Unscored claims counted as errors"


def test_a_bias_test_that_stands_out_is_a_fact_and_one_without_effect_a_note(rubric):
    ran = BiasTest("leniency", "gpt", "correctness", False, 9, 3, figure(0.3, 0.1, 0.5), 0.001)
    ran = replace(ran, p_adjusted=0.002, significant=True, sentence="gpt is lenient.")
    lacks = BiasTest("halo", "gpt", None, False, 0, 0, figure(None, why_none="it takes two"))
    found = document.bias([ran, lacks], rubric[1])
    assert found.facts == ("gpt is lenient.",)
    assert shown(found.tables[0])[1] == [
        ["gpt", "leniency", "correctness", "0.30 [0.10, 0.50]", "points", "0.002", 9, "significant"]
    ]
    assert found.notes[0].startswith("Exploratory: 1 test over all judges")
    assert found.notes[2] == "Halo: it takes two."


def test_what_was_not_run_says_of_whom_and_what_enables_it(rubric):
    one = SkippedAnalysis(
        "the ceiling", "one annotator", "Ask another.", ("gpt",), ("correctness",)
    )
    found = document.skipped([one, replace(one, judges=(), criteria=())], rubric[1])
    assert [line[:2] for line in shown(found.tables[0])[1]] == [
        ["The ceiling", "gpt; correctness"],
        ["The ceiling", "all"],
    ]
    assert found.tables[0].columns[2].title.template == "not run because"


def test_an_unchecked_list_is_said_and_has_no_table():
    shares = dict.fromkeys(("missing", "invented", "not_atomic", "any"), figure(None, why_none="x"))
    found = UnitAgreement((), (), ListErrors(0, 0, 0, shares), ())
    part = document.units_document(found, verdict_rubrics.rubric("claims-in-contexts"))
    assert part.notes == ("No annotator has checked a list of claims yet.",)
    assert not any(table.rows for table in part.tables)


def test_failing_verdicts_name_the_scores_that_fail_and_answers_counted_twice(rubric):
    def of(failing, passing):
        found = statistics(0.5)
        counts = found.counts | {"balanced_accuracy": {"failing": failing, "passing": passing}}
        return whole("gpt", failing=failing, statistics=replace(found, counts=counts))

    shown_rows = document.figures([of(1, 1)], rubric[1])
    assert shown_rows.tables[2].title == "Failing verdicts: score 0 or 1"
    both = (
        "Answers that some annotators fail and others pass are counted as both, weighted by the "
        "share of annotators."
    )
    assert both not in shown_rows.notes
    assert both in document.figures([of(70, 190)], rubric[1]).notes


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


def test_of_two_judges_of_a_name_the_beginning_of_the_fingerprint_is_read(rubric):
    found = document.statistics(
        [whole("gpt@d159e54c5df1047e"), whole("gpt@7bf46b3f9aa5b4df")], rubric[1]
    )
    text = str([shown(table) for table in found.tables])
    assert "gpt@d159e5'" in text and "gpt@d159e54" not in text


def test_the_table_has_the_judges_in_the_order_of_the_chart(rubric):
    rows = [whole("floor", 0.9, floor=True), whole("good"), whole("best", 0.75)]
    found = document.figures(best_first(rows, "exact"), rubric[1])
    (chart,), (table, *_) = found.charts, found.tables
    assert [one.name for one in chart.rows] == ["best", "good", "floor"]
    assert [cells[0] for cells in shown(table)[1]] == ["best", "good", "floor (the floor)"]
