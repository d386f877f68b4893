"""The document and the chart of a look at a decision."""

import pytest

from concord.reports import terminal
from concord.reports.decision.document import against, document, headline, judges, price
from concord.reports.decision.verdict import CANNOT_TELL, GOOD_ENOUGH, NOT, read
from concord.ui.chart import COLOURS, draw

ALERT = {"annotator": "Rex", "code": "random", "sentence": "so"}


def estimate(value, low=None, high=None):
    return {"value": value, "low": low, "high": high, "method": "", "why_none": None}


def judge(name, verdict=GOOD_ENOUGH, cost=1.0, exact=0.8, **more):
    row = {
        "judge": name,
        "simulated": False,
        "is_reference": False,
        "fingerprint": "",
        "confirmed": True,
        "decided_by": None,
        "p": 0.01,
        "not_graded": 0,
        "stated_on": None,
        "more_labels_why_none": None,
        "verdict": verdict,
        "why": [] if verdict == GOOD_ENOUGH else ["so"],
        "difference": estimate(-0.012, -0.069, 0.044),
        "value": estimate(exact, exact - 0.1, exact + 0.1),
        "conditions": {},
        "failure_recall": estimate(0.85, 0.6, 0.95) | {"failing": 20, "count": 17},
        "failure_precision": estimate(0.9, 0.7, 0.97) | {"judge_failing": 19},
        "cost_per_1000": cost,
        "more_questions": None,
        "seconds": 1.5,
        "more_labels": None,
        "failed": 0,
        "n": 200,
    }
    return row | more


def look(*candidates, reference_cost=10.0, of_reference=(), **more):
    first = judge("dear", cost=reference_cost, is_reference=True) | dict(of_reference)
    rows = [first, *candidates]
    found = {
        "criterion": "correctness",
        "planned_questions": 100,
        "figure": "exact",
        "confirmatory": True,
        "changed_terms": [],
        "alerts": [],
        "uncounted": {},
        "baseline": 0.7,
        "more_questions": None,
        "margin": 0.1,
        "minimum": 0.6,
        "against": "dear",
        "winner": "cheap",
        "verdict": candidates[0]["verdict"] if candidates else CANNOT_TELL,
        "about": candidates[0]["judge"] if candidates else None,
        "more_labels": None,
        "looks": 2,
        "new_look": True,
        "level": 0.018,
        "judges": rows,
        "left_out": {},
        "annotators": [{"name": "Ana", "simulated": False}],
        "answers": 200,
        "questions": 100,
        "clusters": 100,
        "ceiling": 0.86,
        "overlap": 200,
        "simulated": False,
        "fixed_after_sight": False,
        "decision": {"id": 1},
        "first_terms": None,
        "without_annotators": [],
        "kept_from": None,
    }
    return read(found | more)


@pytest.mark.parametrize(
    ("rows", "more", "begins"),
    [
        (
            [judge("cheap")],
            {},
            "Use cheap on correctness: at most 10 points worse than dear, at 10% ",
        ),
        (
            [judge("cheap", cost=4.2)],
            {},
            "Use cheap on correctness: at most 10 points worse than dear",
        ),
        ([judge("cheap", cost=20.0)], {}, "Keep dear on correctness: cheap is good enough too"),
        (
            [judge("cheap", CANNOT_TELL)],
            {"verdict": CANNOT_TELL},
            "Keep dear on correctness: no cheap",
        ),
        ([judge("cheap", NOT)], {"verdict": NOT}, "Keep dear on correctness: no cheaper judge"),
        ([judge("cheap")], {"confirmatory": False}, "Exploratory: Use cheap"),
        ([judge("cheap", confirmed=False)], {}, "Not confirmed: Use cheap"),
        ([judge("cheap")], {"alerts": [ALERT]}, "Settle the alert on Rex first"),
        (
            [judge("cheap", CANNOT_TELL, more_labels=[80, 400], more_questions=[40, 200])],
            {"of_reference": {"verdict": CANNOT_TELL}},
            "Label 40 to 200 more questions",
        ),
    ],
)
def test_the_headline_is_an_action(rows, more, begins):
    found = look(*rows, **more)
    assert headline(found).startswith(begins)


def test_every_condition_is_a_row_with_its_estimate_limit_and_result():
    conditions = {
        "difference": {"estimate": estimate(-0.2, -0.3, -0.11), "above": -0.1, "state": "open"},
        "minimum": {"estimate": estimate(0.4, 0.3, 0.5), "above": 0.35, "state": "open"},
        "kappa": {"estimate": estimate(0.2, 0.1, 0.3), "above": 0.0, "state": "clear"},
        "ceiling": {"estimate": estimate(None), "above": None, "state": "none"},
    }
    for one in conditions.values():
        one["interval"] = [None, None]
    conditions["difference"]["interval"] = [-0.33, -0.08]
    found = look(judge("cheap", NOT, conditions=conditions))
    table = next(one for one in document(found).tables if one.name == "conditions")
    # The interval is that of the test, which agrees with the result where the 95% CI does not.
    assert [row[2:] for row in table.rows] == [
        ("-20.0 [-33.0, -8.0]", "-10.0", "inconclusive"),
        ("40% [30, 50]", "35%", "inconclusive"),
        ("0.20 [0.10, 0.30]", "0.00", "pass"),
    ]


def test_the_table_has_a_row_per_judge_with_price_and_time():
    found = look(judge("cheap", cost=0.0), judge("other", NOT, cost=None, seconds=None))
    assert [row[4] for row in judges(found).rows] == ["$10.00", "free", "unknown"]
    assert "dear" in terminal.text(document(found))
    assert price(look(judge("cheap", cost=0.012)).judges[1]) == "$0.012"


def drawn(found):
    return draw(against(found))


@pytest.mark.parametrize(
    "more",
    [
        {"alerts": [ALERT]},
        {"confirmatory": False},
    ],
)
def test_a_judge_that_cannot_be_certified_is_not_drawn_as_good_enough(more):
    chart = drawn(look(judge("cheap"), **more))
    colours = {trace.marker.color for trace in chart.data if trace.mode == "markers"}
    assert COLOURS[GOOD_ENOUGH] not in colours
    assert any("cannot be certified" in (one.name or "") for one in chart.data)
