import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from concord.messages import Problem
from concord.store import database, graders, grades, sheets
from concord.store.database import READ_ONLY, Refused, Store, file_lock, lent_store, open_store
from concord.store.permissions import VIEWER, Who
from tests.support.source import ROOT as source_ROOT


def test_a_store_is_lent_again_to_the_same_person_and_not_after_a_fault(tmp_path, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(tmp_path / "concord.db"))
    ana, ben = Who("Ana", "grader", 1), Who("Ben", "grader", 2)
    with lent_store() as whole, lent_store(ana) as anas:
        assert (whole.who, anas.who) == (None, ana) and whole is not anas
        with lent_store(ana) as second:
            assert second is not anas
    with lent_store(ana) as again, lent_store(ben) as bens:
        assert again in (anas, second) and again.who == ana
        assert bens.who == ben and bens.connection not in (anas.connection, second.connection)
        assert again.column("select id from graders") == []  # held to Ana's rows as before
    with pytest.raises(ZeroDivisionError), lent_store(ben) as faulty:
        _ = 1 / 0
    with lent_store(ben) as fresh:
        assert fresh is not faulty is bens
    for name in ("concord.db", "concord.db-wal", "concord.db-shm"):
        (tmp_path / name).rename(tmp_path / f"old-{name}")
    with pytest.raises(Problem), lent_store(ana):
        pass
    shutil.copy(tmp_path / "old-concord.db", tmp_path / "concord.db")
    with lent_store(ana) as of_other_file:
        assert of_other_file not in (anas, second)


def test_a_new_database_is_durable_and_keeps_its_references(store):
    assert store.value("pragma journal_mode") == "wal"
    assert store.value("pragma synchronous") == 2
    assert store.value("pragma foreign_keys") == 1


def test_a_failed_write_leaves_nothing_behind(store):
    with pytest.raises(ZeroDivisionError), store.write():
        graders.ensure(store, "person", "Ana")
        _ = 1 / 0
    assert graders.of_kind(store, "person") == []


@pytest.mark.parametrize("version", [1, 35, 99, 2**31 - 1])
def test_a_database_of_another_version_is_refused_and_not_touched(tmp_path, version):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table sheets (id integer)")
        other.execute(f"pragma user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(Problem, match="version") as found:
        open_store(path)
    assert str(found.value).count(". ") == 0
    assert path.read_bytes() == before


def test_a_database_deleted_while_it_is_in_use_takes_no_write_and_is_not_begun_anew(tmp_path):
    path = tmp_path / "one.db"
    with open_store(path) as store:
        graders.ensure(store, "person", "Ana")
        kept = path.read_bytes(), (tmp_path / "one.db-wal").read_bytes()
        path.unlink()
        with pytest.raises(Problem, match="replaced"):
            graders.ensure(store, "person", "Ben")
        with pytest.raises(Problem, match="was deleted"):
            open_store(path)
        assert not path.exists()
    path.write_bytes(kept[0])
    (tmp_path / "one.db-wal").write_bytes(kept[1])
    with open_store(path) as store:
        assert [row["name"] for row in store.rows("select name from graders")] == ["Ana"]


def test_a_database_put_in_the_place_of_an_open_one_takes_no_write_meant_for_that(tmp_path):
    first, second = tmp_path / "one.db", tmp_path / "two.db"
    with open_store(second) as other:
        assert graders.of_kind(other, "person") == []
    with open_store(first) as store:
        second.replace(first)
        with pytest.raises(Problem, match="replaced"):
            graders.ensure(store, "person", "Ana")
    with open_store(first) as again:
        assert graders.of_kind(again, "person") == []


def test_a_database_that_was_emptied_is_not_begun_anew(store, monkeypatch):
    monkeypatch.setattr(database, "BEING_MADE_S", 0.01)
    with store.write():
        store.insert("graders", kind="person", name="Ana", simulated=0, created_at="")
    path = Path(store.path)
    os.truncate(path, 0)
    with pytest.raises(Problem, match="replaced"):
        graders.ensure(store, "person", "Ben")
    for read_only in ("", "1"):
        monkeypatch.setenv(database.READ_ONLY, read_only)
        with pytest.raises(Problem, match="is empty"):
            open_store(path)
    assert path.stat().st_size == 0


def test_a_full_disk_is_said_and_what_was_saved_stays(store):
    graders.ensure(store, "person", "Ana")
    store.connection.execute(f"pragma max_page_count = {store.value('pragma page_count')}")
    with pytest.raises(Problem, match="full"), store.write():
        for number in range(2000):
            graders.ensure(store, "person", f"grader {number} " + "x" * 500)
    assert [g.name for g in graders.of_kind(store, "person")] == ["Ana"]


def test_the_moment_between_two_writes_of_another_is_met(store, monkeypatch):
    """The other's first write ends while this one pauses for the fifth time."""
    other, pauses = sqlite3.connect(store.path, isolation_level=None), []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 5:
            other.execute("commit")

    monkeypatch.setattr(time, "sleep", pause)
    other.execute("begin immediate")
    ana = graders.ensure(store, "person", "Ana")
    other.close()
    assert (pauses, graders.get(store, ana).name) == ([0.002] * 5, "Ana")
    assert store.value("pragma busy_timeout") == 30_000


def test_another_who_goes_on_writing_is_named_after_a_while(store, monkeypatch):
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("begin immediate")
    monkeypatch.setattr("concord.store.database.BUSY_S", 0.05)
    with pytest.raises(Problem, match="locked"):
        graders.ensure(store, "person", "Ana")
    other.execute("rollback")
    other.close()
    assert graders.ensure(store, "person", "Ana")


def test_many_threads_may_open_a_new_database_at_once(tmp_path):
    failures = []

    def work(number: int) -> None:
        try:
            with open_store(tmp_path / "concord.db") as store:
                graders.ensure(store, "person", f"grader {number}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(tmp_path / "concord.db") as store:
        assert (failures, len(graders.of_kind(store, "person"))) == ([], 12)


def test_a_backup_holds_everything_and_never_overwrites(store, tmp_path):
    graders.ensure(store, "person", "Ana")
    store.backup(tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as copy:
        assert [g.name for g in graders.of_kind(copy, "person")] == ["Ana"]
    with pytest.raises(Problem, match="exists already"):
        store.backup(tmp_path / "copy.db")


def test_a_file_lock_is_held_by_one_and_given_back(tmp_path):
    with file_lock(tmp_path / "x.lock") as first, file_lock(tmp_path / "x.lock", False) as second:
        assert (first, second) == (True, False)
    with file_lock(tmp_path / "x.lock", wait=False) as third:
        assert third


def test_a_writer_that_waits_for_nobody_is_told_whether_it_may_write(store):
    with open_store(store.path) as other:
        with store.write(), other.write_if_free() as free:
            assert not free
        with other.write_if_free() as free:
            assert free
            other.insert("settings", name="a", value="b")
        with pytest.raises(ZeroDivisionError), other.write_if_free():
            other.insert("settings", name="c", value="d")
            _ = 1 / 0
    assert store.value("select group_concat(name) from settings where name in ('a', 'c')") == "a"


READ = """
import os, sys
from concord.store.database import open_store
if os.geteuid() == 0:
    os.setuid(65534)
with open_store(sys.argv[1]) as store:
    print(store.value("select count(*) from grades"))
"""


@pytest.mark.parametrize("who", [None, Who("", VIEWER)])
def test_everything_can_be_read_and_nothing_written(read_only_sample, who):
    before = read_only_sample.read_bytes()
    with open_store(read_only_sample, who) as store:
        assert store.read_only and [one.name for one in sheets.all_sheets(store)] == ["sample"]
        for sql in (
            "insert into openings (item_id, opened_at) values (1, '')",
            "update grades set score = 0",
            "delete from grades",
            "create table x (y)",
        ):
            with pytest.raises(Refused), store.write():
                store.execute(sql)
        with pytest.raises(Refused):
            store.must_lead()
        grades.open_item(store, 1, None)  # nothing to note, as nobody grades here
    assert read_only_sample.read_bytes() == before


def test_sqlite_refuses_it_whatever_the_statement_comes_from(read_only_sample):
    store = Store(read_only_sample, read_only=True)
    with pytest.raises(Refused), store.write():
        store.execute("update grades set score = 0")
    store.close()


def test_a_missing_or_an_older_database_is_a_problem(read_only_sample, tmp_path, monkeypatch):
    with pytest.raises(Problem, match=r"none.db"):
        open_store(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    monkeypatch.delenv(READ_ONLY)
    older = shutil.copy(read_only_sample, tmp_path / "older.db")
    with open_store(older) as store:
        version = store.value("pragma user_version")
        store.execute(f"pragma user_version = {version - 1}")
    monkeypatch.setenv(READ_ONLY, "1")
    with pytest.raises(Problem, match="version"):
        open_store(older)


def test_it_opens_on_a_disk_that_cannot_be_written(read_only_sample):
    """A folder without write permission, as a user whom permissions bind."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file = Path(shutil.copy(read_only_sample, folder / "concord.db"))
        file.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ, str(file)],
            cwd=source_ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 500 and [*folder.iterdir()] == [file]
