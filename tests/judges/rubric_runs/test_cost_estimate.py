"""What a run costs: never more than announced, never 0 where it is not known."""

from decimal import Decimal

import pytest

from concord.clock import today
from concord.judges.definition import prices
from concord.judges.definition.prices import Usage
from concord.judges.rubric_runs import job as jobs
from concord.judges.running.cost_estimate import price_in_words
from concord.reports.decision import cost
from concord.store import graders, runs
from tests.support.fakejudge import PRICED, Fake, good, judge, run_rubric
from tests.support.judges.building import PRICE


def prepared(store, sheet, rubric, of=None):
    return jobs.prepare(store, of or judge(url=PRICED), *rubric, sheet)


def answering(usage):
    return Fake(lambda body, _: good(body)._replace(usage=usage), seconds=0.001)


def test_hits_in_the_servers_prompt_cache_are_paid_at_their_own_price(store, sheet, rubric, priced):
    fake = answering(Usage(1000, 100, cached=800))
    ended = run_rubric(store, prepared(store, sheet, rubric), fake)
    # 200 at 2, 800 at 0.2 and 100 at 10 USD a million: 400 + 160 + 1000 millionths.
    assert ended.counts.cost == pytest.approx(36 * 0.00156)
    assert ended.counts.tokens_cached == 36 * 800
    row = store.row("select price, price_date, cost, tokens_cached from replies")
    assert (row["cost"], row["tokens_cached"]) == (pytest.approx(0.00156), 800)
    assert '"cached":"0.2"' in row["price"] and row["price_date"] == str(today())


def test_a_budget_is_passed_by_no_more_than_the_requests_in_flight(store, sheet, rubric, priced):
    """Although each reply costs a thousand times what was expected."""
    fake = answering(Usage(500_000, 0))  # one USD
    job = prepared(store, sheet, rubric)
    assert job.estimate(store).cost[1] < 0.5
    ended = run_rubric(store, job, fake, budget=0.5, concurrency=4)
    assert ended.status == "stopped"
    assert ended.counts.cost <= 0.5 + 4 * 1.0
    assert len(fake.bodies) <= 4
    again = answering(Usage(500_000, 0))
    run_rubric(store, prepared(store, sheet, rubric), again, budget=2.5, concurrency=4)
    assert len(again.bodies) <= 4 + 1


def test_what_the_server_reported_is_what_the_next_estimate_rests_on(store, sheet, rubric, priced):
    run_rubric(
        store,
        jobs.prepare(store, judge(url=PRICED), *rubric, sheet, limit=10),
        answering(Usage(1000, 100)),
    )
    found = prepared(store, sheet, rubric).estimate(store, (PRICE,))
    assert found.cost == (Decimal("0.078"), Decimal("0.078"))
    assert found.batch_cost == (Decimal("0.039"), Decimal("0.039"))


def test_a_run_from_the_cache_costs_nothing(store, sheet, rubric, priced):
    run_rubric(store, prepared(store, sheet, rubric), answering(Usage(1000, 100)))
    spent = store.value("select sum(cost) from replies")
    store.execute("delete from grades")
    found = prepared(store, sheet, rubric).estimate(store, (PRICE,))
    assert (found.calls, found.cached, found.cost) == (0, 36, (0, 0))
    ended = run_rubric(store, prepared(store, sheet, rubric), answering(Usage(1000, 100)))
    assert (ended.counts.cached, ended.counts.calls, ended.counts.cost) == (36, 0, 0)
    assert ended.counts.money() == "$0.00"
    assert store.value("select sum(cost) from replies") == spent


def test_an_unknown_price_stays_unknown_everywhere(store, sheet, rubric, monkeypatch):
    monkeypatch.setattr(prices, "load", lambda: ())
    job = prepared(store, sheet, rubric)
    found = job.estimate(store)
    assert (found.cost, found.batch_cost) == (None, None)
    assert "cost unknown" in found.sentence() and found.as_json()["batch_cost_usd"] is None
    ended = run_rubric(store, job, answering(Usage(1000, 100)))
    assert (ended.counts.unpriced, ended.counts.money()) == (36, "cost unknown")
    assert store.value("select count(*) from replies where cost is null") == 36
    assert runs.charges(store, job.register(store), sheet.id)[0]["unpriced"] == 1


def test_what_is_free_costs_nothing_also_where_the_server_reports_no_usage(store, sheet, rubric):
    job = prepared(store, sheet, rubric, judge())
    ended = run_rubric(store, job, answering(None))
    assert (ended.counts.unpriced, ended.counts.money()) == (0, "$0.00")
    found = cost.cost(store, sheet, graders.get(store, job.register(store)))
    assert (found.per_1000, found.unpriced) == (0, 0)


def test_a_price_without_usage_is_unknown(store, sheet, rubric, priced):
    job = prepared(store, sheet, rubric)
    ended = run_rubric(store, job, answering(None))
    assert (ended.counts.unpriced, ended.counts.money()) == (36, "cost unknown")
    assert cost.cost(store, sheet, graders.get(store, job.register(store))).per_1000 is None


def test_a_cost_whose_ends_round_to_the_same_is_named_once():
    assert price_in_words((Decimal("0.2512"), Decimal("0.2534"))) == "$0.25"
    assert price_in_words((Decimal("0.25"), Decimal("0.50"))) == "$0.25 to $0.50"
