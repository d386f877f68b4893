"""What can go wrong outside: one clear Problem with its remedy, exit code 2, nothing lost."""

import os
import resource
import sqlite3
import subprocess
import threading

import pytest

from concord.store import sheets
from concord.store.database import open_store
from tests.support.commandline import invoke, spawn, without_keys
from tests.support.endpoint import Endpoint
from tests.support.patience import PATIENT_S

GIGABYTE = 1024**3
SHEET = "question,answer,model\n" + "".join(f"Why {n}?,So {n}.,m\n" for n in range(40))


def run(db, *words, **options) -> subprocess.CompletedProcess:
    """A verb as a real process, with neither keys nor a terminal."""
    process = spawn(db, *words, stdin=subprocess.DEVNULL, env=without_keys(), **options)
    said, errors = process.communicate(timeout=PATIENT_S)
    return subprocess.CompletedProcess(words, process.returncode, said, errors)


def here(db, *words) -> subprocess.CompletedProcess:
    """A verb in this process, which is faster."""
    done = invoke(db, *words)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def refused(done, *said) -> str:
    """The one Problem that a process ended with."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    for words in said:
        assert words in done.stderr
    return done.stderr


def file(folder, content: bytes | str, name="s.csv"):
    """A new file of the given name and bytes."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def intact(db) -> bool:
    with open_store(db) as store:
        return sheets.find(store, "s").items == 40


def test_a_file_that_is_not_there_or_is_a_folder_is_named(db, tmp_path):
    refused(here(db, "import", tmp_path / "none.csv"), "none.csv cannot be read", "Check the path")
    refused(here(db, "import", tmp_path), "is a folder", "Name a file")
    refused(here(db, "import", "/proc/self/mem"), "cannot be read", "Check the path")
    refused(here(db, "import", "/dev/zero"), "or a pipe or a device", "save its output")


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.jsonl", "s.json", "s.parquet", "s.xlsx"])
def test_two_gigabytes_of_nothing_are_refused_at_once_and_take_no_memory(db, tmp_path, name):
    path = tmp_path / name
    path.touch()
    os.truncate(path, 2 * GIGABYTE)
    refused(run(db, "import", path, preexec_fn=_with_little_memory), name)


def test_a_sheet_that_ends_in_two_gigabytes_of_nothing_is_refused(db, tmp_path):
    path = file(tmp_path, SHEET)
    os.truncate(path, 2 * GIGABYTE)
    done = run(db, "import", path, preexec_fn=_with_little_memory)
    refused(done, "The encoding is uncertain", "choose its encoding")


def _with_little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 * GIGABYTE, 2 * GIGABYTE))


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("create table bookmarks (url)")
    other.close()
    refused(here(path, "sheets"), "another program's database", "--db")
    with sqlite3.connect(path) as other:
        tables = [row[0] for row in other.execute("select name from sqlite_master")]
    other.close()
    assert tables == ["bookmarks"]


@pytest.mark.parametrize("kept", [50, 3000, 4096, 6000, 20_000, 60_000])
@pytest.mark.parametrize(
    "words", [("sheets",), ("splits",), ("export", "{out}"), ("import", "{s}")]
)
def test_a_damaged_database_is_said_to_be_and_not_written_to(filled, tmp_path, kept, words):
    with sqlite3.connect(filled) as whole:
        whole.execute("pragma journal_mode = delete")
    whole.close()
    os.truncate(filled, kept)
    before = filled.read_bytes()
    places = {"out": tmp_path / "out", "s": tmp_path / "s.csv"}
    refused(here(filled, *(word.format(**places) for word in words)), "Restore a backup")
    assert filled.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_said_to_be(filled):
    filled.parent.chmod(0o500)
    try:
        refused(run(filled, "import", filled.parent / "s.csv", "--sheet", "t"), "cannot be written")
    finally:
        filled.parent.chmod(0o700)
    assert intact(filled)


def _without_room():
    """Files may not grow past 64 KB, as on a full disk; Python ignores the signal that comes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))


def test_a_full_disk_is_said_to_be_and_loses_nothing(filled, tmp_path):
    rows = "".join(f"Why {n}?,{'So. ' * 300},m\n" for n in range(2000))
    large = file(tmp_path, f"question,answer,model\n{rows}", "large.csv")
    done = run(filled, "import", large, preexec_fn=_without_room)
    refused(done, str(filled))
    assert "disk" in done.stderr
    assert intact(filled)
    assert run(filled, "import", large).stdout == "large: 2,000 answers added.\n"


def test_a_backup_that_does_not_fit_leaves_no_half_copy(filled, tmp_path):
    done = run(filled, "backup", tmp_path / "copy.db", preexec_fn=_without_room)
    refused(done, "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_database_busy_with_another_program_is_waited_for(filled, tmp_path):
    other = sqlite3.connect(filled, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    release = threading.Timer(1.5, lambda: other.execute("commit"))
    release.start()
    done = run(filled, "import", tmp_path / "s.csv", "--sheet", "second")
    release.join()
    other.close()
    assert (done.returncode, done.stdout) == (0, "second: 40 answers added.\n")


def test_without_a_key_nothing_is_sent_and_the_variable_is_named(filled, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = here(filled, "judge", "gpt-6-luna-zero-shot", "--yes")
    refused(done, "OPENAI_API_KEY", "Set the environment variable")
    assert done.stderr.count("\n") == 1


def test_a_paid_run_without_a_terminal_needs_the_users_word(filled, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    refused(here(filled, "judge", "gpt-6-luna-zero-shot"), "--yes")


def test_an_endpoint_that_does_not_answer_is_one_sentence(filled, tmp_path):
    with Endpoint() as server:
        pass
    done = here(filled, "judge", "local", "--base-url", server.url, "--yes")
    refused(done, "No server answers at")
    assert intact(filled)
