"""The limits of a run on its screen: they stay, and a run that goes on may be given a budget."""

from concord.judges.building.answering import AnswerJob
from concord.judges.definition import model as judge_model
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.judges.running.progress import Counts
from concord.reports.workflow import request_judges
from concord.reports.workflow.request_judges import Stand
from concord.reports.workflow.runs import State
from tests.support.fakejudge import Fake, run_rubric
from tests.support.screens import opened

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"

JUDGE = judge_model.presets()[LUNA]


def test_the_budget_that_stopped_a_run_stays_for_the_run_that_goes_on(
    sample_store, sample_db, keyed, started, monkeypatch
):
    job = session.prepare(sample_store, LUNA, Options())
    assert run_rubric(sample_store, job, Fake(), budget=0.000015).status == "stopped"
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    field = next(n for n in app.number_input if n.key.startswith("judge.budget."))
    assert field.value == 0.000015
    app.button(key="judge.run").click().run()
    assert [options.budget for _, options in started] == [0.000015]


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
