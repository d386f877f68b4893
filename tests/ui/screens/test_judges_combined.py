"""A combined judge on the screen: made in a form or as TOML, run with a button, and its card."""

from concord.judges.definition import registry
from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.sampling import split_assignment
from concord.store import graders, items, runs, sheets
from concord.store.database import open_store
from tests.support.metric_runs import MetricEndpoint
from tests.support.patience import until
from tests.support.screens import judge_field, opened, said

PAGE = "pages/judges.py"
CAREFUL, LENIENT = "simulated-careful-judge", "simulated-lenient-judge"


def test_a_combined_judge_is_saved_run_and_described(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="combined")
    judge_field(app, "text_input", "name").set_value("jury")
    judge_field(app, "multiselect", "members").set_value([CAREFUL, LENIENT])
    judge_field(app, "selectbox", "rule").set_value("ordinal")
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    assert app.query_params["judge"].startswith("jury@")
    app.button(key="judge.combined").click().run()
    assert not app.exception and not app.error
    assert any('kind = "combined"' in one.value and "[fit]" in one.value for one in app.code)
    judge_field(app, "selectbox", "rule").set_value("majority")
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    with open_store(sample_db) as store:
        judge = registry.named(store, "jury-v2")
    assert (judge.rule, judge.fit, judge.edited_from) == ("majority", None, ("jury",))


LUNA = "gpt-6-luna-zero-shot"
NO_KEY = "The judge's key is missing: enter it above"
NO_LEAD = "Your role does not allow that"


def test_a_key_that_cannot_be_typed_is_not_asked_for(store, sheet, rubric, tmp_path, monkeypatch):
    path = tmp_path / "ours.toml"
    path.write_text(
        'name = "ours"\nmodel = "qwen3-32b"\nrubric = "doc-qa-0-3"\n[endpoint]\n'
        'base_url = "https://models.example.org/v1"\napi_key_env = "CORP_LOGIN"\n'
    )
    app = opened(monkeypatch, store.path, PAGE, judge=str(path))
    assert app.button(key="judge.run").disabled
    assert "CORP_LOGIN" not in [field.label for field in app.text_input]
    assert NO_KEY not in said(app)


def test_a_viewer_is_told_why_a_judge_is_neither_run_nor_tried(
    sample_db, keyed, viewer, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    for key in ("judge.run", "judge.check"):
        assert app.button(key=key).disabled
    assert NO_LEAD in said(app)


def test_another_model_or_address_loses_the_price(sample_db, keyed, monkeypatch):
    with open_store(sample_db) as store:
        base = registry.copied(
            store,
            registry.named(store, LUNA),
            "priced",
            {"price": {"input": 1, "output": 2}, "context_tokens": 1000},
        )
        other = registry.copied(store, base, "a", {"model": "of-our-own"})
        moved = registry.copied(store, base, "b", {"endpoint": {"base_url": "https://x.example"}})
    assert (base.price.input, base.context_tokens) == (1, 1000)
    assert (other.price, other.context_tokens) == (None, None)
    assert (moved.price, moved.context_tokens) == (None, 1000)


def test_a_judge_is_edited_as_a_copy_and_a_fault_saves_nothing(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    app.button(key="judge.save").click().run()
    assert len(app.error) == 1  # nothing was changed
    judge_field(app, "text_area", "prompt").set_value("no placeholder")
    app.button(key="judge.save").click().run()
    assert len(app.error) == 1
    judge_field(app, "text_area", "prompt").set_value(
        "$answer by $rubric after $question and $contexts"
    )
    judge_field(app, "number_input", "seed").set_value(7)
    judge_field(app, "selectbox", "output").set_value("text")
    judge_field(app, "number_input", "endpoint.timeout_s").set_value(30.0)
    judge_field(app, "number_input", "price.input").set_value(1.0)
    judge_field(app, "number_input", "price.output").set_value(2.0)
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    with open_store(sample_db) as store:
        judge = registry.named(store, f"{LUNA}-v2")
    assert (judge.recipe(), judge.seed, judge.output) == ("own", 7, "text")
    assert (judge.endpoint.timeout_s, judge.price.output) == (30, 2)
    assert judge.edited_from == (LUNA,)


def test_an_answer_is_made_an_example_only_from_the_few_shot_pool(sample_db, keyed, monkeypatch):
    with open_store(sample_db) as store:
        first = items.item_index(store, 1)[0]
        split_assignment.assign(store, [first["question_id"]], "few-shot", "shown")
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, item="192")
    assert app.button(key="judge.example").disabled
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    app.button(key="judge.example").click().run()
    judge_field(app, "text_input", "examples.grader").set_value("author")
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    with open_store(sample_db) as store:
        job = session.prepare(store, f"{LUNA}-v2", Options(sheet_name="sample"))
    assert [shot.id for shot in job.shots] == [first["id"]]


def test_a_judge_for_metrics_of_ones_own_is_saved_and_run_from_the_screen(two_answers, monkeypatch):
    with MetricEndpoint() as server:
        app = opened(monkeypatch, two_answers, PAGE, add="rag-metrics")
        judge_field(app, "text_input", "name").set_value("mine")
        judge_field(app, "text_input", "model").set_value("m")
        judge_field(app, "multiselect", "metrics").set_value(["faithfulness"])
        judge_field(app, "text_input", "endpoint.base_url").set_value(server.url)
        judge_field(app, "number_input", "price.input").set_value(0.0)
        judge_field(app, "number_input", "price.output").set_value(0.0)
        app.button(key="judge.save").click().run()
        assert not app.exception and not app.error
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
