"""Choosing a judge: the verdict, the looks, the winner and the words, end to end on a store."""

import pytest

from concord.judges.combined import recode
from concord.judges.definition import stated_price
from concord.messages import Problem
from concord.reports import plan as power_document
from concord.reports import terminal
from concord.reports.certificate import certification
from concord.reports.decision import choose
from concord.reports.decision.document import document
from concord.reports.decision.verdict import Terms
from concord.reports.document import as_json
from concord.reports.panel import choice
from concord.reports.panel.choice import CONDITIONS, IS_BASELINE, IS_SIMULATED, judge_of
from concord.sampling import split_assignment, splits
from concord.stats.core.estimate import reason
from concord.stats.decision.conditions import REQUIREMENTS
from concord.store import decisions, graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support.reports.choices import TERMS, off, row, state


def test_a_judge_as_good_as_the_reference_is_good_enough_and_a_worse_one_is_not(
    scores, give, judge, chosen
):
    give("Ana", scores)
    judge("dear", off(scores, 20))
    judge("cheap", off(scores, 20, 5))
    judge("bad", off(scores, 2))
    found = chosen()
    assert (found.verdict, found.winner) == ("good_enough", "cheap")
    assert row(found, "bad").verdict == "not" and row(found, "dear").is_reference
    assert row(found, "cheap").difference.value == pytest.approx(0)
    assert row(found, "cheap").difference.low > -0.10
    assert found.headline.startswith("With caveats: Use cheap on correctness: at most 10 points")
    assert (found.answers, found.questions, found.clusters) == (120, 60, 60)


def test_the_cheapest_that_is_good_enough_wins_and_an_unknown_price_does_not(
    scores, paid, give, judge, chosen
):
    give("Ana", scores)
    for place, (name, cost) in enumerate(PRICES.items()):
        judge(name, off(scores, 30, 5 * place))
        if cost is not None:
            paid(name, cost)
    found = chosen()
    assert found.winner == "cheap"
    assert row(found, "cheap").cost_per_1000 == pytest.approx(2)
    assert row(found, "cheap").seconds == 1
    table = next(one for one in document(found).tables if one.name == "choose")
    place = [column.title for column in table.columns].index("USD per 1,000")
    assert [one[place] for one in table.rows] == [
        "$10.00",
        "$2.00",
        "$4.00",
        "unknown",
    ]
    assert row(found, "mystery").cost_per_1000 is None


def test_a_price_stated_after_a_look_counts_in_it_and_spends_nothing(
    store, scores, give, judge, panel, chosen
):
    give("Ana", scores)
    for place, name in enumerate(("dear", "cheap", "middle")):
        judge(name, off(scores, 30, 5 * place))
    assert chosen().winner
    for name, price in (("dear", "10"), ("cheap", "2"), ("middle", "4")):
        stated_price.state(store, name, price, "command line")
    known = panel()
    (decision,) = decisions.of_sheet(store, known.sheet.id, "correctness")
    stand = choose.standing(store, known, decision)
    assert stand.current and not stand.look.new
    found = chosen()
    assert (found.winner, found.looks) == ("cheap", 1)
    stand = choose.standing(store, known, decision)
    assert stand.current and stand.result.winner == "cheap"
    chosen()
    assert len(decisions.looks(store, decision)) == 2
    text = terminal.text(document(found))
    assert "$2.00 (stated)" in text


PRICES = {"dear": 10, "cheap": 2, "middle": 4, "mystery": None}


def test_a_dearer_judge_settles_nothing_while_a_cheaper_one_may_be_good_enough(
    scores, paid, give, judge, chosen
):
    give("Ana", scores)
    for name, cost, wrong in (("dear", 10, 20), ("dearer", 40, 30), ("cheap", 2, 8)):
        judge(name, off(scores, wrong, 1))
        paid(name, cost)
    found = chosen(Terms(0.1, None, None))
    assert row(found, "dearer").verdict == "good_enough"
    assert row(found, "cheap").verdict == "cannot_tell"
    assert (found.verdict, found.winner, found.about) == ("cannot_tell", None, "cheap")


def test_failing_answers_that_are_missed_veto_a_judge_that_agrees(scores, give, judge, chosen):
    """Twelve of 120 answers fail; a judge that passes them all agrees on nine in ten."""
    few = {place: 0 if place % 10 == 0 else 3 - place % 2 for place in scores}
    give("Ana", few)
    judge("dear", off(few, 12, 1))
    judge("blind", {p: max(s, 2) for p, s in few.items()})
    found = chosen(Terms(0.3, 0.5, 0.5))
    one = row(found, "blind")
    assert one.conditions["failure_recall"].state == "fails" and one.verdict == "not"
    assert (one.failure_recall.value, one.failure_recall.failing) == (0, 12)
    other = row(chosen(Terms(0.3, 0.5, None)), "blind")
    assert "failure_recall" not in other.conditions


def test_a_low_minimum_lets_no_judge_pass_that_agrees_less_than_the_baseline(
    scores, give, judge, chosen
):
    threes = {place: 0 if place % 8 == 0 else 3 for place in scores}
    give("Ana", threes)
    noisy = {p: s if p % 3 else 3 - s for p, s in threes.items()}
    judge("dear", noisy)
    judge("cheap", noisy)
    found = chosen(Terms(0.3, 0.4, None))
    assert found.verdict == "not"
    assert reason("majority_baseline_fails") in row(found, "cheap").why


def test_what_is_open_says_how_many_more_answers_would_tell(scores, give, judge, chosen):
    give("Ana", scores)
    judge("dear", off(scores, 5))
    judge("cheap", off(scores, 4))
    found = chosen(Terms(0.08, None, None, planned_questions=100))
    assert found.verdict == "cannot_tell" and found.about == "cheap"
    low, high = found.more_labels
    few, many = found.more_questions
    assert (2 * few, 2 * many) == (low, high) and 0 < few < many
    assert found.more_labels_why_none is None


NO_MINIMUM = Terms(0.3, None, None)


def test_a_stored_look_is_read_as_it_was(store, scores, give, judge, panel):
    give("Ana", scores)
    judge("dear", off(scores, 5))
    judge("cheap", off(scores, 5, 1))
    made = panel()
    decision = choose.fix(store, made, judge_of(store, made, "dear"), TERMS)
    result = as_json(choose.look(store, made, decision))
    found = choose.standing(store, made, decision).result
    assert as_json(found) == result


def test_the_baseline_and_strangers_to_the_sample_are_no_candidates(scores, give, judge, chosen):
    give("Ana", scores)
    for name in ("dear", "baseline"):
        judge(name, scores)
    give("simple", scores, kind="judge")
    found = chosen()
    assert found.left_out == {"baseline": IS_BASELINE, "simple": IS_SIMULATED}
    assert found.about is None
    with pytest.raises(Problem, match="floor"):
        chosen(against="baseline")


def test_a_judge_that_scored_few_of_the_answers_stands_apart(
    scores, give, judge, chosen, two_judges
):
    give("Ana", scores)
    judge("begun", {place: scores[place] for place in range(30)})
    found = chosen()
    assert found.winner == "cheap" and found.answers == 120
    assert found.left_out["begun"].code == "scored_too_few"


def test_answers_a_judge_left_without_a_score_are_left_out_for_all_and_counted(
    scores, give, judge, chosen
):
    give("Ana", scores)
    judge("dear", off(scores, 20))
    judge("cheap", off(scores, 20, 5) | dict.fromkeys(range(6)))
    found = chosen()
    assert found.answers == 114
    assert {one.judge: one.failed for one in found.judges} == {"dear": 0, "cheap": 6}


def test_answers_a_judge_never_graded_are_left_out_for_all_and_counted(scores, give, judge, chosen):
    give("Ana", scores)
    judge("dear", off(scores, 20))
    judge("cheap", {p: s for p, s in off(scores, 20, 5).items() if p >= 7})
    found = chosen()
    assert found.answers == 113
    assert {one.judge: one.not_graded for one in found.judges} == {"dear": 0, "cheap": 7}


def test_new_questions_are_the_next_look_until_none_is_left(scores, give, chosen, two_judges):
    give("Ana", {place: scores[place] for place in range(100)})
    assert [chosen().looks for _ in range(2)] == [1, 1]
    for place in range(100, 108, 2):
        give("Ana", {place: scores[place]})
        found = chosen()
    assert (found.looks, found.new_look, found.kept_from["clusters"]) == (4, False, 53)
    assert found.verdict == "good_enough" and found.clusters == 54
    assert found.planned_questions == 60 and tuple(found.shares) == (
        50 / 60,
        51 / 60,
        52 / 60,
        53 / 60,
    )
    other = chosen(TERMS._replace(margin=0.2))  # has no verdict to keep
    assert (other.verdict, other.level, other.more_labels) == ("cannot_tell", None, None)


def test_new_grades_of_the_same_questions_spend_nothing_and_keep_the_verdict(
    scores, give, chosen, two_judges
):
    give("Ana", scores)
    first = chosen()
    assert first.verdict == "good_enough"
    give("Ana", {place: 3 - score for place, score in scores.items()})
    found = chosen()
    assert row(found, "cheap").value.value < row(first, "cheap").value.value
    assert (found.verdict, found.kept_from["clusters"], found.looks) == ("good_enough", 60, 1)
    assert row(found, "cheap").p == row(first, "cheap").p
    assert not row(found, "cheap").confirmed


def test_another_margin_is_another_decision_that_shares_the_looks(
    store, scores, give, chosen, two_judges
):
    give("Ana", {place: scores[place] for place in range(100)})
    chosen()
    wider = chosen(Terms(0.2, 0.6, 0.5))
    assert (wider.looks, wider.new_look) == (1, False)
    give("Ana", {100: scores[100]})
    assert chosen().looks == 2
    (sheet,) = sheets.all_sheets(store)
    assert [one.margin for one in decisions.of_sheet(store, sheet.id)] == [0.1, 0.2]
    assert decisions.latest(store, sheet.id).result["looks"] == 2


def test_another_figure_is_exploratory(store, scores, give, panel, chosen, two_judges):
    give("Ana", scores)
    assert chosen().confirmatory
    found = chosen(Terms(0.2, figure="qwk"))
    assert not found.confirmatory
    made = panel()
    with pytest.raises(Problem):
        choose.default_terms(store, made, judge_of(store, made, "dear"), figure="tau_b")


def test_leaving_an_annotator_out_is_no_look_of_its_own(scores, give, chosen, two_judges):
    give("Ana", scores)
    give("Ben", scores)
    assert [chosen(annotators=who).looks for who in ((), ("Ana",), ())] == [1, 1, 1]


def test_terms_fixed_before_a_judge_was_compared_are_not_fixed_after_sight(
    store, scores, give, judge, panel, chosen
):
    judge("dear", scores)
    made = panel()
    before = choose.fix(store, made, judge_of(store, made, "dear"), TERMS)
    give("Ana", scores)
    judge("cheap", scores)
    assert not before.fixed_after_sight
    assert not chosen().fixed_after_sight
    assert chosen(Terms(0.2)).fixed_after_sight


@pytest.mark.parametrize(
    ("terms", "criterion", "said"),
    [
        (Terms(0), None, "margin of 0"),
        (Terms(1.5), None, "^--margin takes a share from 0 to 1"),
        (Terms(0.1, float("nan")), None, "^--minimum takes a share"),
        (Terms(-1, figure="tau_b"), None, "^--margin takes a number from 0 on"),
        (TERMS, "composite", "composite"),
        (TERMS, "wit", "wit"),
    ],
)
def test_terms_that_cannot_be_meant_are_refused(
    scores, terms, criterion, said, give, judge, chosen
):
    give("Ana", scores)
    judge("dear", scores)
    with pytest.raises(Problem, match=said):
        chosen(terms, criterion=criterion)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"minimum": None}, {"minimum": 0.0}),
        ({"failure_recall": 0.0}, {"failure_recall": None}),
        ({"failure_precision": 0}, {"failure_precision": None}),
        ({"margin": 0.3}, {"margin": 0.1 + 0.2}),
    ],
)
def test_the_same_condition_written_two_ways_is_one_decision(
    store, scores, one, other, give, judge, panel
):
    give("Ana", scores)
    judge("dear", off(scores, 10))
    made = panel()
    against = judge_of(store, made, "dear")
    first = choose.fix(store, made, against, TERMS._replace(**one))
    again = choose.fix(store, made, against, TERMS._replace(**other))
    assert again.id == first.id
    new = choose.proposed(store, made, against, TERMS._replace(margin=0.07))
    assert decisions.find(store, new) is None


def test_every_condition_that_is_tested_has_its_words():
    assert {one.key for one in REQUIREMENTS} <= {one.key for one in CONDITIONS}
    words = choice.BY_KEY
    for one in REQUIREMENTS:
        assert words[one.key].title and power_document.BLOCKED[one.key]
        assert bool(words[one.key].fails) == (one.role != "gate"), one.key
        assert bool(words[one.key].open) == (one.role != "veto"), one.key


def test_grading_beyond_the_plan_keeps_the_verdict_and_refreshes_what_is_described(
    scores, give, chosen, two_judges
):
    give("Ana", {place: scores[place] for place in range(80)})
    terms = TERMS._replace(planned_questions=40)
    first = chosen(terms)
    assert (first.verdict, first.clusters) == ("good_enough", 40)
    give("Ana", {place: scores[place] for place in range(80, 120)})
    for _ in range(2):  # the second look has the very grades of the first one that keeps
        found = chosen(terms)
        assert (found.verdict, found.winner, found.looks) == ("good_enough", "cheap", 1)
        assert (found.level, found.new_look, found.clusters) == (first.level, False, 60)
        of_first = {"answers": 80, "questions": 40, "clusters": 40}
        assert found.kept_from == {"looked_at": first.looked_at, **of_first}
        cheap = row(found, "cheap")
        assert cheap.conditions == row(first, "cheap").conditions and cheap.confirmed
        assert cheap.value != row(first, "cheap").value and cheap.n == 120


def test_a_verdict_that_the_grades_beyond_the_plan_contradict_says_so_in_its_headline(
    store, scores, give, judge, panel, chosen
):
    give("Ana", {place: scores[place] for place in range(80)})
    judge("dear", off(scores, 10))
    judge("cheap", {p: s if p < 80 else 3 - s for p, s in off(scores, 10, 5).items()})
    terms = TERMS._replace(planned_questions=40)
    assert chosen(terms).verdict == "good_enough"
    made = panel()
    cheap = judge_of(store, made, "cheap")
    assert certification.certify(store, made, cheap).certified
    give("Ana", {place: scores[place] for place in range(80, 120)})
    found = chosen(terms)
    assert found.verdict == "good_enough" and not row(found, "cheap").confirmed
    body = certification.certify(store, panel(), cheap)
    assert not body.certified
    (sheet,) = sheets.all_sheets(store)
    step, then = state(store, sheet, 1)
    assert step.state == "open" and then.screen == "decide"


def test_a_new_decision_plans_the_questions_that_count_and_none_of_the_held_out_test(
    store, scores, give, judge, panel
):
    give("Ana", {place: scores[place] for place in range(80)})
    dear = judge("dear", off(scores, 10))
    every = splits.of_sheet(store, sheets.all_sheets(store)[0].id)
    split_assignment.assign(store, [one["id"] for one in every[-7:]], "held-out", "for the end")
    found = panel()
    named = graders.get(store, dear)
    assert choose.default_terms(store, found, named).planned_questions == len(every) - 7
    proposed = choose.proposed(store, found, named, TERMS._replace(planned_questions=None))
    assert proposed.planned_questions == len(every) - 7


def test_a_recode_of_a_judge_that_is_a_point_too_low_is_a_candidate_like_any_other(
    store, doc_qa, scores, give, judge, chosen
):
    give("Ana", scores)
    dear = off(scores, 10)
    judge("dear", dear)
    judge("low", {n: max(0, score - 1) for n, score in scores.items()})
    sheet = sheets.chosen(store, None)
    of = rubric_versions.named(store, doc_qa.name)
    recode(store, sheet, *of, graders.find(store, "judge", "low"))
    found = chosen(Terms(0.1))
    assert (found.winner, row(found, "low").verdict) == ("low-recoded", "not")
    assert row(found, "low-recoded").value.value == 1
