"""Estimate: how many requests, tokens and USD finding metrics will take, by rehearsing it."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

from concord import clock
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.judge_price import Request, price_of
from concord.judges.metric_runs import embedding
from concord.judges.metric_runs.job import Lack, MetricJob, Task
from concord.judges.metric_runs.rehearsal import Expected, Rehearsal, rehearsed
from concord.judges.metric_runs.request_prices import chat, cost, embeddings
from concord.judges.metric_runs.stored_session import Known
from concord.judges.running.estimate import Estimate
from concord.messages import counted, joined, said
from concord.store import answer_names, graders, items
from concord.store.database import Store

# So many tasks are rehearsed, evenly spaced; on a longer sheet they represent all.
REHEARSED = 200
NAMED = 5  # items that lack something are named, so many of them
NOBODY = -1  # a grader that has said nothing


class MetricEstimate(Estimate):
    """Estimate for computing metrics: `calls` are requests, `new` the answers they are about.

    The other counts are of answers, each counted once per repeat.
    """

    def sentence(self) -> str:
        """The estimate in words."""
        found = [
            said("{n:,} failed before", n=self.failed) if self.failed else "",
            said("{n:,} without a value before", n=self.retried) if self.retried else "",
            said("{n:,} done", n=self.settled),
            said("{n:,} need no request", n=self.cached),
        ]
        long = said("{n:,} requests do not fit the model.", n=self.too_long)
        if not self.calls:
            none = said("No requests needed: {found}. $0.", found=joined(", ", found[2:]))
            return joined(" ", [none, long if self.too_long else ""])
        takes = said(
            "{requests} for {answers} ({found}), about {in_low:,}-{in_high:,} tokens in and "
            "{out_low:,}-{out_high:,} out, {money}.",
            requests=counted(self.calls, "request"),
            answers=counted(self.new, "answer"),
            found=joined(", ", found),
            in_low=self.tokens_in.low,
            in_high=self.tokens_in.high,
            out_low=self.tokens_out.low,
            out_high=self.tokens_out.high,
            money=self.money(),
        )
        more = said("More if a reply has to be requested again, fewer if a text makes no claims.")
        return joined(" ", [takes, long if self.too_long else "", more])


def estimate(
    store: Store, job: MetricJob, prices: tuple[definition_prices.Price, ...] | None = None
) -> MetricEstimate:
    """Return the estimate for a job.

    The number of requests is exact on up to REHEARSED tasks, apart from what depends on replies:
    the number of claims in a text, and requests that follow certain verdicts.
    """
    prices, today = prices or definition_prices.load(), clock.today()
    tasks = rehearsal_of(job)
    by_task = asyncio.run(_requests(store, job, tasks))
    scale = len(job.pending) / len(tasks) if tasks else 1.0
    requests = [one for found in by_task for one in found if one.model is not None]
    asking = round(scale * sum(bool(found) for found in by_task))
    return MetricEstimate(
        calls=round(scale * len(requests)),
        cached=len(job.pending) - asking,
        failed=job.failed,
        settled=job.settled,
        tokens_in=definition_prices.total((one.read for one in requests), scale),
        tokens_out=definition_prices.total((one.written for one in requests), scale),
        from_usage=False,
        cost=cost(requests, scale, prices),
        price=price_of(prices, job.judge, today),
        too_long=round(scale * sum(one.model is None for found in by_task for one in found)),
        new=asking,
        retried=job.retried,
    )


def rehearsal_of(job: MetricJob) -> list[Task]:
    """Return the tasks to rehearse: all, or an evenly spaced sample."""
    return job.pending[:: max(1, -(-len(job.pending) // REHEARSED))]


def basis(job: MetricJob) -> list[str]:
    """Return how answers are counted and what the estimate is based on, beyond each answer once."""
    part, whole = len(rehearsal_of(job)), len(job.pending)
    sentences = []
    if job.repeats > 1:
        sentences = [said("An answer counts {n} times: once for each repeat.", n=job.repeats)]
    if part < whole:
        sentences.append(
            said("Estimated from {part:,} of {whole:,} answers.", part=part, whole=whole)
        )
    return sentences


def missing_inputs(
    store: Store, job: MetricJob, called: Callable[[str], str] = lambda name: name
) -> list[str]:
    """Return sentences on missing inputs of items and the metrics left out.

    `called` maps the name of a metric to its displayed name.
    """
    names = answer_names.of_sheet(store, job.sheet.id) if job.lacks else {}
    lacking = [_lacking(lack, [names[id_] for id_ in lack.item_ids], called) for lack in job.lacks]
    reasons: dict[str, list[str]] = {}
    for name, why in job.left_out.items():
        reasons.setdefault(why, []).append(called(name))
    out = [
        said("Skipped: {metrics}; {why}.", metrics=joined(", ", names), why=why)
        for why, names in reasons.items()
    ]
    return lacking + out


def _lacking(lack: Lack, names: list[str], called: Callable[[str], str]) -> str:
    rest = len(names) - NAMED
    listed = ", ".join(names[:NAMED])
    if rest > 0:
        listed = said("{names}, and {n:,} more", names=listed, n=rest)
    return said(
        "{answers} has {what} (for {metrics}): {names}."
        if len(names) == 1
        else "{answers} have {what} (for {metrics}): {names}.",
        answers=counted(len(names), "answer"),
        what=lack.what,
        metrics=joined(", ", map(called, lack.metrics)),
        names=listed,
    )


async def _requests(store: Store, job: MetricJob, tasks: Iterable[Task]) -> list[list[Request]]:
    """Return the requests of each task, without those of earlier tasks."""
    grader = graders.find(store, "metric", job.grader)
    judge, embedder = job.judge, embedding.embedder(job.judge)
    identity = judge.embedding.identity() if judge.embedding else ""
    by_name = {metric.name: metric for metric in job.metrics}
    noted: dict[int, set[tuple[str, str]]] = defaultdict(set)
    made: dict[int, dict] = defaultdict(dict)
    origins: dict[int, dict[str, str]] = defaultdict(dict)
    embedded: set[tuple] = set()
    found = []
    for task in tasks:
        sent = Expected([], [])
        for item_id, names in task.todo:
            item = items.item(store, item_id).item
            known = Known(store, item_id, grader.id if grader else NOBODY, task.repeat, identity)
            shared = noted[task.repeat], made[item_id], sent, embedded
            desk = Rehearsal(known, *shared, task.repeat, origins[item_id])
            able = [by_name[name] for name in names if not by_name[name].lacks(item)]
            await rehearsed(able, item, desk)
        chats = [chat(judge, ask) for ask in sent.asks]
        found.append(chats + [embeddings(embedder, texts) for texts in sent.texts])
    return found
