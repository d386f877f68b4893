"""A choice in words, tables and a chart: from documents as `decision_document` makes them."""

from itertools import pairwise

import pytest

from concord.reports.decision import findings as words
from concord.reports.decision.judge_table import price, shown, text
from concord.reports.decision.more_labels import in_words
from concord.reports.decision.verdict import CANNOT_TELL, GOOD_ENOUGH, NOT
from concord.ui.charts import choose_chart


def estimate(value, low=None, high=None):
    return {"value": value, "low": low, "high": high, "method": "", "why_none": None}


def judge(name, verdict=GOOD_ENOUGH, cost=1.0, exact=0.8, **more):
    row = {
        "judge": name,
        "simulated": False,
        "is_reference": False,
        "verdict": verdict,
        "why": [],
        "difference": estimate(-0.012, -0.069, 0.044),
        "exact": estimate(exact, exact - 0.1, exact + 0.1),
        "qwk": estimate(0.7, 0.6, 0.8),
        "judge_minus_ceiling": estimate(None),
        "conditions": {},
        "failure_recall": estimate(0.85, 0.6, 0.95) | {"failing": 20, "count": 17},
        "cost_per_1000": cost,
        "seconds": 1.5,
        "seconds_p95": 3.25,
        "more_labels": None,
        "failed": 0,
        "on_front": True,
        "n": 200,
        "clusters": 100,
    }
    return row | more


def document(*candidates, reference_cost=10.0, **more):
    rows = [judge("dear", cost=reference_cost, is_reference=True), *candidates]
    found = {
        "criterion": "correctness",
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
        "people": [{"name": "Ana", "simulated": False}],
        "answers": 200,
        "questions": 100,
        "clusters": 100,
        "ceiling": 0.86,
        "overlap": 200,
        "constant": {"score": 3, "exact": 0.7},
        "simulated": False,
        "fixed_after_sight": False,
        "decision": {"id": 1, "number": 1},
    }
    return found | more


def test_good_enough_says_difference_catch_price_and_look_in_one_sentence():
    assert words.sentence(document(judge("cheap"))) == (
        "cheap is good enough: not worse than dear by more than 10 points (difference -1.2 [-6.9, "
        "+4.4], 96.4% CI, simultaneous over 2 judges), catches 17 of 20 failing answers, at 1/10 "
        "of the price ($1.00 against $10.00 per 1,000 answers). Exact agreement 80% [70, 90], "
        "96.4% CI; majority-class baseline 70% (always 3); inter-annotator agreement 86%. Second "
        "look."
    )


@pytest.mark.parametrize(
    ("cost", "reference", "said"),
    [
        (1.0, 10.0, "at 1/10 of the price ($1.00 against $10.00 per 1,000 answers)"),
        (7.0, 10.0, "at 70% of the price ($7.00 against $10.00 per 1,000 answers)"),
        (20.0, 10.0, "at 2.0 times the price ($20.00 against $10.00 per 1,000 answers)"),
        (0.0, 10.0, "at no cost"),
        (None, 10.0, "at a price that is unknown"),
        (1.0, None, "at $1.00 per 1,000 answers (the price of dear is unknown)"),
        (1.0, 0.0, "at $1.00 per 1,000 answers (the price of dear is nothing)"),
    ],
)
def test_the_price_is_put_beside_that_of_the_reference_judge(cost, reference, said):
    found = document(judge("cheap", cost=cost), reference_cost=reference)
    assert said in words.title(found)


@pytest.mark.parametrize(
    ("verdict", "state", "name", "figure", "said"),
    [
        (
            NOT,
            "fails",
            "difference",
            estimate(-0.2, -0.3, -0.11),
            "is worse than dear by more than 10 points (-20.0 [-30.0, -11.0], 96.4% CI)",
        ),
        (CANNOT_TELL, "open", "difference", estimate(-0.05, -0.2, 0.1), "may be worse than dear"),
        (
            NOT,
            "fails",
            "minimum",
            estimate(0.4, 0.3, 0.5),
            "is below the minimum of 60% (40% [30, 50], 96.4% CI)",
        ),
        (
            NOT,
            "fails",
            "kappa",
            estimate(-0.2, -0.3, -0.1),
            "is no better than chance (-0.20 [-0.30, -0.10], 96.4% CI)",
        ),
        (
            CANNOT_TELL,
            "open",
            "ceiling",
            estimate(-0.05, -0.2, 0.1),
            "may be below people's agreement",
        ),
    ],
)
def test_the_condition_that_decides_is_named_with_its_figure(verdict, state, name, figure, said):
    conditions = {name: {"estimate": figure, "above": 0, "state": state}}
    assert said in words.title(document(judge("cheap", verdict, conditions=conditions)))


def test_the_table_says_at_which_level_its_limits_are():
    """A look's limits are at .018 on each side, those of `agreement` at .025."""
    told = text(document(judge("cheap")))
    assert "96.4% CI" in told and "95% CI that Agreement gives" in told


def test_what_cannot_be_told_yet_leads_with_what_would_tell():
    found = document(judge("cheap", CANNOT_TELL, why=["it may be"]), more_labels=[40, 1200])
    assert words.headline(found) == (
        "Cannot tell yet whether cheap is good enough: another 20 to 600 questions (40 to 1,200 "
        "graded answers) would tell."
    )
    assert words.rest(found).startswith("It may be. Exact agreement 80% [70, 90], 96.4% CI; maj")
    assert ". Catches 17 of 20 failing answers, at 1/10" in words.rest(found)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"overlap": 40}, "; inter-annotator agreement 86% on 40 answers."),
        ({"ceiling": None, "overlap": 0}, "; inter-annotator agreement unknown."),
    ],
)
def test_the_estimate_stands_beside_the_baseline_and_inter_annotator_agreement(more, told):
    assert words.levels(document(judge("cheap"), **more)) == (
        "Exact agreement 80% [70, 90], 96.4% CI; majority-class baseline 70% (always 3)" + told
    )


@pytest.mark.parametrize(
    ("labels", "more", "told"),
    [
        ([492, 660], {"answers": 1200}, "41 to 55 questions (492 to 660 graded answers)"),
        ([492, 660], {"answers": 1200, "clusters": 50}, "20 to 27 documents (492 to 660 graded"),
        ([38, 38], {}, "19 questions (38 graded answers)"),
        ([1, 1], {"answers": 1200}, "1 question (1 graded answer)"),
        ([49, 68], {"answers": 121}, "40 to 56 questions (49 to 68 graded answers)"),
    ],
)
def test_what_is_missing_is_said_in_questions_or_documents_first(labels, more, told):
    assert in_words(labels, document(judge("cheap"), **more)).startswith(told)


def test_of_several_that_fail_the_one_that_agrees_most_is_named():
    found = document(judge("one", NOT, why=["so"]), judge("other", NOT, why=["so"]))
    assert words.title(found).startswith("No judge is good enough; one, which agrees most, is not")


def test_names_that_do_not_say_so_are_called_simulated():
    found = document(judge("cheap", simulated=True), simulated=True)
    assert words.title(found).startswith(
        "cheap (simulated) is good enough: not worse than dear (sim"
    )
    assert "(simulated prices, $1.00 against" in words.title(found)


def test_others_that_are_good_enough_too_or_cheaper_and_open_are_told():
    found = document(judge("cheap"), judge("local", cost=None), winner_by="price")
    assert "Good enough too: local (price unknown)." in words.detail(found)
    found = document(judge("cheap", cost=None), judge("local", cost=None), winner_by="agreement")
    assert "No price is known" in words.detail(found)
    found = document(judge("cheap", cost=2.0), judge("tiny", CANNOT_TELL, cost=0.5))
    assert "Cheaper, and cannot be told yet: tiny ($0.50)." in words.detail(found)


@pytest.mark.parametrize(
    ("reference", "in_sentence", "instead", "itself", "label"),
    [
        (
            {"verdict": GOOD_ENOUGH},
            ", and the reference judge itself is good enough.",
            "dear, the reference judge, is the one to use ($10.00 per 1,000 answers).",
            "The reference judge itself is good enough.",
            "reference judge",
        ),
        (
            {"verdict": CANNOT_TELL, "more_labels": [40, 128]},
            ", and of the reference judge itself it cannot be told yet.",
            "No judge is known to be good enough yet: grade more answers, or try another",
            "The reference judge itself: cannot tell yet, another 20 to 64 questions (40 to 128 gr",
            "reference judge: cannot tell yet",
        ),
        (
            {"verdict": NOT, "why": ["its agreement is below the minimum"]},
            ", and the reference judge itself is not either.",
            "No judge is good enough yet: try another model or another prompt.",
            "The reference judge itself is not good enough: its agreement is below the minimum.",
            "reference judge: not good enough either",
        ),
    ],
)
def test_where_no_judge_is_good_enough_it_is_said_what_to_use_or_do(
    reference, in_sentence, instead, itself, label
):
    found = document(judge("cheap", NOT), winner=None)
    found["judges"][0] |= reference
    assert words.title(found).endswith(in_sentence)
    assert instead in words.detail(found) and itself in words.detail(found)
    assert shown(found)[0]["verdict"] == label


def test_an_unknown_price_of_the_reference_judge_is_said_as_such():
    found = document(judge("cheap", NOT), reference_cost=None, winner=None)
    assert "dear, the reference judge, is the one to use (price unknown)." in words.detail(found)


def test_with_a_winner_nothing_else_is_advised():
    found = document(judge("cheap"))
    assert "is the one to use" not in words.detail(found)
    assert "itself" not in words.title(found)


def test_what_weakens_the_finding_stands_beside_it():
    found = document(judge("cheap", failed=12))
    found["judges"][0] |= {
        "verdict": NOT,
        "judge_minus_ceiling": estimate(None) | {"why_none": "how well people agree is unknown"},
    }
    said = words.detail(found)
    assert "The reference judge itself is not good enough." in said
    assert "How well people agree is unknown." in said
    assert "cheap gave no score to 12 answers, which are left out." in said


def test_the_table_has_a_row_per_judge_with_price_and_time_in_words():
    found = document(judge("cheap", cost=0.0), judge("other", NOT, cost=None, seconds=None))
    assert [row["$ per 1,000"] for row in shown(found)] == ["$10.00", "free", "unknown"]
    assert [row["seconds (p95)"] for row in shown(found)] == ["1.5 (3.2)", "1.5 (3.2)", "—"]
    assert [row["verdict"] for row in shown(found)] == [
        "reference judge",
        "good enough",
        "not good enough",
    ]
    assert text(found).splitlines()[1].startswith("dear")
    assert price(judge("cheap", cost=0.012)) == "$0.012"


def test_the_chart_places_free_and_unknown_prices_beside_the_axis():
    rows = [
        judge("a", cost=1.0),
        judge("b", cost=100.0),
        judge("c", cost=0.0),
        judge("d", cost=None),
    ]
    places = choose_chart.columns(rows, "cost_per_1000")
    assert places["a"] == 0 and places["b"] == 2
    assert places["c"] < places["a"] and places["d"] > places["b"]
    chart = choose_chart.scatter(document(*rows))
    assert {"free", "unknown"} < set(chart.layout.xaxis.ticktext)


def test_the_chart_says_each_verdict_in_colour_and_word_and_draws_ceiling_and_constant():
    chart = choose_chart.scatter(
        document(judge("bad", NOT, cost=3.0), judge("odd", CANNOT_TELL, cost=2.0))
    )
    texts = " ".join(note.text for note in chart.layout.annotations)
    for word in ("reference", "not good enough", "cannot tell yet", "people 86%", "always 3: 70%"):
        assert word in texts
    colours = {trace.marker.color for trace in chart.data if trace.mode == "markers"}
    assert colours == set(choose_chart.COLOURS.values())
    assert "people match one another on 86%" in choose_chart.alt(document(judge("cheap")))


def test_labels_of_judges_that_stand_close_do_not_cover_one_another():
    rows = [judge(f"j{n}", cost=9.0 + n, exact=0.8) for n in range(2)]
    chart = choose_chart.scatter(document(*rows))
    heights = sorted(note.y for note in chart.layout.annotations if "<br>" in note.text)
    assert min(b - a for a, b in pairwise(heights)) > 0.1
    assert heights[-1] < chart.layout.yaxis.range[1]


def test_many_judges_are_named_in_a_legend_with_their_verdicts():
    chart = choose_chart.scatter(document(*(judge(f"j{n}", NOT) for n in range(4))))
    names = [trace.name for trace in chart.data if trace.mode == "markers"]
    assert len(names) == 5 and chart.layout.showlegend
    assert "j3: <b style='color:#D55E00'>not good enough</b>" in names


@pytest.mark.parametrize("by", ["cost_per_1000", "seconds"])
def test_a_chart_without_any_known_price_or_time_still_stands(by):
    nothing = {"cost_per_1000": None, "seconds": None, "on_front": False}
    found = document(
        judge("cheap", **{k: v for k, v in nothing.items() if k != "cost_per_1000"}, cost=None),
        reference_cost=None,
    )
    found["judges"][0]["seconds"] = None
    chart = choose_chart.scatter(found | {"ceiling": None, "constant": None, "minimum": None}, by)
    assert list(chart.layout.xaxis.ticktext) == ["unknown"]
