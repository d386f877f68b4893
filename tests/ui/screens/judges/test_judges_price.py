"""The price of a judge in the form of a new judge: two fields beside its TOML."""

import pytest

from concord.judges.definition import model
from concord.judges.definition.endpoint import OwnPrice
from tests.support.screens import opened

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
    assert fields(app) == [" 0.25 ", ""]
    enter(app, OUTPUT, "2")
    judge = written(app)
    assert judge.price == OwnPrice(input=0.25, output=2) and not app.error
    assert fields(app) == ["0.25", "2"]
    enter(app, INPUT, "")
    enter(app, OUTPUT, "")
    assert written(app).price is None and not app.error


@pytest.mark.parametrize("text", ["-1", "0,25", "nan", "1e999"])
def test_what_is_no_price_is_refused_in_one_sentence(text, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    enter(app, INPUT, "0.25")
    enter(app, OUTPUT, text)
    assert len(app.error) == 1
    assert written(app).price is None and fields(app) == ["0.25", text]
    assert app.button(key="judge.save").disabled
    enter(app, OUTPUT, "0.5")
    assert written(app).price == OwnPrice(input=0.25, output=0.5) and not app.error


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
