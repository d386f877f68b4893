"""The verdicts on entities: drawn by rule from the lists, so that no model is asked for them."""

from concord import metrics
from concord.model import Context
from concord.store.units import units
from tests.support.made_items import made_item
from tests.support.metric_endpoint import MetricEndpoint
from tests.support.metric_runs import judge, numbers, ran
from tests.support.scripted_desk import ScriptedDesk, measured


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


def test_verdicts_on_entities_follow_from_the_lists_and_are_stored_once(store, one, ana):
    with MetricEndpoint() as server:
        asked = judge(server, "context_entity_recall")
        ended = ran(store, one, asked)
    assert (ended.counts.done, ended.counts.calls) == (1, 2)  # the two lists, and no verdicts
    item_id = numbers(store, one)[0]["item_id"]
    wanted = units.current(store, [item_id], "reference_entity")[item_id].units
    listed = units.current(store, [item_id], "context_entity")[item_id]
    said = "select unit_id, label, score from grades where unit_id is not null order by id"
    assert [tuple(row) for row in store.rows(said)] == [(u.id, "missing", 0) for u in wanted]
    units.edit(store, listed, [(None, f"It | {wanted[0].text}")], ana)
    assert ran(store, one, asked).counts.calls == 0
    assert [tuple(row) for row in store.rows(said)][2:] == [(wanted[0].id, "present", 1)]
    assert numbers(store, one)[-1]["score"] == 1 / 2
