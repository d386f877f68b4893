"""Judges that differ in the reading rule alone, at the same moment: each request is sent once."""

import threading
from collections import Counter

import pytest

from concord.judges.definition.toml import as_toml
from concord.judges.running import engine
from concord.store import additions, graders
from tests.support.decision_endpoint import DecisionEndpoint
from tests.support.endpoint import Endpoint
from tests.support.fakejudge import Fake, judge
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.processes import IN_FLIGHT, ended, started
from tests.support.judges.rubric_runs import in_background, prepared, reader, statuses
from tests.support.made_items import made_item
from tests.support.patience import PATIENT_S, until


def decider(rule, url="http://127.0.0.1:9/v1"):
    return decision_judge("openai", url, f'reading = "{rule}"', name=rule)


def written(folder, one):
    path = folder / f"{one.name}.toml"
    path.write_text(as_toml(one), encoding="utf-8")
    return str(path)


def unended(store):
    return store.value("select count(*) from runs where status <> 'done'")


@pytest.mark.usefixtures("api_key")
@pytest.mark.parametrize("kind", ["decision", "chat"])
def test_three_processes_at_once_send_each_request_once_and_all_get_grades(
    store, sixty, tmp_path, kind
):
    server, made = (DecisionEndpoint, decider) if kind == "decision" else (Endpoint, reader)
    rules = ("argmax", "median", "rounded_mean")
    with server(latency_s=0.01) as endpoint:
        files = [written(tmp_path, made(rule, endpoint.url)) for rule in rules]
        running = [started(store, file) for file in files]
        said = [ended(one) for one in running]
        assert [code for code, _ in said] == [0, 0, 0], said
        asked = Counter(seen.digest for seen in endpoint.seen)
    assert (len(asked), max(asked.values())) == (60, 1)
    assert [statuses(store, sixty, rule) for rule in rules] == [{"scored": 180}] * 3
    assert unended(store) == 0


@pytest.mark.usefixtures("api_key")
def test_one_that_waits_goes_on_when_the_holder_is_killed(store, sixty, tmp_path):
    with DecisionEndpoint(holds_from=21) as server:
        first, second = (written(tmp_path, decider(r, server.url)) for r in ("argmax", "median"))
        holder = started(store, first)
        until(lambda: server.in_flight == IN_FLIGHT)
        waiting = started(store, second)
        until(lambda: graders.find(store, "judge", "median"))
        assert waiting.poll() is None
        holder.kill()
        holder.communicate()
        server.release()
        code, said = ended(waiting)
        assert code == 0, said
        assert ended(started(store, first))[0] == 0
        asked = Counter(seen.digest for seen in server.seen)
    # Only what was in flight at the kill is sent again.
    assert len(asked) == 60 and sum(asked.values()) <= 60 + IN_FLIGHT
    for name in ("argmax", "median"):
        assert statuses(store, sixty, name) == {"scored": 180}


def test_one_that_waits_says_for_whom_and_can_be_over_another_sheet(store, rubric):
    left, right = (
        additions.add(store, name, [made_item(n) for n in numbers], "s.csv", digest * 64, {})
        for name, numbers, digest in (("left", range(8), "1"), ("right", range(5, 9), "2"))
    )
    over, told, theirs, mine = threading.Event(), [], Fake(decided()), Fake(decided())
    theirs.until = over.is_set
    thread, _ = in_background(store.path, prepared(store, left, rubric, decider("argmax")), theirs)
    until(lambda: theirs.bodies)

    def tell(sentence):
        told.append(sentence)
        over.set()

    ran = engine.run(store, prepared(store, right, rubric, decider("median")), mine, tell=tell)
    thread.join(PATIENT_S)
    assert (ran.counts.calls, ran.counts.cached) == (1, 3)
    assert (len(theirs.bodies), len(mine.bodies)) == (8, 1)


def test_nobody_waits_for_other_requests_or_for_nothing_to_ask(store, sixty, rubric):
    """A judge of other requests, and one whose replies are all stored, run beside a holder."""
    engine.run(store, prepared(store, sixty, rubric, decider("argmax")), Fake(decided()))
    other = decider("argmax").with_overrides(model="n")
    for one in (decider("median"), other, judge()):
        with prepared(store, sixty, rubric, decider("argmax")).held(store):
            fake = Fake() if one.kind == "rubric" else Fake(decided())
            engine.run(store, prepared(store, sixty, rubric, one), fake, tell=pytest.fail)
    assert unended(store) == 0
