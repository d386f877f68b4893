"""Disagreements, contradicted claims and claims in one list under one bar of filters."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support import evidence_room
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.screens import labelled, opened, said


def shown(monkeypatch, store, **query) -> AppTest:
    app = opened(monkeypatch, store.path, "pages/review.py", **query)
    assert not app.exception and not app.error
    return app


def kinds(told) -> list[str]:
    return [entry["kind"] for entry in told["data"]["entries"]]


def test_the_screen_opens_on_the_disagreements_of_one_judge_whatever_else_is_there(
    monkeypatch, store, of_every_kind, told
):
    app = shown(monkeypatch, store)
    assert app.header[0].value == "2 disagreements with annotators on correctness"
    also = "Not shown: Contradicted claims, Claims and metrics"
    assert f"On 2 answers · Judge: gpt · {also}" in said(app)
    assert {*kinds(told)} == {"disagreements"}
    labelled(app, "Show").select("all").run()
    assert app.header[0].value.startswith("4 to review") and "Not shown" not in said(app)


def test_all_shows_all_also_after_a_reload(monkeypatch, store, of_every_kind, told):
    app = shown(monkeypatch, store, criterion="correctness", judge="gpt")  # in the URL by now
    labelled(app, "Show").select("all").run()
    assert app.header[0].value.startswith("4 to review")
    labelled(app, "Show").select("disagreements").run()
    assert labelled(app, "Judge").value == "gpt"


def test_the_screen_opens_on_metrics_where_no_judge_graded_whole_answers(
    monkeypatch, store, judged_claims, told
):
    give(store, rubric_versions.named(store, "doc-qa-0-3")[1], "Ana", {0: 0})
    shown(monkeypatch, store)
    assert {*kinds(told)} == {"claims"}


def test_one_list_holds_all_that_is_to_be_reviewed_the_disagreements_first(
    monkeypatch, store, of_every_kind, told
):
    app = shown(monkeypatch, store, list="all")
    assert app.header[0].value == "4 to review: 2 disagreements, 2 “contradicted” verdicts"
    assert "2 answers with claims" in said(app)
    assert kinds(told) == ["disagreements"] * 2 + ["contradicted"] * 2 + ["claims"] * 2
    caps = {
        name: [one["cap"] for one in kind["decisions"]]
        for name, kind in told["data"]["kinds"].items()
    }
    assert caps == {
        "disagreements": ["1", "2", "3", "4", "5"],
        "contradicted": ["Y", "X"],
        "claims": [],
    }
    fields = ["Show", "Criterion", "Judge", "Scores", "Points apart", "Cause", "Metric in the list"]
    assert [one.label for one in app.main.selectbox if one.label != "You"] == fields


def test_what_stands_below_is_of_the_kind_of_the_entry(monkeypatch, store, of_every_kind, told):
    precision = "2 “contradicted” verdicts, none reviewed yet."
    assert precision not in said(shown(monkeypatch, store, list="all"))
    entry = f"contradicted.{of_every_kind[0]}"
    assert precision in said(shown(monkeypatch, store, list="all", entry=entry))
    assert told["data"]["at"] == entry
    app = shown(monkeypatch, store, list="all", entry="claims.2")
    assert "Other metric values" not in said(app)
    assert told["data"]["at"] == "claims.2"


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ({"list": "contradicted"}, {"contradicted"}),
        ({"judge": "gpt"}, {"disagreements"}),
        ({"judge": "mine@f1"}, {"contradicted", "claims"}),
        ({"criterion": "correctness"}, {"disagreements"}),
        ({"criterion": "claims-in-contexts"}, {"contradicted", "claims"}),
        ({"size": "2"}, {"disagreements"}),
        ({"words": "what is 1"}, {"disagreements", "contradicted", "claims"}),
    ],
)
def test_a_filter_leaves_only_what_it_says_something_of(
    monkeypatch, store, of_every_kind, told, query, left
):
    shown(monkeypatch, store, **{"list": "all"} | query)
    assert {*kinds(told)} == left
    if "words" in query:
        assert {entry["question"] for entry in told["data"]["entries"]} == {"What is 1?"}


def test_where_no_entry_passes_the_screen_says_so(monkeypatch, store, of_every_kind, told):
    app = shown(monkeypatch, store, words="coffee")
    assert not told and "This list is empty" in said(app)


def test_the_filter_of_kinds_is_kept_in_the_url(monkeypatch, store, of_every_kind, told):
    app = shown(monkeypatch, store)
    labelled(app, "Show").select("claims").run()
    assert app.query_params["list"] in ("claims", ["claims"]) and {*kinds(told)} == {"claims"}
    assert app.header[0].value.startswith("Graders agree on all claims of 2 answers")


@pytest.mark.parametrize(
    ("old", "at"),
    [
        ({"list": "claims", "answer": "1", "units": "claims-in-contexts"}, "claims.1"),
        ({"list": "contradicted", "rubric": "claims-in-contexts"}, "contradicted.{}"),
        ({"list": "contradicted", "at": "{}"}, "contradicted.{}"),
    ],
)
def test_old_links_lead_to_the_same_entry(monkeypatch, store, of_every_kind, told, old, at):
    app = shown(
        monkeypatch, store, **{key: one.format(of_every_kind[0]) for key, one in old.items()}
    )
    assert told["data"]["at"] == at.format(of_every_kind[0])
    assert not {"answer", "at", "units"} & {*app.query_params}


def test_all_criteria_name_the_rubric_whose_units_are_listed(
    monkeypatch, store, of_every_kind, told
):
    contexts = verdicts.rubric("chunks-for-answer")
    rubric_versions.register(store, contexts, "preset")
    mine = graders.find(store, "metric", "mine").id
    [unit] = units.keep(store, 2, contexts.units, [Cell("A context.", 0)], mine).units
    evidence_room.say(store, 2, mine, {unit.id: 1}, rubric=contexts)
    app = shown(monkeypatch, store, list="all")
    listed = "2 answers with units of “Claims of the answer, checked against the contexts”"
    assert f"{listed}; choose another criterion to list its units" in said(app)
    app = shown(monkeypatch, store, list="all", criterion=contexts.name)
    assert "choose another" not in said(app)


def test_units_are_listed_where_no_metric_has_a_value(monkeypatch, store, told):
    rubric = evidence_room.RUBRIC
    rubric_versions.register(store, rubric, "preset")
    additions.add(store, "two", [made_item(0)], "t.csv", "2" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    [claim] = evidence_room.cut(store, 1, "One.", by=mine)
    evidence_room.say(store, 1, mine, {claim: 3})
    app = shown(monkeypatch, store)
    assert app.header[0].value.startswith("One grader has judged the claims of 1 answer")
    assert [one["id"] for one in told["data"]["entries"]] == ["claims.1"]
