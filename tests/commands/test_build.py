"""The command build, from a folder to a sheet, and killed on the way."""

import json
from collections import Counter

from concord.building import drafts
from concord.store import sheets
from concord.store.database import open_store
from tests.support.commandline import invoke
from tests.support.endpoint import Endpoint
from tests.support.files import HARBOUR
from tests.support.judges.building import writer
from tests.support.patience import until
from tests.support.warm_server import Verb


def test_a_folder_becomes_a_sheet_with_the_answers_of_two_models(
    run, db, documents, writing_server
):
    with_local = ("local", "--base-url", writing_server.url, "--yes")
    made = run("build", documents, "--judge", *with_local, "--concurrency", 1, "--json")
    built = json.loads(made.stdout)
    assert (built["sheet"], built["documents"], built["drafts"]["waiting"]) == ("port", 2, 2)
    assert built["excluded"][0]["name"] == "c.png"
    run("build", "--answer", "--judge", *with_local, code=2)
    run("build", "--approve", 1, "--by", "Ana")
    run("build", "--approve", 2, "--question", "谁负责预算？", "--by", "Ana")
    listed = json.loads(run("build", "--state", "approved", "--json").stdout)
    assert [draft["question"] for draft in listed["drafts"]] == ["When?", "谁负责预算？"]
    said = run("build", "--answer", "--judge", *with_local, "--model", "m", "--model", "n").output
    assert "port: 2 questions, 2 synthetic." in said
    with open_store(db) as store:
        assert sheets.chosen(store, "port").synthetic_words() == "4 of 4 answers synthetic"


def test_decisions_are_refused_whole_and_need_a_name(run, documents, writing_server):
    run("build", documents, "--judge", "local", "--base-url", writing_server.url, "--yes")
    for words, told in (
        (("--approve", 1), "Give the reviewer's name"),
        (("--approve", 1, "--approve", 99, "--by", "Ana"), "There is no draft 99"),
        (("--reject", 1, "--quote", "x", "--by", "Ana"), "exactly one --approve"),
        (
            ("--approve", 1, "--quote", "closes at seven o'clock", "--by", "Ana"),
            "is not in the document",
        ),
    ):
        assert told in run("build", *words, code=2).stderr
    assert json.loads(run("build", "--json").stdout)["counts"]["waiting"] == 2


def test_a_model_named_twice_is_asked_once(run, tmp_path, writing_server):
    (tmp_path / "q.csv").write_text("question,context\nWhen?,At six.\n")
    words = (
        *("build", "--judge", "local"),
        "--base-url",
        writing_server.url,
        "--questions",
        tmp_path / "q.csv",
        "--yes",
    )
    done = run(*words, "--sheet", "faq", "--model", "m", "--model", "m", "--json").output
    assert [one["added"] for one in json.loads(done)["runs"]] == [1]


def test_a_listing_holds_nothing_that_a_terminal_obeys(run, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "a.md").write_text(HARBOUR * 3)
    hostile = {"quote": HARBOUR[:40], "question": "\x1b[2J\u202eWhen\x9b?", "reference": "Six."}
    with Endpoint(write=lambda body: json.dumps({"drafts": [hostile]})) as server:
        run("build", folder, "--judge", "local", "--base-url", server.url, "--yes")
    assert not {"\x1b", "\u202e", "\x9b"} & set(run("build").output)


def test_a_killed_build_goes_on_where_it_was(db, tmp_path):
    folder = tmp_path / "port"
    folder.mkdir()
    for n in range(10):
        (folder / f"{n}.md").write_text(f"{HARBOUR * 3} Berth {n} is free.")
    with Endpoint(write=writer, holds_from=4) as server:
        local = ("--judge", "local", "--base-url", server.url, "--yes")
        words = ("build", folder, *local, "--concurrency", 4)
        running = Verb(db, *words)
        until(lambda: len(server.seen) >= 4 or running.poll() is not None)
        assert running.poll() is None, running.communicate()
        running.kill()
        running.communicate()
        server.release()
        assert invoke(db, *words).exit_code == 0
        delivered = Counter(server.delivered.values())
    assert delivered[1] >= 6 and set(delivered) <= {1, 2}
    with open_store(db) as store:
        assert len(drafts.of_sheet(store, "port", drafts.WAITING)) == 10
        assert store.value("select count(*) from asked where status = 'good'") == 10
