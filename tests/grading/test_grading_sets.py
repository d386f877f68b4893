import pytest

from concord.grading import assignments, grading_sets
from concord.messages import Problem
from concord.rubrics.model import Rubric
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, sheets
from concord.store import items as store_items
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
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
        totals.add(assignments.progress(store, made, ana, laid).total)
        left = [place for place in laid if not place.done]
        if not left:
            break
        settle(store, ana, versions, left)
    assert totals == {asked.answers + asked.repeats} == {len(laid)}
    assert asked.answers == made.answers == 36


def test_a_set_announces_no_question_that_it_will_not_have(store, sheet, rubric):
    split_assignment.assign(
        store, splits.questions_named(store, sheet, ["000", "001"]), "few-shot", ""
    )
    for questions in (None, 5):
        asked = grading_sets.preview(store, sheet.id, questions, 3, 6, 0.1)
        made = grading_sets.create(store, sheet.id, rubric[0], f"{questions}", questions, 3, 6, 0.1)
        assert (asked.questions, asked.answers) == (made.questions, made.answers)
    assert grading_sets.preview(store, sheet.id, None, 3, 6, 0.1).questions == 10


def test_a_set_says_how_it_was_drawn(store, sheet, rubric):
    drawn = grading_sets.create(store, sheet.id, rubric[0], "Set 1", 5, seed=3)
    assert (drawn.kind, drawn.questions, drawn.answers, drawn.seed) == ("draw", 5, 15, 3)
    assert grading_sets.strata(store, drawn.id) == {"atlas + birch + cobalt": (5, 12)}
    assert grading_sets.of_sheet(store, sheet.id) == [drawn]
    chances = store.rows("select distinct inclusion_probability as p from grading_set_items")
    assert [row["p"] for row in chances] == [5 / 12]


def test_a_taken_name_and_an_empty_draw_are_refused(store, sheet, rubric, whole_set):
    with pytest.raises(Problem, match="has a grading set “Set 1” already"):
        grading_sets.create(store, sheet.id, rubric[0], "Set 1", 5, seed=3)
    with pytest.raises(Problem, match="at least one question"):
        grading_sets.create(store, sheet.id, rubric[0], "Set 2", 0, seed=3)
    with pytest.raises(Problem, match="no longer exists"):
        grading_sets.get(store, 99)


def test_examples_are_never_drawn(store, sheet, rubric):
    shown = store.rows("select id from questions where sheet_id = ? limit 4", (sheet.id,))
    split_assignment.assign(store, [row["id"] for row in shown], "few-shot", "few-shot")
    drawn = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    assert drawn.questions == 8


def test_a_grader_sees_every_answer_once_and_a_tenth_again(store, whole_set, ana, versions):
    places = walked(store, whole_set, ana, versions)
    firsts = [p.item_id for p in places if p.repeat == assignments.FIRST]
    again = [p.item_id for p in places if p.repeat == assignments.REPEAT]
    assert (len(firsts), len(set(firsts)), len(again)) == (36, 36, 4)
    assert set(again) <= set(firsts)
    for item_id in again:
        seen = [n for n, place in enumerate(places) if place.item_id == item_id]
        assert seen[1] - seen[0] >= 2


def test_two_annotators_who_stop_after_a_block_graded_the_same_answers(
    store, whole_set, ana, versions
):
    ben = graders.ensure(store, "person", "Ben")
    first = {}
    for grader_id in (ana, ben):
        queue = assignments.queue(store, whole_set, grader_id, versions, 30)
        first[grader_id] = [place.item_id for place in queue if place.block == 0]
    assert sorted(first[ana]) == sorted(first[ben])
    assert first[ana] != first[ben]


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


def test_a_postponed_answer_comes_last_of_what_is_laid_out(store, whole_set, ana, versions):
    queue = assignments.queue(store, whole_set, ana, versions, 5)
    assignments.postpone(store, whole_set.id, ana, queue[0].id)
    after = assignments.queue(store, whole_set, ana, versions, 5)
    assert [p.id for p in after] == [*(p.id for p in queue[1:]), queue[0].id]


def test_progress_counts_the_repeats_to_come(store, whole_set, ana, versions):
    assert assignments.done(store, whole_set, ana, versions) == (0, 40)
    places = walked(store, whole_set, ana, versions)
    assert (
        assignments.done(store, whole_set, ana, versions) == (len(places), len(places)) == (40, 40)
    )


def test_nobody_s_queue_is_laid_out_by_watching(store, whole_set, ana, versions):
    assignments.done(store, whole_set, ana, versions)
    assert store.value("select count(*) from assignments") == 0
    assert assignments.annotators(store, whole_set.id) == []


def test_annotators_who_began_are_listed_by_name(store, whole_set, ana, versions):
    ben = graders.ensure(store, "person", "Ben")
    for grader_id in (ben, ana):
        assignments.queue(store, whole_set, grader_id, versions, 1)
    settle(store, ben, versions, assignments.queue(store, whole_set, ben, versions, 1)[:1])
    listed = assignments.annotators(store, whole_set.id)
    assert [row["name"] for row in listed] == ["Ana", "Ben"]
    assert [row["graded_at"] is None for row in listed] == [True, False]


def test_the_pace_is_the_median_time_per_answer(store, sheet, ana, versions):
    items = store_items.item_ids(store, sheet.id)
    for item_id, seconds in zip(items[:4], (3, 10, 20, 90), strict=True):
        record(store, [Press(item_id, v, ana, score=1, seconds=seconds / 2) for v in versions[:2]])
    assert assignments.pace(store, ana) is None
    record(store, [Press(items[4], versions[0], ana, score=1, seconds=12)])
    assert assignments.pace(store, ana) == 12


def test_deleting_a_sheet_takes_its_sets_and_queues(store, sheet, whole_set, ana, versions):
    assignments.queue(store, whole_set, ana, versions, 5)
    sheets.delete(store, sheet)
    assert store.value("select count(*) from assignments") == 0
    with pytest.raises(Problem, match="no longer exists"):
        grading_sets.get(store, whole_set.id)


def test_a_sheet_of_one_answer_can_be_graded(store, rubric, ana, versions):
    sheet = additions.add(store, "one", [made_item(1)], "one.csv", "1" * 64, {})
    one = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    assert len(walked(store, one, ana, versions)) == 1


def test_the_answers_of_each_block_are_counted_once_and_for_each_set_by_itself(
    store, sheet, rubric
):
    first = grading_sets.create(store, sheet.id, rubric[0], "First", 3, 1, block_size=6)
    second = grading_sets.create(store, sheet.id, rubric[0], "Second", 2, 1, block_size=6)
    for _ in range(2):
        assert grading_sets.block_sizes(store, first.id, first.created_at) == {0: 6, 1: 3}
        assert grading_sets.block_sizes(store, second.id, second.created_at) == {0: 6}
    assert (grading_sets.get(store, first.id).answers, second.answers) == (9, 6)


def test_a_grading_set_needs_meanings_of_the_scores(store, sheet):
    criteria = [{"name": "quality", "weight": 1, "question": "Quality"}]
    bare = Rubric(name="ours", title="Ours", scale=(1, 2), criteria=criteria)
    rubric_id = rubric_versions.register(store, bare, "file")
    with pytest.raises(Problem, match=r"does not describe its scores.*Fill in the meanings"):
        grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, seed=1)
    assert not grading_sets.of_sheet(store, sheet.id)
