"""A combined judge on the screen: made in a form or as TOML, run with a button, and its card."""

import json

from concord.judges.definition import model
from concord.judges.definition.model import parse
from concord.judges.exporting import targets
from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.store import graders, items, runs, sheets
from concord.store.database import open_store
from concord.ui.language import plain
from tests.support.commandline import invoke, judge_file
from tests.support.fakejudge import Fake, completion, run_rubric
from tests.support.metric_runs import MetricEndpoint
from tests.support.patience import until
from tests.support.screens import opened, said

PAGE = "pages/judges.py"
CAREFUL, LENIENT = "simulated-careful-judge", "simulated-lenient-judge"
FILE = (
    'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\nrule = "ordinal"\n'
    f'members = ["{CAREFUL}", "{LENIENT}"]\n'
)


def defined(app):
    """The judge that the TOML defines."""
    return parse(app.text_area(key="judge.toml").value, "the definition")


def test_a_combined_judge_is_saved_run_and_described(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add="1")
    app.text_area(key="judge.toml").set_value(FILE).run()
    assert app.multiselect(key="judge.form.members").value == [CAREFUL, LENIENT]
    assert app.selectbox(key="judge.form.rule").value == "ordinal"
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    assert app.query_params["judge"].startswith("jury@")
    app.button(key="judge.combined").click().run()
    assert not app.exception and not app.error
    assert any('kind = "combined"' in one.value and "[fit]" in one.value for one in app.code)
    app.button(key="judge.edit").click().run()
    app.selectbox(key="judge.form.rule").set_value("majority").run()
    assert (defined(app).rule, defined(app).fit) == ("majority", None)
    assert not app.exception and not app.error


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
    for key in ("judge.run", "judge.check", "judge.canaries"):
        assert app.button(key=key).disabled
    assert NO_LEAD in said(app)


INPUT, OUTPUT = "judge.form.usd_input", "judge.form.usd_output"


def written(app):
    assert not app.exception
    return model.parse(app.text_area(key="judge.toml").value, "the definition")


def enter(app, key, text):
    app.text_input(key=key).set_value(text).run()


def fields(app):
    return [app.text_input(key=key).value for key in (INPUT, OUTPUT)]


def test_another_model_or_address_loses_the_price(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    for key, text in (
        ("judge.form.model", "of-our-own"),
        ("judge.form.base_url", "https://llm.example.org/v1"),
    ):
        enter(app, INPUT, "1")
        enter(app, OUTPUT, "2")
        assert written(app).price is not None
        enter(app, key, text)
        assert written(app).price is None and fields(app) == ["", ""]


def test_the_form_writes_the_toml_and_the_toml_fills_the_form(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    app.selectbox(key="judge.form.prompt").set_value("few_shot").run()
    app.number_input(key="judge.form.per_score").set_value(2).run()
    app.selectbox(key="judge.form.output").set_value("text").run()
    judge = written_of_judges_form(app)
    assert (judge.prompt, judge.examples.per_score, judge.output) == ("few_shot", 2, "text")
    area = app.text_area(key="judge.toml")
    area.set_value(area.value.replace('model = "gpt-6-luna"', 'model = "m"\nseed = 7')).run()
    assert app.text_input(key="judge.form.model").value == "m"
    app.selectbox(key="judge.form.prompt").set_value("own").run()
    judge = written_of_judges_form(app)
    assert (judge.recipe(), judge.seed, judge.examples) == ("own", 7, None)
    app.text_area(key="judge.form.own").set_value("$answer by $rubric after $examples").run()
    kept = written_of_judges_form(app).prompt
    app.text_area(key="judge.form.own").set_value("no placeholder").run()
    assert len(app.error) == 1 and written_of_judges_form(app).prompt == kept


def written_of_judges_form(app):
    return model.parse(app.text_area(key="judge.toml").value, "the definition")


KEY = "judge.export"


def chosen(monkeypatch, db, judge, tool):
    return opened(monkeypatch, db, PAGE, {KEY: tool}, judge=judge)


def files(app):
    return [one.label for one in app.get("download_button")]


def test_a_judge_is_offered_as_the_file_of_each_tool_with_what_differs(
    sample_db, tmp_path, monkeypatch
):
    file = judge_file(tmp_path, "http://127.0.0.1:9/v1")
    app = opened(monkeypatch, sample_db, PAGE, judge=file)
    assert [one.split(":")[0] for one in app.selectbox(key=KEY).options] == [*targets.TARGETS]
    assert "Download judge.py" not in files(app)
    app = chosen(monkeypatch, sample_db, file, "promptfoo")
    assert "Download judge.py" in files(app)
    app = chosen(monkeypatch, sample_db, file, "openai-grader")
    done = invoke(sample_db, "export-judge", file, "--for", "openai-grader", "--json")
    told = json.loads(done.stdout)
    shown = said(app)
    assert told["differences"] and all(plain(one) in shown for one in told["differences"])


def test_a_judge_whose_grades_alone_are_known_offers_no_export(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="simulated-careful-judge")
    assert KEY not in [one.key for one in app.selectbox]


def run(store, *args, **options):
    run_rubric(store, session.prepare(store, LUNA, Options(**options)), Fake(*args))


def failed_in(sample_store):
    """Run the judge on five answers; return the numbers of the three whose replies failed."""
    run(sample_store, limit=2)
    run(sample_store, lambda *_: completion("No idea."), limit=5)
    return [number for number in range(1, 193) if _failed(sample_store, number)]


def _failed(store, number):
    [stored] = items.page(store, 1, number, 1)
    [judge] = [one for one in graders.of_kind(store, "judge") if one.name == LUNA]
    found = runs.of_item(store, stored.id, judge.id)
    return any(one["status"] == "unparsable" for one in found)


def test_the_address_opens_a_failed_reply(sample_store, sample_db, keyed, monkeypatch):
    failed_in(sample_store)
    query = {"judge": LUNA, "show": "Replies", "failed": "1", "failure": "2"}
    opened(monkeypatch, sample_db, PAGE, **query)
    beyond = opened(monkeypatch, sample_db, PAGE, **query | {"failure": "99"})
    assert not beyond.exception


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
