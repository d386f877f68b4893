"""Runs that everything goes wrong for: nothing is lost, nothing doubled, and no traceback shown."""

import itertools
import json
import resource
import socket
import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from concord import clock
from concord.building import drafts
from concord.store import additions, graders, grades, runs
from concord.store import items as store_items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from tests.support.batch_endpoint import BatchEndpoint
from tests.support.commandline import judge_file, spawn
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.fakejudge import Fake, run_rubric
from tests.support.forked import Verb
from tests.support.judges.processes import IN_FLIGHT, ended, scored, started
from tests.support.judges.rubric_runs import prepared, replies, statuses
from tests.support.judges.sessions import judged
from tests.support.made_items import made_item
from tests.support.patience import PATIENT_S, until


def made(store, answers):
    """A sheet of so many answers."""
    items = [made_item(n, answer=f"Answer {n}.") for n in range(answers)]
    return additions.add(store, "many", items, "s.csv", "6" * 64, {})


def asked_again(server):
    """How many requests came after a good reply to the same one had been delivered."""
    return sum(server.delivered.values()) - len(server.delivered)


def whole(store, sheet, answers):
    """Every answer has one good reply and three grades, none of them twice."""
    assert scored(store, sheet) == 3 * answers
    assert store.value("select count(*) from replies where status = 'scored'") == answers
    assert store.value("select count(*) from grades where run_id is not null") == 3 * answers


def test_three_hundred_answers_end_scored_although_the_server_misbehaves(store, tmp_path):
    sheet = made(store, 300)
    faults = {"429": 0.05, "500": 0.02, "cut": 0.01, "mangled": 0.01, "torn": 0.01, "drop": 0.01}
    with Endpoint(faults=faults, seed=6, retry_after_s=0.02) as server:
        mine = judge_file(tmp_path, server.url)
        code, said = ended(started(store, mine))
        met = Counter(seen.fault for seen in server.seen)
        good = Counter(seen.digest for seen in server.seen if seen.fault == "")
    assert (code, set(met)) == (0, {"", *faults}), said
    whole(store, sheet, 300)
    assert set(good.values()) == {1}  # none was asked again after a good reply


def test_replies_that_are_huge_slow_or_no_text_are_asked_again(store, tmp_path):
    sheet = made(store, 30)
    faults = {"huge": 0.1, "utf8": 0.1, "garbage": 0.1, "trickle": 0.1}
    with Endpoint(latency_s=0.01, faults=faults, seed=2) as server:
        mine = judge_file(tmp_path, server.url)
        with open(mine, "a", encoding="utf-8") as file:
            file.write("timeout_s = 2\n")
        code, said = ended(started(store, mine))
        met = {seen.fault for seen in server.seen}
    assert (code, met) == (0, {"", *faults}), said
    whole(store, sheet, 30)
    assert store.value("select max(length(raw)) from replies") < 100_000


@contextmanager
def kept_port():
    """A port that no other program gets meanwhile, for servers that come and go on it."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]


def test_a_server_that_restarts_costs_no_answer(store, tmp_path):
    sheet = made(store, 60)
    with kept_port() as port, Endpoint(port=port, holds_from=21) as first:
        running = started(store, judge_file(tmp_path, first.url))
        until(lambda: len(first.seen) == 20 + IN_FLIGHT)
        first.stop()
        time.sleep(0.3)
        with Endpoint(port=port) as second:
            code, said = ended(running)
    assert (code, "Traceback" in said) == (0, False), said
    whole(store, sheet, 60)
    delivered = first.delivered + second.delivered
    assert len(delivered) == 60
    assert len(second.delivered) == 40  # what the old server cut off in the middle, and the rest
    assert sum(delivered.values()) <= 60 + IN_FLIGHT


def test_a_database_that_another_program_writes_to_is_waited_for(store, tmp_path):
    """Eight requests are answered while the database is held, and nothing else is asked then."""
    sheet = made(store, 60)
    with Endpoint(holds_from=11) as server:
        running = started(store, judge_file(tmp_path, server.url))
        until(lambda: len(server.seen) == 10 + IN_FLIGHT)
        other = sqlite3.connect(store.path, isolation_level=None, timeout=PATIENT_S)
        other.execute("begin immediate")
        server.release()
        until(lambda: server.in_flight == 0)
        time.sleep(0.5)  # time for what must not happen
        assert len(server.seen) == 10 + IN_FLIGHT  # none whose reply could not be put on disk
        other.execute("rollback")
        other.close()
        code, said = ended(running)
        assert asked_again(server) == 0
    assert code == 0, said
    whole(store, sheet, 60)


def limited(store, *words):
    """A verb whose files may not grow beyond 1.2 MB: the operating system's own refusal."""
    most = (1_200_000, 1_200_000)
    no_more = partial(resource.setrlimit, resource.RLIMIT_FSIZE, most)
    return spawn(store.path, *words, preexec_fn=no_more)


def refused(running):
    """Whether a verb ended with the sentence that the disk takes no more."""
    _, said = running.communicate(timeout=PATIENT_S)
    assert (running.returncode, "Traceback" in said) == (2, False), said
    return "cannot" in said.splitlines()[-1]


def test_a_disk_that_takes_no_more_ends_the_run_with_one_sentence(store, tmp_path):
    sheet = made(store, 120)
    with Endpoint(latency_s=0.01) as server:
        mine = judge_file(tmp_path, server.url)
        words = ("judge", mine, "--yes", f"--concurrency={IN_FLIGHT}")
        assert refused(limited(store, *words)) and 0 < len(server.seen) < 120
        code, said = ended(started(store, mine))
        assert asked_again(server) <= IN_FLIGHT
    assert code == 0, said
    whole(store, sheet, 120)


def test_a_disk_that_takes_no_more_of_a_batch_leaves_it_open(store, tmp_path):
    sheet = made(store, 150)
    with BatchEndpoint() as server:
        mine = judge_file(tmp_path, server.url)
        judged(store, mine, batch=True)
        server.finish()
        assert refused(limited(store, "judge", mine, "--batch"))
        judged(store, mine, batch=True)
        assert len(server.made) == 1
    whole(store, sheet, 150)


def test_a_disk_that_takes_no_more_ends_a_build_with_one_sentence_too(store, tmp_path):
    folder = tmp_path / "port"
    folder.mkdir()
    for n in range(120):
        text = f"Berth {n} is free. The harbour opens at six in the morning. " * 9
        (folder / f"{n}.md").write_text(text)
    quote = {"quote": "The harbour opens at six in the morning.", "question": "When?"}
    reply = json.dumps({"drafts": [quote | {"reference": "At six."}]})
    with Endpoint(write=lambda body: reply) as server:
        words = ("build", folder, "--judge", "local", "--base-url", server.url, "--yes")
        words += ("--concurrency", IN_FLIGHT)
        assert refused(limited(store, *words)) and 0 < len(server.seen) < 120
        code, said = ended(Verb(store.path, *words))
        assert asked_again(server) <= IN_FLIGHT
    assert code == 0, said
    assert store.value("select count(*) from asked where status = 'good'") == 120
    assert len(drafts.of_sheet(store, "port", drafts.WAITING)) == 120


def test_a_clock_that_jumps_hurts_nothing(store, sheet, rubric, monkeypatch):
    years = itertools.cycle(["2031", "1999", "2026"])
    monkeypatch.setattr(runs, "now", lambda: f"{next(years)}-01-01T00:00:00.000Z")
    monkeypatch.setattr(grades, "now", lambda: f"{next(years)}-01-01T00:00:00.000Z")
    monkeypatch.setattr(time, "time", lambda: float(next(years)))
    fake, begun = Fake(), time.monotonic()
    ended_ = run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=4)
    assert (ended_.status, ended_.counts.calls) == ("done", 36)
    assert 0 < ended_.counts.seconds <= time.monotonic() - begun
    again = Fake()
    run_rubric(store, prepared(store, sheet, rubric), again)
    assert (again.bodies, statuses(store, sheet), len(replies(store))) == ([], {"scored": 108}, 36)
    assert clock.today()


def test_a_thousand_grades_of_twenty_annotators_at_once_land_while_a_judge_runs(store, tmp_path):
    """All press their keys at the same moment, and each reply of the judge's comes amid presses."""
    sheet = made(store, 125)
    version = next(iter(rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()))
    item_ids = store_items.item_ids(store, sheet.id)[:50]
    given = [graders.ensure(store, "person", f"P{n}") for n in range(20)]
    together, pressed, replied = threading.Barrier(len(given)), [], itertools.count(1)

    def press(person):
        with open_store(store.path) as own:
            for item_id in item_ids:
                key = Press(item_id, version, person, score=2.0, press_id=f"{person}-{item_id}")
                together.wait(PATIENT_S)
                pressed.append(grades.grade_blind(own, [key]))
                grades.grade_blind(own, [key])  # a resent key

    def amid(body):
        number = next(replied)
        until(lambda: len(pressed) >= 8 * number)
        return grade_by_hash(body)

    with Endpoint(grade=amid) as server:
        running = started(store, judge_file(tmp_path, server.url))
        until(lambda: server.seen)
        with ThreadPoolExecutor(len(given)) as annotators:
            list(annotators.map(press, given))
        code, said = ended(running)
        assert (code, asked_again(server), len(pressed)) == (0, 0, 1000), said
    whole(store, sheet, 125)
    assert store.value("select count(*) from grades where run_id is null") == 1000
