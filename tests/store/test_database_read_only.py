"""A database that this process must not change: SQLite itself refuses to."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from concord.messages import Problem
from concord.store import grades, sheets
from concord.store.database import READ_ONLY, Refused, Store, open_store
from concord.store.permissions import VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.source import ROOT

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
            with pytest.raises(Refused, match="read-only demo"), store.write():
                store.execute(sql)
        with pytest.raises(Refused, match="read-only demo"):
            store.must_lead()
        grades.open_item(store, 1, None)  # nothing to note, as nobody grades here
    assert read_only_sample.read_bytes() == before


def test_sqlite_refuses_it_whatever_the_statement_comes_from(read_only_sample):
    store = Store(read_only_sample, read_only=True)
    with pytest.raises(Refused), store.write():
        store.execute("update grades set score = 0")
    store.close()


def test_a_preset_that_is_not_stored_can_be_read(read_only_sample):
    with open_store(read_only_sample) as store:
        known = store.column("select name from rubrics")
        new = next(name for name in rubric_versions.names(store) if name not in known)
        assert rubric_versions.named(store, new)[0] == 0
        assert rubric_versions.named(store, known[0])[0] > 0


def test_a_missing_or_an_older_database_is_a_problem(read_only_sample, tmp_path, monkeypatch):
    with pytest.raises(Problem, match="There is no database"):
        open_store(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    monkeypatch.delenv(READ_ONLY)
    older = shutil.copy(read_only_sample, tmp_path / "older.db")
    with open_store(older) as store:
        version = store.value("pragma user_version")
        store.execute(f"pragma user_version = {version - 1}")
    monkeypatch.setenv(READ_ONLY, "1")
    with pytest.raises(Problem, match="another version of Concord"):
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
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 500 and [*folder.iterdir()] == [file]
