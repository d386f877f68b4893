"""The runner: nothing asked twice, nothing lost, and every way a run can end."""

import json
import os
import signal
import threading
import time
from collections import Counter

import pytest

from conftest import made_item
from data import graders, grades, runs, sheets
from data.store import Store, open_store
from fakejudge import Fake, completion, good, judge
from judges import job as jobs
from judges import runner, writer
from judges.answer import Answer
from judges.fault import EndpointProblem
from problems import Problem

PRICED = "https://api.openai.com/v1"


def prepared(store, sheet, rubric, of=None, **options):
    return jobs.prepare(store, of or judge(), *rubric, sheet, **options)


def statuses(store, sheet, name="mine"):
    grader = graders.find(store, "judge", name)
    return Counter(row["status"] for row in grades.statuses(store, sheet.id, grader.id))


def replies(store):
    return store.rows("select * from replies order by id")


def last_run(store, sheet):
    return runs.of_sheet(store, sheet.id)[0]


def test_every_answer_is_asked_once_and_everything_is_stored(store, sheet, rubric):
    fake = Fake()
    ended = runner.run(store, prepared(store, sheet, rubric), fake, concurrency=4)
    assert (ended.status, ended.counts.done, ended.counts.calls) == ("done", 36, 36)
    assert len(fake.bodies) == 36 and fake.most_in_flight <= 4
    assert statuses(store, sheet) == {"scored": 108}
    stored = replies(store)
    assert len(stored) == 36 and {row["status"] for row in stored} == {"scored"}
    assert json.loads(stored[0]["request"]) in fake.bodies
    assert {(row["model"], row["system_fingerprint"]) for row in stored} == {("m-2026", "fp")}
    assert {row["blind"] for row in store.rows("select blind from grades")} == {None}
    row = last_run(store, sheet)
    assert (row["status"], row["message"], row["finished_at"] is None) == ("done", "", False)


def test_what_is_sent_names_neither_the_answering_model_nor_anything_not_shown(
    store, sheet, rubric
):
    made = made_item(99, "zeppelin", metadata={"secret": "quokka"}, reference=("xylophone",))
    sheet = sheets.add(store, "one", [made], "o.csv", "1" * 64, {})
    fake = Fake()
    runner.run(store, prepared(store, sheet, rubric), fake)
    sent = json.dumps(fake.bodies).replace("says zeppelin", "")
    assert not [word for word in ("zeppelin", "quokka", "xylophone", "099") if word in sent]


def test_running_again_asks_nothing(store, sheet, rubric):
    runner.run(store, prepared(store, sheet, rubric), Fake())
    again = Fake()
    ended = runner.run(store, prepared(store, sheet, rubric), again)
    assert (ended.counts.total, ended.counts.cost, again.bodies) == (0, 0, [])
    assert statuses(store, sheet) == {"scored": 108}


def test_the_same_content_in_two_items_or_two_sheets_is_asked_once(store, sheet, rubric):
    twins = [made_item(500, m, answer="The same.") for m in ("atlas", "birch")]
    first = sheets.add(store, "twins", twins, "t.csv", "2" * 64, {})
    fake = Fake()
    assert runner.run(store, prepared(store, first, rubric), fake).counts.calls == 1
    assert statuses(store, first) == {"scored": 6}
    other = sheets.add(store, "copy", twins, "t.csv", "3" * 64, {})
    ended = runner.run(store, prepared(store, other, rubric), fake)
    assert (ended.counts.cached, ended.counts.calls, ended.counts.cost) == (1, 0, 0)
    assert len(fake.bodies) == 1
    assert statuses(store, other) == {"scored": 6}
    assert {row["run_id"] for row in replies(store)} == {1}


def test_repeats_are_separate_replies(store, sheet, rubric):
    fake = Fake()
    runner.run(store, prepared(store, sheet, rubric, limit=5), fake)
    runner.run(store, prepared(store, sheet, rubric, limit=5, repeats=3), fake)
    assert len(fake.bodies) == 15
    assert Counter(row["repeat"] for row in replies(store)) == {1: 5, 2: 5, 3: 5}


def test_separate_calls_ask_each_criterion_apart(store, sheet, rubric):
    fake = Fake()
    of = judge('calls = "separate"')
    runner.run(store, prepared(store, sheet, rubric, of, limit=4), fake)
    assert Counter(row["part"] for row in replies(store)) == dict.fromkeys(rubric[1].versions(), 4)
    assert statuses(store, sheet) == {"scored": 12}


def test_a_reply_that_cannot_be_read_is_asked_again_and_every_attempt_is_kept(store, sheet, rubric):
    bad = [completion("No idea."), completion("{", "length")]
    fake = Fake(lambda body, before: [*bad, good(body)][before])
    ended = runner.run(store, prepared(store, sheet, rubric, limit=3), fake)
    assert (ended.counts.calls, ended.counts.done) == (9, 3)
    kept = Counter((row["attempt"], row["status"]) for row in replies(store))
    assert kept == {(1, "unparsable"): 3, (2, "truncated"): 3, (3, "scored"): 3}
    assert statuses(store, sheet) == {"scored": 9}


def test_the_number_of_attempts_is_bounded_and_what_is_settled_is_not_asked_again(
    store, sheet, rubric
):
    fake = Fake(lambda *_: completion("No idea."))
    runner.run(store, prepared(store, sheet, rubric, limit=2), fake)
    assert len(fake.bodies) == 2 * runner.ATTEMPTS
    assert statuses(store, sheet) == {"unparsable": 6}
    job = prepared(store, sheet, rubric, limit=2)
    assert (job.pending, job.settled) == ([], 2)
    healed = Fake()
    runner.run(store, prepared(store, sheet, rubric, limit=2, retry_unscored=True), healed)
    assert len(healed.bodies) == 2
    assert statuses(store, sheet) == {"scored": 6}


def partial(score: str):
    def reply(body, _):
        grades_ = json.loads(good(body).completion["choices"][0]["message"]["content"])
        grades_["readability"]["score"] = score
        grades_["correctness"]["score"] = 3
        return completion(json.dumps(grades_))

    return reply


def test_one_criterion_that_cannot_be_read_leaves_the_others_their_scores(store, sheet, rubric):
    runner.run(store, prepared(store, sheet, rubric, limit=2), Fake(partial("rather good")))
    assert statuses(store, sheet) == {"scored": 4, "unparsable": 2}


def test_a_score_that_is_there_is_not_replaced_when_the_others_are_asked_again(
    store, sheet, rubric
):
    runner.run(store, prepared(store, sheet, rubric, limit=2), Fake(partial("rather good")))
    before = store.rows("select id from grades where status = 'scored'")
    job = prepared(store, sheet, rubric, limit=2, retry_unscored=True)
    runner.run(store, job, Fake())
    superseded = {row["supersedes"] for row in store.rows("select supersedes from grades")}
    assert statuses(store, sheet) == {"scored": 6}
    assert not superseded & {row["id"] for row in before}


@pytest.mark.parametrize("status", ["refused", "too_long"])
def test_what_asking_again_cannot_help_is_asked_once(status, store, sheet, rubric):
    fake = Fake(lambda *_: Answer(status, "Said so."))
    runner.run(store, prepared(store, sheet, rubric, limit=2), fake)
    assert statuses(store, sheet) == {status: 6}
    assert len(fake.bodies) == 2


def test_failed_ones_are_asked_again_next_time_and_superseded(store, sheet, rubric):
    failing = Fake(lambda *_: Answer("failed", "No reply within 9 s."))
    ended = runner.run(store, prepared(store, sheet, rubric, limit=3), failing)
    assert ended.counts.trouble_lines() == [
        "9 got no reply; they are asked again next time: No reply within 9 s."
    ]
    assert prepared(store, sheet, rubric, limit=3).failed == 3
    runner.run(store, prepared(store, sheet, rubric, limit=3), Fake())
    assert statuses(store, sheet) == {"scored": 9}
    assert store.value("select count(*) from grades where supersedes is not null") == 9


def test_a_prompt_that_fits_no_model_is_too_long_without_a_call(store, sheet, rubric):
    fake = Fake()
    ended = runner.run(store, prepared(store, sheet, rubric, judge("context_tokens = 50")), fake)
    assert (fake.bodies, ended.counts.calls, ended.counts.done) == ([], 0, 36)
    assert statuses(store, sheet) == {"too_long": 108}


LARGER = 'context_tokens = {}\nlarger = {{ model = "gpt-4o", context_tokens = 99999 }}'


def test_a_prompt_that_does_not_fit_goes_to_the_larger_sibling_at_its_price(store, sheet, rubric):
    of = judge(LARGER.format(50), url=PRICED)
    fake = Fake()
    ended = runner.run(store, prepared(store, sheet, rubric, of, limit=2), fake)
    assert {body["model"] for body in fake.bodies} == {"gpt-4o"}
    price = json.loads(replies(store)[0]["price"])
    assert price["model"] == "gpt-4o"
    assert ended.counts.cost == pytest.approx(
        2 * (100 * float(price["input"]) + 20 * float(price["output"])) / 1e6
    )


def test_a_server_that_finds_a_prompt_too_long_is_asked_by_its_larger_model(store, sheet, rubric):
    def reply(body, _):
        return good(body) if body["model"] != "m" else Answer("too_long", "Too long.")

    fake = Fake(reply)
    runner.run(store, prepared(store, sheet, rubric, judge(LARGER.format(99999)), limit=1), fake)
    assert [body["model"] for body in fake.bodies] == ["m", "gpt-4o"]
    assert statuses(store, sheet) == {"scored": 3}


def test_an_empty_answer_is_judged_like_any_other(store, rubric):
    sheet = sheets.add(store, "e", [made_item(1, answer="")], "e.csv", "4" * 64, {})
    runner.run(store, prepared(store, sheet, rubric), Fake())
    assert statuses(store, sheet) == {"scored": 3}


@pytest.mark.parametrize("at", [0, 7])
def test_an_endpoint_that_refuses_for_good_stops_the_run_and_fails_nothing(
    at, store, sheet, rubric
):
    def reply(body, _):
        if len(fake.bodies) > at:
            raise EndpointProblem("The key is refused. Set another.")
        return good(body)

    fake = Fake(reply)
    with pytest.raises(Problem, match="The key is refused"):
        runner.run(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= at + 2
    row = last_run(store, sheet)
    assert (row["status"], row["message"]) == ("failed", "The key is refused. Set another.")
    found = statuses(store, sheet)
    assert set(found) <= {"scored"} and found["scored"] >= 3 * (at - 2)


def test_many_failures_in_a_row_break_the_circuit(store, sheet, rubric):
    fake = Fake(lambda *_: Answer("failed", "No reply within 9 s."))
    with pytest.raises(Problem, match=r"20 requests in a row failed.*No reply within 9 s"):
        runner.run(store, prepared(store, sheet, rubric), fake, concurrency=2)
    assert len(fake.bodies) <= 22
    assert last_run(store, sheet)["status"] == "failed"


def test_failures_among_successes_do_not_break_it(store, sheet, rubric):
    def reply(body, _):
        return good(body) if len(fake.bodies) % 5 == 0 else Answer("failed", "Broken.")

    fake = Fake(reply)
    assert runner.run(store, prepared(store, sheet, rubric), fake, concurrency=1).status == "done"


def priced(model="gpt-4o-mini"):
    return judge(url=PRICED).with_overrides(model)


def test_the_budget_holds_but_for_the_requests_in_flight(store, sheet, rubric):
    tokens = (1_000_000, 0)  # $0.15 a call
    fake = Fake(lambda body, _: completion(_text(body), tokens=tokens), seconds=0.01)
    job = prepared(store, sheet, rubric, priced())
    ended = runner.run(store, job, fake, budget=1.0, concurrency=4)
    assert ended.status == "stopped" and "The budget of $1.00" in ended.why
    assert 0.6 < ended.counts.cost <= 1.0
    row = last_run(store, sheet)
    assert (row["status"], row["budget"]) == ("stopped", 1.0)
    assert len(prepared(store, sheet, rubric, priced()).pending) == 36 - ended.counts.done


def _text(body):
    return good(body).completion["choices"][0]["message"]["content"]


def test_a_small_budget_is_used_up_although_many_workers_wait(store, sheet, rubric):
    """What is expected of calls in flight is held back only until they have landed."""
    fake = Fake(lambda body, _: completion(_text(body), tokens=(1, 1)), seconds=0.01)
    job = prepared(store, sheet, rubric, priced())
    ended = runner.run(store, job, fake, budget=0.004, concurrency=36)
    assert (ended.status, ended.counts.done) == ("done", 36)
    assert fake.most_in_flight < 36


def test_a_budget_of_nothing_buys_nothing(store, sheet, rubric):
    fake = Fake()
    ended = runner.run(store, prepared(store, sheet, rubric, priced()), fake, budget=0.0)
    assert (ended.status, fake.bodies) == ("stopped", [])


def test_replies_without_usage_count_towards_the_budget_as_expected(store, sheet, rubric):
    fake = Fake(lambda body, _: good(body)._replace(usage=None), seconds=0.001)
    job = prepared(store, sheet, rubric, priced())
    ended = runner.run(store, job, fake, budget=0.005, concurrency=2)
    assert ended.status == "stopped" and 0 < len(fake.bodies) < 36
    assert ended.counts.money() == "cost unknown"


def in_background(db, job, fake, **options):
    """A run in a thread of its own with a store of its own; returns thread and outcome list."""
    outcome = []

    def work():
        with open_store(db) as own:
            outcome.append(runner.run(own, job, fake, **options))

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def until(holds, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


def test_a_stop_request_is_honoured_within_about_a_second(store, sheet, rubric):
    fake = Fake(seconds=0.2)
    job = prepared(store, sheet, rubric)
    thread, outcome = in_background(store.path, job, fake, concurrency=1)
    until(lambda: len(fake.bodies) > 1)
    asked = time.monotonic()
    runs.request_stop(store, last_run(store, sheet)["id"])
    thread.join(10)
    assert time.monotonic() - asked < 1.5
    assert (outcome[0].status, outcome[0].why) == ("stopped", "Stopped on request.")
    assert statuses(store, sheet)["scored"] == 3 * len(fake.bodies)  # the one in flight landed
    assert last_run(store, sheet)["status"] == "stopped"


def test_a_stop_does_not_wait_for_ever_for_what_is_in_flight(store, sheet, rubric, monkeypatch):
    monkeypatch.setattr(runner, "GRACE_S", 0.2)
    fake = Fake(seconds=60)
    thread, outcome = in_background(store.path, prepared(store, sheet, rubric), fake)
    until(lambda: fake.bodies)
    runs.request_stop(store, last_run(store, sheet)["id"])
    thread.join(5)
    assert outcome[0].status == "stopped"


def test_a_second_run_of_the_same_judge_and_sheet_is_told_so_and_asks_nothing(store, sheet, rubric):
    fake, second = Fake(seconds=0.05), Fake()
    job = prepared(store, sheet, rubric)
    thread, outcome = in_background(store.path, job, fake, concurrency=2)
    until(lambda: fake.bodies)
    with pytest.raises(Problem, match="mine is already running over “numbers”"):
        runner.run(store, job, second)
    assert runner.is_running(store, sheet.id, graders.find(store, "judge", "mine").id)
    thread.join(10)
    assert (second.bodies, outcome[0].counts.done) == ([], 36)
    assert len(fake.bodies) == 36
    assert not runner.is_running(store, sheet.id, graders.find(store, "judge", "mine").id)


def test_a_job_prepared_before_another_run_ended_asks_nothing_twice(store, sheet, rubric):
    job = prepared(store, sheet, rubric)
    runner.run(store, job, Fake())
    again = Fake()
    runner.run(store, job, again)
    assert again.bodies == []


def test_asking_whether_it_runs_does_not_keep_a_run_from_starting(store, sheet, rubric):
    job = prepared(store, sheet, rubric, limit=1)
    grader_id = jobs.grader_id(store, job)
    over = threading.Event()

    def look():
        with open_store(store.path) as own:
            while not over.is_set():
                runner.is_running(own, sheet.id, grader_id)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for _ in range(10):
            runner.run(store, job, Fake())
    finally:
        over.set()
        looker.join()


def test_the_run_of_a_dead_process_is_closed_by_who_looks(store, sheet, rubric):
    grader_id = jobs.grader_id(store, prepared(store, sheet, rubric))
    runs.start(store, grader_id, sheet.id, rubric[0], {}, [], {}, None)
    assert not runner.is_running(store, sheet.id, grader_id)
    row = last_run(store, sheet)
    assert row["status"] == "stopped" and "process ended before" in row["message"]


def test_an_interrupt_keeps_what_has_landed(store, sheet, rubric):
    def reply(body, _):
        if len(fake.bodies) == 10:
            os.kill(os.getpid(), signal.SIGINT)
        return good(body)

    fake = Fake(reply, seconds=0.001)
    with pytest.raises(KeyboardInterrupt):
        runner.run(store, prepared(store, sheet, rubric), fake, concurrency=2)
    row = last_run(store, sheet)
    assert (row["status"], row["message"]) == ("stopped", "Interrupted.")
    assert len(replies(store)) >= 9
    rest = Fake()
    runner.run(store, prepared(store, sheet, rubric), rest)
    assert len(fake.bodies) + len(rest.bodies) <= 36 + 2
    assert statuses(store, sheet) == {"scored": 108}


def test_a_bug_in_a_worker_surfaces_and_closes_the_run(store, sheet, rubric):
    fake = Fake(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        runner.run(store, prepared(store, sheet, rubric), fake)
    assert last_run(store, sheet)["status"] == "failed"
    runner.run(store, prepared(store, sheet, rubric), Fake())
    assert statuses(store, sheet) == {"scored": 108}


def test_a_full_disk_ends_the_run_with_one_sentence(store, sheet, rubric, monkeypatch):
    """SQLite's own error, where replies are put on disk, as `PRAGMA max_page_count` raises it."""
    committed = writer.runs.add_replies

    def limited(opened: Store, run_id, landed):
        opened.db.conn.execute("pragma max_page_count = 1")  # SQLite takes the present size
        opened.execute("insert into settings (name, value) values ('x', zeroblob(9000000))")
        committed(opened, run_id, landed)

    monkeypatch.setattr(writer.runs, "add_replies", limited)
    with pytest.raises(Problem, match="the disk is full") as caught:
        runner.run(store, prepared(store, sheet, rubric), Fake())
    assert "\n" not in str(caught.value)
    assert last_run(store, sheet)["status"] == "failed"
    monkeypatch.undo()
    runner.run(store, prepared(store, sheet, rubric), Fake())
    assert statuses(store, sheet) == {"scored": 108}


def test_a_sheet_deleted_during_the_run_ends_it_with_one_sentence(store, sheet, rubric):
    def reply(body, _):
        if len(fake.bodies) == 5:
            sheets.delete(store, sheet)
        return good(body)

    fake = Fake(reply)
    with pytest.raises(Problem, match="deleted"):
        runner.run(store, prepared(store, sheet, rubric), fake, concurrency=1)
    assert not replies(store)


def test_a_long_sheet_takes_no_task_per_item_and_little_longer_than_the_server(
    store, sheet, rubric
):
    made = [made_item(n, answer=f"Answer {n}") for n in range(2000)]
    large = sheets.add(store, "large", made, "l.csv", "5" * 64, {})
    fake = Fake(seconds=0.02)
    ended = runner.run(store, prepared(store, large, rubric), fake, concurrency=64)
    assert ended.counts.done == 2000
    assert fake.most_in_flight == 64 and fake.most_tasks < 64 + 10
    assert ended.counts.seconds < 20  # the server alone takes 0.6 s
