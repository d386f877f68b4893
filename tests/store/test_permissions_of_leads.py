"""What costs money or reads the disk of the server is done by a lead, and noted with who did it."""

from types import SimpleNamespace

import pytest

from concord.judges.checks import endpoint_check
from concord.judges.definition import registry
from concord.judges.rubric_runs import session
from concord.judges.running import launch
from concord.judges.running.job import Options
from concord.judges.running.run_lock import of_judge
from concord.messages import Problem
from concord.reports.workflow import canaries
from concord.rubrics.model import presets
from concord.store import runs
from concord.store.database import open_store
from concord.store.permissions import LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.ui.screens.judges.judge_trials import checked, tried
from tests.support.patience import until

PRESET = "gpt-4-zero-shot"


REFUSED = pytest.mark.parametrize(
    "act",
    [
        lambda store, path: registry.named(store, path),
        lambda store, path: rubric_versions.argument(store, path),
        lambda store, path: session.judge(store, "baseline", Options(), lambda _: True),
        lambda store, path: session.judge(store, PRESET, Options(yes=True), lambda _: True),
        lambda store, path: checked(
            store, endpoint_check.prepare(registry.named(store, PRESET), RUBRIC)
        ),
        lambda store, path: tried(store, canaries.of_rubric(registry.named(store, PRESET), RUBRIC)),
        lambda store, path: launch.start(store, of_judge(1, 1), ["true"], "busy"),
    ],
    ids=["judge file", "rubric file", "baseline", "run", "check", "canaries", "process"],
)
RUBRIC = presets()["doc-qa-0-3"]


@REFUSED
def test_who_leads_nothing_spends_nothing_and_reads_no_file_of_the_server(
    not_a_lead, judge_file, act
):
    with pytest.raises(Problem, match="Your role does not allow"):
        act(not_a_lead, judge_file)


def test_a_lead_names_a_file_of_the_server(store, judge_file):
    with open_store(store.path, Who("Lea", LEAD)) as led:
        assert registry.named(led, judge_file).name == "mine"


def test_a_viewer_reads_by_a_preset_that_nobody_used_before_and_changes_nothing(store):
    with open_store(store.path, Who("Vi", VIEWER)) as seen:
        rubric_id, rubric = rubric_versions.named(seen, "doc-qa-0-3")
    assert rubric_versions.get(store, rubric_id) == rubric
    assert store.value("select count(*) from changes") == 0


def test_a_run_that_the_app_started_is_written_down_with_who_started_it(
    store, one, ana, monkeypatch
):
    monkeypatch.setenv(runs.STARTED_BY, "Lea")
    run_id = runs.start(store, ana, one.id, None, {}, [], {}, None)
    [row] = store.rows("select who, what, table_name, row_id from changes")
    assert tuple(row) == ("Lea", "insert", "runs", run_id)


def test_the_process_of_a_run_is_told_who_started_it(store, tmp_path):
    said = tmp_path / "said"
    with open_store(store.path, Who("Lea", LEAD)) as led:
        place, command = of_judge(1, 1), ["sh", "-c", f"echo $CONCORD_STARTED_BY > {said}"]
        plan = SimpleNamespace(place=lambda _: place, command=lambda *_: command)
        launch.start(led, plan, "mine", Options())
        until(lambda: not launch.is_alive(led, place))
    assert said.read_text() == "Lea\n"
