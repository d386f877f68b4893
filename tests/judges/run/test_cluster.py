"""A run on a cluster: the same grades as on one machine, none asked twice, whatever dies."""

import json
import os
import signal
import threading
from collections import Counter

import pytest

from concord.judges.run import cluster
from concord.judges.transport.client import Client
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.store import graders
from tests.support.commandline import judge_file
from tests.support.endpoint import DecisionEndpoint, Endpoint
from tests.support.fakejudge import judge, run_rubric
from tests.support.judges.decisions import decision_judge
from tests.support.judges.rubric_runs import prepared
from tests.support.patience import until


def grades_of(store, name):
    mine = graders.find(store, "judge", name)
    rows = store.rows(
        "select item_id, version, status, score, probabilities from grades g"
        " left join distributions d on d.grade_id = g.id where grader_id = ? order by 1, 2",
        (mine.id,),
    )
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("kind", ["chat", "decision"])
def test_a_cluster_gives_the_grades_of_one_machine_once(
    store, sheet, rubric, kind, monkeypatch, dask
):
    """Another model shares no stored reply; the server's answers do not depend on the model."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    faults = {"429": 0.05, "500": 0.05, "cut": 0.1}
    with (DecisionEndpoint if kind == "decision" else Endpoint)(
        faults=faults, retry_after_s=0.01
    ) as server:
        made = decision_judge("openai", server.url) if kind == "decision" else judge(url=server.url)
        alone = made.with_overrides(model="n").model_copy(update={"name": "alone"})
        run_rubric(store, prepared(store, sheet, rubric, alone), Client)
        connect = cluster.connected(dask(1, 4))
        ended = run_rubric(store, prepared(store, sheet, rubric, made), connect, concurrency=4)
        assert (ended.status, ended.counts.done, ended.counts.total) == ("done", 36, 36)
        again = run_rubric(store, prepared(store, sheet, rubric, made), connect)
        assert again.counts.calls == 0
    assert grades_of(store, made.name) == grades_of(store, "alone")
    assert len(grades_of(store, made.name)) == 108


def test_a_refused_key_ends_the_run_with_the_workers_sentence(
    store, sheet, rubric, monkeypatch, dask
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-wrong-0123456789")
    with Endpoint(key="sk-right") as server, pytest.raises(EndpointProblem, match="OPENAI_API_KEY"):
        job = prepared(store, sheet, rubric, judge(url=server.url))
        run_rubric(store, job, cluster.connected(dask(1, 2)), concurrency=2)
    assert store.value("select status from runs") == "failed"


def test_a_worker_that_is_killed_costs_only_what_it_had_in_flight(
    run, store, sheet, tmp_path, dask
):
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
        words = (f"--scheduler={dask(2, 2)}", "--concurrency=4", "--json")
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
