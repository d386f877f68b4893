"""The next answers to label: even or enriched, with chances that every figure can rest on."""

import numpy as np
import pytest

from concord.grading import active_sampling, assignments, grading_sets
from concord.grading.active_sampling import SampleRequest
from concord.messages import Problem
from concord.model import HELD_OUT
from concord.sampling import split_assignment, splits
from concord.sampling.sample import enriched, enrichment
from concord.store import items
from tests.support.made_items import asked
from tests.support.panels import give, judge, panel

UNEVEN = SampleRequest(18, 1, range(1, 25), 1 / 3)


@pytest.mark.parametrize(
    ("suspected", "others", "wanted", "extra", "taken"),
    [
        (20, 80, 30, 1 / 3, (14, 16)),  # 10 of the suspected alone and a fifth of the other 20
        (20, 80, 30, 0, (6, 24)),
        (20, 80, 30, 1, (20, 10)),  # there are no more suspected ones
        (80, 20, 90, 1, (80, 10)),
        (50, 50, 30, 1, (29, 1)),  # everyone keeps a chance
        (20, 80, 2, 0.5, (1, 1)),
        (20, 80, 200, 0.5, (20, 80)),
        (0, 80, 30, 0.5, (0, 30)),
        (80, 0, 30, 0.5, (30, 0)),
    ],
)
def test_how_many_of_each_kind_are_drawn(suspected, others, wanted, extra, taken):
    assert enrichment(suspected, others, wanted, extra) == taken


def test_chances_are_as_said_over_many_draws():
    questions, suspects = asked(40, "a"), set(range(8))
    counts, chances = np.zeros(40), np.zeros(40)
    for seed in range(600):
        for answer in enriched(questions, suspects, 12, 0.5, 30, seed).answers:
            counts[answer.item_id // 10] += 1
            chances[answer.item_id // 10] = answer.inclusion_probability
    assert chances[:8] == pytest.approx([7 / 8] * 8)
    assert chances[8:] == pytest.approx([5 / 32] * 32)
    assert np.abs(counts / 600 - chances).max() < 0.06


def test_an_even_draw_passes_over_what_a_set_holds(store, sixty_questions, rubric):
    first = grading_sets.create(store, sixty_questions.id, rubric[0], "Set 1", 20, seed=1)
    second = active_sampling.create(
        store, sixty_questions, rubric[0], "Set 2", SampleRequest(30, 2)
    )
    assert grading_sets.items(store, first.id).isdisjoint(grading_sets.items(store, second.id))
    assert (second.questions, second.kind) == (30, "draw")
    active_sampling.create(store, sixty_questions, rubric[0], "Set 3", SampleRequest(99, 3))
    with pytest.raises(Problem):
        active_sampling.create(store, sixty_questions, rubric[0], "Set 4", SampleRequest(1, 4))


def test_an_enriched_draw_keeps_the_chance_of_every_question(store, sixty_questions, rubric):
    ids = items.item_ids(store, sixty_questions.id)
    made = active_sampling.create(
        store, sixty_questions, rubric[0], "More", SampleRequest(18, 1, ids[:24], 1 / 3)
    )
    rows = store.rows("select item_id, probability from draw_probabilities")
    chance = {row["item_id"]: row["probability"] for row in rows}
    assert len(chance) == 120
    assert {chance[i] for i in ids[:24]} == {8 / 12} and {chance[i] for i in ids[24:]} == {10 / 48}
    kept = store.rows("select item_id, inclusion_probability as p from grading_set_items")
    assert all(row["p"] == chance[row["item_id"]] for row in kept)
    assert grading_sets.strata(store, made.id)["atlas + birch; suspected"] == (8, 12)


@pytest.mark.parametrize(("graded", "refused"), [(107, False), (112, True)])
def test_an_enriched_draw_needs_a_tenth_of_the_questions_ungraded(
    store, sixty_questions, rubric, graded, refused
):
    give(store, rubric[1], "Ana", dict.fromkeys(range(graded), 3))
    if refused:
        with pytest.raises(Problem):
            active_sampling.create(store, sixty_questions, rubric[0], "More", UNEVEN)
        assert grading_sets.of_sheet(store, sixty_questions.id) == []
    else:
        assert (
            active_sampling.create(store, sixty_questions, rubric[0], "More", UNEVEN).questions
            == 18
        )


def test_sealed_questions_are_left_to_even_draws(store, sixty_questions, rubric):
    closed = [row["id"] for row in splits.of_sheet(store, sixty_questions.id)][:10]
    split_assignment.assign(store, closed, HELD_OUT, "kept")
    even, uneven = SampleRequest(60, 1), SampleRequest(60, 1, (), 0.5)
    assert len(active_sampling.pool(store, sixty_questions, rubric[0], even).questions) == 60
    assert len(active_sampling.pool(store, sixty_questions, rubric[0], uneven).questions) == 50


def test_figures_of_an_enriched_set_weigh_by_one_over_the_chance(store, sixty_questions, rubric):
    ids = items.item_ids(store, sixty_questions.id)
    made = active_sampling.create(
        store, sixty_questions, rubric[0], "More", SampleRequest(18, 1, ids[:24], 1 / 3)
    )
    places = [ids.index(item) for item in sorted(grading_sets.items(store, made.id))]
    give(store, rubric[1], "Ana", dict.fromkeys(places, 2))
    judge(store, rubric[1], "gpt", dict.fromkeys(range(120), 2))
    read = panel(store, rubric[1])
    assert read.reweighted
    heavy = [read.weight[n] for n in places if n >= 24]
    light = [read.weight[n] for n in places if n < 24]
    assert np.array(heavy) / light[0] == pytest.approx((8 / 12) / (10 / 48))


def test_a_set_nobody_has_begun_can_be_taken_back(store, sixty_questions, rubric, ana):
    made = active_sampling.create(store, sixty_questions, rubric[0], "More", UNEVEN)
    grading_sets.remove(store, made.id)
    assert grading_sets.of_sheet(store, sixty_questions.id) == []
    assert store.value("select count(*) from draw_probabilities") == 0
    begun = active_sampling.create(store, sixty_questions, rubric[0], "More", UNEVEN)
    assignments.queue(store, begun, ana, list(rubric[1].versions().values()), 1)
    with pytest.raises(Problem):
        grading_sets.remove(store, begun.id)
