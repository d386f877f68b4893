"""Prices from genai-prices, by the package itself and by made-up prices of its types."""

import datetime
import sys
from decimal import Decimal

import pytest
from genai_prices.types import (
    ClauseEquals,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    Provider,
    StartDateConstraint,
    Tier,
    TieredPrices,
    TimeOfDateConstraint,
)

from concord.judges.definition import price_source
from concord.judges.definition.model import parse, presets
from concord.judges.definition.price_source import changes
from concord.judges.definition.prices import FILE, Price, load
from concord.messages import Problem

DAY = datetime.date(2026, 11, 26)
pytestmark = pytest.mark.usefixtures("no_endpoint")


def made(monkeypatch, prices, url: str = r"https://llm\.example\.org", name: str = "made"):
    """Let the package know one provider and its model `m` with these prices."""
    model = ModelInfo("m", ClauseEquals("m"), prices=prices)
    one = Provider(name, name, url, model_match=ClauseEquals("m"), models=[model])
    monkeypatch.setattr(price_source, "_package", lambda: ([one], "0"))


def numbers(**given) -> ModelPrice:
    return ModelPrice(**{key: Decimal(str(value)) for key, value in given.items()})


def one(models=("m",), judges=(), known=()):
    (found,) = changes(judges, models, known, DAY)
    return found


def test_the_package_itself_has_prices_of_the_judges_that_ship():
    found = {(c.model, c.decisions): c for c in changes(presets().values(), (), load(FILE), DAY)}
    old = found["gpt-4.1-mini", False]
    assert (old.old.input, old.new.input, old.differs) == (Decimal("0.4"), Decimal("0.4"), False)
    assert found["gpt-6-luna", False].why == price_source.TIERED
    decider = found["pplx-decider-v1.2", True]
    assert (decider.new.output, decider.new.decisions) == (0, True)
    assert decider.new.source.startswith("genai-prices 0.2.")
    assert "llama3.1" not in {model for model, _ in found}  # on this machine


def test_a_model_that_is_named_needs_no_judge():
    mini, nothing = changes((), ("gpt-5-mini", "no-such-model"), (), DAY)
    assert (mini.new.input, mini.new.output) == (Decimal("0.25"), 2)
    assert (mini.old, mini.differs, mini.new.date) == (None, True, DAY)
    assert (nothing.new, nothing.why, nothing.differs) == (None, price_source.UNKNOWN, False)


def test_a_price_of_one_server_is_limited_to_it(monkeypatch):
    made(monkeypatch, numbers(input_mtok=1, output_mtok=2, cache_write_mtok=1.25))
    text = (
        'name = "j"\nrubric = "doc-qa-0-3"\nmodel = "m"\n[endpoint]\nbase_url = "https://{}/v1"\n'
    )
    found = one((), [parse(text.format("llm.example.org"), "a test")])
    assert (found.host, found.new.host) == ("llm.example.org", "llm.example.org")
    assert (found.new.input, found.new.cached, found.new.cache_write) == (1, None, Decimal("1.25"))
    assert one((), [parse(text.format("other.example.org"), "a test")]).why == price_source.UNKNOWN
    known = [Price(model="m", input=1, output=3, date=DAY, source="s")]
    again = one((), [parse(text.format("llm.example.org"), "a test")], known)
    assert (again.host, again.differs) == (None, True)


@pytest.mark.parametrize(
    ("prices", "why"),
    [
        (
            ModelPrice(
                input_mtok=TieredPrices(Decimal(1), [Tier(200_000, Decimal(2))]),
                output_mtok=Decimal(3),
            ),
            price_source.TIERED,
        ),
        (
            [
                ConditionalPrice(prices=numbers(input_mtok=1, output_mtok=2)),
                ConditionalPrice(
                    TimeOfDateConstraint(datetime.time(1), datetime.time(5)),
                    prices=numbers(input_mtok=0.5, output_mtok=1),
                ),
            ],
            price_source.BY_HOUR,
        ),
        (numbers(input_mtok=1, output_mtok=1, requests_kcount=5), price_source.PER_REQUEST),
        (numbers(input_mtok=1), price_source.NOT_BY_TOKEN),
    ],
)
def test_a_price_that_is_not_one_number_is_left_out_with_its_reason(monkeypatch, prices, why):
    made(monkeypatch, prices)
    found = one()
    assert (found.new, found.why, found.differs) == (None, why, False)


def test_a_price_that_ends_is_the_one_of_today_until_then(monkeypatch):
    later = StartDateConstraint(datetime.date(2027, 1, 1))
    prices = [
        ConditionalPrice(prices=numbers(input_mtok=1, output_mtok=2)),
        ConditionalPrice(later, prices=numbers(input_mtok=3, output_mtok=6)),
    ]
    made(monkeypatch, prices)
    found = one()
    assert (found.new.input, found.new.until) == (1, datetime.date(2026, 12, 31))
    (after,) = changes((), ("m",), (), datetime.date(2027, 1, 1))
    assert (after.new.input, after.new.until) == (3, None)


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices.data", None)
    with pytest.raises(Problem):
        changes((), ("m",), (), DAY)
