"""The judges screen as app.py shows it: what it says, offers and refuses.

The table of the judges screen, without a browser.
"""

import os
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from concord.judges.definition import model as judge_model
from concord.judges.run import judging as session
from concord.judges.run.job import Options
from concord.store import batches, graders
from concord.store.batches import Question
from tests.support.fakejudge import Fake, run_rubric
from tests.support.screens import opened, said


def select(app: AppTest, judge: str | None) -> None:
    """Select the row of a judge, as a click does; None deselects."""
    table = app.dataframe[0]
    rows = [] if judge is None else [[*table.value["judge"]].index(judge)]
    app.session_state[table.key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    app.run()
    assert not app.exception


PAGE = "pages/judges.py"
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


def test_a_selected_row_opens_the_card_of_its_judge_and_deselected_closes_it(
    sample_db, keyed, monkeypatch
):
    app = opened(monkeypatch, sample_db, PAGE)
    assert not app.subheader
    select(app, "baseline")
    assert [sub.value for sub in app.subheader] == ["baseline"]
    assert app.query_params["judge"] == "baseline"
    select(app, None)
    assert not app.subheader and "judge" not in app.query_params


def test_the_prompt_is_shown_exactly_as_it_is_sent(sample_store, sample_db, keyed, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, item="7", show="Prompt")
    fake = Fake()
    run_with(sample_store, fake, limit=7)
    shown_messages = [code.value for code in app.code[:2]]
    assert shown_messages in [[m["content"] for m in body["messages"]] for body in fake.bodies]


def field(app, place):
    return next(one for one in app.number_input if one.key.startswith(f"judge.{place}."))


def test_a_run_is_started_as_it_was_chosen(sample_db, keyed, started, monkeypatch):
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA)
    field(app, "budget").set_value(1.5).run()
    app.button(key="judge.run").click().run()
    way = next(radio for radio in app.radio if str(radio.key).startswith("judge.way."))
    way.set_value(True).run()
    field(app, "limit").set_value(5).run()  # the choice stays although the prices change
    app.button(key="judge.run").click().run()
    assert not app.exception
    live = Options(sheet_name="sample", budget=1.5)
    assert started == [(LUNA, live), (LUNA, replace(live, limit=5, batch=True))]


def test_without_a_key_no_run_is_offered(sample_db, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert opened(monkeypatch, sample_db, PAGE, judge=LUNA).button(key="judge.run").disabled


def test_the_key_is_never_shown(sample_db, keyed, monkeypatch):
    for view in ("Edit", "Prompt", "Runs", "Replies"):
        app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show=view)
        assert os.environ["OPENAI_API_KEY"] not in shown(app)


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
    (field,) = [one for one in app.text_input if one.label == "OPENAI_API_KEY"]
    field.set_value("sk-typed-0123456789")
    next(one for one in app.button if one.label == "Use this key").click().run()
    assert not app.button(key="judge.collect").disabled


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
