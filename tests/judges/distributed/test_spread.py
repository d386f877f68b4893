"""A run on a cluster: the same grades as on one machine, none asked twice, whatever dies."""

import json
import os
import signal
import threading
from collections import Counter

import pytest

from concord.judges.definition import model
from concord.judges.definition.toml import as_toml
from concord.judges.distributed import spread
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.judges.transport.client import Client
from concord.messages import Problem
from concord.store import graders, grades, runs
from tests.support.commandline import judge_file
from tests.support.endpoint import DecisionEndpoint, Endpoint
from tests.support.fakejudge import run_rubric
from tests.support.judges.decisions import decision_judge
from tests.support.patience import until


def judge(url, name="mine", more=""):
    return model.parse(
        f'name = "{name}"\nmodel = "m"\nrubric = "doc-qa-0-3"\nprice = 0\n{more}[endpoint]\n'
        f'base_url = "{url}"\n',
        "mine.toml",
    )


def job(store, url, *more):
    return session.prepared(store, judge(url, *more), Options())


def here(function, arguments):
    """A cluster of this process alone."""
    for place, each in enumerate(arguments):
        function(*each)
        yield place


def grades_of(store, name):
    mine = graders.find(store, "judge", name)
    rows = store.rows(
        "select item_id, version, status, score from grades where grader_id = ? order by 1, 2",
        (mine.id,),
    )
    return [tuple(row) for row in rows]


def test_a_cluster_gives_the_grades_of_one_machine_once(store, sheet, tmp_path):
    faults = {"429": 0.05, "500": 0.05, "cut": 0.1}
    with Endpoint(faults=faults, retry_after_s=0.01) as server:
        one = job(store, server.url, "alone")
        run_rubric(store, one, Client)
        ended = spread.run(store, job(store, server.url), here, tmp_path, part_tasks=10)
        assert (ended.status, ended.counts.done, ended.counts.total) == ("done", 36, 36)
        again = spread.run(store, job(store, server.url), here, tmp_path)
    assert again.counts.calls == 0
    assert grades_of(store, "mine") == grades_of(store, "alone")
    assert len(grades_of(store, "mine")) == 108
    assert list(tmp_path.glob("run-*")) == []


def test_what_came_before_the_run_died_is_merged_and_not_asked_again(store, sheet, tmp_path):
    def dies(function, arguments):
        function(*arguments[0])
        raise KeyboardInterrupt
        yield 0

    with Endpoint() as server:
        with pytest.raises(KeyboardInterrupt):
            spread.run(store, job(store, server.url), dies, tmp_path, part_tasks=10)
        latest = runs.newest(
            store, sheet_id=sheet.id, grader_id=graders.find(store, "judge", "mine").id
        )
        assert (latest["status"], len(server.seen)) == ("stopped", 10)
        spread.run(store, job(store, server.url), here, tmp_path, part_tasks=10)
        assert set(server.delivered.values()) == {1}
    assert len(grades_of(store, "mine")) == 108


def test_a_part_that_was_half_asked_is_finished_from_its_journal(store, sheet, tmp_path):
    with Endpoint() as server:
        mine = job(store, server.url)
        kept = []

        def half(function, arguments):
            kept.extend(arguments)
            function(*arguments[0])
            (journal,) = tmp_path.glob("run-*/*.jsonl")
            lines = journal.read_text().splitlines()
            journal.write_text("\n".join([*lines[:20], lines[20][:30]]))
            assert function(*arguments[0]) == 16  # one of the 36 was cut in the middle
            yield 0

        spread.run(store, mine, half, tmp_path, part_tasks=36)
        assert Counter(server.delivered.values()) == {1: 20, 2: 16}
    assert len(grades_of(store, "mine")) == 108


def test_a_refusing_endpoint_ends_the_run_with_its_sentence(store, sheet, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with (
        Endpoint(key="sk-right") as server,
        pytest.raises(Problem),
    ):
        spread.run(store, job(store, server.url), here, tmp_path, concurrency=1)


def test_without_dask_the_verb_says_what_to_install(run, answers, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    run("import", answers)
    said = run("judge", "local", "--scheduler", "2", "--yes", code=2).stderr
    assert "pip install -e '.[dask]'" in said


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_decisions_of_a_cluster_are_those_of_one_machine_with_their_probabilities(
    store, sheet, rubric, tmp_path, dialect
):
    """Another model shares no stored reply; the server's answers do not depend on the model."""
    versions = {version: name for name, version in rubric[1].versions().items()}

    def likely(name):
        mine = graders.find(store, "judge", name)
        return grades.distributions_of_grader(store, sheet.id, mine.id, versions)

    faults = {"429": 0.05, "500": 0.05, "cut": 0.1}
    with DecisionEndpoint(faults=faults, retry_after_s=0.01) as server:
        alone = decision_judge(dialect, server.url, name="alone").with_overrides(model="n")
        run_rubric(store, session.prepared(store, alone, Options()), Client)
        mine = session.prepared(store, decision_judge(dialect, server.url), Options())
        ended = spread.run(store, mine, here, tmp_path, part_tasks=10)
        assert (ended.status, ended.counts.done, ended.counts.total) == ("done", 36, 36)
        again = session.prepared(store, decision_judge(dialect, server.url), Options())
        assert spread.run(store, again, here, tmp_path).counts.calls == 0
    assert grades_of(store, "decides") == grades_of(store, "alone")
    assert likely("decides") == likely("alone") and len(likely("decides")) == 108


def test_a_refused_question_is_refused_alone_on_a_cluster_and_not_asked_again(
    store, sheet, tmp_path
):
    with DecisionEndpoint(refuses=["readability"]) as server:
        mine = session.prepared(store, decision_judge(url=server.url), Options())
        spread.run(store, mine, here, tmp_path)
        assert len(server.seen) == 36
    found = Counter(status for _, _, status, _ in grades_of(store, "decides"))
    assert found == {"scored": 72, "refused": 36}


def test_a_judge_that_only_reads_otherwise_asks_no_worker(store, sheet, tmp_path):
    with DecisionEndpoint() as server:
        for more in ("", 'reading = "argmax"'):
            judge = decision_judge(url=server.url, more=more, name=f"decides{len(more)}")
            spread.run(store, session.prepared(store, judge, Options()), here, tmp_path)
        assert len(server.seen) == 36
    assert len(grades_of(store, "decides0")) == len(grades_of(store, "decides18")) == 108


def test_the_command_spreads_a_decision_judge(run, store, sheet, tmp_path):
    path = tmp_path / "decides.toml"
    with DecisionEndpoint() as server:
        path.write_text(as_toml(decision_judge(url=server.url)), encoding="utf-8")
        done = run("judge", path, "--scheduler=2", "--repeat=2", "--json")
    told = json.loads(done.stdout)["runs"][0]
    assert (told["status"], told["counts"]["done"], done.stderr) == ("done", 72, "")
    assert store.value("select count(*) from distributions") == 216


def test_half_a_line_in_a_journal_is_passed_over(tmp_path):
    (tmp_path / "000000.a.jsonl").write_text('["h", "", 1, 1, {}, "", "", "{}", 0.1]\n["h", ')
    assert [came.key for came in spread.journals(tmp_path / "000000.parquet")] == [("h", "", 1)]


def test_a_worker_that_is_killed_costs_only_what_it_had_in_flight(run, store, sheet, tmp_path):
    """Two workers with two requests each are held half-way, and one of them is killed."""
    killed = []

    def kill_one(server):
        try:
            until(lambda: len(server.seen) == 16)
            killed.append(_workers()[0])
            os.kill(killed[0], signal.SIGKILL)
        finally:
            server.release()

    with Endpoint(holds_from=13) as server:
        killer = threading.Thread(target=kill_one, args=(server,))
        killer.start()
        words = ("--scheduler=2", "--concurrency=2", "--json")
        done = run("judge", judge_file(tmp_path, server.url), *words)
        killer.join()
        asked = Counter(Counter(seen.digest for seen in server.seen).values())
    assert killed and asked == {1: 34, 2: 2}
    told = json.loads(done.stdout)["runs"][0]
    assert (told["status"], told["counts"]["done"], done.stderr) == ("done", 36, "")
    assert len(grades_of(store, "mine")) == 108
    assert store.value("select count(*) from replies where status = 'scored'") == 36


def _workers():
    """The process ids of this process's Dask workers."""
    from distributed.nanny import Nanny

    return [nanny.pid for nanny in Nanny._instances if nanny.pid]
