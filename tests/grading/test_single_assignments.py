"""Answers of a campaign assigned one by one: who may, where they come, and what they count in."""

import pytest

from concord.grading import assignments, campaigns, grading_sets, inclusion_probabilities
from concord.messages import Problem
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import GRADER, LEAD, VIEWER, Who
from tests.support.grading_room import press


def versions(rubric):
    return list(rubric[1].versions().values())


def queue(store, made, person, rubric):
    return assignments.queue(store, made, person, versions(rubric), 1000)


def shared_out(store, sheet, rubric):
    """Ana and Bo each have blocks of their own; Cleo has none."""
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    people = [graders.ensure(store, "person", name) for name in ("Ana", "Bo", "Cleo")]
    campaigns.begin(store, made, people[:2], 1, 0.0, None, "Lea")
    return made, *people


def of_block(store, made, block):
    return next(one for one in assignments.answers_of_set(store, made) if one.block == block)


def test_an_answer_goes_to_the_end_of_one_queue_and_back(store, sheet, rubric):
    made, ana, bo, cleo = shared_out(store, sheet, rubric)
    [block, *_] = campaigns.blocks_of(store, made, bo)
    chosen = of_block(store, made, block)
    assert (chosen.assigned, chosen.graded, chosen.single) == (("Bo",), (), {})
    before = assignments.done(store, made, ana, versions(rubric)).total
    assignments.assign_singly(store, made, chosen.id, ana, "Lea")
    assert assignments.done(store, made, ana, versions(rubric)).total == before + 1
    laid = queue(store, made, ana, rubric)
    assert len(laid) == before + 1 and sum(place.item_id == chosen.id for place in laid) == 1
    assignments.assign_singly(store, made, chosen.id, cleo, "Lea")
    assert [place.item_id for place in queue(store, made, cleo, rubric)] == [chosen.id]
    found = of_block(store, made, block)
    assert found.assigned == ("Ana", "Bo", "Cleo") and found.single == {ana: "Ana", cleo: "Cleo"}
    with pytest.raises(Problem):
        assignments.assign_singly(store, made, chosen.id, bo, "Lea")
    with pytest.raises(Problem):
        assignments.assign_singly(store, made, chosen.id, cleo, "Lea")
    assignments.take_back_single(store, made, chosen.id, ana, "Lea")
    assert len(queue(store, made, ana, rubric)) == before
    press(store, made, cleo, rubric, queue(store, made, cleo, rubric)[0], 2, 1)
    with pytest.raises(Problem):
        assignments.take_back_single(store, made, chosen.id, cleo, "Lea")
    assert of_block(store, made, block).graded == ("Cleo",)
    with pytest.raises(Problem):
        assignments.take_back_single(store, made, chosen.id, ana, "Lea")
    noted = [tuple(row) for row in store.rows("select who, what, table_name from changes")]
    assert noted == [("Lea", what, "assignments") for what in ("insert", "insert", "delete")]


def test_answers_that_a_lead_picked_are_no_random_part_of_the_set(store, sheet, rubric):
    made, _ana, bo, cleo = shared_out(store, sheet, rubric)
    [block, *_] = campaigns.blocks_of(store, made, bo)
    chosen = of_block(store, made, block)
    assignments.assign_singly(store, made, chosen.id, cleo, "Lea")
    press(store, made, cleo, rubric, queue(store, made, cleo, rubric)[0], 2)
    drawn = inclusion_probabilities.drawn_grades(store, sheet.id, versions(rubric))
    assert (cleo, chosen.id) not in drawn.pairs
    assert [(one.person, one.answers) for one in drawn.excluded] == [("Cleo", 1)]


def test_only_leads_assign_and_only_in_a_campaign(store, sheet, rubric):
    made, ana, bo, cleo = shared_out(store, sheet, rubric)
    [block, *_] = campaigns.blocks_of(store, made, bo)
    item = of_block(store, made, block).id
    for who in (Who("Ana", GRADER, ana), Who("Vi", VIEWER)):
        with open_store(store.path, who) as own:
            with pytest.raises(Problem):
                assignments.assign_singly(own, made, item, cleo, "Ana")
            with pytest.raises(Problem):
                assignments.take_back_single(own, made, item, cleo, "Lea")
    with open_store(store.path, Who("Lea", LEAD)) as own:
        assignments.assign_singly(own, made, item, cleo, "Lea")
    with open_store(store.path, Who("Cleo", GRADER, cleo)) as own:
        assert [place.item_id for place in queue(own, made, cleo, rubric)] == [item]
    alone = grading_sets.create(store, sheet.id, rubric[0], "Whole", None, 1)
    with pytest.raises(Problem):
        assignments.assign_singly(store, alone, item, cleo, "Lea")
