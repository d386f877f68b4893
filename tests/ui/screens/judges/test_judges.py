"""The judges screen as app.py shows it: what it says, offers and refuses."""

import json
import os
import re
from pathlib import Path

import pytest

from concord.judges.definition import model, stated_price
from concord.judges.rubric_runs import session
from concord.judges.running import run_loop
from concord.judges.running.job import Options
from concord.messages import Problem
from concord.sampling import split_assignment, splits
from concord.store import additions, batches, graders, runs
from concord.store.batches import Question
from tests.support.endpoint import Endpoint
from tests.support.fakejudge import Fake, completion, run_rubric
from tests.support.judges.decisions import decided
from tests.support.judges.rubric_runs import in_background
from tests.support.judges.screen import select, selected
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.patience import PATIENT_S, until
from tests.support.screens import opened, said

PAGE = "pages/judges.py"
AGREEMENT = "exact [95% CI]"
LUNA = "gpt-6-luna-zero-shot"


def shown(app):
    """Everything a page shows in words, code and boxes."""
    boxes = [*app.code, *app.success, *app.warning, *app.error, *app.info, *app.button]
    return said(app) + " ".join(
        f"{getattr(b, 'value', '')} {getattr(b, 'label', '')}" for b in boxes
    )


def run_with(store, fake, name=LUNA, **options):
    job = session.prepare(store, name, Options(**options))
    return run_rubric(store, job, fake)


def test_the_table_holds_the_judges_of_the_sheet_with_their_agreement(
    sample_db, keyed, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE)
    assert app.header[0].value == "3 judges and the baseline have graded “sample”"
    table = app.dataframe[0].value
    assert {*table["judge"]} == {
        *("baseline", "simulated-careful-judge", "simulated-lenient-judge"),
        "simulated-decision-judge",
    }
    assert all(re.fullmatch(r"\d+% \[\d+, \d+\]", one) for one in table[AGREEMENT])


def test_a_selected_row_opens_the_card_of_its_judge_and_deselected_closes_it(
    sample_db, keyed, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE)
    assert not app.subheader and "Select a row" in said(app)
    select(app, "baseline")
    assert [sub.value for sub in app.subheader] == ["baseline"]
    assert app.query_params["judge"] == "baseline"
    select(app, None)
    assert not app.subheader and "judge" not in app.query_params


def test_the_judge_that_the_address_names_is_the_selected_row(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, item="7")
    assert selected(app) == LUNA and app.query_params["item"] == "7"
    gone = opened(monkeypatch, sample_db, PAGE, judge="gone@12ab")
    assert "There is no judge “gone@12ab”" in gone.error[0].value


def test_the_prompt_is_shown_exactly_as_it_is_sent(sample_store, sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, item="7")
    fake = Fake()
    run_with(sample_store, fake, limit=7)
    shown_messages = [code.value for code in app.code[:2]]
    assert shown_messages in [[m["content"] for m in body["messages"]] for body in fake.bodies]


def test_the_button_says_what_it_does_and_at_what_price(sample_db, keyed, started, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    button = app.button(key="judge.run")
    assert button.label.startswith("Run: 192 requests, $") and not button.disabled
    place = next(n.key for n in app.number_input if n.key.startswith("judge.budget."))
    app.number_input(key=place).set_value(1.5).run()
    app.button(key="judge.run").click().run()
    assert not app.exception
    assert started == [(LUNA, Options(sheet_name="sample", budget=1.5))]


def test_a_limit_changes_what_the_button_offers(sample_db, keyed, started, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    place = next(n.key for n in app.number_input if n.key.startswith("judge.limit."))
    app.number_input(key=place).set_value(5).run()
    assert app.button(key="judge.run").label.startswith("Run: 5 requests")
    app.button(key="judge.run").click().run()
    assert started[0][1].limit == 5


def test_a_run_over_the_few_shot_pool_is_offered_where_there_is_one(
    sample_store, sample_db, keyed, started, monkeypatch
):
    name = "gpt-6-luna-decisions"
    app = opened(monkeypatch, sample_db, PAGE, judge=name)
    assert not [box for box in app.checkbox if (box.key or "").startswith("judge.pool.")]
    ids = [row["id"] for row in splits.of_sheet(sample_store, 1)][:2]
    split_assignment.assign(sample_store, ids, "few-shot", "to develop on")
    app = opened(monkeypatch, sample_db, PAGE, judge=name)
    (box,) = [box for box in app.checkbox if (box.key or "").startswith("judge.pool.")]
    box.check().run()
    button = app.button(key="judge.run")
    assert button.label.startswith("Run: 6 requests") and not app.exception
    button.click().run()
    assert started[0][1].pool


def test_without_a_key_it_says_which_variable_to_set_and_offers_no_run(sample_db, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert app.button(key="judge.run").disabled
    assert any("The judge's key is missing" in caption.value for caption in app.caption)
    assert any("OPENAI_API_KEY is not set" in warning.value for warning in app.warning)


def test_the_key_is_never_shown(sample_db, keyed, monkeypatch):
    for view in ("Prompt", "Settings", "Runs", "Replies"):
        app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show=view)
        assert os.environ["OPENAI_API_KEY"] not in shown(app)
    assert "OPENAI_API_KEY is set" in shown(app)


def test_a_retired_model_is_said_so_and_not_refused(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="gpt-4-zero-shot")
    assert any("was retired by its maker on 2026-10-23" in w.value for w in app.warning)
    assert not app.button(key="judge.run").disabled


def test_a_run_that_went_through_leads_to_the_agreement(
    sample_store, sample_db, keyed, monkeypatch
):
    run_with(sample_store, Fake())
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert app.success[0].value == "The last run is done."
    [took] = app.table[0].value.to_dict("records")
    assert (took["done"], took["requests"], took["grades"]) == (192, 192, 576)
    assert "judge.run" not in [button.key for button in app.button]
    assert app.header[0].value.startswith("4 judges")


def test_a_run_that_left_something_has_ended_and_is_not_called_done(
    sample_store, sample_db, keyed, monkeypatch
):
    run_with(sample_store, Fake(), limit=3)
    with sample_store.write():
        sample_store.execute("update runs set message = 'The batch is cancelled.'")
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert app.success[0].value == "The last run has ended."
    assert "The batch is cancelled." in [one.value for one in app.caption]


def test_a_batch_without_any_result_says_why(sample_store, sample_db, keyed, monkeypatch):
    run_with(sample_store, Fake(), limit=3)
    with sample_store.write():
        why = "Batch failed: 0 requests answered. The server says: too long."
        none = '{"total": 3, "done": 0}'
        sample_store.execute("update runs set message = ?, counts = ?", (why, none))
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert not app.success
    assert why in [one.value for one in app.warning]


def test_a_run_that_failed_says_why_and_can_be_run_again(
    sample_store, sample_db, keyed, monkeypatch
):
    def refuse(*_):
        raise Problem("The server refused the key. Set another.")

    with pytest.raises(Problem):
        run_with(sample_store, Fake(refuse))
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert app.error[0].value == "The server refused the key. Set another."
    assert app.button(key="judge.run").label.startswith("Run: 192 requests")


def test_what_went_wrong_is_said_by_kind_with_the_reason(
    sample_store, sample_db, keyed, monkeypatch
):
    run_with(sample_store, Fake(lambda *_: completion("No idea.")), limit=4)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert any("12 could not be parsed: The reply contains no" in w.value for w in app.warning)


def test_a_run_of_a_dead_process_can_be_resumed(sample_store, sample_db, keyed, monkeypatch):
    run_with(sample_store, Fake(), limit=50)
    job = session.prepare(sample_store, LUNA, Options())
    grader_id, sheet_id = job.register(sample_store), job.sheet.id
    runs.start(sample_store, grader_id, sheet_id, job.rubric_id, {}, [], {}, None)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert "The process ended before the run did." in app.info[0].value
    assert app.button(key="judge.run").label.startswith("Resume: 142 requests")


def test_a_run_going_on_is_shown_gets_another_budget_and_can_be_stopped(
    sample_store, sample_db, keyed, monkeypatch
):
    job = session.prepare(sample_store, LUNA, Options())
    monkeypatch.setattr(run_loop, "GRACE_S", 0.2)
    fake = Fake(until=lambda: len(fake.bodies) <= 20)
    thread, outcome = in_background(sample_store.path, job, fake, concurrency=2, budget=9.0)
    grader_id = job.register(sample_store)
    until(lambda: _done(sample_store, job.sheet.id, grader_id) > 3)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert app.header[0].value == f"{LUNA} is running on “sample”"
    assert "tokens in" in said(app) and re.search(r" a (second|minute), about .+ left", said(app))
    assert "judge.run" not in [button.key for button in app.button]
    row = runs.newest(sample_store, sheet_id=job.sheet.id, grader_id=grader_id)
    app.number_input(key=f"judge.budget.run.{row['id']}").set_value(12.5).run()
    assert runs.budget(sample_store, row["id"]) == 12.5
    app.button(key="judge.stop").click().run()
    thread.join(PATIENT_S)
    assert outcome[0].why == "Stopped on request."


def _done(store, sheet_id, grader_id):
    row = runs.newest(store, sheet_id=sheet_id, grader_id=grader_id)
    return json.loads(row["counts"]).get("done", 0) if row else 0


def test_replies_are_shown_with_the_request_they_answer(
    sample_store, sample_db, keyed, monkeypatch
):
    run_with(sample_store, Fake(), limit=3)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show="Replies", item="2")
    assert '"choices"' in app.code[0].value and '"messages"' in app.code[1].value
    korean = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show="Replies", item="2", lang="ko")
    assert any(" UTC" in one.value and re.match(r"20\d\d\\\.", one.value) for one in korean.caption)
    empty = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show="Replies", item="9")
    assert "has not replied to this answer yet" in empty.info[-1].value


def test_the_replies_of_a_decision_model_have_their_probabilities_as_a_table(
    sample_store, sample_db, keyed, monkeypatch
):
    name = "gpt-6-luna-decisions"
    run_with(sample_store, Fake(decided()), name=name, limit=1)
    app = opened(monkeypatch, sample_db, PAGE, judge=name, show="Replies")
    table = app.dataframe[-1].value
    assert [*table.columns] == ["criterion", "score", "0", "1", "2", "3"]
    assert [*table.iloc[0]] == ["correctness", 2, "45%", "0%", "0%", "55%"]
    assert '"answers"' in app.code[0].value and not app.exception


def test_a_person_who_reads_replies_no_longer_grades_that_answer_blind(
    sample_store, sample_db, keyed, monkeypatch
):
    run_with(sample_store, Fake(), limit=1)
    ana = graders.ensure(sample_store, "person", "Ana")
    query = {"judge": LUNA, "grader": "Ana"}
    opened(monkeypatch, sample_db, PAGE, **query)
    assert not sample_store.rows("select * from openings")
    app = opened(monkeypatch, sample_db, PAGE, show="Replies", **query)
    assert not sample_store.rows("select * from openings")  # Ana is warned first
    app.button(key="beside.show").click().run()
    assert [row["grader_id"] for row in sample_store.rows("select * from openings")] == [ana]


def test_the_runs_are_listed_with_their_messages(sample_store, sample_db, keyed, monkeypatch):
    run_with(sample_store, Fake(), limit=3)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show="Runs")
    frame = app.table[-1].value
    assert list(frame["status"]) == ["done"] and list(frame["requests"]) == [3]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d", frame["started, UTC"].iloc[0])


def test_one_call_checks_the_judge_without_a_grade(sample_store, sample_db, keyed, monkeypatch):
    with Endpoint() as server:
        app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, base_url=server.url)
        app.button(key="judge.check").click().run()
        assert len(server.seen) == 1
    assert not app.exception
    assert any("✓" in box.value for box in app.success)
    assert graders.find(sample_store, "judge", LUNA) is None


def test_another_model_is_another_judge(sample_store, sample_db, keyed, started, monkeypatch):
    run_with(sample_store, Fake())
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, model="gpt-4o")
    assert app.button(key="judge.run").label.startswith("Run: 192 requests")
    app.button(key="judge.run").click().run()
    assert started == [(LUNA, Options(sheet_name="sample", model="gpt-4o"))]


def test_the_baseline_says_what_it_is_and_runs_at_once(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="baseline")
    assert "It needs 30 graded answers to 10 questions" in shown(app)
    app.button(key="judge.baseline").click().run()
    assert not app.exception
    assert "has already graded this sheet from the same grades" in app.success[0].value


def test_the_baseline_says_how_many_grades_it_lacks(store, sheet, monkeypatch):
    app = opened(monkeypatch, Path(store.path), PAGE, judge="baseline")
    app.button(key="judge.baseline").click().run()
    assert "needs at least 30 graded answers" in app.error[0].value


def test_a_preset_is_added_as_it_is(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE)
    app.button(key="judge.add").click().run()
    assert {*model.presets()} <= {*app.selectbox(key="judge.base").options}
    app.selectbox(key="judge.base").set_value(LUNA).run()
    app.button(key="judge.use").click().run()
    assert (selected(app), app.query_params["judge"]) == (LUNA, LUNA)
    assert "add" not in app.query_params
    assert [sub.value for sub in app.subheader] == [LUNA]


def test_a_judge_of_ones_own_is_kept_in_the_database_and_can_be_run(
    sample_store, sample_db, keyed, started, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    assert f'name = "my-{LUNA}"' in app.text_area(key="judge.toml").value
    app.text_input(key="judge.form.model").set_value("gpt-6-mega").run()
    app.button(key="judge.save").click().run()
    assert not app.exception and not app.error
    mine = graders.find(sample_store, "judge", f"my-{LUNA}")
    assert selected(app) == mine.name
    app.button(key="judge.run").click().run()
    assert started[0][0] == mine.label()
    job = session.prepare(sample_store, mine.label(), Options(sheet_name="sample"))
    assert (job.judge.model, job.fingerprint) == ("gpt-6-mega", mine.fingerprint)


def test_one_call_tests_a_definition_that_is_not_saved(sample_store, sample_db, keyed, monkeypatch):
    with Endpoint() as server:
        app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
        area = app.text_area(key="judge.toml")
        area.set_value(f"{area.value}\n[endpoint]\nbase_url = '{server.url}'\n").run()
        app.button(key="judge.try").click().run()
        assert len(server.seen) == 1
    assert not app.exception and any("✓" in box.value for box in app.success)
    assert graders.find(sample_store, "judge", f"my-{LUNA}") is None


def test_closed_the_form_leaves_the_table(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    assert app.button(key="judge.add").disabled
    assert "The form is open below." in [one.value for one in app.caption]
    app.button(key="judge.close").click().run()
    assert not app.text_area and not app.button(key="judge.add").disabled


def test_the_replies_of_an_answer_stand_side_by_side(store, sheet, keyed, monkeypatch):
    run_with(store, Fake(), limit=1, repeats=3)
    app = opened(monkeypatch, store.path, PAGE, judge=LUNA, show="Replies")
    assert any(one.value.startswith("**3 replies: correctness") for one in app.markdown)


def test_a_model_that_changed_behind_the_judge_is_told_above_the_run_box(
    store, sheet, keyed, monkeypatch
):
    run_with(store, Fake(), limit=4)
    store.execute(
        "update replies set model = 'm-2027', created_at = '2027-01-01T00:00:00.000Z' where id > 2"
    )
    app = opened(monkeypatch, store.path, PAGE, judge=LUNA)
    assert "the server answers as m-2027 (fp) instead of m-2026 (fp)" in app.warning[0].value
    assert "in the middle of a run" in app.warning[0].value


def test_a_file_is_opened_by_its_path(sample_db, keyed, started, monkeypatch, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nmodel = "gpt-4o"\nrubric = "doc-qa-0-3"\n')
    app = opened(monkeypatch, sample_db, PAGE, add=LUNA)
    app.text_input(key="judge.path").set_value(str(path)).run()
    app.button(key="judge.open").click().run()
    assert app.query_params["judge"] == str(path)
    assert [sub.value for sub in app.subheader] == ["mine"]
    app.button(key="judge.run").click().run()
    assert started[0][0] == str(path)


def test_a_file_that_is_gone_is_one_sentence(sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge="gone/mine.toml")
    assert not app.exception
    assert "mine.toml" in app.error[0].value


def test_an_answer_whose_question_is_an_example_is_said_never_to_be_asked(
    store, sheet, keyed, monkeypatch
):
    from concord.sampling import split_assignment
    from concord.store import items

    question = items.item(store, items.item_ids(store, sheet.id)[0]).question_id
    split_assignment.assign(store, [question], "few-shot", "shown")
    app = opened(monkeypatch, Path(store.path), PAGE, judge=LUNA)
    assert any("is excluded" in info.value for info in app.info)
    assert app.button(key="judge.run").label.startswith("Run: 33 requests")


def test_separate_calls_show_the_prompt_of_each_criterion(
    store, sheet, keyed, monkeypatch, tmp_path
):
    path = tmp_path / "apart.toml"
    path.write_text('name = "apart"\nmodel = "m"\nrubric = "doc-qa-0-3"\ncalls = "separate"\n')
    app = opened(monkeypatch, Path(store.path), PAGE, judge=str(path))
    assert "## correctness" in app.code[0].value and "## readability" not in app.code[0].value
    assert app.button(key="judge.run").label == "Run: 108 requests, price unknown"


def test_a_price_that_is_unknown_is_not_nothing(store, keyed, monkeypatch, tmp_path):
    additions.add(store, "one", [made_item(1)], "o.csv", "0" * 64, {})
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nmodel = "m"\nrubric = "doc-qa-0-3"\n')
    app = opened(monkeypatch, Path(store.path), PAGE, judge=str(path))
    assert app.button(key="judge.run").label == "Run: 1 request, price unknown"
    assert "cost unknown" in shown(app)


def test_live_or_as_a_batch_is_offered_with_both_prices(sample_db, keyed, started, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    way = next(radio for radio in app.radio if str(radio.key).startswith("judge.way."))
    live, batch = way.options
    assert live.startswith("Live, replies arrive immediately: $")
    assert batch.startswith("As a batch, replies arrive within a day: $")
    way.set_value(True).run()
    place = next(n.key for n in app.number_input if n.key.startswith("judge.limit."))
    app.number_input(key=place).set_value(5).run()  # the choice stays although the prices change
    assert app.button(key="judge.run").label.startswith("Submit batch: 5 requests, $")
    app.number_input(key=place).set_value(None).run()
    assert app.button(key="judge.run").label.startswith("Submit batch: 192 requests, $")
    app.button(key="judge.run").click().run()
    assert started == [(LUNA, Options(sheet_name="sample", batch=True))]


def test_an_open_batch_is_shown_and_can_be_collected_and_ended(
    sample_store, sample_db, keyed, started, monkeypatch
):
    job = session.prepare(sample_store, LUNA, Options())
    owed = [Question(f"q{n}", *task[:3], "{}") for n, task in enumerate(job.pending)]
    told = {"request_counts": {"total": 192, "completed": 20}}
    with sample_store.write():
        grader_id = job.register(sample_store)
        place = (grader_id, job.sheet.id, job.rubric_id)
        batch_id = batches.add(sample_store, *place, "t", {}, {}, None, owed)
    batches.note_status(sample_store, batch_id, "batch_1", "in_progress", told)
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    assert "A batch of 192 requests was submitted at" in app.info[0].value
    assert ": in progress, 20 answered" in app.info[0].value
    assert not [button for button in app.button if button.key == "judge.run"]
    assert not [radio for radio in app.radio if str(radio.key).startswith("judge.way.")]
    app.button(key="judge.collect").click().run()
    app.button(key="judge.cancel_batch").click().run()
    asked = Options(sheet_name="sample", batch=True)
    assert started == [(LUNA, asked), (LUNA, Options(sheet_name="sample", cancel_batch=True))]
    assert not app.exception
    monkeypatch.delenv("OPENAI_API_KEY")
    app.run()
    assert app.button(key="judge.collect").disabled
    assert any("key is missing: enter it above" in one.value for one in app.caption)
    (field,) = [one for one in app.text_input if one.label == "OPENAI_API_KEY"]
    field.set_value("sk-typed-0123456789")
    next(one for one in app.button if one.label == "Use this key").click().run()
    assert not app.button(key="judge.collect").disabled


def test_the_price_of_a_judge_from_a_file_is_stated_replaced_and_withdrawn(
    store, rubric, monkeypatch
):
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    give(store, rubric[1], "our-judge", {0: 2}, kind="judge")
    app = opened(monkeypatch, store.path, PAGE, judge="our-judge")
    assert "cannot be the cheapest that is good enough" in said(app)
    app.text_input(key="price.usd").set_value("2,50")
    app.button(key="FormSubmitter:price.form-Record price").click().run()
    assert "is not a price" in app.error[0].value
    app.text_input(key="price.usd").set_value("2.50")
    app.button(key="FormSubmitter:price.form-Record price").click().run()
    assert not app.error and "answers: $2.50" in unescaped(said(app))
    table = app.dataframe[0].value.set_index("judge")
    assert table["per 1,000"]["our-judge"] == "$2.50"
    assert "The price of our-judge was stated on" in said(app)
    app.segmented_control(key="price.way").set_value("tokens").run()
    app.selectbox(key="price.model").select("gpt-4")
    app.text_input(key="price.input").set_value("1000")
    app.text_input(key="price.output").set_value("100")
    app.button(key="FormSubmitter:price.form-Record price").click().run()
    told = unescaped(said(app))
    assert "answers: $36.00" in told and "Stated, not measured." in told
    newest, before = app.dataframe[1].value.to_dict("records")
    assert (newest["tokens in"], newest["tokens out"], newest["model"]) == ("1,000", "100", "gpt-4")
    assert before["per 1,000"] == "$2.50"
    app.button(key="price.withdraw").click().run()
    assert "answers: unknown" in said(app)
    assert stated_price.stated(graders.named(store, "judge", "our-judge")).usd is None


def unescaped(markdown: str) -> str:
    return markdown.replace("\\", "")
