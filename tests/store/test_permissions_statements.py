"""A thousand statements for each role: none reads or changes what the role does not reach.

Each runs on two databases that differ only in what is hidden from the role: its answer is the same
on both. Of a lead, who reads everything, each change of what is noted is noted.
"""

import sqlite3
from contextlib import closing

from concord.store import permissions
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, VIEWER
from tests.support.permission_statements import BEYOND, BLIND, COUNT, Two


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
