"""The form of a judge over its TOML: what is typed in one shows in the other."""

import pytest

from concord.judges.definition import model
from tests.support.screens import opened

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"


def test_the_form_writes_the_toml_and_the_toml_fills_the_form(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    app.selectbox(key="judge.form.prompt").set_value("few_shot").run()
    app.number_input(key="judge.form.per_score").set_value(2).run()
    app.selectbox(key="judge.form.output").set_value("text").run()
    judge = written(app)
    assert (judge.prompt, judge.examples.per_score, judge.output) == ("few_shot", 2, "text")
    area = app.text_area(key="judge.toml")
    area.set_value(area.value.replace('model = "gpt-6-luna"', 'model = "m"\nseed = 7')).run()
    assert app.text_input(key="judge.form.model").value == "m"
    app.selectbox(key="judge.form.prompt").set_value("own").run()
    judge = written(app)
    assert (judge.recipe(), judge.seed, judge.examples) == ("own", 7, None)
    app.text_area(key="judge.form.own").set_value("$answer by $rubric after $examples").run()
    kept = written(app).prompt
    app.text_area(key="judge.form.own").set_value("no placeholder").run()
    assert len(app.error) == 1 and written(app).prompt == kept


def written(app):
    return model.parse(app.text_area(key="judge.toml").value, "the definition")


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-6.1-sol-few-shot", "computed", "perplexity-decider"),
    ],
)
def test_a_copy_of_a_preset_differs_in_its_name_alone(name, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=name)
    assert not app.exception and not app.error
    copied, preset = written(app), model.presets()[name]
    assert copied.body() == preset.model_copy(update={"name": f"my-{name}"}).body()
    app.text_input(key="judge.form.name").set_value("mine").run()
    assert written(app).body() == preset.model_copy(update={"name": "mine"}).body()


def test_the_form_of_a_decision_model_has_its_fields_and_no_others(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="jev")
    keys = {box.key for box in app.selectbox if (box.key or "").startswith("judge.form.")}
    assert keys == {"judge.form.rubric", "judge.form.dialect", "judge.form.reading"}
    app.selectbox(key="judge.form.reading").select("argmax").run()
    assert (written(app).reading_rule(), written(app).dialect) == ("argmax", "systemone")
    app.selectbox(key="judge.form.reading").select("rounded_mean").run()
    assert written(app).reading_rule() == "rounded_mean" and not app.exception and not app.error


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name = "gpt-4-zero-shot"\nmodel = "m"\nrubric = "doc-qa-0-3"', "ships with Concord"),
        ('name = "x"\nmodle = "m"', "modle"),
        ('name = "x"\nmodel = "m"\nrubric = "nowhere"', "There is no rubric “nowhere”"),
        ("name =", "the definition"),
    ],
)
def test_a_definition_that_cannot_be_used_is_told_why(text, problem, sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    app.text_area(key="judge.toml").set_value(text).run()
    save = app.button(key="judge.save")
    if not save.disabled:
        save.click().run()
    assert not app.exception
    assert any(problem in box.value for box in app.error)
