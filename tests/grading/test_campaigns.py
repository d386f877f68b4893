"""Campaigns: each annotator's queue holds the own blocks, and moving or leaving loses no grade."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from concord.grading import (
    annotators,
    assignments,
    campaigns,
    grading_sets,
    workspace,
)
from concord.grading.campaigns import Seat, assigned_annotators, seats_of_blocks
from concord.messages import Problem
from concord.store import answer_record, graders
from concord.store.database import Refused, open_store
from concord.store.grades import Press, grade_blind, record
from concord.store.permissions import GRADER, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.grading_room import prepared, press
from tests.support.visitor import NAMES


def follow(store, made, person, versions):
    """The blocks of an annotator's whole queue, in order."""
    places = assignments.queue(store, made[0], person, versions, 1000)
    return list(dict.fromkeys(place.block for place in places))


def grade_one(store, made, person, rubric, number=0):
    """Grade one answer of an annotator's queue by every criterion."""
    place = assignments.queue(store, made[0], person, list(rubric.versions().values()), 1)[number]
    keys = [
        workspace.Key(f"{person}-{place.id}-{n}", place.id, version, "scored", 2)
        for n, version in enumerate(rubric.versions().values())
    ]
    assert workspace.save(store, made[0], person, rubric, keys).refused == {}
    return place


def test_a_campaign_gives_each_block_its_annotators_and_each_person_the_own_blocks(
    store, team, versions
):
    taken = campaigns.begin(store, team[0], team[1], 2, 1.0, "2026-12-24", "Lea")
    assert [seat for seat in taken] == [Seat(b, s) for b in range(6) for s in range(2)]
    for person in team[1]:
        own = sorted(seat.block for seat, one in taken.items() if one == person)
        assert follow(store, team, person, versions) == own and len(own) == 4
        laid = assignments.queue(store, team[0], person, versions, 1000)
        assert assignments.progress(store, team[0], person, versions, laid).total == 24
    held = campaigns.find(store, team[0].id)
    assert held[:2] == (2, "2026-12-24")
    names = [row["name"] for row in grading_sets.of_set(store, team[0].id)]
    assert names == [*NAMES]


def test_hidden_repeats_come_back_in_a_persons_own_blocks(store, sheet, rubric, versions, team):
    one = grading_sets.create(store, sheet.id, rubric[0], "Repeats", None, 1, 6, 0.34)
    campaigns.begin(store, one, team[1], 1, 0.0, None, "Lea")
    person = team[1][0]
    places = assignments.queue(store, one, person, versions, 1000)
    first = {place.item_id for place in places if place.repeat == 1}
    again = {place.item_id for place in places if place.repeat == 2}
    assert (len(first), len(again)) == (12, 4) and again < first
    assert assignments.progress(store, one, person, versions, places).total == 16


def test_a_moved_block_leaves_one_queue_and_enters_another_and_its_grades_stay(
    store, team, rubric, versions
):
    campaigns.begin(store, team[0], team[1], 1, 0.0, None, "Lea")
    ann, bo = team[1][:2]
    place = grade_one(store, team, ann, rubric[1])
    campaigns.move(store, team[0], place.block, ann, bo, "Lea", "Ann is ill")
    laid = assignments.queue(store, team[0], ann, versions, 1000)
    assert [one.item_id for one in laid if one.block == place.block] == [place.item_id]
    assert place.block in follow(store, team, bo, versions)
    assert store.value("select count(*) from grades where grader_id = ?", (ann,)) == 3
    rows = store.rows("select why, given_by from block_moves order by id desc limit 1")
    assert tuple(rows[0]) == ("Ann is ill", "Lea")


def test_who_leaves_keeps_the_grades_and_the_others_get_what_was_not_begun(
    store, team, rubric, versions
):
    before = campaigns.begin(store, team[0], team[1], 1, 0.0, None, "Lea")
    ann, *others = team[1]
    begun = grade_one(store, team, ann, rubric[1]).block
    own = {seat.block for seat, person in before.items() if person == ann}
    given, _, unfinished = campaigns.leave(store, team[0], ann, "Lea", "left")
    assert {seat.block for seat in given} == own - {begun} and unfinished == [begun]
    assert set(given.values()) <= set(others)
    assert grading_sets.sets_of(store, ann) == []
    assert store.value("select count(*) from grades where grader_id = ?", (ann,)) == 3
    every = {b for person in others for b in follow(store, team, person, versions)}
    assert every == {*range(6)} - {begun}


def test_what_cannot_be_shared_out_is_refused(store, team, rubric, versions):
    with pytest.raises(Problem, match="4 annotators"):
        campaigns.begin(store, team[0], team[1], 4)
    campaigns.begin(store, team[0], team[1], 1, 0.0)
    with pytest.raises(Problem, match="Team"):
        campaigns.begin(store, team[0], team[1])
    ann, bo, _ = team[1]
    theirs = campaigns.blocks_of(store, team[0], bo)[0]
    with pytest.raises(Problem, match="Block"):
        campaigns.move(store, team[0], theirs, ann, bo, "Lea", "")
    rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
    other = grading_sets.create(store, team[0].sheet_id, rubric_id, "Begun", None, 1)
    assignments.queue(store, other, ann, versions, 1)
    with pytest.raises(Problem, match="Begun"):
        campaigns.begin(store, other, team[1])


def test_a_place_that_nobody_has_any_more_can_be_given_to_somebody(store, team, versions):
    ann, bo, _ = team[1]
    campaigns.begin(store, team[0], [ann], 1, 0.0)
    campaigns.leave(store, team[0], ann, "Lea")
    assert campaigns.unassigned(store, team[0].id) == [*range(6)]
    campaigns.move(store, team[0], 4, None, bo, "Lea", "")
    assert follow(store, team, bo, versions) == [4]
    assert campaigns.unassigned(store, team[0].id) == [0, 1, 2, 3, 5]
    with pytest.raises(Problem, match="Block 5"):
        campaigns.move(store, team[0], 4, None, ann, "Lea", "")


def test_a_hidden_repeat_goes_with_the_answer_it_would_have_repeated(store, sheet, rubric, team):
    one = grading_sets.create(store, sheet.id, rubric[0], "Repeats", None, 1, 6, 0.34)
    ann, bo, _ = team[1]
    versions = list(rubric[1].versions().values())
    campaigns.begin(store, one, [ann, bo], 1, 0.0)
    first, second, _ = campaigns.blocks_of(store, one, ann)
    laid = assignments.queue(store, one, ann, versions, 1000)
    gone = {place.item_id for place in laid if place.block == first}
    assert any(place.repeat == 2 and place.block == second for place in laid)
    campaigns.move(store, one, first, ann, bo, "Lea", "")
    laid = assignments.queue(store, one, ann, versions, 1000)
    assert laid and not gone & {place.item_id for place in laid}


def test_who_was_removed_changes_no_grade_given_before(store, team, rubric, versions):
    made, ann = team[0], team[1][0]
    campaigns.begin(store, made, team[1], 1, 0.0)
    place = grade_one(store, team, ann, rubric[1])
    campaigns.leave(store, made, ann, "Lea")
    before = store.value("select count(*) from grades")
    key = workspace.Key("late", place.id, versions[0], "scored", 0)
    with pytest.raises(Problem, match="access"):
        workspace.save(store, made, ann, rubric[1], [key])
    with pytest.raises(Problem, match="access"):
        workspace.window(store, made, ann, rubric[1], place.id)
    assert store.value("select count(*) from grades") == before
    grading_sets.join(store, made, ann, "Lea")  # taken back into the set
    assert workspace.save(store, made, ann, rubric[1], [key]).on_disk == ["late"]


def test_an_answer_graded_in_part_leaves_the_queue_of_who_is_removed(store, rubric, team, versions):
    made, ann = team[0], team[1][0]
    campaigns.begin(store, made, team[1], 1, 0.0)
    whole = assignments.done(store, made, ann, versions)
    place = assignments.queue(store, made, ann, versions, 1)[0]
    key = workspace.Key("part", place.id, versions[0], "scored", 2)
    assert workspace.save(store, made, ann, rubric[1], [key]).refused == {}
    campaigns.leave(store, made, ann, "Lea")
    answers = store.column(
        "select item_id from grading_set_items where set_id = ? and block = ?",
        (made.id, place.block),
    )
    waiting = [answer_record.waiting(store, one) for one in answers if one != place.item_id]
    assert waiting and not any(one.annotators for one in waiting)
    assert assignments.queue(store, made, ann, versions, 1000) == []
    assert assignments.done(store, made, ann, versions) == (0, 0)
    assert store.value("select count(*) from grades where grader_id = ?", (ann,)) == 1
    grading_sets.join(store, made, ann, "Lea")  # the begun block is theirs again, and only that one
    assert len(assignments.queue(store, made, ann, versions, 1000)) < whole.total
    assert place.id in {one.id for one in assignments.queue(store, made, ann, versions, 1000)}


ANNOTATORS = [11, 12, 13]


def test_every_block_has_its_seats():
    assert seats_of_blocks([0, 1], 2, 1, 7) == [Seat(0, 0), Seat(0, 1), Seat(1, 0), Seat(1, 1)]
    assert seats_of_blocks([0, 1], 3, 0, 7) == [Seat(0, 0), Seat(1, 0)]


@over(st.integers(1, 12), st.integers(1, 3), st.floats(0, 1), st.integers(0, 99), st.integers(3, 6))
def test_nobody_sits_twice_at_a_block_and_all_have_about_as_much(
    blocks, k, shared, seed, annotators
):
    taken = assigned_annotators(
        seats_of_blocks(range(blocks), k, shared, seed), range(annotators), seed
    )
    at_block = [(seat.block, person) for seat, person in taken.items()]
    assert len(at_block) == len(set(at_block))
    work = [list(taken.values()).count(person) for person in range(annotators)]
    assert max(work) - min(work) <= 2


def test_every_two_annotators_share_about_as_many_blocks():
    taken = assigned_annotators(seats_of_blocks(range(12), 2, 1, 3), ANNOTATORS, 3)
    met = Counter(frozenset(taken[Seat(block, n)] for n in (0, 1)) for block in range(12))
    assert [*met.values()] == [4, 4, 4]


def test_what_annotators_have_already_counts_as_theirs():
    held = [(Seat(block, 0), 11) for block in range(3)]
    taken = assigned_annotators([Seat(block, 0) for block in range(3, 9)], ANNOTATORS, 1, held)
    assert sorted(list(taken.values()).count(person) for person in ANNOTATORS) == [0, 3, 3]
    assert assigned_annotators([Seat(0, 1)], [11, 12], 1, held) == {Seat(0, 1): 12}


def test_a_block_that_wants_more_annotators_than_there_are_is_refused():
    with pytest.raises(Problem, match="Block 1"):
        assigned_annotators(seats_of_blocks([0], 4, 1, 1), ANNOTATORS, 1)


def test_the_queue_of_a_paused_annotator_waits_and_goes_on_when_resumed(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 3)[0]
    press(store, made, ana, rubric, place, 2)
    before = assignments.done(store, made, ana, versions)
    annotators.pause(store, ana, "Lea", " random keys ")
    assert annotators.pause_of(store, ana)[1:] == ("Lea", "random keys")
    with pytest.raises(Problem, match="paused"):
        workspace.window(store, made, ana, rubric[1], None)
    key = workspace.Key("late", place.id, versions[0], "scored", 0)
    with pytest.raises(Problem, match="paused"):
        workspace.save(store, made, ana, rubric[1], [key])
    assert assignments.done(store, made, ana, versions) == before
    bo = graders.ensure(store, "person", "Bo")
    assert workspace.window(store, made, bo, rubric[1], None).places
    annotators.resume(store, ana, "Lea")
    assert workspace.window(store, made, ana, rubric[1], None).places
    rows = store.rows("select paused, why, given_by from pauses order by id")
    assert [tuple(row) for row in rows] == [(1, "random keys", "Lea"), (0, "", "Lea")]


def test_an_annotator_sees_the_own_pause_alone_and_cannot_end_it(store, ana):
    bo = graders.ensure(store, "person", "Bo")
    annotators.pause(store, bo, "Lea")
    with open_store(store.path, Who("Ana", GRADER, ana)) as own:
        assert annotators.pause_of(own, bo) is None
    with open_store(store.path, Who("Bo", GRADER, bo)) as own:
        assert annotators.pause_of(own, bo).by == "Lea"
        with pytest.raises(Refused):
            annotators.resume(own, bo, "Bo")
    assert annotators.pause_of(store, bo)


def test_no_grade_of_a_closed_set_changes_by_any_way_until_a_lead_opens_it(
    store, sheet, team, rubric, versions
):
    made, (ann, bo, _) = team[0], team[1]
    campaigns.begin(store, made, team[1], 1, 0.0, None, "Lea")
    place = grade_one(store, team, ann, rubric[1])
    waiting = assignments.queue(store, made, ann, versions, 1)[1]
    for who in (Who("Ann", GRADER, ann), Who("Vi", VIEWER)):
        with open_store(store.path, who) as own, pytest.raises(Problem):
            grading_sets.close(own, made, True, "Vi")
    grading_sets.close(store, made, True, "Lea")
    grading_sets.close(store, made, True, "Lea")  # nothing more
    before = [tuple(row) for row in store.rows("select * from grades order by id")]
    keys = [workspace.Key("late", waiting.id, versions[0], "scored", 0)]
    for own in (store, open_store(store.path, Who("Ann", GRADER, ann))):
        with pytest.raises(Problem, match="closed"):  # the pane keeps what it could not send
            workspace.save(own, made, ann, rubric[1], keys)
        with pytest.raises(Problem, match="closed"):
            workspace.window(own, made, ann, rubric[1], None)
        others = [(bo, place.item_id)] if own is store else []
        for grader, item in [(ann, waiting.item_id), (ann, place.item_id), *others]:
            for status in ("scored", "withdrawn"):
                one = Press(item, versions[0], grader, status, 1 if status == "scored" else None)
                with pytest.raises(Refused):
                    grade_blind(own, [one])
    again = grading_sets.create(store, sheet.id, rubric[0], "Again", None, 2, 6, 0.0)
    laid = {one.item_id: one for one in assignments.queue(store, again, ann, versions, 1000)}
    anew = workspace.Key("anew", laid[waiting.item_id].id, versions[0], "scored", 3)
    old = workspace.Key("old", laid[place.item_id].id, versions[0], "scored", 0)
    saved = workspace.save(store, again, ann, rubric[1], [old, anew, anew._replace(press_id="b")])
    assert (saved.on_disk, [*saved.refused]) == (["anew", "b"], ["old"])  # an open set asks for it
    judge = graders.ensure(store, "judge", "gpt")
    record(store, [Press(place.item_id, versions[0], judge, score=1)])
    rows = [tuple(row) for row in store.rows("select * from grades order by id")]
    assert rows[: len(before)] == before and len(rows) == len(before) + 3
    grading_sets.close(store, made, False, "Lea")
    assert grading_sets.closing(store, made.id) is None
    assert workspace.save(store, made, ann, rubric[1], keys).on_disk == ["late"]
    noted = store.rows("select closed, given_by from set_closings order by id")
    assert [tuple(row) for row in noted] == [(1, "Lea"), (0, "Lea")]


def test_blocks_are_laid_for_the_people_there_are(store, sheet, rubric):
    assert campaigns.blocks_for(36, 12, 5) == 5
    assert campaigns.blocks_for(420, 140, 5) == 15
    assert campaigns.blocks_for(36, 3, 5) == 3  # a question is not shared out
    assert campaigns.blocks_for(4, 4, 1) == 1
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1)
    people = [graders.ensure(store, "person", name) for name in "ABCDE"]
    taken = campaigns.begin(store, made, people, 2, 1.0, None, "Lea", 5)
    sizes = grading_sets.block_sizes(store, grading_sets.get(store, made.id))
    assert [*sizes.values()] == [6, 9, 6, 9, 6]
    assert sorted(Counter(taken.values()).values()) == [2] * 5
    questions = store.rows(
        "select i.question_id, count(distinct m.block) as n from grading_set_items m"
        " join items i on i.id = m.item_id group by 1"
    )
    assert {row["n"] for row in questions} == {1}


@pytest.mark.parametrize(
    ("done", "since", "day", "ahead"),
    [
        (15, "2026-12-01", "2026-12-10", 0),  # half of ten days have passed
        (6, "2026-12-01", "2026-12-10", -9),
        (30, "2026-12-01", "2026-12-10", 15),
        (29, "2026-11-01", "2026-12-05", -1),  # overdue: all is wanted
        (0, "2026-12-06", "2026-12-06", 0),  # the due day has begun
        (5, "2026-12-01", None, None),
    ],
)
def test_who_is_behind_an_even_pace_to_the_due_date(done, since, day, ahead, monkeypatch):
    monkeypatch.setattr(campaigns, "today", lambda: date(2026, 12, 6))
    assert campaigns.ahead(done, 30, f"{since}T10:00:00.000Z", day) == ahead


def test_unfinished_blocks_go_to_somebody_by_name(store, team, rubric, versions):
    campaigns.begin(store, team[0], team[1], 2, 1.0, None, "Lea")
    ann, _, cleo = team[1]
    own, theirs = (campaigns.blocks_of(store, team[0], one) for one in (ann, cleo))
    assert campaigns.movable(store, team[0], ann, "Cleo") == sorted({*own} - {*theirs})
    assert campaigns.movable(store, team[0], ann, "Dan") == own
    with pytest.raises(Problem):
        campaigns.movable(store, team[0], None, "Dan")
    campaigns.move_to(store, team[0], own, ann, "Dan", "Lea", "")
    assert campaigns.blocks_of(store, team[0], ann) == []
