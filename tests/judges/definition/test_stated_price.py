"""The price of a judge whose grades came from a file, as a person states it."""

from decimal import Decimal

import pytest

from concord import clock
from concord.judges.definition import address, stated_price
from concord.judges.definition.prices import Price
from concord.messages import Problem
from concord.store import graders, items, runs
from tests.support.fakejudge import judge
from tests.support.judges.decisions import decision_judge

DAY = clock.today()


def listed(**changes) -> Price:
    fields = {"model": "m:7b", "input": 2, "output": 8, "date": "2026-01-01", "source": "s"}
    return Price(**fields | changes)


def test_usd_per_1000_answers_are_kept_exactly_with_day_and_person(store, unpriced_judge):
    made = stated_price.state(store, "gpt=mini", " 2.10 ", "command line")
    assert made == (Decimal("2.10"), DAY.isoformat(), "command line", None, "")
    assert stated_price.stated(unpriced_judge()) == made


def test_tokens_are_priced_by_the_list_by_hand():
    """1,200 tokens at $2 and 80 at $8 a million: $0.0024 + $0.00064 an answer."""
    prices = (listed(date="2025-01-01", input=1), listed(), listed(host="example.org", input=9))
    made = stated_price.parsed("m:7b:1200/80", "Ana", prices)
    assert made.usd == Decimal("3.04")
    assert made.tokens == ("m:7b", 1200, 80)
    assert made.price == "s, 2026-01-01"


@pytest.mark.parametrize(
    "text", ["", "two", "2,50", "-1", "nan", "inf", "1e99", "m:12", "m:1/x", "m:-1/2", "２", "$2"]
)
def test_what_is_no_price_is_refused_with_both_forms(text):
    with pytest.raises(Problem):
        stated_price.parsed(text, "Ana", (listed(model="m"),))


def test_a_model_without_a_price_names_the_remedy():
    for prices in ((), (listed(model="m", host="example.org"),), (listed(until="2026-02-01"),)):
        with pytest.raises(Problem):
            stated_price.parsed("m:1/2", "Ana", prices)


def test_another_price_is_added_and_none_withdraws_it(store, unpriced_judge):
    for text in ("2", "0", "none"):
        stated_price.state(store, "gpt=mini", text, "x")
    assert [one.usd for one in stated_price.history(unpriced_judge())] == [2, 0, None]
    assert stated_price.to_json(stated_price.stated(unpriced_judge())) is None


def test_what_else_defines_the_grader_stays(store, unpriced_judge):
    graders.define(store, unpriced_judge().id, {"about": "kept"})
    stated_price.state(store, "gpt=mini", "2", "x")
    assert unpriced_judge().definition["about"] == "kept"


def test_only_a_judge_that_was_not_run_here_has_one(store, sheet, rubric, unpriced_judge):
    graders.ensure(store, "judge", "made-up", simulated=True)
    graders.ensure(store, "judge", "baseline")
    for name in ("made-up", "baseline"):
        with pytest.raises(Problem):
            stated_price.state(store, name, "2", "x")
    with pytest.raises(Problem):
        stated_price.state(store, "nobody", "2", "x")
    (item,) = items.items(store, items.item_ids(store, sheet.id)[:1])
    run = runs.start(store, unpriced_judge().id, sheet.id, rubric[0], {}, [], {}, None)
    reply = (unpriced_judge().id, item.id, item.content_hash, "joint", 1, 1, "{}", "{}", "scored")
    runs.add_replies(store, run, [runs.Reply(*reply)])
    with pytest.raises(Problem):
        stated_price.state(store, "gpt=mini", "2", "x")


@pytest.mark.parametrize(
    ("dialect", "url", "found"),
    [
        ("openai", "https://api.openai.com/v1", "https://api.openai.com/v1/decisions"),
        ("openai", "https://api.openai.com/v1/", "https://api.openai.com/v1/decisions"),
        ("openai", "https://a.example/x/v1/decisions", "https://a.example/x/v1/decisions"),
        ("systemone", "https://api.typesafe.ai", "https://api.typesafe.ai/v1/systemone"),
        ("systemone", "http://localhost:8000/v1", "http://localhost:8000/v1/systemone"),
        ("systemone", "https://a.example/inference/v1", "https://a.example/inference/v1/systemone"),
        ("systemone", "https://a.example/api", "https://a.example/api/v1/systemone"),
        ("systemone", "https://a.example/v1beta", "https://a.example/v1beta/systemone"),
        ("systemone", "https://a.example/v1/systemone", "https://a.example/v1/systemone"),
        ("systemone", "https://a.example/v1/decisions", "https://a.example/v1/decisions"),
    ],
)
def test_a_decision_goes_below_the_url_whether_or_not_it_ends_in_a_version(dialect, url, found):
    assert address.of(decision_judge(dialect, url)) == found


def test_a_chat_completion_goes_below_the_url():
    assert address.of(judge()) == "/chat/completions"
