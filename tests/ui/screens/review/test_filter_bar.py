"""Disagreements, contradicted claims and claims in one list under one bar of filters."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.screens import labelled, opened


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
    assert {*kinds(told)} == {"disagreements"}
    labelled(app, "Show").select("all").run()
    assert len({*kinds(told)}) == 3
    labelled(app, "Show").select("disagreements").run()
    assert labelled(app, "Judge").value == "gpt"


def test_one_list_holds_all_that_is_to_be_reviewed_the_disagreements_first(
    monkeypatch, store, of_every_kind, told
):
    shown(monkeypatch, store, list="all")
    assert kinds(told) == ["disagreements"] * 2 + ["contradicted"] * 2 + ["claims"] * 2
    decisions = {name: len(one["decisions"]) for name, one in told["data"]["kinds"].items()}
    assert decisions == {"disagreements": 5, "contradicted": 2, "claims": 0}


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
