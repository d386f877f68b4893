"""The same judge on several sheets at once: what they share is asked and paid once."""

import asyncio
import errno
import itertools
import os
import signal
import socket
import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from concord import clock
from concord.judges.definition.model import parse
from concord.judges.run import judging as session
from concord.judges.run import launch, writer
from concord.judges.run.job import Options
from concord.judges.run.lock import of_judge
from concord.judges.run.writer import Landed, Writer
from concord.messages import Problem
from concord.store import additions, graders, grades, items, runs
from concord.store import items as store_items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.runs import Reply
from tests.support.commandline import judge_file
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.rubric_runs import (
    IN_FLIGHT,
    ended,
    in_background,
    prepared,
    replies,
    scored,
    started,
    statuses,
)
from tests.support.made_items import made_item
from tests.support.metric_runs import prepared as of_metrics
from tests.support.patience import PATIENT_S, until


def made(store, name, numbers):
    built = [made_item(n) for n in numbers]
    return additions.add(store, name, built, f"{name}.csv", "7" * 64, {})


def test_a_sheet_that_shares_answers_waits_and_one_that_shares_none_does_not(store, rubric):
    first, second, third = (
        made(store, name, numbers)
        for name, numbers in (
            ("first", range(8)),
            ("second", range(5, 20)),
            ("third", range(20, 25)),
        )
    )
    over = threading.Event()
    fake, shut, beside = Fake(until=over.is_set), Fake(), Fake()
    thread, outcome = in_background(store.path, prepared(store, first, rubric), fake, concurrency=2)
    try:
        until(lambda: fake.bodies)
        with pytest.raises(Problem, match="first"):
            run_rubric(store, prepared(store, second, rubric), shut)
        assert run_rubric(store, prepared(store, third, rubric), beside).counts.calls == 5
    finally:
        over.set()
        thread.join(PATIENT_S)
    assert (outcome[0].counts.calls, shut.bodies) == (8, [])
    done = run_rubric(store, prepared(store, second, rubric), shut)
    assert (done.counts.calls, done.counts.cached) == (12, 3)
    assert statuses(store, second) == {"scored": 45}


def test_what_the_judge_has_answered_already_keeps_nobody_waiting(store, rubric):
    """The five that the two sheets share were asked about before; eight others still are."""
    shared, long = made(store, "shared", range(5)), made(store, "long", range(13))
    run_rubric(store, prepared(store, long, rubric, limit=5), Fake())
    over = threading.Event()
    fake, nothing = Fake(until=over.is_set), Fake()
    thread, _ = in_background(store.path, prepared(store, long, rubric), fake)
    try:
        until(lambda: fake.bodies)
        done = run_rubric(store, prepared(store, shared, rubric), nothing)
    finally:
        over.set()
        thread.join(PATIENT_S)
    assert (done.counts.cached, nothing.bodies, len(fake.bodies)) == (5, [], 8)


def test_of_six_that_start_at_the_same_moment_one_goes_on_and_nothing_is_asked_twice(store, rubric):
    six = [made(store, f"s{n}", range(9)) for n in range(6)]
    together, refused = threading.Barrier(len(six)), []
    fake = Fake(until=lambda: len(refused) == 5 or len(fake.bodies) > 9)

    def start(sheet):
        with open_store(store.path) as own:
            job = prepared(own, sheet, rubric)
            together.wait(PATIENT_S)
            try:
                run_rubric(own, job, fake)
            except Problem as problem:
                refused.append(str(problem))

    with ThreadPoolExecutor(len(six)) as pool:
        list(pool.map(start, six))
    assert len(fake.bodies) == 9 and len(refused) == 5


def test_a_judge_for_metrics_keeps_to_it_too_unless_it_asks_nobody(store):
    left, right = made(store, "left", range(3)), made(store, "right", range(2, 5))
    asking, computing = (
        parse('name = "mine"\nkind = "metric"\nmodel = "m"\nmetrics = ["faithfulness"]', "m.toml"),
        parse('name = "mine"\nkind = "metric"\nmetrics = ["rouge_l"]', "m.toml"),
    )
    with (
        of_metrics(store, left, asking).locked(store),
        pytest.raises(Problem, match="left"),
        of_metrics(store, right, asking).locked(store),
    ):
        pass
    with (
        of_metrics(store, left, computing).locked(store),
        of_metrics(store, right, computing).locked(store),
    ):
        pass


def test_two_processes_over_two_sheets_of_the_same_answers_pay_once_and_the_dead_bar_nobody(
    store, tmp_path
):
    both = [made(store, "left", range(20)), made(store, "right", range(20))]
    with Endpoint(holds_from=11) as server:
        mine = judge_file(tmp_path, server.url)
        running = {sheet.name: started(store, mine, "--sheet", sheet.name) for sheet in both}
        until(lambda: any(process.poll() is not None for process in running.values()))
        (barred,) = (name for name, process in running.items() if process.poll() is not None)
        code, said = ended(running.pop(barred))
        ((held, holder),) = running.items()
        assert (code, said.count("\n"), f"running on “{held}”" in said) == (2, 1, True), said
        until(lambda: server.in_flight == IN_FLIGHT)
        holder.kill()
        holder.communicate()
        server.release()
        assert ended(started(store, mine, "--sheet", barred))[0] == 0
        assert ended(started(store, mine, "--sheet", held))[0] == 0
        asked = Counter(seen.digest for seen in server.seen)
    assert len(asked) == 20 and sum(asked.values()) <= 20 + IN_FLIGHT
    assert [scored(store, sheet) for sheet in both] == [60, 60]


KEY = "sk-quite-secret-0123456789"


def test_an_interrupted_run_says_so_keeps_what_landed_and_goes_on(
    store, sixty, tmp_path, interrupts
):
    with Endpoint(holds_from=21) as server:
        mine = judge_file(tmp_path, server.url)
        running = started(store, mine)
        until(lambda: len(server.seen) > 20)
        running.send_signal(signal.SIGINT)
        code, said = ended(running)
        assert (code, "Traceback" in said) == (130, False)
        assert runs.of_sheet(store, sixty.id)[0]["message"] == "Interrupted."
        before = store.value("select count(*) from replies")
        assert before >= 20 - IN_FLIGHT
        server.release()
        assert ended(started(store, mine))[0] == 0
        assert sum(server.delivered.values()) <= 60 + IN_FLIGHT
    assert scored(store, sixty) == 180


def test_the_app_starts_a_run_that_the_store_tells_of(store, sixty, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint(holds_from=1, key=KEY) as server:
        mine = judge_file(tmp_path, server.url)
        options = Options(sheet_name="sixty", concurrency=4)
        job = session.prepare(store, mine, options)
        launch.start(store, job, mine, options)
        grader_id = graders.find(store, "judge", "mine").id
        place = of_judge(sixty.id, grader_id)
        assert launch.is_alive(store, place)
        until(lambda: place.newest(store) is not None)
        assert launch.startup_error(store, place) == ""
        server.release()
        until(lambda: not launch.is_alive(store, place))
        assert place.newest(store)["status"] == "done"
        assert launch.startup_error(store, place) == ""
    assert scored(store, sixty) == 180
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"sixty" in written and KEY.encode() not in written


def test_the_command_line_is_the_verb_with_the_same_options(store, sixty, rubric):
    options = Options(
        *("a sheet", "gpt-x", "http://127.0.0.1:1/v1", "r", 4, 2, 10, 1.5),
        *(False, True, True, True, True),
    )
    job = replace(prepared(store, sixty, rubric), sheet=sixty._replace(name="-s"))
    said = job.command("concord.db", "-odd-name", options)
    assert said[1:3] == ["-m", "concord"]
    assert said[3:6] == ["--db", str(Path("concord.db").resolve()), "judge"]
    assert said[-2:] == ["--", "-odd-name"]
    assert {*said[6:-2]} == {
        "--sheet=-s",
        "--model=gpt-x",
        "--base-url=http://127.0.0.1:1/v1",
        "--rubric=r",
        "--concurrency=4",
        "--repeat=2",
        "--limit=10",
        "--budget=1.5",
        "--retry-unscored",
        "--batch",
        "--cancel-batch",
        "--yes",
    }


def made_of_engine_recovery(store, answers):
    """A sheet of so many answers."""
    built = [made_item(n, answer=f"Answer {n}.") for n in range(answers)]
    return additions.add(store, "many", built, "s.csv", "6" * 64, {})


def asked_again(server):
    """How many requests came after a good reply to the same one had been delivered."""
    return sum(server.delivered.values()) - len(server.delivered)


def whole(store, sheet, answers):
    """Every answer has one good reply and three grades, none of them twice."""
    assert scored(store, sheet) == 3 * answers
    assert store.value("select count(*) from replies where status = 'scored'") == answers
    assert store.value("select count(*) from grades where run_id is not null") == 3 * answers


def test_three_hundred_answers_end_scored_although_the_server_misbehaves(store, tmp_path):
    sheet = made_of_engine_recovery(store, 300)
    often = {"429": 0.05, "500": 0.02}
    kinds = ("cut", "mangled", "torn", "drop", "huge", "utf8", "garbage", "trickle")
    faults = often | dict.fromkeys(kinds, 0.01)
    with Endpoint(faults=faults, seed=6, retry_after_s=0.02) as server:
        mine = judge_file(tmp_path, server.url)
        with open(mine, "a", encoding="utf-8") as file:
            file.write("timeout_s = 1\n")
        code, said = ended(started(store, mine))
        met = Counter(seen.fault for seen in server.seen)
        good = Counter(seen.digest for seen in server.seen if seen.fault == "")
    assert (code, set(met)) == (0, {"", *faults}), said
    whole(store, sheet, 300)
    assert set(good.values()) == {1}  # none was asked again after a good reply
    assert store.value("select max(length(raw)) from replies") < 100_000


@contextmanager
def kept_port():
    """A port that no other program gets meanwhile, for servers that come and go on it."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]


def test_a_server_that_restarts_costs_no_answer(store, tmp_path):
    sheet = made_of_engine_recovery(store, 60)
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
    sheet = made_of_engine_recovery(store, 60)
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


def test_four_hundred_grades_of_twenty_annotators_at_once_land_while_a_judge_runs(store, tmp_path):
    """All press their keys at the same moment, and each reply of the judge's comes amid presses."""
    sheet = made_of_engine_recovery(store, 50)
    version = next(iter(rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()))
    item_ids = store_items.item_ids(store, sheet.id)[:20]
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
        assert (code, asked_again(server), len(pressed)) == (0, 0, 400), said
    whole(store, sheet, 50)
    assert store.value("select count(*) from grades where run_id is null") == 400


def landed(store, run_id, number):
    """A reply to one of the answers."""
    run = store.row("select * from runs where id = ?", (run_id,))
    item_id = items.item_ids(store, run["sheet_id"])[number]
    return Landed([Reply(run["grader_id"], item_id, f"h{number}", "", 1, 1, "{}", "{}", "x")], [])


def write(store, run_id, times=3):
    """Land so many replies, one after the other."""

    async def go():
        with Writer(store.path) as disk:
            for number in range(times):
                await disk.land(run_id, landed(store, run_id, number))
                assert stored(store) == number + 1  # another connection sees it at once

    asyncio.run(go())


def stored(store):
    return store.value("select count(*) from replies")


def flushed(monkeypatch, fault=None):
    """The files that the disk was asked to take."""
    asked, fsync = [], os.fsync

    def noted(file):
        asked.append(os.fstat(file).st_ino)
        if fault:
            raise fault
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    return asked


def test_the_disk_is_asked_to_take_what_was_written_before_the_writer_is_done(
    store, run_of_three, monkeypatch
):
    asked = flushed(monkeypatch)
    write(store, run_of_three)
    assert set(asked) == {os.stat(f"{store.path}-wal").st_ino}
    assert len(asked) <= 3  # what one taking brings along is not asked for again


def test_a_disk_that_takes_nothing_ends_the_run_with_one_sentence(store, run_of_three, monkeypatch):
    asked = flushed(monkeypatch, OSError(errno.EIO, "Input/output error"))

    async def go():
        with Writer(store.path) as disk:
            await disk.land(run_of_three, landed(store, run_of_three, 0))
            await asyncio.to_thread(until, lambda: asked)
            await disk.land(run_of_three, landed(store, run_of_three, 1))

    with pytest.raises(Problem, match="Input/output error"):
        asyncio.run(go())
    assert len(asked) == 1  # a second time the system would say that all is well


def test_what_lands_in_one_turn_of_the_loop_is_one_transaction(store, run_of_three, monkeypatch):
    batches, committed = [], writer.commit

    def noted(at, run_id, found):
        batches.append(len(found))
        committed(at, run_id, found)

    monkeypatch.setattr(writer, "commit", noted)

    async def go():
        with Writer(store.path) as disk:
            every = (disk.land(run_of_three, landed(store, run_of_three, n)) for n in range(3))
            await asyncio.gather(*every)

    asyncio.run(go())
    assert (batches, stored(store)) == ([3], 3)


def test_who_finds_another_writing_waits_and_the_loop_goes_on_meanwhile(store, run_of_three):
    async def go():
        with Writer(store.path) as disk:
            with store.write():
                several = [
                    asyncio.create_task(disk.land(run_of_three, landed(store, run_of_three, n)))
                    for n in range(3)
                ]
                for _ in range(10):
                    await asyncio.sleep(0)
                assert not any(task.done() for task in several)
            await asyncio.gather(*several)
            assert stored(store) == 3

    asyncio.run(go())


def test_what_waits_when_a_run_is_cancelled_is_written(store, run_of_three):
    async def go():
        with Writer(store.path) as disk:
            with store.write():
                task = asyncio.create_task(disk.land(run_of_three, landed(store, run_of_three, 0)))
                await asyncio.sleep(0)
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(go())
    assert stored(store) == 1
