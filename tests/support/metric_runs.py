"""What tests of metric runs share: a judge at a local server, its run, and what came of it."""

import json
from collections import Counter

from concord.judges.definition.model import parse
from concord.judges.metric_runs import job as jobs
from concord.judges.running import engine
from concord.judges.transport.client import Client
from concord.metrics.selection import choice
from concord.store import graders, metric_values

CLAIMS = "faithfulness"
FREE = "price = 0\n"
REFERENCE = ("context_recall", "factual_correctness")
REPLAYED = ("faithfulness", "response_relevancy", "noise_sensitivity_relevant")


def judge(server, *metrics, embeds=False, more=""):
    """A judge for metrics on a local server."""
    text = 'name = "mine"\nkind = "metric"\nmodel = "m"\n'
    text += f"metrics = {json.dumps(metrics)}\n{FREE}{more}\n"
    if embeds:
        text += f'[embedding]\nmodel = "e"\n{FREE}base_url = "{server.url}"\n'
    return parse(f'{text}[endpoint]\nbase_url = "{server.url}"\n', "mine.toml")


def prepared(store, sheet, asked, **options):
    return jobs.prepare(store, asked, choice(asked), sheet, **options)


def ran(store, sheet, asked, budget=None, **options):
    """The run of a judge over a sheet, without patience for a server that fails."""
    job = prepared(store, sheet, asked, **options)
    return run_metrics(store, job, lambda of: Client(of, max_retries=0), budget, concurrency=4)


def numbers(store, sheet):
    return metric_values.of_sheet(store, sheet.id)


def statuses(store, sheet):
    return Counter(row["status"] for row in numbers(store, sheet))


def replies(store):
    return store.rows("select * from replies order by id")


def run_metrics(store, job, connect, budget=None, **options):
    """Compute what metrics a job has left."""
    return engine.run(store, job, connect, budget, **options)


def mine(store):
    """The id of the judge."""
    return graders.find(store, "metric", "mine").id
