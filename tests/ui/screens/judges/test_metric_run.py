"""The judges screen for a judge of metrics: what it would find and ask, and running it."""

from concord.judges.running.job import Options
from concord.store import graders, runs, sheets
from concord.store.database import open_store
from tests.support.metric_endpoint import MetricEndpoint
from tests.support.patience import until
from tests.support.screens import opened

PAGE = "pages/judges.py"


def test_only_the_metrics_that_are_chosen_are_run(two_answers, started, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-secret-0123456789")
    app = opened(monkeypatch, two_answers, PAGE, judge="rag-metrics")
    app.multiselect[0].set_value(["faithfulness"]).run()
    app.button(key="judge.run").click().run()
    assert started == [("rag-metrics", Options(sheet_name="two", metrics=("faithfulness",)))]
    app.multiselect[0].set_value([]).run()
    assert "judge.run" not in [button.key for button in app.button]


def test_a_judge_for_metrics_of_ones_own_is_saved_and_run_from_the_screen(two_answers, monkeypatch):
    with MetricEndpoint() as server:
        app = opened(monkeypatch, two_answers, PAGE, add="rag-metrics")
        text = (
            'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\nmetrics = ["faithfulness"]\n'
            f'[endpoint]\nbase_url = "{server.url}"\n'
        )
        app.text_area[0].set_value(text).run()
        app.button(key="judge.save").click().run()
        assert not app.exception
        with open_store(two_answers) as store:
            label = graders.find(store, "metric", "mine").label()
            app = opened(monkeypatch, two_answers, PAGE, judge=label)
            app.button(key="judge.check").click().run()
            assert len(app.success) == 1
            server.seen.clear()
            app.button(key="judge.run").click().run()
            sheet = sheets.find(store, "two")
            until(lambda: [row["status"] for row in runs.of_sheet(store, sheet.id)] == ["done"])
        assert len(server.seen) == 2
