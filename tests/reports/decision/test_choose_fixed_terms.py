"""What terms fix: the annotators of a decision, and one decision for one condition."""

import pytest

from concord.reports import terminal
from concord.reports.decision import choose
from concord.reports.decision.document import document
from concord.reports.panel.candidates import NOT_NAMED
from concord.reports.panel.named_judge import judge_of
from concord.store import decisions
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, chosen, off


def test_a_decision_names_its_annotators_and_others_change_nothing(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    first = chosen(store, doc_qa)
    give(store, doc_qa, "Ben", {place: 3 - score for place, score in scores.items()})
    found = chosen(store, doc_qa)
    assert (found.decision, found.looks) == (first.decision, 1) and not found.new_look
    assert found.grades_digest == first.grades_digest
    assert [one.name for one in found.annotators] == ["Ana"]
    assert found.uncounted == {"Ben": NOT_NAMED}
    assert "Ben is not counted in this decision" in terminal.text(document(found))
    both = panel(store, doc_qa).choosing(["Ana", "Ben"])
    decision = choose.fix(store, both, judge_of(store, both, "dear"), TERMS)
    assert decision.id != found.decision.id and len(decision.annotators) == 2
    assert [one.name for one in choose.look(store, both, decision).annotators] == ["Ana", "Ben"]


def test_a_decision_without_grades_names_its_annotators_at_the_first_look(store, doc_qa, scores):
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    early = panel(store, doc_qa)
    decision = choose.fix(store, early, judge_of(store, early, "dear"), TERMS)
    assert decision.annotators is None
    ana = give(store, doc_qa, "Ana", scores)
    choose.look(store, panel(store, doc_qa), decision)
    assert decisions.get(store, decision.id).annotators == (ana,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"minimum": None}, {"minimum": 0.0}),
        ({"failure_recall": 0.0}, {"failure_recall": None}),
        ({"failure_precision": 0}, {"failure_precision": None}),
        ({"margin": 0.3}, {"margin": 0.1 + 0.2}),
    ],
)
def test_the_same_condition_written_two_ways_is_one_decision(store, doc_qa, scores, one, other):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 10))
    made = panel(store, doc_qa)
    against = judge_of(store, made, "dear")
    first = choose.fix(store, made, against, TERMS._replace(**one))
    again = choose.fix(store, made, against, TERMS._replace(**other))
    assert again.id == first.id
    assert choose.fixed(store, made, against, TERMS._replace(**other)).id == first.id
    assert choose.fixed(store, made, against, TERMS._replace(margin=0.07)) is None
    if "margin" not in one:  # neither form is a condition that others are corrected for
        assert TERMS._replace(**one).tested() == TERMS._replace(**other).tested()
