"""Buttons of Judges that are disabled, each with its reason: without a key, and for a viewer."""

from tests.support.screens import opened, said

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"
NO_KEY = "The judge's key is missing: enter it above"
NO_LEAD = "Your role does not allow that"


def test_a_definition_without_its_key_is_saved_and_not_checked(sample_db, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = opened(monkeypatch, sample_db, PAGE, add=1)
    assert app.button(key="judge.try").disabled and NO_KEY in said(app)
    assert not app.button(key="judge.save").disabled
    area = app.text_area(key="judge.toml")
    area.set_value(area.value.replace("https://api.openai.com/v1", "http://localhost:9/v1")).run()
    assert not app.button(key="judge.try").disabled and NO_KEY not in said(app)


def test_a_key_that_cannot_be_typed_is_not_asked_for(store, sheet, rubric, tmp_path, monkeypatch):
    path = tmp_path / "ours.toml"
    path.write_text(
        'name = "ours"\nmodel = "qwen3-32b"\nrubric = "doc-qa-0-3"\n[endpoint]\n'
        'base_url = "https://models.example.org/v1"\napi_key_env = "CORP_LOGIN"\n'
    )
    app = opened(monkeypatch, store.path, PAGE, judge=str(path))
    assert app.button(key="judge.run").disabled
    assert "CORP_LOGIN" not in [field.label for field in app.text_input]
    assert NO_KEY not in said(app)


def test_a_viewer_is_told_why_a_judge_is_neither_run_nor_tried(
    sample_db, keyed, viewer, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    for key in ("judge.run", "judge.check", "judge.canaries"):
        assert app.button(key=key).disabled
    assert NO_LEAD in said(app)
