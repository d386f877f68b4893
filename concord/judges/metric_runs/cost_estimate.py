"""Estimate: how many requests, tokens and USD finding metrics will take, by rehearsing it."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from concord.judges.definition.judge_price import Request
from concord.judges.metric_runs import embedding
from concord.judges.metric_runs.chosen_metrics import ChosenMetric
from concord.judges.metric_runs.metric_request import chat_estimate, embedding_estimate
from concord.judges.metric_runs.rehearsal import ExpectedRequests, Rehearsal, rehearsed
from concord.judges.metric_runs.stored_session import StoredResults
from concord.judges.metric_runs.tasks import Task
from concord.judges.running.cost_estimate import Estimate, evenly
from concord.judges.running.job import JudgeJob
from concord.messages import joined, said
from concord.store import items
from concord.store.database import Store

# At least so many tasks are rehearsed, evenly spaced; on a longer sheet they represent all.
REHEARSED = 100
NOBODY = -1  # a grader that has said nothing


class MetricEstimate(Estimate):
    """Estimate for computing metrics: `calls` are requests, `new` the answers they are about.

    The other counts are of answers, each counted once per repeat.
    """

    @property
    def counted(self) -> tuple[str, str, str]:
        """The heads over `new`, `settled` and `cached` in a table."""
        return said("answers"), said("answers done"), said("answers without a request")


def estimate(store: Store, job: JudgeJob, metrics: Sequence[ChosenMetric]) -> MetricEstimate:
    """Return the estimate for a job.

    The number of requests is exact on fewer than twice REHEARSED tasks, apart from what depends on
    replies: the number of claims in a text, and requests that follow certain verdicts.
    """
    part, whole = evenly(job.pending, REHEARSED), len(job.pending)
    by_task = asyncio.run(_requests(store, job, metrics, part))
    scale = whole / max(1, len(part))
    asking = round(scale * sum(bool(found) for found in by_task))
    basis = []
    if asking:
        basis += [said("A text without claims takes fewer requests, a repeated request more.")]
    if job.repeats > 1:
        basis += [said("An answer counts {n} times: once for each repeat.", n=job.repeats)]
    if len(part) < whole:
        text = said("Estimated from {part:,} of {whole:,} answers.", part=len(part), whole=whole)
        basis.append(text)
    return MetricEstimate.of(
        job.judge,
        [one for requests in by_task for one in requests],
        scale,
        cached=whole - asking,
        failed=job.failed,
        settled=job.settled,
        new=asking,
        retried=job.retried,
        basis=joined(" ", basis),
    )


async def _requests(
    store: Store, job: JudgeJob, metrics: Iterable[ChosenMetric], tasks: Iterable[Task]
) -> list[list[Request]]:
    """Return the requests of each task, without those of earlier tasks."""
    grader = job.grader(store)
    judge, embedder = job.judge, embedding.embedder(job.judge)
    identity = judge.embedding.identity() if judge.embedding else ""
    by_name = {metric.name: metric for metric in metrics}
    noted: dict[int, set[tuple[str, str]]] = defaultdict(set)
    made: dict[int, dict] = defaultdict(dict)
    origins: dict[int, dict[str, str]] = defaultdict(dict)
    embedded: set[tuple] = set()
    found = []
    for task in tasks:
        sent = ExpectedRequests([], [])
        for item_id, names in task.todo:
            item = items.item(store, item_id).item
            known = StoredResults(
                store, item_id, grader.id if grader else NOBODY, task.repeat, identity
            )
            shared = noted[task.repeat], made[item_id], sent, embedded
            session = Rehearsal(known, *shared, task.repeat, origins[item_id])
            able = [by_name[name] for name in names if not by_name[name].lacks(item)]
            await rehearsed(able, item, session)
        chats = [chat_estimate(judge, ask) for ask in sent.asks]
        lists = sent.texts if embedder else []  # without a model, the metric is undefined
        found.append(chats + [embedding_estimate(embedder, texts) for texts in lists])
    return found
