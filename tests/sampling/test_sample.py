import itertools
import random
from collections import Counter

import pytest

from concord.sampling.sample import Question, draw, mixed, order, repeats, with_gold


def questions(count: int, models: str = "abc", start: int = 0) -> list[Question]:
    return [
        Question(start + n, tuple((10 * (start + n) + k, m) for k, m in enumerate(models)))
        for n in range(count)
    ]


def test_the_same_seed_draws_the_same_and_another_seed_does_not():
    asked = questions(50)
    assert draw(asked, 10, 30, 7) == draw(random.Random(1).sample(asked, 50), 10, 30, 7)
    assert draw(asked, 10, 30, 7) != draw(asked, 10, 30, 8)


def test_questions_that_come_first_have_blocks_of_their_own_and_the_same_are_drawn():
    asked = questions(50)
    first = {10 * n for n in (3, 4, 5, 40, 41)}
    usual, drawn = draw(asked, 30, 12, 7), draw(asked, 30, 12, 7, first)
    assert drawn.strata == usual.strata
    assert {a.item_id for a in drawn.answers} == {a.item_id for a in usual.answers}
    of_block = [[a for a in drawn.answers if a.block == n] for n in range(12)]
    own = [{a.item_id // 10 in {3, 4, 5, 40, 41} for a in block} for block in of_block if block]
    begun = own.index({False})
    assert begun and own == [{True}] * begun + [{False}] * (len(own) - begun)


def test_a_drawn_question_brings_all_its_answers():
    drawn = draw(questions(50), 10, 30, 7).answers
    assert Counter(Counter(a.item_id // 10 for a in drawn).values()) == {3: 10}


def test_every_stratum_keeps_its_share_and_its_probability():
    drawn = draw(questions(60, "ab") + questions(40, "a", start=60), 10, 30, 1)
    assert drawn.strata == {"a": (4, 40), "a + b": (6, 60)}
    assert {a.inclusion_probability for a in drawn.answers} == {4 / 40, 6 / 60}


@pytest.mark.parametrize(
    ("sizes", "wanted", "given"),
    [
        ((97, 2, 1), 3, (1, 1, 1)),
        ((97, 2, 1), 10, (8, 1, 1)),
        ((97, 2, 1), 1, (1, 0, 0)),
        ((50, 30, 20), 10, (5, 3, 2)),
        ((1, 1, 1), 2, None),
    ],
)
def test_a_small_stratum_gives_one_question_where_there_is_room(sizes, wanted, given):
    asked = [
        question
        for k, size in enumerate(sizes)
        for question in questions(size, "abc"[k], start=1000 * k)
    ]
    strata = draw(asked, wanted, 30, 1).strata
    taken = tuple(strata[model][0] for model in "abc")
    assert sum(taken) == wanted
    assert given is None or taken == given


def test_asking_for_more_than_there_is_takes_all_with_certainty():
    drawn = draw(questions(5), 99, 30, 1)
    assert len(drawn.answers) == 15
    assert {a.inclusion_probability for a in drawn.answers} == {1.0}


def test_blocks_hold_whole_questions_and_about_as_many_answers_as_asked():
    drawn = draw(questions(25, "abcd"), None, 30, 3).answers
    sizes = Counter(a.block for a in drawn)
    assert sizes == {0: 28, 1: 28, 2: 28, 3: 16}
    blocks = {}
    for answer in drawn:
        blocks.setdefault(answer.item_id // 10, set()).add(answer.block)
    assert all(len(of_question) == 1 for of_question in blocks.values())
    assert [a.position for a in drawn] == list(range(100))


def test_a_question_larger_than_a_block_is_a_block_of_its_own():
    drawn = draw([Question(1, tuple((n, "a") for n in range(40)))], None, 30, 1).answers
    assert {a.block for a in drawn} == {0}


@pytest.mark.parametrize("seed", range(20))
def test_answers_to_one_question_are_kept_apart_in_a_block(seed):
    block = [(10 * q + k, q) for q in range(10) for k in range(3)]
    shown = order(block, seed, "1", 0)
    assert sorted(shown) == sorted(item for item, _ in block)
    places = {}
    for place, item in enumerate(shown):
        places.setdefault(item // 10, []).append(place)
    gaps = [b - a for at in places.values() for a, b in itertools.pairwise(at)]
    assert min(gaps) > 5


def test_graders_share_blocks_and_not_the_order_within():
    block = [(10 * q + k, q) for q in range(10) for k in range(3)]
    ana, ben = order(block, 1, "1", 0), order(block, 1, "2", 0)
    assert ana != ben
    assert sorted(ana) == sorted(ben)


def test_one_question_alone_is_shown_answer_after_answer():
    assert sorted(order([(1, 1), (2, 1)], 1, "1", 0)) == [1, 2]


@pytest.mark.parametrize("seed", range(10))
def test_a_tenth_comes_back_and_never_soon(seed):
    first = list(range(30))
    due = repeats(first, 0.1, seed, "1", 0)
    assert len(due) == 3
    assert max(due) < 20
    queue = mixed(list(range(100, 130)), due, seed, "1", 1)
    assert [item for item, again in queue if again] == due
    assert [item for item, again in queue if not again] == list(range(100, 130))
    assert min(place for place, (_, again) in enumerate(queue) if again) >= 10


def test_every_answer_may_come_back_with_the_same_chance():
    block = [(10 * q + k, q) for q in range(10) for k in range(3)]
    counts = Counter()
    for seed in range(2000):
        counts.update(repeats(order(block, seed, "1", 0), 0.1, seed, "1", 0))
    assert len(counts) == 30
    assert max(counts.values()) < 2 * min(counts.values())


def test_after_the_last_block_the_repeats_come_alone():
    assert mixed([], [4, 2], 1, "1", 5) == [(4, True), (2, True)]
    assert mixed([], [], 1, "1", 6) == []


def test_gold_is_as_likely_at_every_place_of_a_block_and_moves_nothing_else():
    block = mixed(list(range(30)), [101, 102, 103], 1, "1", 1)
    places = Counter()
    for grader in range(2000):
        queue = with_gold(block, [201, 202, 203], 1, str(grader), 1)
        assert queue == with_gold(block, [201, 202, 203], 1, str(grader), 1)
        assert [one for one in queue if one[0] < 200] == block
        gold = [place for place, one in enumerate(queue) if one[0] > 200]
        assert [queue[place] for place in gold] == [(201, False), (202, False), (203, False)]
        places.update(gold)
    assert sorted(places) == list(range(36))
    assert max(places.values()) < 2 * min(places.values())


def test_a_block_without_gold_stays_as_it_is():
    assert with_gold([(4, True), (2, False)], [], 1, "1", 5) == [(4, True), (2, False)]
    assert with_gold([], [7], 1, "1", 5) == [(7, False)]
