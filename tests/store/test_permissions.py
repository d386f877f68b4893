"""What a signed-in annotator's store reaches, whatever asks it."""

import sqlite3

import pytest

from concord.grading import grading_sets, item_view, workspace
from concord.messages import Problem
from concord.store import additions, graders, grades
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.permissions import GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item


@pytest.fixture
def team(tmp_path):
    """Two graders of a set each, in one database, each answer graded by the other before."""
    with open_store(tmp_path / "team.db") as store:
        rubric_id, rubric = rubric_versions.named(store, "doc-qa-0-3")
        made = {"store": store, "path": store.path, "rubric": rubric}
        for name in ("Ann", "Bo"):
            items = [made_item(n, m) for n in range(3) for m in ("atlas", "birch")]
            sheet = additions.add(store, f"of {name}", items, "numbers.csv", "0" * 64, {})
            one = grading_sets.create(store, sheet.id, rubric_id, f"of {name}", None, 1)
            grader_id = graders.ensure(store, "person", name)
            _joins(store, one.id, grader_id, 1)
            made[name] = (grader_id, one)
        yield made


def _joins(store, set_id, grader_id, joins):
    with store.write():
        store.insert(
            "set_graders",
            set_id=set_id,
            grader_id=grader_id,
            joins=joins,
            given_by="Lea",
            created_at="2026-01-01T00:00:00.000Z",
        )


def opened(team, name):
    return open_store(team["path"], Who(name, GRADER, team[name][0]))


def first(store, team, name):
    """An annotator's first place, and the first criterion's slot."""
    grader_id, one = team[name]
    place = workspace.window(store, one, grader_id, team["rubric"], None).places[0]
    return place, next(iter(team["rubric"].versions().values()))


def press(team, store, name, key, score):
    grader_id, one = team[name]
    place, slot = first(store, team, name)
    keys = [workspace.Key(key, place.id, slot, "scored", score)]
    return workspace.save(store, one, grader_id, team["rubric"], keys)


def test_a_grader_grades_the_own_queue_and_changes_a_grade(team):
    with opened(team, "Ann") as store:
        assert press(team, store, "Ann", "k1", 2).on_disk == ["k1"]
        assert press(team, store, "Ann", "k2", 3).on_disk == ["k2"]
        place, slot = first(store, team, "Ann")
        assert place.given[slot].score == 3
        shown = item_view.shown(store, [place.item_id], team["rubric"])
        assert shown[place.item_id].answer
    rows = team["store"].rows("select score, grader_id, supersedes from grades order by id")
    assert [row["score"] for row in rows] == [2, 3] and rows[1]["supersedes"]


def test_a_grader_sees_that_there_are_judges_and_nothing_of_them(team):
    graders.ensure(team["store"], "judge", "gpt", "f1", {"model": "gpt-4"})
    with opened(team, "Ann") as store:
        [judge] = store.rows("select * from graders where kind = 'judge'")
    assert (judge["name"], judge["fingerprint"], judge["definition"]) == (None, None, None)


def test_a_grader_sees_no_model_no_other_grader_and_no_other_set(team):
    with opened(team, "Bo") as store:
        press(team, store, "Bo", "b", 1)
    with opened(team, "Ann") as store:
        assert store.rows("select score from grades") == []
        assert {row["name"] for row in store.rows("select name from graders")} == {"Ann"}
        assert [one["name"] for one in store.rows("select name from sheets")] == ["of Ann"]
        items = store.rows("select id, answer_model, own_id, identity from items")
        assert len(items) == 6
        assert all(row["answer_model"] is None and row["own_id"] is None for row in items)
        assert all(row["identity"] == str(row["id"]) for row in items)


@pytest.mark.parametrize(
    "asked",
    [
        "select score from main.grades",
        "select count(*) from main.grades where score > 1",
        "select answer_model from main.items",
        "select raw from replies",
        "select score from main.adjudications",
        "select score from main.gold_answers",
        "select secret_hash from sessions",
        "select name from members",
        "pragma foreign_keys = off",
        "pragma writable_schema = on",
        "attach ':memory:' as other",
        "create temp view mine as select score from main.grades",
        "drop view grades",
        "with items as (select answer_model from main.items) select answer_model from items",
        "with items_own as (select own_id from main.items) select own_id from items_own",
        "select count(*) from main.grades",
        "select count(*) from replies",
        "select id from main.grades",
        "select sql from sqlite_temp_master",
        "pragma user_version = 1",
    ],
)
def test_what_is_not_a_graders_is_refused_before_it_runs(team, asked):
    with opened(team, "Ann") as store, pytest.raises(Problem, match="Your role does not allow"):
        store.rows(asked)


def test_a_grader_writes_no_grade_of_another_and_none_outside_the_own_sets(team):
    ann, bo = team["Ann"][0], team["Bo"][0]
    with opened(team, "Ann") as store, opened(team, "Bo") as theirs:
        place, slot = first(store, team, "Ann")
        elsewhere, _ = first(theirs, team, "Bo")
        for item_id, grader_id in ((place.item_id, bo), (elsewhere.item_id, ann)):
            with pytest.raises(sqlite3.IntegrityError, match="another grader"):
                grades.record(store, [Press(item_id, slot, grader_id, score=1)])
    assert team["store"].value("select count(*) from grades") == 0


@pytest.mark.parametrize(
    "change",
    [
        "update main.grades set score = 3",
        "delete from main.grades",
        "update main.assignments set grader_id = 1",
        "update main.items set answer = ''",
        "delete from main.sheets",
        "insert into main.set_graders (set_id, grader_id, joins, given_by, created_at)"
        " values (2, 1, 1, '', '')",
    ],
)
def test_a_grader_changes_nothing_that_is_there(team, change):
    with opened(team, "Ann") as store, pytest.raises(Problem), store.write():
        store.execute(change)


def test_a_grader_replaces_no_row_of_another_and_supersedes_no_grade_of_another(team):
    with opened(team, "Bo") as store:
        press(team, store, "Bo", "b", 1)
    [theirs] = team["store"].rows("select * from grades")
    ann = team["Ann"][0]
    refused = pytest.raises(sqlite3.IntegrityError, match=r"stays|another grader")
    with opened(team, "Ann") as store:
        place, slot = first(store, team, "Ann")
        mine = {"item_id": place.item_id, "grader_id": ann, "version": slot, "created_at": ""}
        for taken in ({"id": theirs["id"]}, {"supersedes": theirs["id"]}, {"version": "none"}):
            row = {"status": "withdrawn", **mine, **taken}
            columns, marks = ", ".join(row), ", ".join("?" * len(row))
            into = f"into main.grades ({columns}) values ({marks})"
            with refused, store.write():
                store.execute(f"insert or replace {into}", [*row.values()])
        with pytest.raises(sqlite3.IntegrityError, match="another grader"), store.write():
            store.insert("list_checks", grade_id=theirs["id"], decomposition_id=1)
    assert [tuple(row) for row in team["store"].rows("select * from grades")] == [tuple(theirs)]


def test_a_grader_who_left_a_set_reaches_nothing_of_it_and_the_grades_stay(team):
    grader_id, one = team["Ann"]
    with opened(team, "Ann") as store:
        press(team, store, "Ann", "k1", 2)
    _joins(team["store"], one.id, grader_id, 0)
    with opened(team, "Ann") as store:
        assert store.rows("select id from items") == []
        assert store.rows("select id from grading_sets") == []
    assert team["store"].value("select count(*) from grades") == 1


def test_a_viewer_reads_all_but_secrets_and_changes_nothing(team):
    with open_store(team["path"], Who("Vi", VIEWER)) as store:
        assert len(store.rows("select answer_model from items")) == 12
        grades.open_item(store, 1, None)  # that somebody looked is written down for a viewer too
        with pytest.raises(Problem, match="Your role"):
            graders.ensure(store, "person", "Somebody")
        with pytest.raises(Problem, match="Your role"):
            store.rows("select secret_hash from invitations")
        with pytest.raises(Problem, match="Your role"):
            store.backup(f"{team['path']}.copy")


@pytest.mark.parametrize(
    "change",
    [
        "delete from openings",
        "update openings set opened_at = ''",
        "replace into openings select * from openings",
        "insert into openings select * from openings where true on conflict do update set id = 9",
    ],
)
def test_a_viewer_changes_no_note_that_somebody_looked(team, change):
    grades.open_item(team["store"], 1, team["Ann"][0])
    refused = pytest.raises((Problem, sqlite3.IntegrityError))
    with open_store(team["path"], Who("Vi", VIEWER)) as store, refused, store.write():
        store.execute(change)
    assert team["store"].value("select count(*) from openings where opened_at <> ''") == 1


def test_a_lead_takes_back_nothing_that_was_written_down_and_replaces_nothing_unnoted(team):
    with open_store(team["path"], Who("Lea", LEAD)) as store:
        graders.ensure(store, "person", "Cleo")
        for change in (
            "delete from changes",
            "update changes set who = 'Ann'",
            "replace into changes select * from changes",
        ):
            with pytest.raises((Problem, sqlite3.IntegrityError)), store.write():
                store.execute(change)
        with store.write():
            store.execute("replace into graders select * from graders where name = 'Cleo'")
    rows = team["store"].rows("select what from changes order by id")
    assert [row["what"] for row in rows] == ["insert", "delete", "insert"]


def test_what_a_lead_changes_is_written_down_with_who_and_when(team):
    with open_store(team["path"], Who("Lea's", LEAD)) as store:
        grader_id = graders.ensure(store, "person", "Cleo")
        graders.rename(store, grader_id, "Clea")
    rows = team["store"].rows("select who, what, table_name, row_id, at from changes order by id")
    assert [tuple(row)[:4] for row in rows] == [
        ("Lea's", "insert", "graders", grader_id),
        ("Lea's", "update", "graders", grader_id),
    ]
    assert all(row["at"].endswith("Z") for row in rows)


def test_without_a_person_the_store_reaches_everything_and_notes_nothing(team):
    graders.ensure(team["store"], "person", "Cleo")
    assert team["store"].value("select count(*) from changes") == 0
