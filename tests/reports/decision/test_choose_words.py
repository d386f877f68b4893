"""The document and the chart of a look at a decision."""

from dataclasses import replace
from itertools import pairwise

import pytest

from concord.reports import terminal
from concord.reports.decision.document import against, conditions, document, judges, price
from concord.reports.decision.finding import finding, more
from concord.reports.decision.results import CANNOT_TELL, GOOD_ENOUGH, NOT, read
from concord.reports.decision.terms import label, rows_of
from concord.store.decisions import Decision
from concord.ui.charts import points


def estimate(value, low=None, high=None):
    return {"value": value, "low": low, "high": high, "method": "", "why_none": None}


def judge(name, verdict=GOOD_ENOUGH, cost=1.0, exact=0.8, **more):
    row = {
        "judge": name,
        "simulated": False,
        "is_reference": False,
        "verdict": verdict,
        "why": [] if verdict == GOOD_ENOUGH else ["so"],
        "difference": estimate(-0.012, -0.069, 0.044),
        "exact": estimate(exact, exact - 0.1, exact + 0.1),
        "qwk": estimate(0.7, 0.6, 0.8),
        "judge_minus_ceiling": estimate(None),
        "conditions": {},
        "failure_recall": estimate(0.85, 0.6, 0.95) | {"failing": 20, "count": 17},
        "failure_precision": estimate(0.9, 0.7, 0.97) | {"judge_failing": 19},
        "cost_per_1000": cost,
        "more_questions": None,
        "seconds": 1.5,
        "seconds_p95": 3.25,
        "more_labels": None,
        "failed": 0,
        "on_front": True,
        "n": 200,
        "clusters": 100,
    }
    return row | more


def look(*candidates, reference_cost=10.0, of_reference=(), **more):
    first = judge("dear", cost=reference_cost, is_reference=True) | dict(of_reference)
    rows = [first, *candidates]
    found = {
        "criterion": "correctness",
        "planned_questions": 100,
        "margin": 0.1,
        "minimum": 0.6,
        "against": "dear",
        "winner": "cheap",
        "winner_by": "only",
        "verdict": candidates[0]["verdict"] if candidates else CANNOT_TELL,
        "about": candidates[0]["judge"] if candidates else None,
        "more_labels": None,
        "looks": 2,
        "looks_at_most": 4,
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
        "majority_baseline": {"score": 3, "exact": 0.7},
        "simulated": False,
        "fixed_after_sight": False,
        "decision": {"id": 1, "number": 1},
        "first_terms": None,
        "without_annotators": [],
        "kept_from": None,
    }
    return read(found | more)


def told(*candidates, **more):
    return finding(look(*candidates, **more)).sentence()


def facts(*candidates, **more):
    return " ".join(document(look(*candidates, **more)).facts)


def test_good_enough_says_the_difference_the_levels_and_the_look():
    found = document(look(judge("cheap")))
    assert found.headline == "cheap is good enough on correctness"
    assert found.facts == (
        "Non-inferior to dear at a margin of 10 points in exact agreement (difference -1.2 "
        "[-6.9, +4.4], 95% CI).",
        "Exact agreement 80% [70, 90], 95% CI; majority-class baseline 70% (always 3); "
        "inter-annotator agreement 86%.",
        "Failing answers (95% CI): recall 85% [60, 95] of 20, precision 90% [70, 97] of 19.",
        "Interim look 2 of 4.",
        "Graded: 100 of 100 planned questions.",
    )


def test_every_condition_is_a_row_with_its_estimate_limit_and_result():
    conditions = {
        "difference": {"estimate": estimate(-0.2, -0.3, -0.11), "above": -0.1, "state": "fails"},
        "minimum": {"estimate": estimate(0.4, 0.3, 0.5), "above": 0.35, "state": "open"},
        "kappa": {"estimate": estimate(0.2, 0.1, 0.3), "above": 0.0, "state": "clear"},
        "ceiling": {"estimate": estimate(None), "above": None, "state": "none"},
    }
    found = look(judge("cheap", NOT, conditions=conditions))
    table = next(one for one in document(found).tables if one.name == "conditions")
    heads = [column.title for column in table.columns]
    assert heads[2:] == ["estimate", "95% CI", "limit", "adjusted p", "result"]
    assert [(*row[2:5], row[6]) for row in table.rows] == [
        ("-20.0", "[-30.0, -11.0]", "-10.0", "fail"),
        ("40%", "[30, 50]", "35%", "inconclusive"),
        ("0.20", "[0.10, 0.30]", "0.00", "pass"),
    ]


@pytest.mark.parametrize(
    ("state", "result"),
    [("fails", "fail"), ("no_veto", "not significantly below"), ("untested", "no verdict")],
)
def test_the_minimum_recall_is_a_condition(state, result):
    one = {"estimate": estimate(0.85, 0.6, 0.95), "above": 0.9, "state": state, "p_not": 0.01}
    found = look(judge("cheap", conditions={"failure_recall": one}), failure_recall=0.9)
    (row,) = conditions(found, "cheap").rows
    assert row[0] == "recall of failing answers: minimum"
    assert row[5] == result and (row[4] == 0.01) == (state == "fails")


def test_a_condition_that_could_not_be_tested_says_why():
    one = {"estimate": estimate(None) | {"why_none": "so"}, "above": None, "state": "none"}
    table = conditions(look(judge("cheap", conditions={"ceiling": one})))
    assert table.rows[0][-2:] == ("not tested", "so")
    assert table.columns[-1].title == "undefined because"


def test_what_cannot_be_told_yet_says_why_and_what_would_tell():
    row = judge("cheap", CANNOT_TELL, why=["it may be worse"])
    assert told(row, more_labels=[40, 1200], more_questions=[20, 600]) == (
        "Cannot tell if cheap is good enough on correctness. It may be worse. More labels "
        "needed: 20 to 600 questions (40 to 1,200 answers to grade)."
    )
    assert told(row) == "Cannot tell if cheap is good enough on correctness. It may be worse."


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"overlap": 40}, "; inter-annotator agreement 86% on 40 of 200 answers."),
        ({"ceiling": None, "overlap": 0}, "; inter-annotator agreement unknown."),
    ],
)
def test_the_estimate_has_the_baseline_and_inter_annotator_agreement_next_to_it(more, told):
    first = document(look(judge("cheap"), **more)).facts[1]
    assert first == (
        "Exact agreement 80% [70, 90], 95% CI; majority-class baseline 70% (always 3)" + told
    )


@pytest.mark.parametrize(
    ("labels", "questions", "clusters", "told"),
    [
        ([492, 660], [41, 55], 100, "41 to 55 questions (492 to 660 answers to grade)"),
        ([492, 660], [20, 27], 50, "20 to 27 documents (492 to 660 answers to grade)"),
        ([38, 38], [19, 19], 100, "19 questions (38 answers to grade)"),
        ([1, 1], [1, 1], 100, "1 question (1 answer to grade)"),
    ],
)
def test_labels_needed_are_counted_in_questions_or_documents_first(
    labels, questions, clusters, told
):
    found = look(judge("cheap"), more_labels=labels, more_questions=questions, clusters=clusters)
    assert more(found, found) == told


@pytest.mark.parametrize(
    ("clusters", "told"),
    [
        (100, "Graded: 100 of 120 planned questions."),
        (50, "Graded: 50 of 120 planned documents."),
    ],
)
def test_the_planned_number_is_of_what_is_independent(clusters, told):
    found = {"clusters": clusters, "planned_questions": 120}
    assert told in facts(judge("cheap"), **found)


def test_the_terms_have_no_minimum_where_it_is_0():
    day = "2026-03-01"
    fixed = Decision(1, 1, 1, "correctness", "exact", 0.1, 0.0, 0.0, "dear", False, day, 60)
    assert label(fixed) == (
        "Terms for correctness, fixed on 2026-03-01: non-inferior to dear at a margin of 10 points "
        "in exact agreement."
    )
    assert dict(rows_of(fixed))["minimum"] == "none"
    least = fixed._replace(minimum=0.6, failure_recall=0.9)
    assert dict(rows_of(least))["minimum"] == "exact agreement at least 60%"
    assert dict(rows_of(least))["minimum recall of failing answers"] == "90%"


def test_of_several_that_fail_the_one_that_agrees_most_is_named():
    said = told(judge("one", NOT, why=["so"]), judge("other", NOT, why=["so"]))
    assert said == (
        "No judge is good enough on correctness. The one that agrees most, one, is not: so."
    )


def test_names_that_do_not_say_so_are_called_simulated():
    found = document(look(judge("cheap", simulated=True), simulated=True))
    assert found.headline == "cheap (simulated) is good enough on correctness"
    assert found.facts[0].startswith("Non-inferior to dear (simulated) at")
    assert "Prices are simulated." in found.notes


def test_a_winner_without_a_known_price_says_how_it_was_found():
    rows = judge("cheap", cost=None), judge("local", cost=None)
    notes = document(look(*rows, winner_by="agreement")).notes
    assert any(note.startswith("No judge that is good enough has a known price") for note in notes)


def test_few_failing_answers_are_not_relied_on():
    few = estimate(1.0, 0.4, 1.0) | {"failing": 9, "count": 9}
    assert "Too few failing answers (9)" in facts(judge("cheap", failure_recall=few))


@pytest.mark.parametrize(
    ("reference", "advice", "label"),
    [
        (
            {"verdict": GOOD_ENOUGH},
            "dear, the reference judge, is good enough and can be used.",
            "reference judge",
        ),
        (
            {"verdict": CANNOT_TELL},
            "No judge is known to be good enough: grade more answers, or try another",
            "reference judge: inconclusive",
        ),
        (
            {"verdict": NOT, "why": ["its agreement is below the minimum"]},
            "No judge is good enough: try another model or another prompt.",
            "reference judge: not good enough",
        ),
    ],
)
def test_where_no_judge_is_good_enough_it_is_said_what_to_use_or_do(reference, advice, label):
    found = look(judge("cheap", NOT), winner=None, of_reference=reference)
    shown = document(found)
    assert advice in " ".join(shown.facts)
    assert judges(found).rows[0][1] == label


def test_with_a_winner_nothing_else_is_advised():
    assert "can be used" not in facts(judge("cheap"))


def test_what_weakens_the_finding_is_noted():
    unknown = estimate(None) | {"why_none": "the overlap is too small"}
    found = look(judge("cheap", failed=12), of_reference={"judge_minus_ceiling": unknown})
    notes = " ".join(document(found).notes)
    assert "The human ceiling is undefined: the overlap is too small." in notes
    assert "Left out: 12 answers to which cheap gave no score." in notes


def test_the_table_has_a_row_per_judge_with_price_and_time():
    found = look(judge("cheap", cost=0.0), judge("other", NOT, cost=None, seconds=None))
    rows = judges(found).rows
    assert [row[-2] for row in rows] == ["$10.00", "free", "unknown"]
    assert [row[-1] for row in rows] == ["1.5 (3.2)", "1.5 (3.2)", "—"]
    assert [row[1] for row in rows] == ["reference judge", "good enough", "not good enough"]
    assert "dear" in terminal.text(document(found))
    assert price(look(judge("cheap", cost=0.012)).judges[1]) == "$0.012"


def drawn(found, by="cost_per_1000"):
    return points.draw(against(found, by))


def test_the_chart_places_free_and_unknown_prices_beside_the_axis():
    rows = [
        judge("a", cost=1.0),
        judge("b", cost=100.0),
        judge("c", cost=0.0),
        judge("d", cost=None),
    ]
    a, b, c, d = points.columns([row.cost_per_1000 for row in look(*rows).candidates])
    assert a == 0 and b == 2
    assert c < a and d > b
    chart = drawn(look(*rows))
    assert {"free", "unknown"} < set(chart.layout.xaxis.ticktext)


def test_the_chart_says_each_verdict_in_colour_and_word_and_draws_ceiling_and_constant():
    chart = drawn(look(judge("bad", NOT, cost=3.0), judge("odd", CANNOT_TELL, cost=2.0)))
    texts = " ".join(note.text for note in chart.layout.annotations)
    for word in (
        "reference",
        "not good enough",
        "inconclusive",
        "annotators: 86%",
        "always 3: 70%",
    ):
        assert word in texts
    colours = {trace.marker.color for trace in chart.data if trace.mode == "markers"}
    assert colours == set(points.COLOURS.values())
    assert "Inter-annotator agreement: 86%" in against(look(judge("cheap"))).alt


@pytest.mark.parametrize(
    "more",
    [
        {"alerts": [{"annotator": "Rex", "code": "random", "sentence": "so"}]},
        {"confirmatory": False},
    ],
)
def test_a_judge_that_cannot_be_certified_is_not_drawn_as_good_enough(more):
    chart = drawn(look(judge("cheap"), **more))
    colours = {trace.marker.color for trace in chart.data if trace.mode == "markers"}
    assert points.COLOURS[GOOD_ENOUGH] not in colours
    texts = " ".join(one.text for one in chart.layout.annotations)
    assert "good enough<br>cannot be certified" in texts
    assert "good enough, cannot be certified" in against(look(judge("cheap"), **more)).alt
    plain = drawn(look(judge("cheap")))
    assert "cannot be certified" not in " ".join(one.text for one in plain.layout.annotations)


@pytest.mark.parametrize("apart", [1.0, 1000.0])
def test_labels_of_judges_do_not_cover_one_another_on_a_narrow_chart_either(apart):
    rows = [judge(f"j{n}", cost=9.0 + n * apart, exact=0.8) for n in range(2)]
    chart = drawn(look(*rows))
    heights = sorted(note.y for note in chart.layout.annotations if "<br>" in note.text)
    low, high = chart.layout.yaxis.range
    assert min(b - a for a, b in pairwise(heights)) > 0.08 * (high - low)  # two lines of 16 pixels
    assert heights[-1] < high


def test_a_label_of_a_judge_covers_no_marker_of_another():
    chart = drawn(
        look(judge("low", exact=0.66))
    )  # its interval ends at 0.76, the other marker is at 0.8
    low, high = chart.layout.yaxis.range
    for note in (note for note in chart.layout.annotations if "<br>" in note.text):
        reach = note.y, note.y + 0.08 * (high - low)
        assert not any(
            reach[0] < one.y[0] < reach[1] for one in chart.data if one.mode == "markers"
        )


def test_many_judges_are_named_in_a_legend_with_their_verdicts():
    chart = drawn(look(*(judge(f"j{n}", NOT) for n in range(4))))
    names = [trace.name for trace in chart.data if trace.mode == "markers"]
    assert len(names) == 5 and chart.layout.showlegend
    assert "j3<br><b style='color:#D55E00'>not good enough</b>" in names


@pytest.mark.parametrize("cost", [None, 0.0, 3.0])
def test_judges_of_one_price_lie_side_by_side_over_a_single_mark(cost):
    rows = [judge(f"j{n}", cost=cost) for n in range(8)]
    chart = drawn(look(*rows, reference_cost=cost))
    places = sorted(trace.x[0] for trace in chart.data if trace.mode == "markers")
    low, high = chart.layout.xaxis.range
    assert min(b - a for a, b in pairwise(places)) > 0.03 * (high - low)
    assert low < places[0] and places[-1] < high
    assert len(set(chart.layout.xaxis.tickvals)) == len(set(chart.layout.xaxis.ticktext))


@pytest.mark.parametrize("by", ["cost_per_1000", "seconds"])
def test_a_chart_without_any_known_price_or_time_still_stands(by):
    nothing = {"cost_per_1000": None, "seconds": None, "on_front": False}
    found = look(
        judge("cheap", **{k: v for k, v in nothing.items() if k != "cost_per_1000"}, cost=None),
        reference_cost=None,
        of_reference={"seconds": None},
    )
    chart = drawn(replace(found, ceiling=None, majority_baseline=None, minimum=None), by)
    assert list(chart.layout.xaxis.ticktext) == ["unknown"]


def test_long_names_stand_whole_in_the_legend():
    chart = drawn(look(judge("simulated-careful-judge"), judge("simulated-lenient-judge")))
    assert chart.layout.showlegend and not drawn(look(judge("cheap"))).layout.showlegend
    named = {str(one.name).partition("<br>")[0] for one in chart.data}
    assert {"simulated-careful-judge", "simulated-lenient-judge"} < named
