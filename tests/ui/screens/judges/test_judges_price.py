"""The price of a judge in the form of a new judge: two fields beside its TOML."""

import pytest

from concord.judges.definition import model, registry
from concord.judges.definition.endpoint import OwnPrice
from concord.judges.definition.judge_price import DayPrice
from concord.judges.definition.toml import as_toml
from tests.support.screens import opened, said

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"
INPUT, OUTPUT = "judge.form.usd_input", "judge.form.usd_output"


def written(app):
    assert not app.exception
    return model.parse(app.text_area(key="judge.toml").value, "the definition")


def enter(app, key, text):
    app.text_input(key=key).set_value(text).run()


def fields(app):
    return [app.text_input(key=key).value for key in (INPUT, OUTPUT)]


def test_both_prices_make_the_price_of_the_definition(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="1")
    assert fields(app) == ["", ""] and written(app).price is None
    enter(app, INPUT, " 0.25 ")
    assert written(app).price is None and not app.error
    assert "one alone does not count" in said(app) and fields(app) == [" 0.25 ", ""]
    enter(app, OUTPUT, "2")
    judge = written(app)
    assert judge.price == OwnPrice(input=0.25, output=2) and not app.error
    assert "one alone does not count" not in said(app) and fields(app) == ["0.25", "2"]
    assert model.parse(as_toml(judge), "again").body() == judge.body()
    enter(app, INPUT, "")
    enter(app, OUTPUT, "")
    assert written(app).price is None and not app.error


def test_an_unknown_price_is_not_zero_and_zero_is_free(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    listed = DayPrice(written(app)).of("gpt-6-luna")
    assert app.text_input(key=INPUT).placeholder == f"{listed.input} (prices.toml)"
    enter(app, "judge.form.model", "of-our-own")
    assert [app.text_input(key=key).placeholder for key in (INPUT, OUTPUT)] == ["unknown"] * 2
    enter(app, INPUT, "0")
    assert written(app).price is None
    enter(app, OUTPUT, "-0.0")
    assert written(app).price == 0 and fields(app) == ["0", "0"]


def test_a_judge_that_is_saved_again_gets_the_new_price(sample_store, sample_db, monkeypatch):
    for usd in ("0.15", "5"):
        app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
        enter(app, INPUT, usd)
        enter(app, OUTPUT, "10")
        app.button(key="judge.save").click().run()
        assert not app.exception and not app.error
    saved = registry.named(sample_store, f"my-{LUNA}")
    assert saved.price == OwnPrice(input=5, output=10)
    assert sample_store.value("select count(*) from graders where name = ?", (saved.name,)) == 1


@pytest.mark.parametrize("text", ["-1", "0,25", "$2", "nan", "inf", "1e999", "cheap"])
def test_what_is_no_price_is_refused_in_one_sentence(text, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    enter(app, INPUT, "0.25")
    enter(app, OUTPUT, text)
    [error] = app.error
    assert "is not a price. Enter USD per million tokens" in error.value
    assert written(app).price is None and fields(app) == ["0.25", text]
    assert app.button(key="judge.save").disabled
    enter(app, OUTPUT, "0.5")
    assert written(app).price == OwnPrice(input=0.25, output=0.5) and not app.error


def test_the_price_of_the_toml_fills_the_fields_and_keeps_the_price_of_cached_tokens(
    sample_db, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    area = app.text_area(key="judge.toml")
    price = "price = { input = 0.000001, output = 12.5, cached = 0.0 }"
    area.set_value(f"{area.value}{price}\n").run()
    assert fields(app) == ["1e-06", "12.5"]
    enter(app, "judge.form.name", "mine")
    assert written(app).price == OwnPrice(input=0.000001, output=12.5, cached=0)
    enter(app, OUTPUT, "13")
    assert written(app).price == OwnPrice(input=0.000001, output=13, cached=0)


def test_another_model_or_address_loses_the_price(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    for key, text in (
        ("judge.form.model", "of-our-own"),
        ("judge.form.base_url", "https://llm.example.org/v1"),
    ):
        enter(app, INPUT, "1")
        enter(app, OUTPUT, "2")
        assert written(app).price is not None
        enter(app, key, text)
        assert written(app).price is None and fields(app) == ["", ""]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("local", ["0", "0"]),
        ("jev", ["", ""]),
        ("rag-metrics", ["", ""]),
        ("computed", None),
        ("combined", None),
    ],
)
def test_the_fields_are_shown_where_a_model_is_asked(name, shown, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=name)
    assert not app.exception
    there = [one.value for one in app.text_input if one.key in (INPUT, OUTPUT)]
    assert there == (shown or [])
    if shown:
        before = written(app)
        enter(app, "judge.form.name", "mine")
        assert written(app).price == before.price
