import pytest

from concord.grading import assignments, grading_sets
from concord.messages import Problem
from concord.sampling import split_assignment, splits
from concord.store import additions
from concord.store import items as store_items
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.permissions import CLOSED, GRADER, Who
from tests.support.made_items import made_item


def settle(store, grader_id, versions, places):
    record(
        store,
        [
            Press(place.item_id, version, grader_id, score=3, repeat=place.repeat)
            for place in places
            for version in versions
        ],
    )


def walked(store, grading_set, grader_id, versions):
    """Every place a grader is given, grading one after the other."""
    places = []
    while True:
        queue = assignments.queue(store, grading_set, grader_id, versions, 1)
        left = [place for place in queue if not place.done]
        if not left:
            return places
        places.append(left[0])
        settle(store, grader_id, versions, left[:1])


@pytest.mark.parametrize(("block", "share"), [(6, 0.1), (7, 0.3), (30, 0.1)])
def test_the_number_of_answers_is_one_from_the_announcement_to_the_last_grade(
    store, sheet, rubric, ana, versions, block, share
):
    asked = grading_sets.preview(store, sheet.id, None, 1, block, share)
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, 1, block, share)
    totals = {assignments.done(store, made, ana, versions).total}
    while True:
        laid = assignments.queue(store, made, ana, versions, 1)
        totals.add(assignments.progress(store, made, ana, versions, laid).total)
        left = [place for place in laid if not place.done]
        if not left:
            break
        settle(store, ana, versions, left)
    assert asked.blocks == (*grading_sets.block_sizes(store, made.id, made.created_at).values(),)
    assert totals == {asked.answers + asked.repeats} == {len(laid)}
    assert asked.answers == made.answers == 36


def test_a_taken_name_and_an_empty_draw_are_refused(store, sheet, rubric, whole_set):
    with pytest.raises(Problem):
        grading_sets.create(store, sheet.id, rubric[0], "Set 1", 5, seed=3)
    with pytest.raises(Problem):
        grading_sets.create(store, sheet.id, rubric[0], "Set 2", 0, seed=3)
    with pytest.raises(Problem):
        grading_sets.get(store, 99)


def test_a_grader_sees_every_answer_once_and_a_tenth_again(store, whole_set, ana, versions):
    places = walked(store, whole_set, ana, versions)
    firsts = [p.item_id for p in places if p.repeat == assignments.FIRST]
    again = [p.item_id for p in places if p.repeat == assignments.REPEAT]
    assert (len(firsts), len(set(firsts)), len(again)) == (36, 36, 4)
    assert set(again) <= set(firsts)
    for item_id in again:
        seen = [n for n, place in enumerate(places) if place.item_id == item_id]
        assert seen[1] - seen[0] >= 2


def test_an_answer_is_done_when_every_criterion_is_settled(store, whole_set, ana, versions):
    first = assignments.queue(store, whole_set, ana, versions, 5)[0]
    for count, version in enumerate(versions, 1):
        record(store, [Press(first.item_id, version, ana, "cannot_grade")])
        done = assignments.queue(store, whole_set, ana, versions, 5)[0].done
        assert done == (count == len(versions))
    record(store, [Press(first.item_id, versions[0], ana, "withdrawn")])
    assert not assignments.queue(store, whole_set, ana, versions, 5)[0].done


def test_a_repeat_is_not_done_because_the_answer_is(store, whole_set, ana, versions):
    places = walked(store, whole_set, ana, versions)
    again = next(place for place in places if place.repeat == assignments.REPEAT)
    record(store, [Press(again.item_id, versions[0], ana, "withdrawn", repeat=assignments.REPEAT)])
    left = [p for p in assignments.queue(store, whole_set, ana, versions, 1) if not p.done]
    assert [(p.id, p.repeat) for p in left] == [(again.id, assignments.REPEAT)]


def in_the_pool(store, sheet, *names):
    split_assignment.assign(store, splits.questions_named(store, sheet, names), "few-shot", "")


def closed(store, sheet):
    """The ids of the answers that the few-shot pool closes, as the leak guard says it."""
    questions = splits.leaked(store, sheet.id)
    rows = store.rows("select id, question_id from items where sheet_id = ?", (sheet.id,))
    return {row["id"] for row in rows if row["question_id"] in questions}


def test_answers_that_the_few_shot_pool_took_are_no_longer_to_be_graded(
    store, sheet, rubric, ana, versions
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, 1, block_size=6)
    before = assignments.queue(store, made, ana, versions, 8)
    taken = ["000", "001", "002", "003"]
    settle(store, ana, versions, [place for place in before if place.block == 0][:2])
    in_the_pool(store, sheet, *taken)
    now = grading_sets.get(store, made.id)
    assert (now.questions, now.answers, now.apart) == (8, 24, 12)
    assert sum(grading_sets.block_sizes(store, made.id, made.created_at).values()) == 24
    total = assignments.done(store, now, ana, versions).total
    walked(store, now, ana, versions)
    places = assignments.queue(store, now, ana, versions, 1)
    firsts = [place.item_id for place in places if place.repeat == assignments.FIRST]
    assert len(firsts) == len(set(firsts)) == 24 and not closed(store, sheet) & set(firsts)
    assert assignments.done(store, now, ana, versions) == (total, total) == (len(places),) * 2


def test_the_pool_closes_the_same_answers_for_a_set_as_for_the_figures(store, rubric):
    """By text or by cluster in any sheet, but not by text where both have other clusters."""
    asked = [("t1", "c1"), ("t2", None), ("t3", "c3"), ("t4", "c1"), ("t5", "c5"), ("t6", None)]
    other = [("t2", "x"), ("t3", "y"), ("t9", "c5"), ("t6", None)]
    sheets_ = [
        additions.add(
            store,
            name,
            [
                made_item(n, own_id=f"{name}{n}", question_id=f"{name}{n}", question=t, cluster=c)
                for n, (t, c) in enumerate(rows)
            ],
            f"{name}.csv",
            name * 64,
            {},
        )
        for name, rows in (("a", asked), ("b", other))
    ]
    made = grading_sets.create(store, sheets_[0].id, rubric[0], "Set 1", None, seed=1)
    own, elsewhere = (
        splits.questions_named(store, one, names)
        for one, names in ((sheets_[0], ["a0"]), (sheets_[1], ["b0", "b1", "b2"]))
    )
    for one in own + elsewhere:  # as when another sheet comes in later
        store.insert("question_roles", question_id=one, role="examples", why="", created_at="")
    found = {*store.column(f"select item_id from grading_set_items where item_id in {CLOSED}")}
    assert found == closed(store, sheets_[0]) and len(found) == 4
    assert grading_sets.get(store, made.id).apart == 4


def test_an_annotator_who_signed_in_counts_what_leads_count(store, sheet, rubric, ana, versions):
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, 1, block_size=6)
    grading_sets.join(store, made, ana, "Lea")
    assignments.queue(store, made, ana, versions, 8)
    with open_store(store.path, Who("Ana", GRADER, ana)) as own:
        assert grading_sets.get(own, made.id).apart == 0
        in_the_pool(store, sheet, "000", "001")
        for ahead in (1, 100):
            mine = assignments.queue(own, made, ana, versions, ahead)
            assert mine == assignments.queue(store, made, ana, versions, 1)
            counts = assignments.done(own, made, ana, versions)
            assert counts == assignments.done(store, made, ana, versions)
        assert not closed(store, sheet) & {place.item_id for place in mine}
        assert {*own.column("select role from question_roles")} == {""}


def test_answers_graded_before_count_before_the_queue_is_opened(
    store, sheet, rubric, ana, versions, whole_set
):
    items = store_items.item_ids(store, sheet.id)
    record(store, [Press(item, v, ana, score=2) for item in items[:20] for v in versions])
    record(store, [Press(items[20], versions[0], ana, score=2)])
    assert assignments.done(store, whole_set, ana, versions) == (20, 40)
    for ahead in (1, 5, 100):
        assignments.queue(store, whole_set, ana, versions, ahead)
        assert assignments.done(store, whole_set, ana, versions) == (20, 40)


@pytest.mark.parametrize("ahead", [1, 1000], ids=["one block", "all blocks"])
def test_an_answer_that_was_in_the_pool_when_its_block_was_laid_out_comes_later(
    store, sheet, whole_set, rubric, ana, ahead
):
    versions = [*rubric[1].versions().values()]
    questions = splits.questions_named(store, sheet, ["000", "004"])
    split_assignment.assign(store, questions, "few-shot", "")
    assert len(assignments.queue(store, whole_set, ana, versions, ahead)) < 36
    split_assignment.assign(store, questions, "evaluation", "")
    before = assignments.done(store, whole_set, ana, versions)
    laid = assignments.queue(store, whole_set, ana, versions, 1000)
    assert {place.item_id for place in laid} == grading_sets.items(store, whole_set.id)
    firsts = {place.item_id: place.position for place in laid if place.repeat == 1}
    assert len(firsts) == 36
    assert all(firsts[one.item_id] < one.position for one in laid if one.repeat == 2)
    after = assignments.progress(store, whole_set, ana, versions, laid)
    assert before.total == after.total == len(laid)
    assert assignments.queue(store, whole_set, ana, versions, 1000) == laid
