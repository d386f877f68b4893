"""The judges screen on a sheet under another rubric than the presets', and another server."""

from pathlib import Path

from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support.judges.screen import select
from tests.support.panels import give
from tests.support.screens import opened

PAGE = "pages/judges.py"


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
