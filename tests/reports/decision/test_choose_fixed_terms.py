"""What terms fix: the annotators of a decision, and one decision for one condition."""

import pytest

from concord.reports.decision import choose
from concord.reports.panel.named_judge import judge_of
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, off


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
