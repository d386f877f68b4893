"""Prices, costs and token estimates: exact where known, unknown where not."""

import datetime
from decimal import Decimal

import pytest

from concord import clock
from concord.judges.definition import stated_price
from concord.judges.definition.model import parse
from concord.judges.definition.prices import (
    Band,
    Price,
    Usage,
    batched,
    cost,
    cost_band,
    current,
    load,
    price_of,
    scaled,
    token_band,
)
from concord.messages import Problem
from concord.store import graders, items, runs

pytestmark = pytest.mark.usefixtures("no_endpoint")

DAY, TODAY = datetime.date(2026, 11, 20), datetime.date(2026, 11, 26)


def judge(model="gpt-4", endpoint=""):
    return parse(f'name = "j"\nmodel = "{model}"\nrubric = "r"\n{endpoint}', "j.toml")


def local(model="gpt-4"):
    return judge(model, '[endpoint]\nbase_url = "http://localhost:11434/v1"\n')


def price(**more):
    given = {"model": "m", "input": 2, "output": 10, "date": DAY, "source": "s"}
    return Price(**{**given, **more})


def test_every_shipped_price_is_dated_and_says_where_it_was_read():
    prices = load()
    assert {"gpt-4", "gpt-3.5-turbo", "gpt-6-luna", "gpt-6.1-sol"} <= {p.model for p in prices}
    assert all(p.date <= datetime.date(2026, 11, 26) and p.source for p in prices)
    chat = [p for p in prices if not p.decisions]
    assert all(p.cached is None or p.cached <= p.input <= p.output for p in chat)
    assert {p.output for p in prices if p.decisions} == {0}


def test_the_cost_of_a_call_is_exact():
    # 1,000 tokens in at $30 and 500 out at $60 a million: 0.03 + 0.03.
    gpt_4 = price_of(load(), judge("gpt-4"), DAY)
    assert cost(Usage(1000, 500), gpt_4) == Decimal("0.06")


def test_cached_and_written_tokens_have_their_own_prices():
    dear = price(cached=Decimal("0.2"), cache_write=Decimal("2.5"))
    # 100 plain at 2, 600 cached at 0.2, 300 written at 2.5, 10 out at 10: 200+120+750+100.
    assert cost(Usage(1000, 10, 600, 300), dear) == Decimal("0.00117")
    assert cost(Usage(1000, 10, 600, 300), price()) == Decimal("0.0021")


def test_an_unknown_price_is_unknown_and_never_nothing():
    unknown = price_of(load(), judge("a-new-model"), DAY)
    assert unknown is None
    assert cost(Usage(1, 1), unknown) is None
    assert cost_band(Band(10, 20), Band(10, 20), unknown) is None


def test_a_server_on_this_machine_may_be_a_gateway_so_its_price_is_unknown():
    assert price_of(load(), local(), DAY) is None
    assert price_of(load(), local("llama3.1"), DAY) is None
    own = price(model="gpt-4", host="localhost")
    assert price_of([own], local(), DAY) == own
    baseline = parse('name = "b"\nkind = "baseline"\nrubric = "r"\n', "b.toml")
    assert cost(Usage(1, 1), price_of(load(), baseline, DAY)) == 0


def test_a_judge_file_may_say_that_its_server_is_free_or_what_its_model_costs():
    own = price(model="gpt-4", host="localhost")
    endpoint = '[endpoint]\nbase_url = "http://localhost:4000/v1"\n'
    free = judge("gpt-4", f"price = 0\n{endpoint}")
    assert cost(Usage(10**6, 10**6), price_of([own], free, DAY)) == 0
    assert cost(Usage(1, 1), price_of([own], free, DAY, "its-sibling")) == 0
    dear = judge("gpt-4", f"price = {{ input = 0.1, output = 0.4 }}\n{endpoint}")
    # 10 in at $0.10 and 5 out at $0.40 a million.
    assert cost(Usage(10, 5), price_of([own], dear, DAY)) == Decimal("0.000003")
    assert price_of([], dear, DAY, "its-sibling") is None
    assert free.with_overrides(model="other").price == 0
    assert free.with_overrides(base_url="http://localhost:5000/v1").price is None
    assert dear.with_overrides(model="other").price is None
    for wrong in ("1", "-1", "false", '"free"', "{ input = 1 }", "{ input = nan, output = 1 }"):
        with pytest.raises(Problem, match="price"):
            judge("gpt-4", f"price = {wrong}\n{endpoint}")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost:8632", "http://localhost:8632/v1"),
        ("LLM.example.org:443", "https://llm.example.org/v1"),
        ("llm.example.org", "https://LLM.example.org:8443/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("::1", "http://[::1]:8000/v1"),
    ],
)
def test_a_price_may_name_the_port_of_its_host(host, url):
    own = price(model="m", host=host)
    assert price_of([own], judge("m", f'[endpoint]\nbase_url = "{url}"\n'), DAY) == own


@pytest.mark.parametrize(
    "host", ["https://x.example/v1", "x.example/v1", "", "x:y", "x:", "me@x.example", "x:99999"]
)
def test_a_host_that_no_address_could_match_is_refused(host):
    with pytest.raises(ValueError, match="give the server alone"):
        price(model="m", host=host)


def test_the_newest_price_valid_on_the_day_counts():
    day = datetime.timedelta(days=1)
    old = price(input=1, date=DAY - 9 * day)
    promotion = price(input=Decimal("0.5"), since=DAY, until=DAY)
    assert price_of([promotion, old], judge("m"), DAY) == promotion
    assert price_of([promotion, old], judge("m"), DAY + day) == old
    assert price_of([promotion, old], judge("m"), DAY - day) == old
    assert price_of([promotion], judge("m"), DAY + day) is None


def test_a_batch_costs_half_of_everything_unless_its_price_says_otherwise():
    dear = price(cached=Decimal("0.2"), cache_write=Decimal("2.5"))
    live, half = (
        cost(Usage(1000, 10, 600, 300), dear),
        cost(Usage(1000, 10, 600, 300), batched(dear)),
    )
    assert half == live / 2
    assert batched(price()).cached is None
    assert batched(price(input=10, batch_share=Decimal("0.4"))).input == 4
    assert batched(None) is None


@pytest.mark.parametrize("entry", ["inputt = 1\n", "input = -1\n", "input = nan\n", ""])
def test_a_wrong_price_file_is_refused(tmp_path, entry):
    path = tmp_path / "prices.toml"
    rest = 'model = "m"\noutput = 1\ndate = 2026-11-20\nsource = "s"\n'
    path.write_text(f"[[price]]\n{entry}{rest}", encoding="utf-8")
    with pytest.raises(Problem):
        load(path)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # Counts of common vocabularies for such texts, as an order of magnitude.
        ("The quick brown fox jumps over the lazy dog. " * 100, 1000),
        ("我们今天去公园散步，天气很好。" * 100, 1100),
        ("Быстрая коричневая лиса прыгает. " * 100, 900),
        ("오늘은 날씨가 좋아서 산책을 했습니다. " * 100, 1300),
        ('{"key": 123, "other": [1, 2, 3]}' * 100, 1500),
    ],
)
def test_the_band_of_tokens_holds_what_common_vocabularies_give(text, tokens):
    low, high = token_band(text)
    assert low <= tokens <= high
    assert high < 5 * low


def test_estimates_scale_up_what_a_sample_takes():
    assert scaled(1000, [Band(80, 100), Band(100, 140)]) == Band(90_000, 120_000)


def own(tmp_path, monkeypatch, *entries: str):
    """A price file of the user's with entries for gpt-4, each a date and USD of input."""
    path = tmp_path / "own" / "prices.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    if entries:
        path.parent.mkdir()
        text = '[[price]]\nmodel = "gpt-4"\noutput = 60\nsource = "own"\ndate = {}\ninput = {}\n'
        path.write_text("".join(text.format(*entry.split()) for entry in entries))
    return path


@pytest.mark.parametrize(
    ("entries", "input"),
    [
        ((), 30),  # shipped on 2026-11-20
        (("2026-11-21 7",), 7),
        (("2026-11-20 7",), 7),  # of the same date the user's counts
        (("2026-11-19 7",), 30),
        (("2026-11-21 7", "2026-11-21 8"), 8),  # and the last one of the user's
    ],
)
def test_the_users_prices_come_with_those_that_ship(tmp_path, monkeypatch, entries, input):
    own(tmp_path, monkeypatch, *entries)
    assert price_of(load(), judge(), datetime.date(2026, 11, 26)).input == input
    (listed,) = [p for p in current(load(), datetime.date(2026, 11, 26)) if p.model == "gpt-4"]
    assert listed.input == input


DAY_OF_STATED_PRICE = clock.today()


def test_usd_per_1000_answers_are_kept_exactly_with_day_and_person(store, unpriced_judge):
    stated_price.state(store, "gpt=mini", " 2.10 ", "command line")
    made = (Decimal("2.10"), DAY_OF_STATED_PRICE.isoformat(), "command line")
    assert stated_price.stated(unpriced_judge()) == made


@pytest.mark.parametrize(
    "text", ["", "two", "2,50", "-1", "nan", "inf", "1e99", "m:12", "２", "$2"]
)
def test_what_is_no_price_is_refused(store, unpriced_judge, text):
    with pytest.raises(Problem):
        stated_price.state(store, "gpt=mini", text, "Ana")
    assert stated_price.stated(unpriced_judge()) is None


def test_another_price_replaces_it_and_none_withdraws_it(store, unpriced_judge):
    for text in ("2", "0", "none"):
        stated_price.state(store, "gpt=mini", text, "x")
    assert stated_price.stated(unpriced_judge()) is None


def test_only_a_judge_that_was_not_run_here_has_one(store, sheet, rubric, unpriced_judge):
    graders.ensure(store, "judge", "made-up", simulated=True)
    graders.ensure(store, "judge", "baseline")
    for name in ("made-up", "baseline"):
        with pytest.raises(Problem):
            stated_price.state(store, name, "2", "x")
    with pytest.raises(Problem):
        stated_price.state(store, "nobody", "2", "x")
    (item,) = items.items(store, items.item_ids(store, sheet.id)[:1])
    run = runs.start(
        store,
        {},
        [],
        {},
        None,
        grader_id=unpriced_judge().id,
        sheet_id=sheet.id,
        rubric_id=rubric[0],
    )
    reply = (unpriced_judge().id, item.id, item.content_hash, "joint", 1, 1, "{}", "{}", "scored")
    runs.add_replies(store, run, [runs.Reply(*reply)])
    with pytest.raises(Problem):
        stated_price.state(store, "gpt=mini", "2", "x")
