"""What of a sheet's decision is done, and what follows."""

from concord.reports.certificate.certificate import JudgeIdentity
from concord.reports.decision import choose
from concord.reports.decision.decision_status import decided
from concord.reports.panel.named_judge import judge_of
from concord.store import graders, sheets
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, off


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
    before = decided(store, sheet, 1, True)
    assert before.note != "new grades since"
    graders.accept(store, zed)
    assert decided(store, sheet, 1, True).note == "new grades since"


def test_a_certificate_is_of_the_judge_with_its_fingerprint_alone():
    certified = JudgeIdentity("mine", "judge", "a" * 16, None, (), {})
    assert certified.has("mine", "a" * 16) and certified.has(f"mine@{'a' * 16}", "a" * 16)
    assert not certified.has(f"mine@{'b' * 16}", "b" * 16)
    assert not certified.has("other", "a" * 16)
