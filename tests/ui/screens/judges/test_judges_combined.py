"""A combined judge on the screen: saved as TOML, run with a button, and its card."""

from tests.support.screens import opened

PAGE = "pages/judges.py"
FILE = (
    'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\nrule = "ordinal"\n'
    'members = ["simulated-careful-judge", "simulated-lenient-judge"]\n'
)


def test_a_combined_judge_is_saved_run_and_described(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="1")
    app.text_area(key="judge.toml").set_value(FILE).run()
    assert any("write its members and rule as TOML" in one.value for one in app.caption)
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    assert app.query_params["judge"].startswith("jury@")
    app.button(key="judge.combined").click().run()
    assert not app.exception and not app.error
    assert app.success[0].value == "Stored 576 grades; 576 are by a fit to other questions."
    assert any('kind = "combined"' in one.value and "[fit]" in one.value for one in app.code)
