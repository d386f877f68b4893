"""The estimate of a rubric run, from evenly spaced prompts and earlier replies."""

from collections.abc import Sequence

from concord.definitions import canonical_json
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.judge_price import Request
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Price, Usage, token_band
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import fingerprint, reply_band, request, route
from concord.judges.running.cost_estimate import Estimate, evenly
from concord.judges.running.job import JudgeJob
from concord.messages import said
from concord.rubrics.model import Rubric
from concord.store import graders, items, runs
from concord.store.database import Store


def estimate(
    store: Store,
    job: JudgeJob,
    rubric: Rubric,
    in_batch: int = 0,
    prices: Sequence[Price] | None = None,
) -> Estimate:
    """Return the estimated calls, tokens and USD; requests to a larger sibling at its price."""
    known = job.grader(store)
    past = runs.usages(store, "replies", grader_id=known.id) if known else []
    sample, output, requests = evenly(job.pending), _output(job.judge, rubric), []
    for task in sample:
        item = items.item(store, task.item_ids[0]).item
        body = request(job.judge, rubric, item, task.part, job.shots)
        read = token_band(canonical_json(body))
        requests.append(Request(job.judge, route(job.judge, body), read, output))
    return Estimate.of(
        job.judge,
        requests,
        len(job.pending) / max(1, len(sample)),
        [Usage(*row) for row in past],
        prices,
        batches=job.judge.kind != "decision",
        cached=len(job.cached),
        failed=job.failed,
        settled=job.settled,
        new=len(job.pending) - job.failed - job.retried,
        retried=job.retried,
        in_batch=in_batch,
        basis=_paid_before(store, job, rubric),
    )


def _paid_before(store: Store, job: JudgeJob, rubric: Rubric) -> str:
    """A sentence on stored replies without confidence, which are of no use; '' without any."""
    judge = job.judge
    if not job.pending or not (judge.logprobs or judge.confidence):
        return ""
    plain = judge.changed({"logprobs": None, "confidence": None, "reading": None})
    label = f"{judge.name}@{fingerprint(plain, rubric, job.shots)}"
    known = graders.find(store, "judge", label)
    stored = len(runs.good_replies(store, [known.id], job.sheet.id)) if known else 0
    if not stored:
        return ""
    return said(
        "Asking for confidence is another request: the {n:,} stored replies without it cannot be "
        "used and are paid again.",
        n=stored,
    )


def most_usd(judge: Judge, rubric: Rubric, body: dict, price: Price | None) -> float:
    """The upper estimate of one request in USD, from its length; 0 where the price is unknown."""
    expected = Usage(token_band(canonical_json(body)).high, _output(judge, rubric).high)
    return float(definition_prices.cost(expected, price) or 0)


def _output(judge: Judge, rubric: Rubric) -> Band:
    """About how many tokens a reply takes."""
    per_call = max(len(c) for c in parts(judge, rubric).values())
    return reply_band(judge, per_call)
