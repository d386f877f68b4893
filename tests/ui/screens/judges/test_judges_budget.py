"""The limits of a run on its screen: they stay, and a run that goes on may be given a budget."""

from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from concord.judges.building.answering import AnswerJob
from concord.judges.definition import model as judge_model
from concord.judges.definition import prices
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.judges.running.progress import Counts
from concord.reports.workflow import request_judges
from concord.reports.workflow.request_judges import Stand
from concord.reports.workflow.runs import State
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.screen import select
from tests.support.screens import opened

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"

JUDGE = judge_model.presets()[LUNA]
NONE = prices.Band(0, 0)


def test_the_budget_that_stopped_a_run_stays_for_the_run_that_goes_on(
    sample_store, sample_db, keyed, started, monkeypatch
):
    job = session.prepare(sample_store, LUNA, Options())
    assert run_rubric(sample_store, job, Fake(), budget=0.000015).status == "stopped"
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert "The budget of $0.000015 does not allow another call." in app.info[0].value.replace(
        "\\", ""
    )
    field = next(n for n in app.number_input if n.key.startswith("judge.budget."))
    assert field.value == 0.000015
    app.button(key="judge.run").click().run()
    assert [options.budget for _, options in started] == [0.000015]


def test_how_many_requests_at_once_stays_while_another_judge_is_looked_at(
    sample_db, keyed, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    place = next(n.key for n in app.number_input if n.key.startswith("judge.concurrency."))
    app.number_input(key=place).set_value(1).run()
    select(app, "baseline")
    assert place not in [n.key for n in app.number_input]
    app.query_params["judge"] = LUNA
    app.run()
    assert app.number_input(key=place).value == 1


@pytest.mark.parametrize(
    ("cost", "shown_as"), [(0.0, []), (0.5, [("no limit", None)])], ids=["free", "paid"]
)
def test_a_paid_run_begun_without_a_limit_may_be_given_a_budget(store, monkeypatch, cost, shown_as):
    monkeypatch.setenv("CONCORD_DB", str(store.path))
    app = AppTest.from_function(_going_on, args=(cost,)).run()
    assert not app.exception
    assert [(n.placeholder, n.value) for n in app.number_input] == shown_as


@pytest.mark.parametrize(
    ("statuses", "box"),
    [({"failed": 2, "unparsable": 1}, "warning"), ({"failed": 2, "scored": 1}, "success")],
    ids=["none", "one"],
)
def test_a_run_without_one_usable_reply_does_not_look_like_a_success(statuses, box):
    app = AppTest.from_function(_ended, args=(statuses,)).run()
    assert not app.exception
    assert len(getattr(app, box)) == 1 and len(app.success) + len(app.warning) == 1
    ended = {"warning": "The last run has ended.", "success": "The last run is done."}
    assert getattr(app, box)[0].value == ended[box]


def test_values_that_are_undefined_without_a_request_are_no_failure():
    assert not Counts(done=2, statuses=Counter({"missing_input": 2})).is_fruitless()


def _ended(statuses):
    from collections import Counter

    from concord.judges.running.progress import Counts
    from concord.reports.workflow.runs import State
    from concord.ui import run_progress

    counts = Counts(total=3, done=3, calls=3, statuses=Counter(statuses))
    run_progress.outcome(State("done", counts, run_id=1), "a score")


def _going_on(cost):
    from concord.judges.running.progress import Counts
    from concord.reports.workflow.runs import State
    from concord.ui import run_progress

    counts = Counts(total=9, done=1, calls=1, cost=cost)
    run_progress.live(lambda _: State("running", counts, run_id=1), "judge", "a score")


def test_models_asked_together_keep_the_smallest_budget_that_one_of_them_had(tmp_path):
    works = [_work(model) for model in ("dear", "cheap", "new", "unlimited")]
    logs = [work.place() for work in works]
    had = [2.0, 0.5, 0.1, None]
    stands = [
        Stand("m", place, State("stopped", Counts(), budget=usd))
        for place, usd in zip(logs, had, strict=True)
    ]
    assert request_judges.budget(stands, [works[0], works[1], works[3]]) == 0.5
    assert request_judges.budget(stands, [works[3]]) is None
    assert request_judges.budget([], works) is None


def _work(model):
    asked = JUDGE.with_overrides(model)
    return AnswerJob(judge=asked, sheet_name="port", questions={})
