"""A combined judge on the screen: made in a form or as TOML, run with a button, and its card."""

from concord.judges.definition.model import parse
from tests.support.screens import opened

PAGE = "pages/judges.py"
CAREFUL, LENIENT = "simulated-careful-judge", "simulated-lenient-judge"
FILE = (
    'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\nrule = "ordinal"\n'
    f'members = ["{CAREFUL}", "{LENIENT}"]\n'
)


def defined(app):
    """The judge that the TOML defines."""
    return parse(app.text_area(key="judge.toml").value, "the definition")


def test_a_combined_judge_is_saved_run_and_described(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="1")
    app.text_area(key="judge.toml").set_value(FILE).run()
    assert app.multiselect(key="judge.form.members").value == [CAREFUL, LENIENT]
    assert app.selectbox(key="judge.form.rule").value == "ordinal"
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    assert app.query_params["judge"].startswith("jury@")
    app.button(key="judge.combined").click().run()
    assert not app.exception and not app.error
    assert app.success[0].value == "Stored 576 grades; 576 are by a fit to other questions."
    assert any('kind = "combined"' in one.value and "[fit]" in one.value for one in app.code)
    app.button(key="judge.edit").click().run()
    app.selectbox(key="judge.form.rule").set_value("majority").run()
    assert (defined(app).rule, defined(app).fit) == ("majority", None)
    assert not app.exception and not app.error


def test_a_combined_judge_is_made_in_the_form_alone(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="combined")
    members = app.multiselect(key="judge.form.members")
    assert {CAREFUL, LENIENT} < {*members.options} and "baseline" not in members.options
    assert (defined(app).rule, len(defined(app).members)) == ("mean", 2)
    members.set_value([LENIENT]).run()
    assert "members: mean takes at least two judges" in app.error[0].value
    app.selectbox(key="judge.form.rule").set_value("ordinal").run()
    assert not app.error and defined(app).members == (LENIENT,)
    app.multiselect(key="judge.form.members").set_value([LENIENT, CAREFUL]).run()
    app.text_input(key="judge.form.name").set_value("jury").run()
    assert (defined(app).name, defined(app).members) == ("jury", (LENIENT, CAREFUL))
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    assert app.query_params["judge"].startswith("jury@")


def test_a_wrong_member_or_rule_is_named(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="1")
    app.text_area(key="judge.toml").set_value(FILE.replace("ordinal", "best")).run()
    assert any("rule" in one.value and "majority" in one.value for one in app.error)
    app.text_area(key="judge.toml").set_value(FILE.replace(LENIENT, "nobody")).run()
    app.button(key="judge.save").click().run()
    assert app.error[0].value.endswith("nobody has none on sheet “sample”. Run that one first.")


def test_without_two_judges_a_combined_judge_says_what_is_missing(two_answers, monkeypatch):
    app = opened(monkeypatch, two_answers, PAGE, add="combined")
    assert "needs the grades of at least two judges" in app.error[0].value
    assert not app.exception and "judge.save" not in {one.key for one in app.button}
