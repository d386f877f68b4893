"""Fixtures of the tests of running."""

import pytest

from concord.judges.rubric_runs import job as jobs
from concord.store import additions, graders, runs
from tests.support.fakejudge import judge
from tests.support.made_items import made_item


@pytest.fixture
def job(store, sheet, rubric):
    return jobs.prepare(store, judge(), *rubric, sheet)


@pytest.fixture
def run_of_job(store, job):
    return job.begin(store, {"calls": 1}, 2.0)


@pytest.fixture
def run_of_three(store):
    """A run of a judge over a sheet of three answers."""
    sheet = additions.add(store, "s", [made_item(n) for n in range(3)], "s.csv", "1" * 64, {})
    judge = graders.ensure(store, "judge", "j", "f")
    return runs.start(store, judge, sheet.id, None, {}, [], {}, None)
