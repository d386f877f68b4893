"""Cost of metrics for one answer: requests counted by rehearsal, without API calls."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from concord import metrics
from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.metrics.framework.each_context import ALONE, CONTEXTS
from concord.metrics.framework.metric import Metric
from concord.metrics.selection import chosen
from concord.model import Context, Item

# Two claims in the answer, two in the reference, five contexts.
ANSWER = Item(
    own_id="example",
    question_id=None,
    cluster=None,
    question="When was the harbour bridge built, and by whom?",
    contexts=tuple(Context(f"c{n}", f"d{n}", f"Passage {n}.", n) for n in range(1, 6)),
    answer="It was built in 1932. Anna Lind built it.",
    answer_model=None,
    reference=("The bridge opened in 1932. Its builder was Anna Lind.",),
    reference_contexts=("Anna Lind built the harbour bridge, which opened in 1932.",),
    turns=({"role": "user", "content": "Hello."},),
    synthetic=False,
    metadata={"relevant_ids": ["d1"], "rubric": {"0": "Wrong.", "1": "Right."}},
    row=1,
)
# The metrics of RAGAS that a question, an answer, contexts and a reference allow.
RAGAS_SET = (
    "faithfulness",
    "response_relevancy",
    "context_precision",
    "context_recall",
    "context_entity_recall",
    "noise_sensitivity_relevant",
    "factual_correctness",
)


class Cost(NamedTuple):
    """Requests to a model and to an embedding model."""

    requests: int
    embeddings: int


def cost(
    metrics: Iterable[Metric],
    item: Item = ANSWER,
    switches: Mapping[str, Mapping[str, str]] | None = None,
) -> Cost:
    """Return the cost of some metrics together for one answer with nothing stored yet.

    `switches` are choices by metric; the first of each by default.
    """
    desk, said = Rehearsal(), switches or {}
    able = [chosen(one, said.get(one.name, {})) for one in metrics if not one.lacks(item)]
    sent = asyncio.run(rehearsed(able, item, desk))
    return Cost(len(sent.asks), len(sent.texts))


def shared_and_apart() -> tuple[Cost, Cost]:
    """The set of RAGAS metrics found together, and each found by itself."""
    one_by_one = [cost([metrics.named(name)]) for name in RAGAS_SET]
    apart = Cost(*(sum(column) for column in zip(*one_by_one, strict=True)))
    return cost(map(metrics.named, RAGAS_SET)), apart


def context_by_context() -> Cost:
    """Return the cost of the ragas metrics together, with claims compared per context."""
    alone = {CONTEXTS.name: ALONE}
    said = {"faithfulness": alone, "context_recall": alone}
    return cost(map(metrics.named, RAGAS_SET), switches=said)


def for_one_more_context() -> int:
    """Return how many requests a further context adds to the ragas metrics."""
    ragas = [metrics.named(name) for name in RAGAS_SET]
    more = ANSWER._replace(contexts=(*ANSWER.contexts, Context("c6", "d6", "Passage 6.", 6)))
    return cost(ragas, more).requests - cost(ragas).requests
