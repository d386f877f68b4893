"""Fixtures of the tests of offline."""

import pytest

from concord.grading import assignments, grading_sets, workspace
from concord.grading import package_files as make
from concord.store import additions, graders
from tests.support.made_items import made_item
from tests.support.packs import TEXT


@pytest.fixture
def set_for_ana(team_set, ana):
    """A set of six blocks of six answers, and Ana, who will grade it."""
    return team_set, ana


@pytest.fixture
def half_graded(store, packed, rubric):
    """Ana's queue with correctness of its first answer graded 1, and packed then."""
    ana, team = graders.find(store, "person", "Ana").id, packed.notes[0]
    versions = rubric[1].versions()
    first = assignments.queue(store, team, ana, [*versions.values()], 9)[0]

    def grade(score, press):
        key = workspace.Key(press, first.id, versions["correctness"], "scored", score)
        assert workspace.save(store, team, ana, rubric[1], [key]).refused == {}

    grade(1, "first")
    packed = make.make(store, team, ["Ana"], None, None, "Lea")
    return packed, first.item_id, grade


@pytest.fixture
def packed(store, rubric):
    """A set of five answers, one of them hard on files, packed for Ana with one hidden repeat."""
    items = [made_item(n) for n in range(4)] + [made_item(4, answer=TEXT)]
    sheet = additions.add(store, "five", items, "f.csv", "5" * 64, {})
    grading_set = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 9, 0.0)
    made = make.make(store, grading_set, ["Ana"], None, 0.2, "Lea")
    return made._replace(notes=[grading_set, *made.notes])
