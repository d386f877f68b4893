"""What of a sheet's decision is done, and what follows."""

from dataclasses import replace

import pytest

from concord.reports.certificate.certificate import JudgeIdentity
from concord.reports.decision import choose
from concord.reports.decision.results import GOOD_ENOUGH
from concord.reports.panel.named_judge import judge_of
from concord.reports.workflow import workflow
from concord.store import graders, sheets
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, off, state


def test_grades_of_a_pending_annotator_are_no_news_of_a_decision(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10))
    store.execute("update grades set created_at = '2020-01-01T00:00:00+00:00'")
    made = panel(store, doc_qa)
    choose.look(store, made, choose.fix(store, made, judge_of(store, made, "dear"), TERMS))
    (sheet,) = sheets.all_sheets(store)
    graders.ensure(store, "person", "Zed", accepted=False)
    zed = give(store, doc_qa, "Zed", {0: 3})
    before = state(store, sheet, 1)
    assert before.note != "new grades since"
    graders.decide_annotator(store, sheet.id, zed, "included", "Lea")
    assert state(store, sheet, 1).note == "new grades since"


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_judge_is_named_as_on_the_other_screens(store, doc_qa, scores, monkeypatch, confirmed):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10))
    made = panel(store, doc_qa)
    found = choose.look(store, made, choose.fix(store, made, judge_of(store, made, "dear"), TERMS))
    label = f"cheap@{'a1b2c3d4' * 2}"
    rows = [
        replace(row, judge=label, verdict=GOOD_ENOUGH, confirmed=confirmed)
        for row in found.judges
        if row.judge == "cheap"
    ]
    told = replace(found, about=label, verdict=GOOD_ENOUGH, judges=(found.reference, *rows))
    monkeypatch.setattr(workflow, "read", lambda _: told)
    monkeypatch.setattr(workflow, "doubted", lambda _: False)
    (sheet,) = sheets.all_sheets(store)
    why, *_ = state(store, sheet, 2).next
    assert why.startswith("cheap@a1b2c3 ")


@pytest.mark.parametrize("graded", [90, 120])
def test_an_inconclusive_verdict_asks_for_more_questions_once_every_answer_is_graded(
    store, doc_qa, scores, graded
):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(graded)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 5))
    made, terms = panel(store, doc_qa), TERMS._replace(planned_questions=200)
    choose.look(store, made, choose.fix(store, made, judge_of(store, made, "dear"), terms))
    (sheet,) = sheets.all_sheets(store)
    why, screen, label = state(store, sheet, 2).next
    assert "More labels needed: " in why
    every = graded == sheet.items
    assert ("Import more questions" in why) == every
    assert (screen, label) == (
        ("data", "Import answers") if every else ("annotate", "Grade more answers")
    )


def test_a_certificate_is_of_the_judge_with_its_fingerprint_alone():
    certified = JudgeIdentity("mine", "judge", "a" * 16, None, (), {})
    assert certified.has("mine", "a" * 16) and certified.has(f"mine@{'a' * 16}", "a" * 16)
    assert not certified.has(f"mine@{'b' * 16}", "b" * 16)
    assert not certified.has("other", "a" * 16)
