import itertools
from collections import Counter

import pytest

from concord.messages import Problem
from concord.model import FEW_SHOT
from concord.reports import samples
from concord.sampling import split_assignment, splits
from concord.sampling.sample import (
    Question,
    Whole,
    draw,
    draw_hold_out,
    mixed,
    order,
    repeats,
    with_gold,
)
from concord.store import additions, grades
from concord.store import items as store_items
from tests.support.made_items import made_item
from tests.support.panels import give


def questions(count: int, models: str = "abc", start: int = 0) -> list[Question]:
    return [
        Question(start + n, tuple((10 * (start + n) + k, m) for k, m in enumerate(models)))
        for n in range(count)
    ]


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


def test_blocks_hold_whole_questions_and_about_as_many_answers_as_asked():
    drawn = draw(questions(25, "abcd"), None, 30, 3).answers
    sizes = Counter(a.block for a in drawn)
    assert sizes == {0: 28, 1: 28, 2: 28, 3: 16}
    blocks = {}
    for answer in drawn:
        blocks.setdefault(answer.item_id // 10, set()).add(answer.block)
    assert all(len(of_question) == 1 for of_question in blocks.values())
    assert [a.position for a in drawn] == list(range(100))


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


def singles(count: int, stratum: str, start: int = 0) -> list[Whole]:
    return [Whole((start + n,), stratum) for n in range(count)]


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
    drawn = samples.draw(store, sheet, 6, 1)
    assert {name.partition("; ")[2]: of for name, of in drawn.strata.items()} == {
        samples.FAILED: (2, 4),
        samples.PASSED: (2, 4),
        samples.UNGRADED: (2, 4),
    }
    assert (len(drawn.move.leaving), drawn.move.answers, drawn.move.graded) == (6, 18, 12)
    assert store.value("select count(*) from question_roles") == 0


def test_what_may_not_be_sealed_is_not_drawn_and_counted_by_reason(store, sheet):
    questions = [row["id"] for row in splits.of_sheet(store, sheet.id)]
    items = store_items.item_ids(store, sheet.id)
    grades.open_item(store, items[0], None)
    split_assignment.assign(store, questions[1:2], FEW_SHOT, "shown")
    drawn = samples.draw(store, sheet, 10, 1)
    assert set(drawn.questions) == set(questions[2:])
    with pytest.raises(Problem, match="“numbers” has only 10"):
        samples.draw(store, sheet, 11, 1)
    with pytest.raises(Problem):
        samples.draw(store, sheet, 0, 1)


def test_a_cluster_is_sealed_whole(store):
    made = [made_item(n, cluster=f"doc {n // 3}") for n in range(30)]
    sheet = additions.add(store, "docs", made, "docs.csv", "0" * 64, {})
    drawn = samples.draw(store, sheet, 9, 1)
    clusters = [
        r["cluster"] for r in splits.of_sheet(store, sheet.id) if r["id"] in drawn.questions
    ]
    assert len(clusters) == 9 and len(set(clusters)) == 3
    samples.hold_out(store, sheet, drawn, "for the certificate")
    assert splits.held_out(store, sheet.id) == set(drawn.questions)


def test_the_same_text_elsewhere_is_sealed_along_only_where_asked(store, sheet):
    other = additions.add(store, "other", [made_item(n) for n in range(12)], "o.csv", "1" * 64, {})
    with pytest.raises(Problem):
        samples.draw(store, sheet, 5, 1)
    drawn = samples.draw(store, sheet, 5, 1, everywhere=True)
    assert len(drawn.move.moved) == 10
    samples.hold_out(store, sheet, drawn, "", everywhere=True)
    assert len(splits.held_out(store, other.id)) == 5


def test_a_share_is_of_the_questions_that_are_scored(store, sheet):
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], FEW_SHOT, "shown")
    assert samples.share_of(store, sheet, 0.5) == 6
    assert samples.share_of(store, sheet, 0) == 1
