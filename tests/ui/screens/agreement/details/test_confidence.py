"""The tab Confidence of the agreement screen."""

from tests.support.made_probabilities import give_probabilities, overconfident
from tests.support.screens import said, tables


def test_without_probabilities_the_tab_says_what_it_is_for_and_leads_to_judges(
    annotated, open_confidence
):
    app = open_confidence()
    words = said(app)
    assert "No judge gave probabilities for Correctness" in words
    assert "set logprobs" in words
    assert any(link.proto.page == "judges" for link in app.get("page_link"))


def test_the_chosen_judge_is_shown_with_its_chart_and_tables(
    annotated, open_confidence, store, doc_qa
):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in range(36)})
    app = open_confidence(judge="gpt", criterion="correctness")
    assert "When gpt says 94% on correctness, annotators agree" in said(app)
    heads = [list(table.columns) for table in tables(app)]
    assert ["judge", "gpt"] in heads
    known = ["recalibration", "figure", "before recalibration", "after, out of fold", "difference"]
    assert known in heads


def test_of_a_judge_without_probabilities_one_that_gave_some_is_shown(
    annotated, open_confidence, store, doc_qa
):
    give_probabilities(store, doc_qa, "gpt", {n: overconfident(n) for n in range(36)})
    words = said(open_confidence(judge="plain", criterion="correctness"))
    assert "plain gave no probabilities, so gpt is shown." in words
    assert "When gpt says 94%" in words
