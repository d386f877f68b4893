"""Fixtures of the tests of the reports over metrics."""

import pytest

from concord.judges.run import metric as jobs
from concord.judges.transport.client import Client
from concord.metrics.selection import choice
from concord.reports.metrics import metric_records as readings
from concord.reports.panel import panel as panel_reading
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.measured_sets import ANNOTATORS, COUNT, FAR, NEAR, VERA, found_by
from tests.support.measured_sets import give as give_values
from tests.support.metric_runs import REPLAYED, MetricEndpoint, judge, run_metrics
from tests.support.panels import give


@pytest.fixture
def forty(store):
    """A sheet of forty answers."""
    made = [made_item(n) for n in range(COUNT)]
    return additions.add(store, "forty", made, "f.csv", "4" * 64, {})


@pytest.fixture
def held(store, forty):
    """Forty answers with annotators' grades, a near metric, an inverse one, and a far one."""
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ana", {n: int(score) for n, score in enumerate(ANNOTATORS)})
    found_by(store, "faithfulness", NEAR)
    found_by(store, "noise_sensitivity_relevant", 1 - NEAR)
    found_by(store, "context_recall", FAR)
    return panel_reading.read(store, forty, rubric), readings.read(store, forty)


@pytest.fixture
def done(store):
    """A sheet of three answers on which three metrics were found; the server is gone."""
    sheet = additions.add(store, "three", [made_item(n) for n in range(3)], "t.csv", "3" * 64, {})
    with MetricEndpoint() as server:
        asked = judge(server, *REPLAYED, embeds=True)
        run_metrics(store, jobs.prepare(store, asked, choice(asked), sheet), Client)
    return sheet


@pytest.fixture
def four_questions(store):
    return additions.add(store, "four", [made_item(n) for n in range(4)], "f.csv", "4" * 64, {})


@pytest.fixture
def tea_with_vera(store):
    """Forty answers, two to each question, with two of VERA's metrics."""
    made = [made_item(n, m, answer="tea " * (n + 3)) for n in range(20) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give_values(store, sheet.id, VERA[0], [n % 2 for n in range(40)])
    give_values(store, sheet.id, VERA[1], [n / 40 for n in range(40)])
    return sheet
