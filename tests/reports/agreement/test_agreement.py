import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from concord.messages import message_of
from concord.reports.agreement import agreement
from concord.reports.agreement.document import answer_grades, confusion
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import (
    CONSENSUS,
    EACH,
    ONE_PERSON,
    ONE_SELECTED,
    TOO_LITTLE_OVERLAP,
    ground,
)
from concord.reports.panel.panel import COMPOSITE
from concord.samples.load import GRADES
from concord.sampling import split_assignment, splits
from concord.stats.statistics import KEYS as FIRST
from concord.store import items
from tests.support.panels import ATLAS, BIRCH, COBALT

KEYS = {
    *("sheet", "rubric", "judge", "criterion", "reference", "n", "annotators", "questions"),
    *("clusters", "left_out", "alt_test", "majority_baseline", "ceiling", "fingerprint"),
    *("exact", "within_one", "kappa", "qwk", "ac2", "alpha", "tau_b", "bias", "mae", "ccc"),
    "failure_recall",
}


KEYS_OF_ERROR = ("mae", "off_by_two")


def report(*args, **named):
    """The report as JSON has it."""
    return as_json(agreement.report(*args, **named))


def rows(*args, **named):
    """The rows as JSON has them."""
    return as_json(agreement.rows(*args, **named))


def row(panel, criterion="correctness", kind=EACH, judge=None):
    found = [
        r for r in rows(panel, kind) if r["criterion"] == criterion and judge in (None, r["judge"])
    ]
    assert len(found) == 1
    return found[0]


def test_every_answer_weighs_one_however_many_graded_it(three_graded):
    found = row(three_graded)
    assert (found["n"], found["annotators"], found["questions"]) == (3, 2, 1)
    # atlas 1, birch half (Ana) and half not (Ben), cobalt 0
    assert found["exact"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert found["within_one"]["value"] == pytest.approx((1 + 1 + 0) / 3)
    assert found["off_by_two"]["value"] == pytest.approx(1 / 3)
    assert found["bias"]["value"] == pytest.approx((0 + 1 / 2 + 3) / 3)
    assert found["mae"]["value"] == pytest.approx((0 + 1 / 2 + 3) / 3)


def test_caught_counts_an_answer_by_the_share_of_annotators_who_failed_it(three_graded):
    found = row(three_graded)
    # failing are 0 and 1: half of birch and all of cobalt, and the judge failed neither
    assert found["failure_recall"]["value"] == 0
    assert found["failure_recall"]["failing"] == 2


def test_the_constant_is_the_commonest_grade_of_annotators(three_graded):
    found = row(three_graded)["majority_baseline"]
    # weights: 0 -> 1, 1 -> 1/2, 2 -> 1/2, 3 -> 1; the lowest of the commonest is 0
    assert (found["score"], found["exact"]) == (0, pytest.approx(1 / 3))
    assert found["within_one"] == pytest.approx((1 + 1 / 2) / 3)
    assert found["best_within_one"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    # it fails all, of which annotators fail half
    assert (found["failure_recall"], found["false_alarm_rate"]) == (1, 1)
    assert (found["failure_precision"], found["balanced_accuracy"]) == (0.5, 0.5)
    assert found["failure_f1"] == pytest.approx(2 / 3)


def between_annotators(panel, kind=EACH):
    on = ground(panel, "correctness", kind)
    return on.overlapping(np.ones(len(panel.items), bool)).figures


def test_the_ceiling_is_of_answers_that_two_annotators_graded_with_the_judge_beside_it(
    three_graded,
):
    ceiling = row(three_graded)["ceiling"]
    assert (ceiling["n"], ceiling["annotators"], ceiling["questions"]) == (2, 2, 1)
    between = between_annotators(three_graded)
    assert between["exact"].value == pytest.approx((1 + 0) / 2)
    assert between["mae"].value == pytest.approx((0 + 1) / 2)
    assert between["bias"].value is None
    # the judge on atlas and birch: 1 and 1/2
    assert ceiling["judge_on_same_items"]["exact"]["value"] == pytest.approx(3 / 4)


@pytest.mark.parametrize(("questions", "value"), [(9, None), (10, 1.0)])
def test_a_ceiling_of_fewer_than_ten_questions_is_undefined(
    sheet, questions, value, give, judge, panel
):
    scores = dict.fromkeys(range(3 * questions), 3)
    give("Ana", scores)
    give("Ben", scores)
    judge("gpt", scores)
    made = panel()
    ceiling = as_json(agreement.rows(made, EACH, ["correctness"])[0])["ceiling"]
    why = message_of(TOO_LITTLE_OVERLAP) if value is None else None
    assert (ceiling["n"], ceiling["questions"]) == (3 * questions, questions)
    assert (ceiling["exact"]["value"], ceiling["why_none"]) == (value, why)
    assert {ceiling[key]["value"] for key in KEYS_OF_ERROR} == {None if value is None else 0.0}


def test_where_one_annotator_is_selected_the_ceiling_says_so(three_graded):
    ceiling = row(three_graded.choosing(["Ana"]))["ceiling"]
    assert ceiling["why_none"] == message_of(ONE_SELECTED)


def test_with_one_person_the_ceiling_is_unknown_and_still_an_object(sheet, give, judge, panel):
    give("Ana", {ATLAS: 3})
    judge("gpt", {ATLAS: 3})
    ceiling = row(panel())["ceiling"]
    assert ceiling["why_none"] == message_of(ONE_PERSON)
    assert ceiling["n"] == ceiling["annotators"] == 0
    for figures in (ceiling, ceiling["judge_on_same_items"]):
        assert {figures[name]["value"] for name in FIRST} == {None}
        assert {figures[name]["why_none"] for name in FIRST} == {message_of(ONE_PERSON)}


def test_under_consensus_each_person_is_held_against_the_others(sheet, give, judge, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    give("Ben", {ATLAS: 3, BIRCH: 2})
    give("Cem", {ATLAS: 3, BIRCH: 0})
    judge("gpt", {ATLAS: 3, BIRCH: 2})
    made = panel()
    found = row(made, kind=CONSENSUS)
    assert found["exact"]["value"] == 1
    # atlas: all three agree with the others; birch: of Ana and Ben the others have no majority,
    # and Cem's 0 is against the others' 2
    assert between_annotators(made, CONSENSUS)["exact"].value == pytest.approx((1 + 0) / 2)
    assert found["annotators"] == 3


def test_what_has_no_consensus_is_left_out(sheet, give, judge, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2})
    give("Ben", {ATLAS: 3, BIRCH: 0})
    judge("gpt", {ATLAS: 3, BIRCH: 2})
    found = row(panel(), kind=CONSENSUS)
    assert found["n"] == 1
    assert found["left_out"] == {"annotators have no consensus": 1, "no annotator's grade": 34}


def test_the_composite_is_compared_in_exact_arithmetic(sheet, give, panel):
    """.6 * 3 + .2 * 0 + .2 * 0 and .6 * 2 + .2 * 3 + .2 * 0 are equal, though not in floats."""
    for name, kind, (correct, comprehensive, readable) in [
        ("Ana", "person", (3, 0, 0)),
        ("gpt", "judge", (2, 3, 0)),
    ]:
        for criterion, score in [
            ("correctness", correct),
            ("comprehensiveness", comprehensive),
            ("readability", readable),
        ]:
            give(name, {ATLAS: score}, criterion, kind)
    found = row(panel(), COMPOSITE)
    assert found["mae"]["value"] == 0
    assert found["bias"]["value"] == 0
    assert found["exact"]["value"] is None
    assert found["exact"]["why_none"]
    assert found["majority_baseline"]["score"] is None
    assert found["majority_baseline"]["why_none"]


def test_n_and_what_is_left_out_add_up_to_the_answers(store, sheet, give, judge, panel):
    give("Ana", {ATLAS: 3, BIRCH: None, 6: 1, 9: 2})
    give("Ana", {COBALT: 1}, blind=False)
    judge("gpt", {ATLAS: 3, BIRCH: 3, 6: 2, 9: None, 12: 3})
    judge("llama", {ATLAS: 3})
    split_assignment.assign(
        store, [splits.of_sheet(store, sheet.id)[2]["id"]], "few-shot", "for the prompt"
    )
    read = panel()
    gpt = row(read, judge="gpt")
    assert gpt["n"] == 1
    assert gpt["left_out"] == {
        "no annotator's grade": 29,
        "judges may have seen its question as an example": 3,
        "annotators gave no score": 1,
        "not blind": 1,
        "judge: cannot_grade": 1,
    }
    assert row(read, judge="llama")["left_out"]["not graded by this judge"] == 1
    for kind in (EACH, CONSENSUS):
        for found in report(read, kind, by_answer_model=True)["rows"]:
            answers = 12 if found["answer_model"] else 36
            assert found["n"] + sum(found["left_out"].values()) == answers


def test_annotators_who_agree_no_more_than_a_constant_give_exact_agreement_no_verdict(
    sheet, give, judge, panel
):
    """Always 3 is right on 42 of 72 grades; annotators with one another on 6 of 36 answers."""
    give("Ana", dict.fromkeys(range(36), 3))
    give("Ben", {n: 0 if n % 6 else 3 for n in range(36)})
    judge("gpt", dict.fromkeys(range(36), 3))
    found = row(panel())["majority_baseline"]
    assert (found["judge"]["state"], found["annotators"]["state"]) == ("open", "fails")
    assert found["annotators"]["difference"]["value"] == pytest.approx(6 / 36 - 42 / 72)


def test_the_best_judge_alone_has_an_interval_over_all_of_them(sheet, give, judge, panel):
    scores = {n: n % 4 for n in range(36)}
    give("Ana", scores)
    for name, wrong in (("good", 9), ("fair", 4), ("poor", 2)):
        judge(name, {n: s if n % wrong else 3 - s for n, s in scores.items()})
    judge("few", {0: 0, 1: 1})  # of too few answers to be the best
    rows = {row["judge"]: row for row in report(panel())["rows"][::4]}
    best, usual = rows["good"]["best_of"], rows["good"]["exact"]
    assert [name for name, row in rows.items() if row["best_of"]] == ["good"]
    assert best["judges"] == 3 and best["exact"]["value"] == usual["value"]
    assert best["exact"]["low"] < usual["low"] < usual["high"] <= best["exact"]["high"]


def test_rows_are_annotators_and_columns_the_judge(first_three_graded, panel):
    table = confusion(panel(), first_three_graded, "correctness")
    assert table.scale == (0, 1, 2, 3)
    assert table.shares == ((0, 0, 0, 1), (0,) * 4, (0, 0, 0, 1), (0, 0, 0, 1))
    assert table.counts == ((0, 0, 0, 1), (0,) * 4, (0, 0, 0, 1), (0, 0, 0, 2))


def test_an_answer_counts_once_per_cell_however_many_annotators_put_it_there(
    first_three_graded, give, panel
):
    give("Cem", {COBALT: 3})
    table = confusion(panel(), first_three_graded, "correctness")
    assert table.counts[3][3] == 2


def test_who_does_not_count_is_not_shown(store, sheet, first_three_graded, panel):
    made = panel("Ben")
    (one,) = answer_grades(store, made, first_three_graded, [items.item_ids(store, sheet.id)[0]])
    assert [said.grader for said in one.annotators] == ["Ben"]


CRITERIA = ("correctness", "comprehensiveness", "readability")
JUDGES = ("simulated-careful-judge", "simulated-lenient-judge")


def _pairs(judge: str, criterion: str) -> pd.DataFrame:
    """Every pair of judge and annotator on an item; the pairs of an item weigh 1 together."""
    grades = pd.read_csv(GRADES)
    grades = grades[grades["criterion"] == criterion]
    mine = grades[grades["grader"] == judge].set_index("item_id")["score"]
    annotators = grades[grades["grader_kind"] == "person"].copy()
    annotators["judge"] = annotators["item_id"].map(mine)
    annotators["weight"] = 1 / annotators.groupby("item_id")["score"].transform("size")
    return annotators


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("judge", JUDGES)
def test_every_figure_is_what_the_plain_way_gives(sample_rows, judge, criterion):
    pairs, row = _pairs(judge, criterion), sample_rows[judge, criterion]
    apart, weight = pairs["judge"] - pairs["score"], pairs["weight"]
    failed = pairs["score"] <= 1

    def share(condition):
        return (condition * weight).sum() / weight.sum()

    def kappa(weights):
        return cohen_kappa_score(
            pairs["score"],
            pairs["judge"],
            labels=[0, 1, 2, 3],
            weights=weights,
            sample_weight=weight,
        )

    expected = {
        "exact": share(apart == 0),
        "within_one": share(apart.abs() <= 1),
        "bias": (apart * weight).sum() / weight.sum(),
        "mae": (apart.abs() * weight).sum() / weight.sum(),
        "kappa": kappa(None),
        "qwk": kappa("quadratic"),
        "failure_recall": ((pairs["judge"] <= 1) & failed).mul(weight).sum()
        / (failed * weight).sum(),
    }
    assert {name: row.statistics[name].value for name in expected} == pytest.approx(
        expected, abs=1e-12
    )
    assert row.n == pairs["item_id"].nunique() == 192


def worst(panel, criterion="correctness"):
    (found,) = [row for row in rows(panel) if row["criterion"] == criterion]
    return found["worst_case"], found


def test_what_a_judge_left_unscored_counts_as_a_disagreement(sheet, give, judge, panel):
    give("Ana", {ATLAS: 3, BIRCH: 2, COBALT: 0, 3: 1})
    judge("gpt", {ATLAS: 3, BIRCH: 1, COBALT: None})
    found, row = worst(panel())
    assert (row["n"], found["failed"]) == (2, 1)
    assert row["exact"]["value"] == pytest.approx(1 / 2)
    assert found["exact"]["value"] == pytest.approx(1 / 3)
