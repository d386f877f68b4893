"""Which deciding figures a sheet offers, and the warning where one cannot separate judges."""

import pytest

from concord.reports.decision import choose, terms_review
from concord.reports.panel.named_judge import judge_of
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS


def graded(store, scores):
    made = [made_item(n) for n in range(len(scores))]
    additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", dict(enumerate(scores)))
    judge(store, rubric, "dear", dict(enumerate(scores)))
    return panel(store, rubric)


def warning(store, scores, **terms):
    made = graded(store, scores)
    against = judge_of(store, made, "dear")
    decision = choose.proposed(store, made, against, TERMS._replace(**terms))
    return terms_review.cannot_separate(made, decision)


@pytest.mark.parametrize(("questions", "offered"), [(19, False), (20, True)])
def test_a_small_sheet_offers_no_figure_and_says_why(store, questions, offered):
    why = terms_review.offered(graded(store, [n % 4 for n in range(questions)]))
    assert (why["exact"] is None) is offered
    if not offered:
        assert why["exact"] == (
            "Exact agreement takes 20 independent questions for a verdict; this sheet has 19."
        )


@pytest.mark.parametrize(
    ("threes", "terms", "warned"),
    [
        (38, {}, True),  # always 3 is right on 95 percent
        (38, {"margin": 0.04}, False),
        (20, {}, False),
        (20, {"figure": "within_one", "margin": 0.1}, False),
        (38, {"figure": "mae", "margin": 0.2}, True),  # always 3 is 2 x 3 / 40 = .15 off
        (20, {"figure": "mae", "margin": 0.2}, False),
    ],
)
def test_a_figure_that_one_score_nearly_fills_cannot_separate_judges(store, threes, terms, warned):
    found = warning(store, [3] * threes + [0] * (40 - threes), **terms)
    assert bool(found) is warned
    if warned:
        assert "cannot separate judges on this sheet" in found


def test_balanced_accuracy_takes_ten_answers_of_each_class(store):
    found = warning(store, [3] * 31 + [0] * 9, figure="balanced_accuracy")
    assert "annotators failed 9 and passed 31 so far" in found
