"""The judges screen for a judge of metrics: what it would find and ask, and running it."""

from concord.judges.running.job import Options
from concord.store import graders, runs, sheets
from concord.store.database import open_store
from tests.support.metric_endpoint import MetricEndpoint
from tests.support.patience import until
from tests.support.screens import opened, said

PAGE = "pages/judges.py"


def test_the_list_names_the_judges_for_metrics(two_answers, monkeypatch):
    app = opened(monkeypatch, two_answers, PAGE, add=1)
    options = app.selectbox(key="judge.base").options
    assert {"rag-metrics", "vera", "computed"} <= {*options}


def test_what_answers_lack_and_what_is_left_out_is_said_before_the_run(
    two_answers, started, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-secret-0123456789")
    app = opened(monkeypatch, two_answers, PAGE, judge="rag-metrics")
    assert not app.exception
    warned = " ".join(warning.value for warning in app.warning)
    assert "1 answer has no contexts" in warned and "q2" in warned
    assert "Skipped: " in warned and "no embedding model" in warned
    assert "Response relevancy" in warned and "response_relevancy" not in warned
    assert "Import them in the columns “contexts”, “reference”, " in warned
    assert "Faithfulness" in app.multiselect[0].options
    assert app.button(key="judge.run").label.startswith("Run: ")


def test_only_the_metrics_that_are_chosen_are_run(two_answers, started, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-secret-0123456789")
    app = opened(monkeypatch, two_answers, PAGE, judge="rag-metrics")
    app.multiselect[0].set_value(["faithfulness"]).run()
    assert app.button(key="judge.run").label.startswith("Run: 2 requests")
    app.button(key="judge.run").click().run()
    assert started == [("rag-metrics", Options(sheet_name="two", metrics=("faithfulness",)))]
    app.multiselect[0].set_value([]).run()
    assert "judge.run" not in [button.key for button in app.button]


def test_the_requests_about_an_answer_can_be_read(two_answers, monkeypatch):
    app = opened(monkeypatch, two_answers, PAGE, judge="rag-metrics")
    request = app.selectbox(key="judge.request")
    name = next(option for option in request.options if option.endswith("claims-in-contexts"))
    request.set_value(request.options.index(name)).run()
    sent = [code.value for code in app.code]
    assert "Do the contexts, read together, support this claim?" in sent[0]
    assert "It is so." in sent[1]


def test_computed_metrics_are_run_from_the_screen_for_nothing(two_answers, monkeypatch):
    app = opened(monkeypatch, two_answers, PAGE, judge="computed")
    button = app.button(key="judge.run")
    assert (button.label, button.disabled) == ("Compute metrics, free", False)
    button.click().run()
    with open_store(two_answers) as store:
        sheet = sheets.find(store, "two")
        until(lambda: [row["status"] for row in runs.of_sheet(store, sheet.id)] == ["done"])
    # Its process ends a moment after its run is stored as done.
    until(lambda: opened(monkeypatch, two_answers, PAGE, judge="computed").success)
    app = opened(monkeypatch, two_answers, PAGE, judge="computed")
    assert not app.exception
    assert "judge.run" not in [button.key for button in app.button]
    assert "The last run is done" in app.success[0].value
    took, found = app.table[0].value, app.dataframe[1].value
    assert "missing input" in took
    assert {"metric", "n", "all answers", "mean", "left out"} <= {*found.columns}


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
            assert "connection" in app.success[-1].value
            server.seen.clear()
            app.button(key="judge.run").click().run()
            sheet = sheets.find(store, "two")
            until(lambda: [row["status"] for row in runs.of_sheet(store, sheet.id)] == ["done"])
        assert len(server.seen) == 2
    app = opened(monkeypatch, two_answers, PAGE, judge=label, show="Replies")
    assert not app.exception and "claims" in said(app) + str([code.value for code in app.code])


def test_the_definition_of_computed_metrics_asks_for_no_server_and_no_key(two_answers, monkeypatch):
    app = opened(monkeypatch, two_answers, PAGE, add="computed")
    keys = {one.key for one in [*app.text_input, *app.selectbox, *app.button]}
    assert keys >= {"judge.form.name", "judge.form.model", "judge.save"}
    assert not keys & {"judge.form.server", "judge.form.output", "judge.try"}
    assert "OPENAI_API_KEY" not in said(app)
