"""Fixtures of the tests of metric runs."""

import pytest

from tests.support.metric_runs import MetricEndpoint


@pytest.fixture
def server():
    """A local server that answers every ask of a metric."""
    with MetricEndpoint() as running:
        yield running
