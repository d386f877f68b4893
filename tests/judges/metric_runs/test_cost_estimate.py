"""The texts that an estimate expects metrics to embed are those that are embedded."""

import asyncio
import json
import uuid
from collections import defaultdict

import pytest

from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.model import Context
from concord.store import additions, items
from tests.support.made_items import made_item
from tests.support.metric_endpoint import MetricEndpoint, filled
from tests.support.metric_runs import judge, prepared, ran


def guessing(body):
    """Three questions of the model's own for every answer, anew each time; else as asked for."""
    if "questions that it answers best" not in body["messages"][0]["content"]:
        return filled(body)
    guesses = [{"question": uuid.uuid4().hex, "clear": True, "noncommittal": False} for _ in "abc"]
    return json.dumps({"questions": guesses})


@pytest.mark.parametrize("metric", ["response_relevancy", "semantic_similarity"])
def test_as_many_texts_are_embedded_as_were_expected(store, four, metric):
    with MetricEndpoint(write=guessing) as server:
        asked = judge(server, metric, embeds=True)
        job = prepared(store, four, asked, repeats=2)
        expected = job.estimate(store)
        texts = rehearsed_texts(store, job)
        ended = ran(store, four, asked, repeats=2)
        sent = [text for texts in server.embedded for text in texts]
    assert expected.calls == ended.counts.calls == len(server.seen) + len(server.embedded)
    assert len(texts) == len(sent) == len(set(sent))
    assert len(sent) == {"response_relevancy": 8 * 3 + 2, "semantic_similarity": 5}[metric]


def test_claims_of_a_models_own_are_others_in_every_answer_and_the_answer_is_embedded_once(store):
    """Same contexts and reference, but the question differs, so a model may claim otherwise."""
    given = {"contexts": (Context("", "", "Tea is old.", 1),), "reference": ("Tea is very old.",)}
    alike = [made_item(n, answer="Tea is old.", **given) for n in range(3)]
    sheet = additions.add(store, "alike", alike, "f.csv", "4" * 64, {})
    metrics = "noise_sensitivity_relevant", "answer_correctness", "semantic_similarity"
    with MetricEndpoint() as server:
        asked = judge(server, *metrics, embeds=True)
        expected = prepared(store, sheet, asked).estimate(store)
        ended = ran(store, sheet, asked)
    # per answer: claims of both sides, the answer's by the reference and by the context, and the
    # reference's by the answer and by the context; all three answers and references are one text
    assert expected.calls == ended.counts.calls == 3 * 6 + 1


def rehearsed_texts(store, job):
    """The texts that a job is expected to embed, as its estimate finds them."""
    noted, embedded, found = defaultdict(set), set(), []
    for task in job.pending:
        for item_id, _ in task.todo:
            about = {"noted": noted[task.repeat], "embedded": embedded, "repeat": task.repeat}
            desk = Rehearsal(**about)
            item = items.item(store, item_id).item
            found += asyncio.run(rehearsed(job.metrics, item, desk)).texts
    return [text for texts in found for text in texts]
