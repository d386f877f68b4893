"""The command line as a process: judges over a socket, pipes that close, terminals, Ctrl-C."""

import json
import os
import signal

import pytest

from tests.support.commandline import judge_file, spawn
from tests.support.endpoint import Endpoint
from tests.support.patience import PATIENT_S, until


def test_a_judge_runs_and_repeating_it_asks_nothing(run, answers, tmp_path):
    run("import", answers)
    with Endpoint() as server:
        path = judge_file(tmp_path, server.url)
        done = json.loads(run("judge", path, "--json").stdout)["runs"]
        assert (done[0]["judge"], done[0]["status"], len(server.seen)) == ("mine", "done", 12)
        run("judge", path)
        assert len(server.seen) == 12
    used = json.loads(run("judges", "--json").stdout)["used"]
    assert [(judge["name"], judge["grades"]) for judge in used] == [("mine", 36)]


def test_a_run_that_leaves_items_failed_is_1(run, answers, tmp_path):
    run("import", answers)
    with Endpoint(faults={"429": 1.0}, retry_after_s=0.01) as server:
        path = judge_file(tmp_path, server.url)
        result = run("judge", path, "--limit", "1", "--json", code=1)
    assert json.loads(result.stdout)["runs"][0]["failed"] is True


def test_a_run_that_its_budget_stops_is_0_and_says_what_is_left(run, answers, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-sent")
    run("import", answers)
    words = ("judge", "gpt-6-luna-zero-shot", "--budget", "0", "--yes")
    (done,) = json.loads(run(*words, "--json", code=0).stdout)["runs"]
    assert (done["status"], done["failed"]) == ("stopped", False)
    assert (done["counts"]["total"], done["counts"]["done"]) == (12, 0)
    run(*words, code=0)


def test_check_is_1_where_it_does_not_hold_and_0_where_it_does(run, tmp_path):
    with Endpoint(ignores_format=True) as server:
        path = judge_file(tmp_path, server.url)
        result = run("check", path, "--json", code=1)
        assert json.loads(result.stdout)["checks"][0]["holds"] is False
        assert len(server.seen) == 1
    with Endpoint() as server:
        assert "✓ reply" in run("check", path, "--base-url", server.url).stdout
    assert "no judge “nobody”" in run("check", "nobody", code=2).stderr


def test_a_gate_keeps_its_exit_code_when_nobody_reads(sample_db):
    words = ("gate", "--judge", "baseline", "--exact", "0.99")
    process = spawn(sample_db, *words)
    process.stdout.close()
    assert (process.wait(PATIENT_S), process.stderr.read().count("\n")) == (1, 1)
    process.stderr.close()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_letters_a_terminal_cannot_show_are_spelled_out(tmp_path, db, run, encoding):
    path = tmp_path / "s.csv"
    path.write_text("question,answer,model\nWhy?,So.,模型é👍\n", encoding="utf-8")
    run("import", path, "--sheet", "会议👍é")
    odd = {"env": os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, "text": False}
    said, errors = spawn(db, "sheets", **odd).communicate()
    # click itself writes UTF-8 where the terminal claims ASCII.
    shown = "会议👍é".encode("utf-8" if encoding == "ascii" else encoding, "backslashreplace")
    assert (shown in said, errors) == (True, b"")
    said, errors = spawn(db, "sheets", "--json", **odd).communicate()
    assert json.loads(said)["sheets"][0]["name"] == "会议👍é"
    said, errors = spawn(db, "sheets", "--delete", "没有", **odd).communicate()
    assert (said, b"Traceback" in errors) == (b"", False)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_in_a_run_is_130_and_what_landed_stays(db, run, answers, tmp_path, interrupts):
    run("import", answers)
    with Endpoint(holds_from=3) as server:  # the third is asked once two have landed
        path = judge_file(tmp_path, server.url)
        process = spawn(db, "judge", path, "--concurrency", "1")
        until(lambda: len(server.seen) == 3 or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=PATIENT_S)
    assert process.returncode == 130, errors
    assert (said, "Traceback" in errors, "Interrupted" in errors) == ("", False, True)
    used = json.loads(run("judges", "--json").stdout)["used"]
    assert used[0]["grades"] == 6
