"""What metrics rest on: an embedding model, lists that annotators edit, and what items lack."""

import json

import pytest

from concord.judges.definition.model import parse
from concord.messages import Problem
from concord.store import additions, graders, runs
from concord.store.units import units
from tests.support.made_items import made_item
from tests.support.metric_endpoint import LENGTH, MetricEndpoint
from tests.support.metric_runs import (
    CLAIMS,
    REFERENCE,
    judge,
    numbers,
    prepared,
    ran,
    replies,
    statuses,
)


def test_what_an_item_lacks_is_said_and_nobody_is_asked(store, server):
    made = [made_item(1, reference=()), made_item(2, contexts=(), reference=())]
    sheet = additions.add(store, "bare", made, "b.csv", "5" * 64, {})
    prepared(store, sheet, judge(server, *REFERENCE))
    ran(store, sheet, judge(server, *REFERENCE))
    assert server.seen == []
    assert statuses(store, sheet) == {"missing_input": 4}
    assert prepared(store, sheet, judge(server, *REFERENCE)).pending == []


def test_vectors_are_asked_for_once_and_kept(store, four, server):
    asked = judge(server, "semantic_similarity", embeds=True)
    expected = prepared(store, four, asked).estimate(store)
    ended = ran(store, four, asked)
    texts = [text for texts in server.embedded for text in texts]
    assert sorted(texts) == sorted({*texts}) and len(texts) == 5  # four answers, one reference
    assert ended.counts.calls == len(server.embedded) == expected.calls
    assert ended.counts.tokens_in > 0 and server.seen == []
    assert statuses(store, four) == {"scored": 4}
    assert store.value("select count(*) from vectors where length(vector) = ?", (4 * LENGTH,)) == 5
    assert all("data" not in json.loads(row["raw"]) for row in replies(store))
    assert prepared(store, four, asked, repeats=2).estimate(store).calls == 0
    other = asked.embedding.model_copy(update={"model": "e2"})
    assert (
        prepared(store, four, asked.model_copy(update={"embedding": other})).estimate(store).calls
    )


@pytest.mark.parametrize(
    ("vector", "why"),
    [
        (lambda text: [0.0] * LENGTH, "a zero vector"),
        (lambda text: [1.0] * (3 + ("atlas" in text)), "different dimensions"),
        (lambda text: ["1"], "one embedding per text"),
    ],
)
def test_a_vector_that_says_nothing_is_no_number(store, one, vector, why):
    with MetricEndpoint(vector) as server:
        ran(store, one, judge(server, "semantic_similarity", embeds=True))
    assert statuses(store, one) == {"unparsable": 1}
    assert why in numbers(store, one)[0]["reason"]
    assert store.value("select count(*) from vectors") == 0


def test_the_model_that_embeds_is_not_one_behind_the_verdicts(store, four, server):
    ran(store, four, judge(server, CLAIMS, "semantic_similarity", embeds=True))
    rows = store.rows("select distinct model from replies order by model")
    assert [row["model"] for row in rows] == ["e-2026", "m-2026"]
    (mine,) = graders.of_kind(store, "metric")
    assert [row["model"] for row in runs.reported(store, four.id, mine.id)] == ["m-2026"]


def test_without_an_embedding_model_nothing_falls_back_to_another_server(store, one, server):
    asked = judge(server, CLAIMS, "semantic_similarity")
    job = prepared(store, one, asked)
    assert list(job.left_out) == ["semantic_similarity"]
    assert "[embedding]" in job.left_out["semantic_similarity"]
    ran(store, one, asked)
    assert [row["metric"] for row in numbers(store, one)] == [CLAIMS]
    with pytest.raises(Problem, match=r"Skipped: Semantic similarity; no embedding model: .*\.$"):
        prepared(store, one, judge(server, "semantic_similarity"))


def test_a_list_that_a_person_edited_is_judged_anew_where_it_changed(store, one, ana, server):
    ran(store, one, judge(server, CLAIMS))
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    kept, _ = claims.units
    units.edit(store, claims, [(kept.id, kept.text), (None, "It is odd.")], ana)
    assert prepared(store, one, judge(server, CLAIMS)).retried == 0  # it has a number
    ended = ran(store, one, judge(server, CLAIMS))
    assert ended.counts.calls == 1
    assert "It is odd." in server.seen[-1].body["messages"][1]["content"]
    assert kept.text not in server.seen[-1].body["messages"][1]["content"]
    assert prepared(store, one, judge(server, CLAIMS)).pending == []
    assert len(numbers(store, one)) == 1


def test_another_judge_is_asked_about_the_list_as_a_person_left_it(store, one, ana, server):
    ran(store, one, judge(server, CLAIMS))
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    kept = claims.units[0]
    made = units.edit(store, claims, [(kept.id, kept.text), (None, "It is odd.")], ana)
    units.approve(store, made.id, ana)
    other = judge(server, CLAIMS, "fact_support").model_copy(update={"name": "other", "model": "n"})
    assert ran(store, one, other).counts.calls == 1  # nothing is taken apart again
    assert units.current(store, [item_id], "claim")[item_id].approved_by == (ana,)
    theirs = graders.find(store, "metric", "other").id
    judged = store.rows("select unit_id from grades where unit_id and grader_id = ?", (theirs,))
    assert [row[0] for row in judged] == [unit.id for unit in made.units]


def test_pairs_of_edited_claims_and_contexts_are_judged_anew(store, one, ana, server):
    asked = judge(server, "noise_sensitivity_relevant")
    ran(store, one, asked)
    item_id = numbers(store, one)[0]["item_id"]
    claims = units.current(store, [item_id], "claim")[item_id]
    units.edit(store, claims, [(None, "It is odd.")], ana)
    assert ran(store, one, asked).counts.calls == 2  # by the reference, and by the one context
    assert numbers(store, one)[0]["units"] == 1


def test_each_endpoint_gets_its_own_key_and_no_other(store, one, server, monkeypatch):
    monkeypatch.setenv("CHAT_KEY", "sk-chat")
    monkeypatch.setenv("VECTOR_KEY", "sk-vector")
    text = 'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\n'
    text += 'metrics = ["response_relevancy"]\n'
    for section, key in (("embedding", "VECTOR_KEY"), ("endpoint", "CHAT_KEY")):
        text += f'[{section}]\nbase_url = "{server.url}"\napi_key_env = "{key}"\n'
        text += 'model = "e"\n' if section == "embedding" else ""
    ran(store, one, parse(text, "mine.toml"))
    assert server.keys == ["Bearer sk-vector"]
    assert {seen.headers["Authorization"] for seen in server.seen} == {"Bearer sk-chat"}
    kept = json.dumps([[*row] for row in store.rows("select request, raw from replies")])
    assert "sk-" not in kept


def test_a_judge_that_is_deleted_leaves_the_claims_on_which_others_gave_verdicts(
    store, one, server
):
    ran(store, one, judge(server, CLAIMS))
    graders.delete(store, graders.find(store, "metric", "mine").id)
    assert numbers(store, one) == []
    assert store.value("select count(*) from units where decomposer_id is null") == 2
