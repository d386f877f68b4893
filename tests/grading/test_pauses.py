"""A lead pauses an annotator: the queue waits, grades stay, and the pause is written down."""

import pytest

from concord.grading import annotators, assignments, workspace
from concord.messages import Problem
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import GRADER, Who
from tests.support.grading_room import prepared, press


def test_the_queue_of_a_paused_annotator_waits_and_goes_on_when_resumed(store, sheet, rubric, ana):
    made = prepared(store, sheet, rubric, "Team")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 3)[0]
    press(store, made, ana, rubric, place, 2)
    before = assignments.done(store, made, ana, versions)
    annotators.pause(store, ana, "Lea", " random keys ")
    assert annotators.pause_of(store, ana)[1:] == ("Lea", "random keys")
    with pytest.raises(Problem):
        workspace.window(store, made, ana, rubric[1], None)
    key = workspace.Key("late", place.id, versions[0], "scored", 0)
    with pytest.raises(Problem):
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
        with pytest.raises(Problem):
            annotators.resume(own, bo, "Bo")
    assert annotators.pause_of(store, bo)
