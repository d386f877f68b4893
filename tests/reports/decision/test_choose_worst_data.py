"""Verdicts on the worst data: what a reader in a hurry must not be misled about."""

from concord.reports.decision import more_labels
from concord.reports.decision.document import document
from concord.reports.decision.results import Terms
from concord.stats.planning.further_questions import Further
from tests.support.panels import give, judge
from tests.support.reports.choices import chosen, off, row

NO_MINIMUM = Terms(0.3, None, None)


def test_a_good_verdict_says_that_annotators_who_share_few_questions_are_not_compared(
    store, doc_qa, scores
):
    """Ben grades at random; on six questions nothing shows it."""
    give(store, doc_qa, "Ana", {place: one for place, one in scores.items() if place > 11})
    give(store, doc_qa, "Ben", {place: one for place, one in scores.items() if place < 24})
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 20, 5))
    found = chosen(store, doc_qa)
    assert (found.winner, row(found, "cheap").conditions["annotator_agreement"].state) == (
        "cheap",
        "none",
    )
    assert "Inter-annotator agreement was not tested: annotators overlap on fewer" in found.headline
    assert row(found, "cheap").conditions["annotator_agreement"].estimate.value is None
    assert any(
        line[:2] == ("cheap", "inter-annotator agreement better than chance (QWK)")
        and "not tested" in line
        for table in document(found).tables
        for line in table.rows
    )


def test_where_all_grades_are_alike_the_reason_is_given_once(store, doc_qa, scores):
    for name in ("Ana", "Ben"):
        give(store, doc_qa, name, dict.fromkeys(scores, 3))
    for name in ("dear", "cheap"):
        judge(store, doc_qa, name, dict.fromkeys(scores, 3))
    found = chosen(store, doc_qa, NO_MINIMUM)
    assert found.verdict == "cannot_tell" and len(row(found, "cheap").why) == 1


def test_where_annotators_may_agree_by_chance_no_minimum_is_advised(store, doc_qa, scores):
    """The reference judge falls below the baseline too, but no other terms would help."""
    give(store, doc_qa, "Ana", dict.fromkeys(scores, 3) | {0: 0, 9: 0})
    give(store, doc_qa, "Ben", dict.fromkeys(scores, 3) | {4: 0, 13: 0})
    judge(store, doc_qa, "dear", dict.fromkeys(scores, 3) | {n: 2 for n in range(0, 120, 9)})
    judge(store, doc_qa, "cheap", dict.fromkeys(scores, 3) | {n: 2 for n in range(1, 120, 9)})
    found = chosen(store, doc_qa, Terms(0.3, None, None))
    states = {name: one.state for name, one in row(found, "cheap").conditions.items()}
    assert (states["annotator_agreement"], states["reference"]) == ("open", "open")
    assert "Compare the annotators' grades" in found.sentence
    assert "name a minimum" not in found.sentence


def test_the_reference_judge_is_not_advised_another_reference_judge(
    store, doc_qa, scores, monkeypatch
):
    few = {place: score for place, score in scores.items() if place < 24}
    give(store, doc_qa, "Ana", few)
    judge(store, doc_qa, "dear", off(few, 5))
    judge(store, doc_qa, "cheap", off(few, 5, 1))
    blocked = Further(None, None, "reference")
    monkeypatch.setattr(more_labels, "further_questions", lambda *_: blocked)
    found = chosen(store, doc_qa, Terms(0.1, None, None))
    assert "another reference judge" in row(found, "cheap").more_labels_why_none
    assert row(found, "dear").more_labels_why_none == more_labels.NO_END
