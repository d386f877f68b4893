"""What tests of measure runs share: a judge at a local server, its run, and what came of it."""

import json
from collections import Counter

import pytest

from data import measured
from judges.client import Client
from judges.measuring import job as jobs
from judges.measuring.run import run
from judges.model import parse
from measure_endpoint import MeasureEndpoint
from metrics.frame.choosing import choice

CLAIMS = "faithfulness"
FREE = "price = 0\n"
REFERENCE = ("context_recall", "factual_correctness")


@pytest.fixture
def server():
    """A local server that answers every ask of a measure."""
    with MeasureEndpoint() as running:
        yield running


def judge(server, *measures, embeds=False, more=""):
    """A judge for measures on a local server."""
    text = 'name = "mine"\nkind = "metric"\nmodel = "m"\n'
    text += f"measures = {json.dumps(measures)}\n{FREE}{more}\n"
    if embeds:
        text += f'[embedding]\nmodel = "e"\n{FREE}base_url = "{server.url}"\n'
    return parse(f'{text}[endpoint]\nbase_url = "{server.url}"\n', "mine.toml")


def prepared(store, sheet, asked, **options):
    return jobs.prepare(store, asked, choice(asked), sheet, **options)


def ran(store, sheet, asked, budget=None, **options):
    """The run of a judge over a sheet, without patience for a server that fails."""
    job = prepared(store, sheet, asked, **options)
    return run(store, job, lambda of: Client(of, max_retries=0), budget, 4)


def numbers(store, sheet):
    return measured.of_sheet(store, sheet.id)


def statuses(store, sheet):
    return Counter(row["status"] for row in numbers(store, sheet))


def replies(store):
    return store.rows("select * from replies order by id")
