"""A run on a cluster: the same grades as on one machine, none asked twice, whatever dies."""

import json
import os
import signal
import threading
from collections import Counter

import pytest

from concord.judges.definition import model
from concord.judges.run import cluster as distributed
from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.judges.transport.client import Client
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
        ended = distributed.run(store, job(store, server.url), here, tmp_path, part_tasks=10)
        assert (ended.status, ended.counts.done, ended.counts.total) == ("done", 36, 36)
        again = distributed.run(store, job(store, server.url), here, tmp_path)
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
            distributed.run(store, job(store, server.url), dies, tmp_path, part_tasks=10)
        latest = runs.newest(
            store, sheet_id=sheet.id, grader_id=graders.find(store, "judge", "mine").id
        )
        assert (latest["status"], len(server.seen)) == ("stopped", 10)
        distributed.run(store, job(store, server.url), here, tmp_path, part_tasks=10)
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

        distributed.run(store, mine, half, tmp_path, part_tasks=36)
        assert Counter(server.delivered.values()) == {1: 20, 2: 16}
    assert len(grades_of(store, "mine")) == 108


def test_decisions_of_a_cluster_are_those_of_one_machine_with_their_probabilities(
    store, sheet, rubric, tmp_path
):
    """Another model shares no stored reply; the server's answers do not depend on the model."""
    versions = {version: name for name, version in rubric[1].versions().items()}

    def likely(name):
        mine = graders.find(store, "judge", name)
        return grades.distributions_of_grader(store, sheet.id, mine.id, versions)

    faults = {"429": 0.05, "500": 0.05, "cut": 0.1}
    with DecisionEndpoint(faults=faults, retry_after_s=0.01) as server:
        alone = decision_judge("openai", server.url, name="alone").with_overrides(model="n")
        run_rubric(store, session.prepared(store, alone, Options()), Client)
        mine = session.prepared(store, decision_judge("openai", server.url), Options())
        ended = distributed.run(store, mine, here, tmp_path, part_tasks=10)
        assert (ended.status, ended.counts.done, ended.counts.total) == ("done", 36, 36)
        again = session.prepared(store, decision_judge("openai", server.url), Options())
        assert distributed.run(store, again, here, tmp_path).counts.calls == 0
    assert grades_of(store, "decides") == grades_of(store, "alone")
    assert likely("decides") == likely("alone") and len(likely("decides")) == 108


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
