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
    assert any('kind = "combined"' in one.value and "[fit]" in one.value for one in app.code)
    app.button(key="judge.edit").click().run()
    app.selectbox(key="judge.form.rule").set_value("majority").run()
    assert (defined(app).rule, defined(app).fit) == ("majority", None)
    assert not app.exception and not app.error
