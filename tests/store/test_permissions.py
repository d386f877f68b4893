"""What a signed-in annotator's store reaches, whatever asks it."""

import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from concord.grading import item_view, workspace
from concord.judges.checks import endpoint_check
from concord.judges.definition import registry
from concord.judges.run import judging as session
from concord.judges.run import launch
from concord.judges.run.job import Options
from concord.judges.run.lock import of_judge
from concord.messages import Problem
from concord.rubrics.model import presets
from concord.store import graders, grades, permissions, runs
from concord.store.database import Refused, open_store
from concord.store.grades import Press
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.ui.screens.judge_card import checked
from tests.support.patience import until
from tests.support.permission_statements import BEYOND, BLIND, COUNT, Two
from tests.support.visitor import put_in

# What SQLite's authorizer is not told of, and every way to say a name another way.
HOSTILE = (
    "select answer_model from (select null as answer_model where 0)"
    " full join main.items using (answer_model)",
    "select score from (select null as score where 0) natural full join main.grades",
    "select secret_hash from (select null as secret_hash where 0) full join sessions"
    " using (secret_hash)",
    "select count(*) from SESSIONS",
    "select count(*) from [Replies]",
    "select count(*) from/**/`sessions`--",
    "select count(*) from 'sessions'",
    "select count(*) from dbStat",
    'select count(*) from "MAIN" . "items"',
    "select count(*) from mAin/* */.items",
    "select count(*) from\nmain\n.\ngrades",
    "select ?1main from items",
    "with main as (select 1) select * from main",
    "with items as (select own_id from main.items) select own_id from items",
    "select (select count(*) from (values (1)) join members)",
    "select 1 union all select score from main.grades",
    "select max(score) over () from main.grades",
    "select value from json_each((select json_group_array(score) from main.grades))",
    "select * from pragma_table_list",
    "select name from items, pragma_table_info('sessions')",
    "explain select * from main.grades",
    "explain query plan select * from sessions",
    "insert into main.openings (item_id, grader_id, opened_at)"
    " select 1, 1, answer_model from main.items",
    "insert into main.openings (item_id, grader_id, opened_at) values (1, 1, '')"
    " returning (select count(*) from sessions)",
    "insert into main.openings (item_id, grader_id, opened_at) values (1, 1, '')"
    " on conflict do update set opened_at = ''",
    "insert into main.openings select * from openings",
    "insert or replace into main.grades (id) values (1)",
    "replace into main.openings (id) values (1)",
    "with x as (select 1) delete from main.grades",
    "update main.assignments set position = 1",
    "update main.assignments set position = block where id = 1",
    "update main.assignments set position = ? where id = ? returning *",
    "UPDATE main.assignments SET position = ? WHERE grader_id = ?",
    "attach '' as main2",
    "vacuum into 'x'",
    "create temp table x as select * from grades",
    "create temp trigger x after insert on grades begin select 1; end",
    "drop view temp.items",
    "drop trigger grades_insert_refused",
    "alter table rubrics rename to x",
    "detach temp",
    "pragma table_info(grades)",
    "pragma temp_store_directory = '/tmp'",
    "select load_extension('x')",
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


def test_a_grader_grades_the_own_queue_and_changes_a_grade(two_graders):
    with opened(two_graders, "Ann") as store:
        assert press(two_graders, store, "Ann", "k1", 2).on_disk == ["k1"]
        assert press(two_graders, store, "Ann", "k2", 3).on_disk == ["k2"]
        place, slot = first(store, two_graders, "Ann")
        assert place.given[slot].score == 3
        shown = item_view.shown(store, [place.item_id], two_graders["rubric"])
        assert shown[place.item_id].answer
    rows = two_graders["store"].rows("select score, grader_id, supersedes from grades order by id")
    assert [row["score"] for row in rows] == [2, 3] and rows[1]["supersedes"]


def test_a_grader_sees_that_there_are_judges_and_nothing_of_them(two_graders):
    graders.ensure(two_graders["store"], "judge", "gpt", "f1", {"model": "gpt-4"})
    with opened(two_graders, "Ann") as store:
        [judge] = store.rows("select * from graders where kind = 'judge'")
    assert (judge["name"], judge["fingerprint"], judge["definition"]) == (None, None, None)


def test_a_grader_sees_no_model_no_other_grader_and_no_other_set(two_graders):
    with opened(two_graders, "Bo") as store:
        press(two_graders, store, "Bo", "b", 1)
    with opened(two_graders, "Ann") as store:
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
        "pragma user_version = 1",
        *HOSTILE,
    ],
)
def test_what_is_not_a_graders_is_refused_before_it_runs(two_graders, asked):
    with (
        opened(two_graders, "Ann") as store,
        pytest.raises(Refused),
    ):
        store.rows(asked)


def test_a_grader_writes_no_grade_of_another_and_none_outside_the_own_sets(two_graders):
    ann, bo = two_graders["Ann"][0], two_graders["Bo"][0]
    with opened(two_graders, "Ann") as store, opened(two_graders, "Bo") as theirs:
        place, slot = first(store, two_graders, "Ann")
        elsewhere, _ = first(theirs, two_graders, "Bo")
        for item_id, grader_id in ((place.item_id, bo), (elsewhere.item_id, ann)):
            with pytest.raises(sqlite3.IntegrityError, match="another grader"):
                grades.record(store, [Press(item_id, slot, grader_id, score=1)])
    assert two_graders["store"].value("select count(*) from grades") == 0


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
def test_a_grader_changes_nothing_that_is_there(two_graders, change):
    with opened(two_graders, "Ann") as store, pytest.raises(Problem), store.write():
        store.execute(change)


def test_a_grader_replaces_no_row_of_another_and_supersedes_no_grade_of_another(two_graders):
    with opened(two_graders, "Bo") as store:
        press(two_graders, store, "Bo", "b", 1)
    [theirs] = two_graders["store"].rows("select * from grades")
    ann = two_graders["Ann"][0]
    refused = pytest.raises(sqlite3.IntegrityError)
    with opened(two_graders, "Ann") as store:
        place, slot = first(store, two_graders, "Ann")
        mine = {"item_id": place.item_id, "grader_id": ann, "version": slot, "created_at": ""}
        for taken in ({"id": theirs["id"]}, {"supersedes": theirs["id"]}, {"version": "none"}):
            with refused, store.write():
                store.insert("grades", **{"status": "withdrawn", **mine, **taken})
        with pytest.raises(sqlite3.IntegrityError, match="another grader"), store.write():
            store.insert("list_checks", grade_id=theirs["id"], decomposition_id=1)
    assert [tuple(row) for row in two_graders["store"].rows("select * from grades")] == [
        tuple(theirs)
    ]


def test_a_grader_who_left_a_set_reaches_nothing_of_it_and_the_grades_stay(two_graders):
    grader_id, one = two_graders["Ann"]
    with opened(two_graders, "Ann") as store:
        press(two_graders, store, "Ann", "k1", 2)
    put_in(two_graders["store"], one.id, grader_id, 0)
    with opened(two_graders, "Ann") as store:
        assert store.rows("select id from items") == []
        assert store.rows("select id from grading_sets") == []
    assert two_graders["store"].value("select count(*) from grades") == 1


def test_a_viewer_reads_all_but_secrets_and_changes_nothing(two_graders):
    with open_store(two_graders["path"], Who("Vi", VIEWER)) as store:
        assert len(store.rows("select answer_model from items")) == 12
        grades.open_item(store, 1, None)  # that somebody looked is written down for a viewer too
        with pytest.raises(Problem, match="Your role"):
            graders.ensure(store, "person", "Somebody")
        with pytest.raises(Problem, match="Your role"):
            store.rows("select secret_hash from invitations")
        with pytest.raises(Problem, match="Your role"):
            store.backup(f"{two_graders['path']}.copy")


@pytest.mark.parametrize(
    "change",
    [
        "delete from openings",
        "update openings set opened_at = ''",
        "replace into openings select * from openings",
        "insert into openings select * from openings where true on conflict do update set id = 9",
    ],
)
def test_a_viewer_changes_no_note_that_somebody_looked(two_graders, change):
    grades.open_item(two_graders["store"], 1, two_graders["Ann"][0])
    refused = pytest.raises((Problem, sqlite3.IntegrityError))
    with open_store(two_graders["path"], Who("Vi", VIEWER)) as store, refused, store.write():
        store.execute(change)
    assert two_graders["store"].value("select count(*) from openings where opened_at <> ''") == 1


def test_a_lead_takes_back_nothing_that_was_written_down_and_replaces_nothing_unnoted(two_graders):
    with open_store(two_graders["path"], Who("Lea", LEAD)) as store:
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
    rows = two_graders["store"].rows("select what from changes order by id")
    assert [row["what"] for row in rows] == ["insert", "delete", "insert"]


def test_what_a_lead_changes_is_written_down_with_who_and_when(two_graders):
    with open_store(two_graders["path"], Who("Lea's", LEAD)) as store:
        grader_id = graders.ensure(store, "person", "Cleo")
        graders.rename(store, grader_id, "Clea")
    rows = two_graders["store"].rows(
        "select who, what, table_name, row_id, at from changes order by id"
    )
    assert [tuple(row)[:4] for row in rows] == [
        ("Lea's", "insert", "graders", grader_id),
        ("Lea's", "update", "graders", grader_id),
    ]
    assert all(row["at"].endswith("Z") for row in rows)


def test_without_a_person_the_store_reaches_everything_and_notes_nothing(two_graders):
    graders.ensure(two_graders["store"], "person", "Cleo")
    assert two_graders["store"].value("select count(*) from changes") == 0


def answer(store, sql):
    """What a statement says, all of it; how it is refused where it is."""
    try:
        return [tuple(row) for row in store.connection.execute(sql).fetchall()]
    except sqlite3.Error as error:
        return type(error).__name__


def content(store):
    return {
        table: {tuple(row) for row in store.rows(f"select * from {table}")}
        for table in sorted(permissions._tables(store.connection))
    }


def test_no_statement_tells_or_changes_what_a_role_does_not_reach(two_stores):
    statements = two_stores.statements()
    assert len(statements) > COUNT / 2
    assert all(
        isinstance(answer(two_stores.held[0], sql), str) for sql in statements[: len(BEYOND)]
    )
    before = [content(store) for store in two_stores.whole]
    version = [store.value("pragma data_version") for store in two_stores.whole]
    schema = two_stores.whole[0].rows("select sql from sqlite_master order by name")
    for sql in statements:
        told = [answer(store, sql) for store in two_stores.held]
        assert told[0] == told[1] and "secret-" not in str(told), sql
        for number, store in enumerate(two_stores.whole):
            newest = store.value("pragma data_version")
            if newest != version[number]:
                version[number] = newest
                only_own(two_stores, before[number], content(store), sql)
    assert two_stores.whole[0].rows("select sql from sqlite_master order by name") == schema
    assert not (two_stores.folder / "x").exists()


def only_own(two, before, after, sql):
    """Nothing that was there is gone or changed; what is new is the role's to add."""
    own = {
        GRADER: permissions._GRADER_INSERTS,
        VIEWER: permissions.LOOKED,
        BLIND: permissions.BLIND.inserts,
        ADJUDICATOR: {"adjudications", "changes"},
    }[two.role]
    for table, rows in after.items():
        gone, new = before[table] - rows, rows - before[table]
        if table == "assignments" and two.role == GRADER:  # places can be put off
            gone = {row for row in gone if row[3] != two.me}
        assert not gone, sql
        assert not new or table in own, sql
        if two.role == GRADER:
            me = {"grades": 4, "assignments": 3, "openings": 2, "comments": 3}.get(table)
            assert me is None or all(row[me] == two.me for row in new), sql
        if two.role == ADJUDICATOR and table == "adjudications":
            assert all((row[1], row[9]) == (two.case, two.me) for row in new), sql


def test_the_statements_tell_and_change_it_where_nobody_holds_them(two_stores):
    statements, telling = two_stores.statements()[len(BEYOND) :][: COUNT // 4], 0
    for sql in statements:
        told = []
        for store in two_stores.whole:
            store.connection.execute("begin")
            changes = store.connection.total_changes
            told.append((answer(store, sql), store.connection.total_changes - changes))
            if store.connection.in_transaction:
                store.connection.execute("rollback")
        telling += told[0] != told[1] or told[0][1] > 0
    assert telling > len(statements) / 2


def test_a_lead_changes_nothing_that_is_not_noted_and_no_note(tmp_path):
    with closing(Two(tmp_path, LEAD)) as two:
        led = two.held[0]
        assert all(isinstance(answer(led, sql), str) for sql in two.statements()[: len(BEYOND)])
        before, refused = content(two.whole[0]), 0
        for sql in two.statements():
            led.connection.execute("begin")
            changes = led.connection.total_changes
            refused += isinstance(answer(led, sql), str)
            changed = led.connection.total_changes > changes
            after = content(led) if changed else before
            assert before["changes"] <= after["changes"], sql
            noted = {(row[3], row[4]) for row in after["changes"] - before["changes"]}
            for table in permissions.NOTED:
                for row in before[table] ^ after[table]:
                    assert (table, row[0]) in noted, sql
            if led.connection.in_transaction:
                led.connection.execute("rollback")
        assert before == content(two.whole[0])
        assert refused < COUNT / 2


PRESET = "gpt-4-zero-shot"


REFUSED = pytest.mark.parametrize(
    "act",
    [
        lambda store, path: registry.named(store, path),
        lambda store, path: rubric_versions.argument(store, path),
        lambda store, path: session.judge(store, "baseline", Options(), lambda _: True),
        lambda store, path: session.judge(store, PRESET, Options(yes=True), lambda _: True),
        lambda store, path: checked(
            store, endpoint_check.prepare(registry.named(store, PRESET), RUBRIC)
        ),
        lambda store, path: launch.start(store, of_judge(1, 1), ["true"], "busy"),
    ],
    ids=["judge file", "rubric file", "baseline", "run", "check", "process"],
)
RUBRIC = presets()["doc-qa-0-3"]


@REFUSED
def test_who_leads_nothing_spends_nothing_and_reads_no_file_of_the_server(
    not_a_lead, judge_file, act
):
    with pytest.raises(Refused):
        act(not_a_lead, judge_file)


def test_a_lead_names_a_file_of_the_server(store, judge_file):
    with open_store(store.path, Who("Lea", LEAD)) as led:
        assert registry.named(led, judge_file).name == "mine"


def test_a_viewer_reads_by_a_preset_that_nobody_used_before_and_changes_nothing(store):
    with open_store(store.path, Who("Vi", VIEWER)) as seen:
        rubric_id, rubric = rubric_versions.named(seen, "doc-qa-0-3")
    assert rubric_versions.get(store, rubric_id) == rubric
    assert store.value("select count(*) from changes") == 0


def test_a_run_that_the_app_started_is_written_down_with_who_started_it(
    store, one, ana, monkeypatch
):
    monkeypatch.setenv(runs.STARTED_BY, "Lea")
    run_id = runs.start(store, {}, [], {}, None, grader_id=ana, sheet_id=one.id)
    [row] = store.rows("select who, what, table_name, row_id from changes")
    assert tuple(row) == ("Lea", "insert", "runs", run_id)


def test_the_process_of_a_run_is_told_who_started_it(store, tmp_path):
    said = tmp_path / "said"
    with open_store(store.path, Who("Lea", LEAD)) as led:
        place, command = of_judge(1, 1), ["sh", "-c", f"echo $CONCORD_STARTED_BY > {said}"]
        plan = SimpleNamespace(place=lambda _: place, command=lambda *_: command)
        launch.start(led, plan, "mine", Options())
        until(lambda: not launch.is_alive(led, place))
    assert said.read_text() == "Lea\n"
