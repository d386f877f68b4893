"""Sheets of which an unequal draw was graded: what counts, what weighs how much, what is said."""

import pytest

from concord.grading import grading_sets
from concord.reports import ranking
from concord.reports.agreement import agreement, document
from concord.reports.agreement.agreement import rows as agreement_rows
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import EACH, NOT_DRAWN, reference
from concord.reports.panel.panel import COMPOSITE, REWEIGHTED
from concord.reports.panel.wording import weighting
from concord.store import items
from tests.support.panels import SUSPECTED, drawn


def test_each_answer_weighs_one_over_its_chance_and_shares_say_so(enriched, give, judge, panel):
    give("Ana", dict.fromkeys(range(14), 3))
    judge("alpha", {n: 0 if n in SUSPECTED else 3 for n in range(40)})
    made = panel()
    weight = made.weight[:14]
    assert weight.mean() == pytest.approx(1)
    assert weight[13] == pytest.approx(4 * weight[0])
    found = as_json(agreement.report(made))
    row = next(row for row in found["rows"] if row["criterion"] == "correctness")
    assert row["n"] == 14
    assert row["exact"]["value"] == pytest.approx(40 / 44)  # 10 answers of 4 each, 4 of 1 missed
    assert row["bias"]["value"] == pytest.approx(-3 * 4 / 44)
    assert REWEIGHTED in row["signature"]
    assert row["left_out"] == {"no annotator's grade": 26}
    assert "“More” were sampled with known, unequal inclusion probabilities" in found["weighting"]
    table = document.confusion(made, next(iter(made.judges)), "correctness")
    assert table.shares[3] == pytest.approx([4 / 44, 0, 0, 40 / 44])


def test_the_order_of_answering_models_is_reweighted(enriched, give, judge, panel):
    for criterion in ("correctness", "comprehensiveness", "readability"):
        give("Ana", {n: 0 if n in SUSPECTED else 3 for n in range(14)}, criterion)
        judge("alpha", dict.fromkeys(range(14), 3), criterion=criterion)
    made = panel()
    found = ranking.report(made)
    means = {row["answer_model"]: row["value"] for row in found["models"] if row["n"] == 7}
    assert means["atlas"] == 3  # the judge's, which is of all it graded and weighs nothing
    annotators = next(row for row in found["models"] if row["kind"] == "annotator")
    assert annotators["value"] == pytest.approx(3 * 20 / 22)  # 5 answers of 4 each, 2 of 1
    assert REWEIGHTED in found["signature"]


def test_what_was_graded_outside_every_draw_is_left_out_and_counted(enriched, give, judge, panel):
    give("Ana", dict.fromkeys([*range(14), 30, 31], 3))
    judge("alpha", dict.fromkeys(range(40), 3))
    made = panel()
    assert made.weight[30] == 0
    assert reference(made, "correctness", EACH).why[30] == NOT_DRAWN
    row = as_json(agreement_rows(made, criteria=["correctness"])[0])
    assert (row["n"], row["left_out"][NOT_DRAWN]) == (14, 2)


def test_an_earlier_even_draw_joins_the_unequal_one(store, enriched, rubric, give, panel):
    first = grading_sets.create(store, enriched.id, rubric[0], "Pilot", 8, seed=2)
    ids = items.item_ids(store, enriched.id)
    rows = store.rows("select item_id from grading_set_items where set_id = ?", (first.id,))
    pilot = [ids.index(row["item_id"]) for row in rows]
    give("Ana", dict.fromkeys({*range(14), *pilot}, 3))
    made = panel()
    assert made.weight[0] / made.weight[13] == pytest.approx(1 - 0.8 * 0.75)
    assert (made.weight[pilot] > 0).all()


def test_of_what_a_draw_passed_over_the_chance_must_be_written_down(
    store, forty_questions, rubric, give, panel
):
    drawn(store, forty_questions, rubric, "More", {n: 0.5 if n < 4 else 0.25 for n in range(14)})
    drawn(store, forty_questions, rubric, "Pilot", dict.fromkeys(range(10, 20), 0.25))
    give("Ana", dict.fromkeys(range(20), 3))
    made = panel()
    assert (made.weight > 0).tolist() == [n < 14 for n in range(40)]


def test_even_draws_weigh_nothing(store, forty_questions, rubric, give, panel):
    grading_sets.create(store, forty_questions.id, rubric[0], "Set 1", 15, seed=1)
    grading_sets.create(store, forty_questions.id, rubric[0], "Set 2", 8, seed=2)
    give("Ana", dict.fromkeys(range(40), 3))
    made = panel()
    assert not made.reweighted
    assert (made.weight == 1).all()
    assert weighting(made) is None


def test_the_composite_and_peoples_own_agreement_weigh_the_same(enriched, give, judge, panel):
    for criterion in ("correctness", "comprehensiveness", "readability"):
        give("Ana", dict.fromkeys(range(14), 3), criterion)
        give("Ben", {n: 1 if n in SUSPECTED else 3 for n in range(14)}, criterion)
        judge("alpha", dict.fromkeys(range(14), 3), criterion=criterion)
    rows = {row["criterion"]: row for row in as_json(agreement_rows(panel()))}
    assert rows[COMPOSITE]["mae"]["value"] == pytest.approx(0.5 * 2 * 4 / 44)
    assert rows["correctness"]["ceiling"]["exact"]["value"] == pytest.approx(40 / 44)
    assert rows["correctness"]["majority_baseline"]["exact"] == pytest.approx(42 / 44)
