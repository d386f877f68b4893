"""The judges screen on a sheet under another rubric than the presets', and another server."""

from pathlib import Path

from concord.judges.definition import model
from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support.judges.screen import select
from tests.support.panels import give
from tests.support.screens import opened

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"


def written(app):
    return model.parse(app.text_area(key="judge.toml").value, "the definition")


def test_the_baseline_is_listed_and_runs_under_the_rubric_of_the_annotators(
    store, sheet, monkeypatch
):
    zero_one = rubric_versions.named(store, "doc-qa-0-1")[1]
    give(store, zero_one, "Ana", {place: place % 2 for place in range(36)})
    app = opened(monkeypatch, Path(store.path), PAGE)
    assert app.dataframe[0].value[["judge", "rubric"]].values.tolist() == [
        ["baseline", "doc-qa-0-1"]
    ]
    select(app, "baseline")
    app.button(key="judge.baseline").click().run()
    assert not app.error and not app.exception
    trained = graders.of_kind(store, "judge")[0]
    assert trained.definition["rubric"] == "doc-qa-0-1"


def test_of_several_rubrics_the_baseline_says_only_what_it_did_under_the_chosen_one(
    store, sheet, monkeypatch
):
    zero_one, zero_three = (rubric_versions.named(store, f"doc-qa-0-{n}")[1] for n in (1, 3))
    give(store, zero_one, "Ana", {place: place % 2 for place in range(36)})
    give(store, zero_three, "Ana", {place: 3 for place in range(5)})
    app = opened(monkeypatch, Path(store.path), PAGE, judge="baseline")
    app.button(key="judge.baseline").click().run()
    assert app.success
    app.selectbox(key="pick.rubric").set_value("doc-qa-0-3").run()
    app.button(key="judge.baseline").click().run()
    assert not app.success
    assert app.error[0].value.startswith("doc-qa-0-3: The baseline needs at least 30")
    assert "there are 5 on" in app.error[0].value


def test_a_new_judge_starts_with_the_rubric_of_the_sheet(store, sheet, keyed, monkeypatch):
    zero_one = rubric_versions.named(store, "doc-qa-0-1")[1]
    give(store, zero_one, "Ana", {0: 1})
    for begun, rubric in ((1, "doc-qa-0-1"), (LUNA, "doc-qa-0-1"), *[("holistic-1-10",) * 2]):
        app = opened(monkeypatch, Path(store.path), PAGE, add=begun)
        assert (written(app).rubric, app.selectbox(key="judge.form.rubric").value) == (
            rubric,
            rubric,
        )


def test_a_judge_under_a_rubric_no_annotator_used_is_warned_of_before_its_run(
    store, sheet, keyed, monkeypatch
):
    warning = (
        "No annotator has graded “numbers” under rubric doc-qa-0-3. Annotators graded it under: "
        "doc-qa-0-1."
    )
    app = opened(monkeypatch, Path(store.path), PAGE, judge=LUNA)
    assert not [box for box in app.warning if "No annotator" in box.value]
    give(store, rubric_versions.named(store, "doc-qa-0-1")[1], "Ana", {0: 1})
    app = opened(monkeypatch, Path(store.path), PAGE, judge=LUNA)
    assert warning in [box.value for box in app.warning]
    give(store, rubric_versions.named(store, "doc-qa-0-3")[1], "Ben", {1: 3})
    app = opened(monkeypatch, Path(store.path), PAGE, judge=LUNA)
    assert warning not in [box.value for box in app.warning]


def test_the_form_has_the_address_of_the_server(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="local")
    assert app.text_input(key="judge.form.base_url").value == "http://localhost:11434/v1"
    app.text_input(key="judge.form.base_url").set_value("http://gpu.lan:8000/v1").run()
    judge = written(app)
    assert (judge.url(), judge.price) == ("http://gpu.lan:8000/v1", None)
    assert judge.endpoint.cuts_long_prompts and app.selectbox(key="judge.form.server").value == ""
    app.text_input(key="judge.form.base_url").set_value("no address").run()
    assert app.error and written(app) == judge
    app.text_input(key="judge.form.base_url").set_value("").run()
    assert written(app).endpoint.base_url is None and not app.error
    app.selectbox(key="judge.form.server").set_value("google").run()
    assert written(app).about.startswith("Google")
    app.text_input(key="judge.form.base_url").set_value("http://gpu.lan:8000/v1").run()
    assert not written(app).about  # the address is another server's
    app.selectbox(key="judge.form.server").set_value("azure-dated").run()
    app.text_input(key="judge.form.base_url").set_value("https://ours.openai.azure.com").run()
    assert written(app).endpoint.azure_endpoint == "https://ours.openai.azure.com"
    assert written(app).about
    assert not app.error and not app.exception
