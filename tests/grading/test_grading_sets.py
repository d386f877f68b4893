import numpy as np
import pytest

from concord.grading import (
    active_sampling,
    assignments,
    grading_sets,
    inclusion_probabilities,
    regrades,
    workspace,
)
from concord.grading.active_sampling import SampleRequest
from concord.grading.workspace import Key
from concord.messages import Problem
from concord.model import HELD_OUT
from concord.reports.workflow import regrade
from concord.sampling import split_assignment, splits
from concord.sampling.sample import enriched, enrichment
from concord.store import additions, graders, items
from concord.store import items as store_items
from concord.store.database import Refused, open_store
from concord.store.grades import Press, record
from concord.store.permissions import CLOSED, GRADER, Who
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import press
from tests.support.made_items import asked, made_item
from tests.support.panels import give, judge, panel
from tests.support.rubrics import reworded


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
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, 1, block, share)
    asked = assignments.of_newcomer(store, made)
    totals = {assignments.done(store, made, ana, versions).total}
    while True:
        laid = assignments.queue(store, made, ana, versions, 1)
        totals.add(assignments.progress(store, made, ana, versions, laid).total)
        left = [place for place in laid if not place.done]
        if not left:
            break
        settle(store, ana, versions, left)
    assert totals == {asked} == {len(laid)} and made.answers == 36


def test_a_taken_name_and_an_empty_draw_are_refused(store, sheet, rubric, whole_set):
    with pytest.raises(Problem, match="Set 1"):
        grading_sets.create(store, sheet.id, rubric[0], "Set 1", 5, seed=3)
    with pytest.raises(Problem, match="question"):
        grading_sets.create(store, sheet.id, rubric[0], "Set 2", 0, seed=3)
    with pytest.raises(Problem, match="no longer"):
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
    assert sum(grading_sets.block_sizes(store, made).values()) == 24
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


def asked_again(store, made, rubric, by="Lea"):
    """Reword correctness for a set; return what is asked, and the set and rubric as they are then.

    No second rubric and no second set are made.
    """
    before = rubric_versions.names(store), len(grading_sets.of_sheet(store, made.sheet_id))
    meanings = {one.score: f"means {one.score}" for one in rubric[1].criteria[0].levels}
    words = regrades.reworded(rubric[1], "correctness", "Is it true?", meanings)
    asked = regrades.ask_again(store, made, by, words)
    assert before == (rubric_versions.names(store), len(grading_sets.of_sheet(store, 1)))
    made = grading_sets.get(store, made.id)
    new = rubric_versions.get(store, made.rubric_id)
    assert new.name == rubric[1].name and new.criteria[0].question == "Is it true?"
    return asked, made, (made.rubric_id, new)


def test_a_reworded_criterion_is_asked_again_in_the_same_set(store, team_set, rubric, ana):
    ben = graders.ensure(store, "person", "Ben")
    old = [*rubric[1].versions().values()]
    first, second, third = assignments.queue(store, team_set, ana, old, 3)[:3]
    for place in (first, second):
        press(store, team_set, ana, rubric, place, 1)
    press(store, team_set, ben, rubric, assignments.queue(store, team_set, ben, old, 1)[0], 2)
    grades_before = [tuple(row) for row in store.rows("select * from grades order by id")]
    asked, made, new = asked_again(store, team_set, rubric)
    versions = [*new[1].versions().values()]
    assert asked == 3 and versions[1:] == old[1:] and versions[0] != old[0]
    assert assignments.done(store, made, ana, versions) == (0, 36)
    seen = workspace.window(store, made, ana, new[1], None).places
    assert [{*seen[n].given} for n in range(3)] == [{*old[1:]}, {*old[1:]}, set()]
    [late] = [Key("late", third.id, old[0], "scored", 3)]  # of a pane that has the old words
    saved = workspace.save(store, made, ana, new[1], [late, late._replace(slot="x", press_id="x")])
    assert (saved.on_disk, [*saved.refused]) == (["late"], ["x"])
    press(store, made, ana, new, first, 2)
    assert assignments.done(store, made, ana, versions) == (1, 36)
    kept = [tuple(row) for row in store.rows("select * from grades order by id")]
    assert kept[: len(grades_before)] == grades_before
    [row, other] = regrade.rows(store, new[1], "correctness")
    assert [row[key] for key in ("grader", "asked", "n", "up", "down")] == ["Ana", 2, 1, 1, 0]
    assert other["change"].value is None and other["change"].why_none
    with pytest.raises(Problem, match="newest words"):
        regrades.ask_again(store, made, "Lea")
    counting = inclusion_probabilities.counting_sets(store, made.sheet_id, versions)
    assert [row["name"] for row in counting] == ["Team"]


def test_simulated_annotators_and_questions_judges_saw_are_not_asked(store, team_set, rubric, ana):
    robot = graders.ensure(store, "person", "robot")
    store.execute("update graders set simulated = 1 where id = ?", (robot,))
    versions = [*rubric[1].versions().values()]
    for person in (robot, ana):
        place = assignments.queue(store, team_set, person, versions, 1)[0]
        press(store, team_set, person, rubric, place, 1)
    words = reworded(rubric[1], rubric[1].name)
    rubric_versions.register(store, words, "app")
    counts = {"sheet": "numbers", "set": "Team", "grades": 1, "answers": 1, "annotators": 1}
    assert [row for _, row in regrade.to_ask(store, words, "correctness")] == [counts]
    question = store.value("select question_id from items where id = ?", (place.item_id,))
    split_assignment.assign(store, [question], "few-shot", "shown")
    assert regrade.to_ask(store, words, "correctness") == []
    split_assignment.assign(store, [question], "evaluation", "")
    asked = regrade.ask(store, words, "correctness", "Lea")
    assert asked == [{"set": "Team", "grades": 1}]
    assert regrade.ask(store, words, "correctness", "Lea") == []


def test_change_has_its_interval_by_question(store, team_set, rubric, ana):
    versions = [*rubric[1].versions().values()]
    assignments.queue(store, team_set, ana, versions, 1000)
    every = {place: 1 for place in range(36)}
    give(store, rubric[1], "Ana", every)
    asked, _, new = asked_again(store, team_set, rubric)
    give(store, new[1], "Ana", {place: 2 if place % 6 < 3 else 1 for place in every})
    [row] = regrade.rows(store, new[1], "correctness")
    assert [row[key] for key in ("asked", "n", "up", "down")] == [asked, 36, 18, 0]
    assert row["change"].value == row["exact"].value == 0.5
    # Half of 12 questions moved whole: the jackknife's error is sqrt(.25 / 11), and t(11) 2.201.
    assert row["change"].low == pytest.approx(0.5 - 2.201 * (0.25 / 11) ** 0.5, abs=1e-3)


def test_a_signed_in_grader_sees_no_others_requests(store, team_set, rubric, ana):
    ben = graders.ensure(store, "person", "Ben")
    for person in (ana, ben):
        grading_sets.join(store, team_set, person, "Lea")
        versions = [*rubric[1].versions().values()]
        for place in assignments.queue(store, team_set, person, versions, 2)[: 1 + (person == ben)]:
            press(store, team_set, person, rubric, place, 1)
    asked, made, new = asked_again(store, team_set, rubric)
    with open_store(store.path, Who("Ben", "grader", ben)) as own:
        window = workspace.window(own, grading_sets.get(own, made.id), ben, new[1], None)
        assert asked == 3 and window.total == 36
        assert own.value("select count(*) from regrade_requests") == 2
        with pytest.raises(Refused):
            own.rows("select asked_by from main.regrade_requests")
        with pytest.raises(Problem):
            regrades.ask_again(own, made, "Ben")


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
    with pytest.raises(Problem, match="Every question"):
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
        with pytest.raises(Problem, match="56 of the 60"):
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
    with pytest.raises(Problem, match="started"):
        grading_sets.remove(store, begun.id)
