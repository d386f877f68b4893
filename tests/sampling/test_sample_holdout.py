"""The draw of questions to seal, and what it takes from the figures."""

import pytest

from concord.messages import Problem
from concord.model import FEW_SHOT
from concord.reports.planning import holdout_plan
from concord.sampling import split_assignment, splits
from concord.sampling.sample import Whole, draw_hold_out
from concord.store import additions, grades
from concord.store import items as store_items
from tests.support.made_items import made_item
from tests.support.panels import give


def singles(count: int, stratum: str, start: int = 0) -> list[Whole]:
    return [Whole((start + n,), stratum) for n in range(count)]


def test_the_same_seed_draws_the_same_and_another_does_not():
    asked = singles(60, "a")
    assert draw_hold_out(asked, 15, 1) == draw_hold_out(reversed(asked), 15, 1)
    assert draw_hold_out(asked, 15, 1) != draw_hold_out(asked, 15, 2)


def test_every_stratum_gives_its_share_exactly_where_families_are_single():
    drawn = draw_hold_out(singles(60, "a") + singles(20, "b", 100), 20, 1)
    assert drawn.strata == {"a": (15, 60), "b": (5, 20)}
    assert len(drawn.questions) == len(set(drawn.questions)) == 20


@pytest.mark.parametrize("seed", range(10))
def test_a_family_is_drawn_whole_or_not_at_all(seed):
    families = [Whole((3 * n, 3 * n + 1, 3 * n + 2), "a") for n in range(20)]
    drawn = set(draw_hold_out(families, 15, seed)[0])
    assert len(drawn) == 15
    assert all(len(drawn & {3 * n, 3 * n + 1, 3 * n + 2}) in (0, 3) for n in range(20))


def test_every_question_has_the_same_chance():
    counts = [0] * 40
    for seed in range(1000):
        for question in draw_hold_out(singles(40, "a"), 10, seed).questions:
            counts[question] += 1
    assert min(counts) > 190 and max(counts) < 310  # 250 expected, sd 13.7


def test_answers_that_annotators_failed_are_shared_evenly(store, sheet, rubric):
    give(store, rubric[1], "Ana", {place: 0 if place < 12 else 3 for place in range(24)})
    drawn = holdout_plan.draw(store, sheet, 6, 1)
    assert {name.partition("; ")[2]: of for name, of in drawn.strata.items()} == {
        holdout_plan.FAILED: (2, 4),
        holdout_plan.PASSED: (2, 4),
        holdout_plan.UNGRADED: (2, 4),
    }
    assert (len(drawn.move.leaving), drawn.move.answers, drawn.move.graded) == (6, 18, 12)
    assert store.value("select count(*) from question_roles") == 0


def test_what_may_not_be_sealed_is_not_drawn_and_counted_by_reason(store, sheet):
    questions = [row["id"] for row in splits.of_sheet(store, sheet.id)]
    items = store_items.item_ids(store, sheet.id)
    grades.open_item(store, items[0], None)
    split_assignment.assign(store, questions[1:2], FEW_SHOT, "shown")
    drawn = holdout_plan.draw(store, sheet, 10, 1)
    assert set(drawn.questions) == set(questions[2:])
    with pytest.raises(Problem, match="“numbers” has only 10 that may be"):
        holdout_plan.draw(store, sheet, 11, 1)
    with pytest.raises(Problem):
        holdout_plan.draw(store, sheet, 0, 1)


def test_a_cluster_is_sealed_whole(store):
    made = [made_item(n, cluster=f"doc {n // 3}") for n in range(30)]
    sheet = additions.add(store, "docs", made, "docs.csv", "0" * 64, {})
    drawn = holdout_plan.draw(store, sheet, 9, 1)
    clusters = [
        r["cluster"] for r in splits.of_sheet(store, sheet.id) if r["id"] in drawn.questions
    ]
    assert len(clusters) == 9 and len(set(clusters)) == 3
    holdout_plan.hold_out(store, sheet, drawn, "for the certificate")
    assert splits.held_out(store, sheet.id) == set(drawn.questions)


def test_the_same_text_elsewhere_is_sealed_along_only_where_asked(store, sheet):
    other = additions.add(store, "other", [made_item(n) for n in range(12)], "o.csv", "1" * 64, {})
    with pytest.raises(Problem):
        holdout_plan.draw(store, sheet, 5, 1)
    drawn = holdout_plan.draw(store, sheet, 5, 1, everywhere=True)
    assert len(drawn.move.moved) == 10
    holdout_plan.hold_out(store, sheet, drawn, "", everywhere=True)
    assert len(splits.held_out(store, other.id)) == 5


def test_a_share_is_of_the_questions_that_are_scored(store, sheet):
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], FEW_SHOT, "shown")
    assert holdout_plan.share_of(store, sheet, 0.5) == 6
    assert holdout_plan.share_of(store, sheet, 0) == 1
