"""Batch plan: which questions go into which batch, within the budget."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from concord.definitions import canonical_json
from concord.judges.prompting.request import to_larger
from concord.judges.rubric_runs.batch_file import custom_id
from concord.judges.rubric_runs.completion import Exchange, Task
from concord.judges.rubric_runs.cost_estimate import most_usd
from concord.judges.rubric_runs.run import store_too_long
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.progress import Counts
from concord.store import batches, items
from concord.store.batches import Question
from concord.store.database import Store

# Limits of one batch: providers accept 50,000 requests; a file is held in memory as a whole.
MOST_QUESTIONS, MOST_BYTES = 50_000, 25_000_000


@dataclass
class Planned:
    """Number of requests, and their maximum cost in USD.

    `too_long` fit no model and are not asked; `left` are left out by the budget.
    """

    asked: int = 0
    too_long: int = 0
    left: int = 0
    most: float = 0.0


def plan(
    store: Store,
    pending: Sequence[Task],
    exchange: Exchange,
    expected: Estimate,
    budget: float | None,
    counts: Counts,
    planned: Planned,
) -> Iterator[list[Question]]:
    """The questions of one batch after the other, each for one model; `planned` counts along.

    What fits no model is put on disk as too long. Of the `pending` tasks questions are made in
    their order until the next would pass the budget.
    """
    chunks: dict[str, list[Question]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    larger = batches.too_long(store, exchange.grader_id)
    for place, task in enumerate(pending):
        body = _body(store, exchange, task, larger)
        if body is None:
            store_too_long(store, exchange, task, counts)
            planned.too_long += 1
            continue
        planned.most += _most(exchange, expected, body) if budget is not None else 0.0
        if budget is not None and planned.most > budget:
            planned.left = len(pending) - place
            break
        model, request = body["model"], canonical_json(body)
        size = len(request.encode(errors="replace"))
        if len(chunks[model]) == MOST_QUESTIONS or sizes[model] + size > MOST_BYTES:
            yield chunks.pop(model)
            sizes[model] = 0
        sizes[model] += size
        chunks[model].append(Question(custom_id(*task[:3]), *task[:3], request))
        planned.asked += 1
    yield from filter(None, chunks.values())


def _body(
    store: Store, exchange: Exchange, task: Task, larger: set[tuple[str, str, int]]
) -> dict | None:
    """The request, to the larger sibling where the server found it too long for the model."""
    body = exchange.body(task, items.item(store, task.item_ids[0]).item)
    if body is not None and task[:3] in larger:
        return to_larger(exchange.judge, body) or body
    return body


def _most(exchange: Exchange, expected: Estimate, body: dict) -> float:
    """The upper estimate of what one question costs, in USD."""
    if expected.from_usage:
        return expected.cost_per_call(batch=True)
    return most_usd(exchange.judge, exchange.rubric, body, exchange.price(body["model"]))
