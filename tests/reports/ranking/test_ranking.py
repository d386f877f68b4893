import json
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from concord.grading import active_sampling
from concord.messages import message_of
from concord.reports.document import as_json
from concord.reports.panel.panel import NOT_BEGUN, drawn
from concord.reports.ranking import DRAW, RATES, report
from concord.reports.ranking import correct as corrected_report
from concord.stats.comparison.model_order import TOO_FEW_MODELS
from concord.stats.core.estimate import reason
from concord.store import additions, sheets
from concord.store import items as store_items
from tests.support import drawn_sheet
from tests.support.made_items import made_item
from tests.support.panels import give, panel

CRITERIA = ("correctness", "comprehensiveness", "readability")


def grade(store, doc_qa, name, kind, by_model, questions=range(12), criteria=CRITERIA):
    """The same score for every answer of a model; the sheet has 12 questions by three models."""
    for criterion in criteria:
        places = {3 * q + m: score for q in questions for m, score in enumerate(by_model)}
        give(store, doc_qa, name, places, criterion, kind)


def means(found, grader):
    return {row["answer_model"]: row["value"] for row in found["models"] if row["grader"] == grader}


def order(found, name):
    (one,) = [o for o in found["orders"] if o["judge"] == name]
    return one


def test_models_are_ranked_by_the_mean_composite(store, sheet, doc_qa):
    grade(store, doc_qa, "Ana", "person", (1, 3, 2))
    found = report(panel(store, doc_qa))
    assert [row["answer_model"] for row in found["models"]] == ["birch", "cobalt", "atlas"]
    assert means(found, "annotators") == {"atlas": 1, "birch": 3, "cobalt": 2}
    assert {(row["n"], row["questions"]) for row in found["models"]} == {(12, 12)}


def test_annotators_of_one_answer_share_its_weight(sheet, give, panel):
    """Ana gives 0 to question 0 and Ben 3; Ana alone gives 3 to question 1: (1.5 + 3) / 2."""
    for criterion in CRITERIA:
        give("Ana", {0: 0, 3: 3}, criterion)
        give("Ben", {0: 3}, criterion)
    assert means(report(panel()), "annotators")["atlas"] == pytest.approx(2.25)


def test_weights_are_exact_and_those_of_the_rubric(sheet, give, panel):
    for criterion, score in zip(CRITERIA, (3, 1, 2), strict=True):
        give("Ana", {0: score}, criterion)
    made = panel()
    assert report(made)["weights"] == {
        "correctness": 0.6,
        "comprehensiveness": 0.2,
        "readability": 0.2,
    }
    assert means(report(made), "annotators")["atlas"] == float(Fraction(3 * 3 + 1 + 2, 5))
    third = dict.fromkeys(CRITERIA, Fraction(1, 3))
    assert means(report(made.weighing(third)), "annotators")["atlas"] == 2


def test_what_lacks_a_criterion_is_left_out_and_counted(store, sheet, doc_qa, give, judge, panel):
    grade(store, doc_qa, "Ana", "person", (1, 3, 2), range(2))
    give("Ana", {9: 3})
    judge("gpt", {0: None, 1: 2})
    found = report(panel())
    assert found["left_out"] == {
        "annotators": {"no annotator's grade": 29, "annotators did not score every criterion": 1},
        "gpt": {"not graded": 34, "a criterion is missing": 1, "cannot_grade": 1},
    }
    for grader, reasons in found["left_out"].items():
        counted = sum(row["n"] for row in found["models"] if row["grader"] == grader)
        assert counted + sum(reasons.values()) == 36


def test_a_model_nobody_graded_has_no_value_and_comes_last(sheet, give, panel):
    for criterion in CRITERIA:
        give("Ana", {1: 0}, criterion)
    found = report(panel())["models"]
    assert [row["answer_model"] for row in found] == ["birch", "atlas", "cobalt"]
    assert (found[1]["value"], found[1]["why_none"]) == (None, reason("no_scored_answer"))


def test_orders_are_compared_on_the_answers_both_graded(five_models, panel):
    """Over all its answers the judge has b above a; where Ana graded it has not."""
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0), range(20))
    five_models("gpt", "judge", lambda q: (2 + (q % 5 == 0), 2, 1, 0, 0) if q < 20 else (0, 3))
    found = report(panel())
    assert means(found, "gpt")["b"] > means(found, "gpt")["a"]
    compared = order(found, "gpt")
    assert compared["swaps"] == []
    assert (compared["n"], compared["questions"]) == (100, 20)
    assert [m["judge"].value for m in compared["models"]] == [2.2, 2, 1, 0, 0]


def test_a_model_with_fewer_than_twenty_questions_is_in_no_order(five_models, panel):
    for name, kind in (("Ana", "person"), ("gpt", "judge")):
        five_models(name, kind, lambda q: (3, 2, 1, 0, 0) if q < 19 else (3, 2))
    found = report(panel())
    compared = order(found, "gpt")
    assert [m["answer_model"] for m in compared["models"]] == ["a", "b"]
    assert (compared["too_few"], compared["result"]) == (3, "same")
    assert compared["why_none"] == TOO_FEW_MODELS
    ranks = {m["answer_model"]: m["ranks"] for m in found["models"] if m["grader"] == "gpt"}
    assert ranks == {"a": (1, 1), "b": (2, 2), "c": None, "d": None, "e": None}


def test_thousands_of_models_with_an_answer_each_take_no_memory(store, give, panel):
    """A sum per question and model would be 2,000 x 2,000 numbers, an order 2,000,000 pairs."""
    made = [made_item(n, f"model-{n}") for n in range(2000)]
    additions.add(store, "wide", made, "wide.csv", "0" * 64, {})
    for name, kind in (("Ana", "person"), ("gpt", "judge")):
        for criterion in CRITERIA:
            give(name, {n: n % 4 for n in range(2000)}, criterion, kind)
    made = panel()
    tracemalloc.start()
    found = report(made)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert order(found, "gpt")["too_few"] == 2000
    assert used < 16e6


def test_a_swap_is_certain_where_both_are_sure_of_their_order(five_models, panel):
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("gpt", "judge", lambda q: (2, 3, q % 2, (q + 1) % 2, 0))
    found = report(panel())
    compared = order(found, "gpt")
    (swap,) = compared["swaps"]
    assert (swap["higher"], swap["lower"]) == ("a", "b")
    assert (swap["annotator_share"], swap["judge_share"], swap["certain"]) == (1, 0, True)
    assert compared["result"] == "reversed"
    # ten pairs: seven agree, a-b swaps; the judge has c-d level and annotators d-e: nine untied
    # each
    assert compared["tau_b"] == pytest.approx((7 - 1) / 9)
    assert -1 <= compared["tau_b_low"] < compared["tau_b_high"] <= 1
    # a and b swap for the judge; d and e tie for annotators, so either may be fourth
    ranks = {(row["grader"], row["answer_model"]): row["ranks"] for row in found["models"]}
    assert [ranks["annotators", m] for m in "abcde"] == [(1, 1), (2, 2), (3, 3), (4, 5), (4, 5)]
    assert [ranks["gpt", m] for m in "abcde"] == [(2, 2), (1, 1), (3, 4), (3, 4), (5, 5)]


def test_a_constant_judge_is_not_said_to_share_the_order(five_models, panel):
    five_models("Ana", "person", lambda q: (3, 2, 1, 0, 0))
    five_models("same", "judge", lambda q: (2, 2, 2, 2, 2))
    five_models("nearly", "judge", lambda q: (2, 2, 2, 2, 3 if q else 2))
    found = report(panel())
    same, nearly = (order(found, name) for name in ("same", "nearly"))
    assert (same["swaps"], same["one_sided"], same["result"]) == ([], 9, "tied")
    assert [swap["certain"] for swap in nearly["swaps"]] == [True] * 3


def of(store, rubric, how=DRAW, *annotators):
    read = panel(store, rubric[1], *annotators)
    return corrected_report(read, drawn(store, read), how)


def judged(found, name="lenient"):
    (one,) = [judge for judge in found["judges"] if judge["judge"] == name]
    return one


def values(one, figure):
    return {model["answer_model"]: model[figure].value for model in one["models"]}


def test_the_draw_takes_out_a_bias_that_differs_by_answering_model(store, rubric):
    truth = drawn_sheet.made(store, rubric)
    found = of(store, rubric)
    one = judged(found)
    assert (found["what"], found["sets"]) == ("mean composite", ("first",))
    raw, corrected = values(one, "raw"), values(one, "corrected")
    assert raw["cobalt"] - truth["cobalt"] > 0.6 > 3 * abs(corrected["cobalt"] - truth["cobalt"])
    for model in one["models"]:
        name = model["answer_model"]
        assert (model["n"], model["graded"]) == (90, 30)
        assert model["corrected"].low <= truth[name] <= model["corrected"].high
        assert "PPI++ by question" in model["corrected"].method
    json.dumps(as_json(found), allow_nan=False)


def test_too_few_graded_answers_of_a_model_correct_nothing(store, rubric):
    drawn_sheet.made(store, rubric, drawn=20)
    one = judged(of(store, rubric))
    assert set(values(one, "corrected").values()) == {None}
    assert message_of(one["models"][0]["corrected"].why_none).code == "too_few_labels"


def test_grades_that_no_set_asked_for_correct_nothing(store, rubric, give):
    """Ana graded, but only what came from a file: nobody knows how that was chosen."""
    drawn_sheet.made(store, rubric, drawn=0)
    give("Ana", dict.fromkeys(range(270), 1))
    found = of(store, rubric)
    assert "no grading set was sampled" in message_of(found["why_none"])
    assert found["judges"] == []


def test_grades_beside_the_set_do_not_enter_it(store, rubric, give):
    """Ben graded only the worst answers, from a file; the corrected figures do not move."""
    drawn_sheet.made(store, rubric)
    before = values(judged(of(store, rubric)), "corrected")
    for criterion in drawn_sheet.CRITERIA:
        give("Ben", dict.fromkeys(range(0, 270, 3), 0), criterion)
    assert values(judged(of(store, rubric)), "corrected") == before


def in_a_file(store, rubric, places, criteria=drawn_sheet.CRITERIA):
    """Ben's grades of some places, true ones, that no queue asked for."""
    truth = drawn_sheet.truth_of(90)
    for criterion in criteria:
        give(store, rubric[1], "Ben", {n: int(truth[n]) for n in places}, criterion)


def set_places(store):
    """The places in the sheet of the one set's answers, block by block."""
    rows = store.rows("select item_id, block from grading_set_items order by block")
    place = {item: n for n, item in enumerate(panel_ids(store))}
    blocks = {}
    for row in rows:
        blocks.setdefault(row["block"], []).append(place[row["item_id"]])
    return list(blocks.values())


def panel_ids(store):
    return store_items.item_ids(store, sheets.all_sheets(store)[0].id)


@pytest.mark.parametrize("more", [False, True])
def test_a_set_graded_in_a_file_counts_like_one_graded_on_the_screen(store, rubric, more):
    """Also where the file holds the whole sheet: of the draw it leaves nothing out."""
    truth = drawn_sheet.made(store, rubric, drawn=30, graded=0)
    places = range(270) if more else [n for block in set_places(store) for n in block]
    in_a_file(store, rubric, places)
    found = of(store, rubric)
    assert (found["why_none"], found["excluded_grades"]) == (None, ())
    for model in judged(found)["models"]:
        name = model["answer_model"]
        assert model["graded"] == 30
        assert model["corrected"].low <= truth[name] <= model["corrected"].high


def test_of_a_file_that_stops_in_a_block_the_blocks_before_count(store, rubric):
    drawn_sheet.made(store, rubric, drawn=45, graded=0)
    first, second, third, *_ = set_places(store)
    in_a_file(store, rubric, [*first, *second[:-2], *third])
    found = of(store, rubric)
    assert sum(model["graded"] for model in judged(found)["models"]) == len(first)
    (said,) = found["excluded_grades"]
    assert f" {len(second) - 2 + len(third)} answers " in said
    in_a_file(store, rubric, second[-2:])
    whole = sum(model["graded"] for model in judged(of(store, rubric))["models"])
    assert whole == len(first) + len(second) + len(third)


def test_a_file_that_chose_among_a_sets_answers_counts_for_nothing_and_says_why(store, rubric):
    drawn_sheet.made(store, rubric, drawn=30, graded=0)
    first, *_ = set_places(store)
    in_a_file(store, rubric, first[3:])
    found = of(store, rubric)
    assert found["why_none"] == NOT_BEGUN
    (said,) = found["excluded_grades"]
    assert f" {len(first) - 3} answers " in said
    in_a_file(store, rubric, first[:3], drawn_sheet.CRITERIA[:1])
    assert (
        of(store, rubric)["excluded_grades"] == found["excluded_grades"]
    )  # the other criteria are still to come


def test_answers_graded_before_a_draw_are_not_spoken_for_by_it(store, rubric, give):
    """A draw passes over questions that were graded already: 30 of cobalt's 90 answers here."""
    drawn_sheet.made(store, rubric, drawn=0)
    before = {n: 1 for n in range(2, 90, 3)}
    for criterion in drawn_sheet.CRITERIA:
        give("Ben", before, criterion)
    drawn_sheet.asked(store, rubric, 45)
    found = of(store, rubric)
    assert found["excluded"] == 30
    models = {model["answer_model"]: model for model in judged(found)["models"]}
    assert [models[name]["n"] for name in drawn_sheet.MODELS] == [90, 90, 60]
    assert models["cobalt"]["graded"] < models["atlas"]["graded"] == 45


def test_a_draw_that_favours_suspected_failures_is_weighed_back(store, rubric, panel):
    """Answers that the judge calls a 1 are drawn more often; unweighted they would pull it down."""
    truth = drawn_sheet.made(store, rubric, questions=200, drawn=0)
    sheet = sheets.all_sheets(store)[0]
    made = panel()
    (judge,) = made.judges
    ids, said = made.items["id"].to_numpy(), made.of("correctness", judge).score
    suspected = ids[(said == 1) & (made.items["answer_model"] == "atlas")].tolist()
    of_set = active_sampling.create(
        store, sheet, rubric[0], "suspects", active_sampling.SampleRequest(80, 3, suspected, 0.5)
    )
    scores = drawn_sheet.truth_of(200)
    drawn_sheet.grade(store, rubric, of_set, truth=scores)
    found = judged(of(store, rubric))
    atlas = next(model for model in found["models"] if model["answer_model"] == "atlas")
    read = panel()
    own = drawn(store, read)
    graded = ~np.isnan(own.means) & (read.items["answer_model"] == "atlas").to_numpy()
    assert own.means[graded].mean() < truth["atlas"] - 0.2
    assert np.ptp(own.weight[graded]) > 0.5
    assert atlas["corrected"].low <= truth["atlas"] <= atlas["corrected"].high


def test_the_baseline_is_not_corrected_by_the_grades_it_learnt_from(sample_store):
    from concord.store.rubrics import rubric_versions

    found = of(sample_store, rubric_versions.named(sample_store, "doc-qa-0-3"), RATES)
    assert "trained on the annotators' grades" in message_of(judged(found, "baseline")["why_none"])


def test_error_rates_are_used_only_where_asked_for_and_say_shares(store, rubric):
    truth = drawn_sheet.made(store, rubric, questions=150, drawn=75, fooled=(0.3, 0.3, 0.3))
    found = of(store, rubric, RATES)
    one = judged(found)
    assert found["what"] == "share of answers that pass correctness"
    assert values(one, "corrected")["birch"] < values(one, "raw")["birch"]
    for model in one["models"]:
        passing = (truth[model["answer_model"]] - 1) / 2  # a 3 passes, a 1 fails
        assert model["corrected"].low <= passing <= model["corrected"].high


def test_error_rates_that_differ_between_models_correct_nothing(store, rubric):
    """The judge passes half of cobalt's failing answers, a fifth of the others'."""
    drawn_sheet.made(store, rubric, questions=150, drawn=75)
    one = judged(of(store, rubric, RATES))
    assert "error rates differ between answering models (p " in message_of(one["why_none"])
    assert {m["corrected"].value for m in one["models"]} == {None}
    assert all(m["raw"].value is not None for m in one["models"])


def test_error_rates_of_fewer_than_ten_questions_give_no_interval(store, doc_qa, give, judge):
    made = [made_item(n, f"model-{m}") for n in range(8) for m in range(12)]
    additions.add(store, "support tickets", made, "t.csv", "0" * 64, {})
    random = np.random.default_rng(4)
    truth = {n: int(score) for n, score in enumerate(random.choice([0, 3], 96))}
    give("Ana", truth)
    wrong = {n: 3 - score for n, score in truth.items() if random.random() < 0.1}
    judge("lenient", truth | wrong)
    found = of(store, (None, doc_qa), RATES)
    models = judged(found)["models"]
    assert all(model["corrected"].value is not None for model in models)
    assert all(model["corrected"].low is None for model in models)


def test_error_rates_need_thirty_answers_of_either_kind(store, rubric):
    drawn_sheet.made(store, rubric, drawn=12)
    why = judged(of(store, rubric, RATES))["why_none"]
    assert message_of(why).code == "too_few_of_both_graded_classes"
