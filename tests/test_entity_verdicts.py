"""The verdicts on entities: drawn by rule from the lists, so that no model is asked for them."""

import metrics
from conftest import made_item
from data.model import Context
from scripted_desk import ScriptedDesk, measured


def test_each_entity_gets_a_verdict_by_rule_with_the_passage_that_names_it():
    texts = ["The WHO met in Geneva.", "It must end."]
    chunks = tuple(Context("", "", text, n) for n, text in enumerate(texts, 1))
    of = made_item(1, contexts=chunks, reference=("It is so.",))
    wanted = ["World Health Organization | WHO", "US", "Geneva"]
    said = {}
    for reading in ("listed", "in the text"):
        desk = ScriptedDesk(units={"reference_entity": wanted, "context_entity": ["who"]})
        found = measured(metrics.named("context_entity_recall"), of, desk, found=reading)
        assert not desk.asked
        assert (found.parts["listed"], found.parts["in the text"]) == (1 / 3, 2 / 3)
        said[reading] = list(desk.said["entities-in-contexts"].values())
    assert [verdict.score for verdict in said["listed"]] == [1, 0, 0]
    assert said["listed"][0].quote == "WHO" and "list" in said["listed"][0].reason
    assert [verdict.score for verdict in said["in the text"]] == [1, 0, 1]
    assert said["in the text"][2].quote == "Geneva"
