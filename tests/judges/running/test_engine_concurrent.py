"""The same judge on several sheets at once: what they share is asked and paid once."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from concord.judges.definition.model import parse
from concord.messages import Problem
from concord.store import additions
from concord.store.database import open_store
from tests.support.commandline import judge_file
from tests.support.endpoint import Endpoint
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.processes import IN_FLIGHT, ended, scored, started
from tests.support.judges.rubric_runs import in_background, prepared, statuses
from tests.support.made_items import made_item
from tests.support.metric_runs import prepared as of_metrics
from tests.support.patience import PATIENT_S, until


def made(store, name, numbers):
    items = [made_item(n) for n in numbers]
    return additions.add(store, name, items, f"{name}.csv", "7" * 64, {})


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
        with pytest.raises(Problem, match="running on “first”, which shares 3 answers with"):
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
    assert all("which shares 9 answers" in said for said in refused)


def test_a_judge_for_metrics_keeps_to_it_too_unless_it_asks_nobody(store):
    left, right = made(store, "left", range(3)), made(store, "right", range(2, 5))
    asking, computing = (
        parse('name = "mine"\nkind = "metric"\nmodel = "m"\nmetrics = ["faithfulness"]', "m.toml"),
        parse('name = "mine"\nkind = "metric"\nmetrics = ["rouge_l"]', "m.toml"),
    )
    with (
        of_metrics(store, left, asking).locked(store),
        pytest.raises(Problem, match="running on “left”, which shares 1 answer with"),
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
