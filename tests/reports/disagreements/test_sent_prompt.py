"""The prompt that a judge was sent for an answer, or would be sent now."""

import json

from concord.judges.definition import registry
from concord.reports.disagreements import disagreement, sent_prompt
from concord.reports.disagreements.disagreements import (
    every,
    keys,
)
from concord.store import graders, grades, runs
from concord.store import items as store_items
from concord.store.grades import Press
from tests.support.panels import ATLAS, give, panel


def test_a_judge_without_a_run_has_no_prompt(store, graded):
    one = disagreement.read(store, graded, keys(graded, every(graded))[:1])[0]
    assert sent_prompt.sent(store, graded, one).source.startswith("No prompt is stored")


def replied(store, grader_id, item_id, body):
    """Keep one reply of a judge to an item, with the request it answers."""
    run = runs.start(store, grader_id, 1, None, {}, [], {}, None)
    reply = runs.Reply(
        grader_id=grader_id,
        item_id=item_id,
        content_hash=store_items.item(store, item_id).content_hash,
        part="",
        repeat=1,
        attempt=1,
        request=json.dumps(body),
        raw="{}",
        status="scored",
    )
    runs.add_replies(store, run, [reply])


def test_the_prompt_is_the_one_that_was_sent(store, graded):
    one = disagreement.read(store, graded, keys(graded, every(graded))[:1])[0]
    messages = [{"role": "user", "content": "Grade this."}]
    replied(store, one.key.judge, one.stored.id, {"model": "m", "messages": messages})
    sent = sent_prompt.sent(store, graded, one)
    assert sent.messages == messages
    assert json.loads(sent.rest) == {"model": "m"}
    assert sent.source == "As it was sent."


def test_a_judge_of_known_settings_shows_what_it_would_be_sent(store, sheet, doc_qa):
    zero = registry.named(store, "gpt-4-zero-shot")
    definition = {"judge": json.loads(zero.body()), "rubric": doc_qa.name}
    judge_id = graders.ensure(store, "judge", zero.name, "f1", definition)
    give(store, doc_qa, "Ana", {ATLAS: 0})
    press = Press(1, doc_qa.versions()["correctness"], judge_id, score=3)
    grades.record(store, [press])
    found = panel(store, doc_qa)
    sent = sent_prompt.sent(
        store, found, disagreement.read(store, found, keys(found, every(found)))[0]
    )
    assert "What is 0?" in sent.messages[-1]["content"]
    assert sent.source.startswith("No reply is stored")
