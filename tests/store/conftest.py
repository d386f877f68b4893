"""Fixtures of the tests of store."""

from contextlib import closing

import pytest

from concord.grading import grading_sets
from concord.rubrics.model import presets
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, grades, items, sheets
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.permissions import ADJUDICATOR, GRADER, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.team import members
from tests.support.made_items import made_item
from tests.support.permission_statements import BLIND, Two
from tests.support.rubrics import with_another_meaning
from tests.support.searched_answers import ROWS, item
from tests.support.visitor import put_in


@pytest.fixture
def judge_id(store):
    return graders.ensure(store, "judge", "mine", "f")


@pytest.fixture
def criterion_names(rubric):
    own = rubric[1].versions()
    return {own["correctness"]: "correctness", own["readability"]: "readability"}


@pytest.fixture
def graded_sheet_of_two(store, sheet, rubric, criterion_names):
    """Scores of every kind, changed and taken back, by two graders."""
    ids = items.item_ids(store, sheet.id)
    own = list(rubric[1].versions().values())
    for name in ("Ana", "Ben"):
        who = graders.ensure(store, "person", name)
        scores = [0, 3, 10, 11, 75, -2, 0.5, 1 / 3, 1e-9, 1234567.25]
        record(store, [Press(ids[n], own[0], who, score=s) for n, s in enumerate(scores)])
        record(store, [Press(ids[n], own[1], who, score=n) for n in range(3)])
        record(store, [Press(ids[0], own[2], who, score=2, blind=b) for b in (None, True, False)])
        record(store, [Press(ids[1], own[2], who, "cannot_grade")])
        record(store, [Press(ids[3], own[2], who, score=0.5, blind=False)])
        record(store, [Press(ids[4], own[2], who, "cannot_grade", blind=False)])
        record(store, [Press(ids[2], own[2], who, "withdrawn")])
        record(store, [Press(ids[0], own[2], who, score=1, repeat=r) for r in (2, 12)])
    return sheet


@pytest.fixture
def item_id(store, sheet):
    return items.item_ids(store, sheet.id)[0]


@pytest.fixture
def judge_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nkind = "rubric"\nmodel = "m"\nrubric = "doc-qa-0-3"\n')
    return str(path)


@pytest.fixture(params=[VIEWER, GRADER])
def not_a_lead(request, store):
    """The store of somebody who leads nothing."""
    member = members.add(store, "Lea", "lead", "test")
    with open_store(store.path, Who("Vi", request.param, member.grader_id)) as opened:
        yield opened


@pytest.fixture
def small(store):
    """The id of a sheet with the answers of ROWS, beside a sheet that is never found."""
    made = [item(row, number) for number, row in enumerate(ROWS, 1)]
    sheet = additions.add(store, "small", made, "small.csv", "0" * 64, {})
    additions.add(store, "other", made, "other.csv", "1" * 64, {})
    return sheet.id


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A store with the answers of ROWS, the sheet's id, and the searched texts by own id."""
    with open_store(tmp_path_factory.mktemp("search") / "concord.db") as store:
        made = [item(row, number) for number, row in enumerate(ROWS, 1)]
        sheet = additions.add(store, "small", made, "small.csv", "0" * 64, {})
        yield store, sheet.id, {row[0]: row[:3] for row in ROWS}


@pytest.fixture
def registered(store):
    """The rubric in the store, as importing grades does it."""
    rubric_versions.register(store, presets()["doc-qa-0-3"], "file")


@pytest.fixture
def two_graders(tmp_path):
    """Two graders of a set each, in one database, each answer graded by the other before."""
    with open_store(tmp_path / "team.db") as store:
        rubric_id, rubric = rubric_versions.named(store, "doc-qa-0-3")
        made = {"store": store, "path": store.path, "rubric": rubric}
        for name in ("Ann", "Bo"):
            items = [made_item(n, m) for n in range(3) for m in ("atlas", "birch")]
            sheet = additions.add(store, f"of {name}", items, "numbers.csv", "0" * 64, {})
            one = grading_sets.create(store, sheet.id, rubric_id, f"of {name}", None, 1)
            grader_id = graders.ensure(store, "person", name)
            put_in(store, one.id, grader_id, 1)
            made[name] = (grader_id, one)
        yield made


@pytest.fixture(params=[GRADER, VIEWER, BLIND, ADJUDICATOR])
def two_stores(request, tmp_path):
    with closing(Two(tmp_path, request.param)) as made:
        yield made


@pytest.fixture
def person(store):
    return graders.ensure(store, "person", "ana")


@pytest.fixture
def later_sheet(store, rubric):
    """A sheet of which another one, imported before, holds out a question.

    It has a newer split of its own, an older grading set and a newer one.
    """
    other = additions.add(store, "other", [made_item(1)], "other.csv", "2" * 64, {})
    _hold_out(store, other, 0)
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch")]
    sheet = additions.add(store, "later", made, "later.csv", "1" * 64, {})
    _hold_out(store, sheet, 5)
    for name in ("first", "second"):
        grading_sets.create(store, sheet.id, rubric[0], name, None, seed=1)
    rubric_versions.register(store, with_another_meaning(), "edited")
    graders.ensure(store, "person", "Ana")
    graders.ensure(store, "person", "Typed", accepted=False)
    return sheets.find(store, "later")


def _hold_out(store, sheet, place):
    question = splits.of_sheet(store, sheet.id)[place]["id"]
    split_assignment.assign(store, [question], "held-out", "kept")


@pytest.fixture
def graded_preset(store, sheet, rubric, ana):
    """The preset, with one grade of Ana on its first criterion."""
    version = rubric[1].version(rubric[1].criteria[0])
    grades.record(store, [Press(1, version, ana, score=2)])
    return rubric[1]
