"""Metrics as real processes against a real server: killed at several moments, and resumed."""

import json
from collections import Counter

from concord.store import additions, metric_values, runs
from tests.support.judges.rubric_runs import ended
from tests.support.made_items import made_item
from tests.support.metric_runs import MetricEndpoint
from tests.support.patience import PATIENT_S, until
from tests.support.warm_server import Verb

IN_FLIGHT = 4
METRICS = ("faithfulness", "context_recall", "semantic_similarity")


def command(store, folder, server):
    """The verb `judge` for a judge of three metrics."""
    mine = folder / "mine.toml"
    mine.write_text(
        'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\n'
        f"metrics = {json.dumps(METRICS)}\n"
        f'[embedding]\nmodel = "e"\nprice = 0\nbase_url = "{server.url}"\n'
        f'[endpoint]\nbase_url = "{server.url}"\n'
    )
    return store.path, "judge", mine, "--yes", f"--concurrency={IN_FLIGHT}"


def test_killed_at_several_moments_only_what_is_missing_is_asked(store, tmp_path):
    """Each time while the server keeps it waiting for the requests in flight."""
    made = [made_item(n, m) for n in range(10) for m in ("atlas", "birch")]
    sheet = additions.add(store, "twenty", made, "t.csv", "2" * 64, {})
    with MetricEndpoint() as server:
        verb = command(store, tmp_path, server)
        for asked in (1, 15, 40):
            server.behaviour.holds_from = asked
            running = Verb(*verb)
            until(lambda goal=asked: len(server.seen) >= goal)
            running.kill()
            running.wait()
        server.behaviour.holds_from = None
        code, said = ended(Verb(*verb))
        assert code == 0, said
        delivered, texts = server.delivered, [t for asked in server.embedded for t in asked]
    # claims of twenty answers and of ten references, each with the verdicts on them
    assert len(delivered) == 20 + 20 + 10 + 10
    assert sum(delivered.values()) <= len(delivered) + 3 * IN_FLIGHT
    found = Counter(
        (row["metric"], row["status"]) for row in metric_values.of_sheet(store, sheet.id)
    )
    assert found == {(name, "scored"): 20 for name in METRICS}
    # What had been answered but was not yet on disk when it was killed is asked again.
    assert len(texts) - len({*texts}) <= 3 * IN_FLIGHT
    good = "select count(*), count(distinct part) from replies where status = 'scored'"
    assert len({*store.row(good)}) == 1
    states = [row["status"] for row in runs.of_sheet(store, sheet.id)]
    assert states == ["done", "stopped", "stopped", "stopped"]


def test_two_processes_at_once_do_not_ask_twice(store, tmp_path):
    additions.add(store, "three", [made_item(n) for n in range(3)], "t.csv", "3" * 64, {})
    with MetricEndpoint(holds_from=1) as server:
        verb = command(store, tmp_path, server)
        both = [Verb(*verb) for _ in "ab"]
        until(lambda: any(running.poll() is not None for running in both))
        server.release()
        (_, _said), (code, _refused) = sorted(map(ended, both))
        assert code == 2
        assert max(server.delivered.values()) == 1


def test_a_budget_given_while_it_is_at_work_becomes_that_of_the_run(store, tmp_path):
    sheet = additions.add(store, "three", [made_item(n) for n in range(3)], "t.csv", "3" * 64, {})
    with MetricEndpoint(holds_from=1) as server:
        verb = command(store, tmp_path, server)
        running = Verb(*verb)
        until(lambda: server.seen)
        ended(Verb(*verb, "--budget=5"))
        assert runs.budget(store, runs.of_sheet(store, sheet.id)[0]["id"]) == 5
        server.release()
        assert running.wait(PATIENT_S) == 0
