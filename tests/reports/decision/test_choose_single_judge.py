"""A decision where one judge alone has graded, and others that are imported after the look."""

from dataclasses import replace

import pytest

from concord.messages import message_of
from concord.reports import cells, terminal
from concord.reports.certificate import certification
from concord.reports.certificate.document import summary
from concord.reports.decision import choose, looks, terms_review
from concord.reports.decision.document import conditions, document, failing, more_labels, one_sided
from concord.reports.decision.results import SETTLED, Terms
from concord.reports.panel.named_judge import judge_of
from concord.stats.planning.further_questions import Further
from concord.store import additions, decisions, graders, items
from concord.store.grades import Press, record
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import chosen, off, row, some_off, state

TERMS = Terms(0.10, None, 0.5)


def later(store, doc_qa, scores):
    """Import two bad judges, one of them at random."""
    judge(store, doc_qa, "bad", some_off(scores, 0.6, 4))
    judge(store, doc_qa, "worse", some_off(scores, 0.7, 5))


def test_a_judge_alone_is_told_its_own_verdict_as_its_certificate_does(store, doc_qa, alone):
    found = chosen(store, doc_qa, TERMS, "gpt")
    shown = document(found)
    assert shown.headline == "gpt is good enough on correctness"
    assert shown.facts[0].startswith("It reaches exact agreement 83%")
    assert shown.facts[0].endswith("No judge other than gpt can be compared.")
    assert "inter-annotator agreement 82%." in shown.facts[1]
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "gpt"))
    assert body.certified and body.sentence == found.headline
    (decision,) = decisions.of_sheet(store, made.sheet.id)
    assert looks.looks(store, [decision]).rows[0][3] == "good enough"
    told = state(store, made.sheet, 1)
    assert (told.figure, told.done, told.next[1]) == ("Good enough", True, "certificate")


def test_a_bad_judge_alone_is_not_good_enough_and_says_why(store, doc_qa, scores):
    give(store, doc_qa, "Ana", some_off(scores, 0.1, 1))
    give(store, doc_qa, "Ben", some_off(scores, 0.1, 2))
    judge(store, doc_qa, "gpt", some_off(scores, 0.6, 4))
    shown = document(chosen(store, doc_qa, TERMS, "gpt"))
    assert shown.headline == "gpt is not good enough on correctness"
    assert "below inter-annotator agreement by more than the margin" in shown.facts[0]
    assert "No judge is good enough: try another model or another prompt." in shown.facts


def test_a_judge_alone_of_which_nothing_was_asked_is_not_called_good(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "gpt", some_off(scores, 0.05, 3))
    shown = document(chosen(store, doc_qa, TERMS, "gpt"))
    assert shown.headline == "There is no judge to choose yet"
    assert any("nothing shows that it is good enough" in one for one in shown.facts)


def test_that_no_other_judge_can_be_compared_is_said_before_the_terms_are_fixed(
    store, doc_qa, alone, scores
):
    def warned():
        made = panel(store, doc_qa)
        proposed = choose.proposed(store, made, judge_of(store, made, "gpt"), TERMS)
        return "No judge other than gpt can be compared." in terms_review.warnings(
            made, proposed, final=False
        )

    assert warned()
    later(store, doc_qa, scores)
    assert not warned()


@pytest.mark.parametrize("margin", [0.10, 0.05])
def test_judges_imported_later_leave_a_verdict_that_does_not_rest_on_them(
    store, doc_qa, alone, scores, margin
):
    """With the smaller margin its p times three, the number of judges, would exceed .05."""
    terms = TERMS._replace(margin=margin)
    first = chosen(store, doc_qa, terms, "gpt")
    later(store, doc_qa, scores)
    found = chosen(store, doc_qa, terms, "gpt")
    assert found.reference.confirmed and found.reference.p == first.reference.p
    shown = document(found)
    assert shown.headline == document(first).headline == "gpt is good enough on correctness"
    assert "is not confirmed" not in terminal.text(shown)
    assert not any("can be used" in one for one in shown.facts)
    made = panel(store, doc_qa)
    told = state(store, made.sheet, 3)
    assert (told.figure, told.next[1]) == ("Good enough", "certificate")
    assert certification.certify(store, made, judge_of(store, made, "gpt")).certified


def test_a_namesake_that_came_after_the_last_look_leaves_the_verdict(store, doc_qa, alone, scores):
    """The label of the judge it tells about has its fingerprint since."""
    judge(store, doc_qa, "mini", some_off(scores, 0.1, 4))
    first = chosen(store, doc_qa, TERMS, "gpt")
    assert first.about == "mini"
    other = graders.ensure(store, "judge", "mini", "0" * 16)
    version = doc_qa.versions()["correctness"]
    ids = items.item_ids(store, 1)
    record(store, [Press(ids[n], version, other, score=score) for n, score in scores.items()])
    found = chosen(store, doc_qa, TERMS, "gpt")
    assert (found.verdict, row(found, "mini").verdict) == (first.verdict, first.verdict)
    assert found.about in {one.judge for one in found.judges}
    assert row(found, f"mini@{'0' * 16}").verdict == "cannot_tell"


def test_a_judge_that_came_after_the_last_look_neither_passes_nor_fails(
    store, doc_qa, alone, scores
):
    chosen(store, doc_qa, TERMS, "gpt")
    later(store, doc_qa, scores)
    found = chosen(store, doc_qa, TERMS, "gpt")
    bad = row(found, "bad")
    assert bad.verdict == "cannot_tell"
    assert {one.state for one in bad.conditions.values()} <= {"untested", "none"}
    assert "fail" not in conditions(found, "bad").rows[0]
    (reason, *_) = more_labels(found).rows
    assert message_of(reason[2]) == "it was not compared at the look that gave the verdicts"
    assert "adjusted for 1 judge" in " ".join(document(found).notes)


@pytest.mark.parametrize(("share", "another"), [(0.05, False), (0.15, True)])
def test_another_judge_is_advised_only_where_more_questions_would_not_do(
    store, doc_qa, scores, share, another
):
    """The first judge agrees as well as annotators do; the margin asks for more questions."""
    give(store, doc_qa, "Ana", some_off(scores, 0.1, 1))
    give(store, doc_qa, "Ben", some_off(scores, 0.1, 2))
    judge(store, doc_qa, "gpt", some_off(scores, share, 3))
    found = chosen(store, doc_qa, TERMS._replace(margin=0.02), "gpt")
    assert found.reference.verdict == "cannot_tell"
    text = terminal.text(document(found))
    assert ("try another model or another prompt" in text) is another
    assert "All planned questions are graded, so the verdicts are final." in text


def test_a_final_verdict_needs_no_labels_and_has_no_line_of_them(store, doc_qa, alone):
    found = chosen(store, doc_qa, TERMS._replace(margin=0.02), "gpt")
    assert more_labels(found).rows
    final = replace(found.reference, more_labels_why_none=SETTLED)
    assert not more_labels(replace(found, judges=(final,))).rows


@pytest.mark.parametrize(("margin", "contained"), [(0.05, True), (0.10, False)])
def test_a_condition_that_passes_with_its_limit_in_the_interval_says_why(
    store, doc_qa, alone, margin, contained
):
    found = chosen(store, doc_qa, TERMS._replace(margin=margin), "gpt")
    one = found.reference.conditions["ceiling"]
    assert one.state == "clear" and (one.estimate.low < one.above) is contained
    text = "can pass although its 95% CI contains the limit, as the test is one-sided at .05"
    assert (text in terminal.text(document(found))) is contained
    assert bool(one_sided(found, "gpt")) is contained and not one_sided(found, "other")


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
    assert row(found, "cheap").conditions["assay_sensitivity"].state == "none"
    assert "nor assay sensitivity was tested: annotators overlap on fewer" in found.headline
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
    assert found.verdict == "cannot_tell"
    assert [one.code for one in row(found, "cheap").why] == [
        "scores_equal",
        "assay_sensitivity_open",
    ]
    assert "add answers of different quality" in found.sentence
    assert "Compare the annotators' grades" not in found.sentence


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
    monkeypatch.setattr(choose, "further_questions", lambda *_: blocked)
    found = chosen(store, doc_qa, Terms(0.1, None, None))
    assert "another reference judge" in message_of(row(found, "cheap").more_labels_why_none)
    assert row(found, "dear").more_labels_why_none == choose.NO_END


def test_a_judge_that_hardly_varies_is_said_to_be_no_better_than_the_baseline_and_chance(
    store, doc_qa, scores
):
    """Nine in ten grades are alike, so that always giving one score agrees on nearly as many."""
    truth = {place: 3 if place % 10 else 1 for place in scores}
    give(store, doc_qa, "Ana", truth)
    give(store, doc_qa, "Ben", off(truth, 30, 7))
    judge(store, doc_qa, "dear", off(truth, 20))
    judge(store, doc_qa, "cheap", dict.fromkeys(scores, 3) | {5: 2, 71: 2})
    found = chosen(store, doc_qa, Terms(0.1, 0.6, 0.0))
    assert row(found, "cheap").verdict == "cannot_tell"
    why = {one.code for one in row(found, "cheap").why}
    assert {"majority_baseline_open", "balanced_accuracy_open"} <= why


def test_an_annotator_who_shares_few_questions_is_named_where_others_share_many(
    store, doc_qa, scores
):
    """Ben grades the second half alone, at random: what Ana and Cyd agree on does not show it."""
    first = {place: score for place, score in scores.items() if place < 80}
    give(store, doc_qa, "Ana", first)
    give(store, doc_qa, "Cyd", off(first, 10, 3))
    give(store, doc_qa, "Ben", {n: (n * 7) % 4 for n in range(70, 120)})
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 20, 5))
    found = chosen(store, doc_qa, Terms(0.2, 0.2, 0.0))
    assert (found.winner, found.uncompared) == ("cheap", ("Ben",))
    alone = "Not compared with other annotators, as they share fewer than 10 questions: Ben."
    assert alone in found.headline
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "dear"))
    assert alone in body.sentence
    assert "agreement of Ben with other annotators" in dict(summary(body).rows)["Not tested"]


def test_a_reference_judge_that_had_nothing_to_reach_is_not_advised(store, doc_qa, scores):
    """One annotator and no minimum: it was only shown to be better than chance."""
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 3))
    found = chosen(store, doc_qa, NO_MINIMUM)
    assert found.reference.verdict == "good_enough"
    assert "can be used" not in found.sentence
    assert "nothing shows that it is good enough" in found.sentence


def test_where_reference_and_candidate_both_fail_another_model_is_advised(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    give(store, doc_qa, "Ben", off(scores, 12))
    for name, shift in (("dear", 1), ("cheap", 2)):
        judge(store, doc_qa, name, {place: scores[(place + shift) % 120] for place in scores})
    found = chosen(store, doc_qa, Terms(0.3, None, None))
    assert (found.verdict, found.reference.verdict) == ("not", "not")
    assert "try another model or another prompt" in found.sentence
    assert "name a minimum" not in found.sentence


def test_shares_of_few_failing_answers_are_withheld_with_their_number(store, doc_qa, scores):
    truth = {place: 3 if place % 20 else 0 for place in scores}
    give(store, doc_qa, "Ana", truth)
    judge(store, doc_qa, "dear", off(truth, 15, 1))
    judge(store, doc_qa, "cheap", off(truth, 15, 2))
    found = chosen(store, doc_qa, Terms(0.1, 0.6, 0.5))
    shown = {column.title: cell for column, cell in zip(*_first_row(failing(found)), strict=True)}
    assert shown["failure recall"] == shown["balanced accuracy"] == "too few (6)"
    assert shown["false-alarm rate"].value == 0
    assert row(found, "dear").statistics["failure_recall"].value == 1  # in JSON as it is
    assert "too few (6)" in terminal.text(document(found))


def test_annotators_who_share_few_answers_are_said_to_be_unknown(store, doc_qa, scores):
    few = {place: score for place, score in scores.items() if place < 24}
    give(store, doc_qa, "Ana", scores)
    give(store, doc_qa, "Ben", off(few, 10))
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 20, 5))
    found = chosen(store, doc_qa, Terms(0.15, 0.6, 0.5))
    assert "Annotators share fewer than 30 answers, so whether they agree" in found.headline


def _first_row(table):
    return table.columns, table.rows[0]


def test_a_recall_under_its_minimum_is_said_where_it_is_no_veto(store, doc_qa, scores):
    """The judges miss seven of twelve failing answers: too few for a veto at the look's level."""
    truth = {place: 3 if place % 10 else 0 for place in scores}
    missed = truth | dict.fromkeys(range(0, 70, 10), 3)
    give(store, doc_qa, "Ana", truth)
    for name, start in (("dear", 3), ("cheap", 4)):
        judge(store, doc_qa, name, off(missed, 40, start))
    found = chosen(store, doc_qa, Terms(0.2, 0.6, 0.5))
    assert found.winner == "cheap" and row(found, "cheap").conditions["failure_recall"].p_not > 0.05
    assert "Its recall of failing answers is 42%" in found.headline
    assert "below the minimum of 50%" in found.headline
    assert "too few failing verdicts (5) for their precision" in found.sentence


def test_an_annotator_who_copies_a_judge_is_named_and_bars_the_certificate(store, doc_qa, scores):
    copied = off(off(scores, 4), 5, 1)
    give(store, doc_qa, "Ana", scores)
    give(store, doc_qa, "Ben", copied)
    judge(store, doc_qa, "dear", off(off(scores, 4, 2), 5, 3))
    judge(store, doc_qa, "cheap", copied | {0: scores[0]})
    found = chosen(store, doc_qa, NO_MINIMUM)
    assert found.winner == "cheap"
    (alert,) = found.alerts
    assert (alert.annotator, alert.judge, alert.code) == ("Ben", "cheap", "copied")
    assert (alert.same, alert.n) == (119, 120) and "certified" in found.headline
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not body.certified and "an alert on Ben is open" in body.why_not
    assert "equal those of cheap" in dict(summary(body).rows)["Open alert"]


def test_annotators_who_agree_with_a_good_judge_and_with_one_another_are_not_said_to_copy(
    store, doc_qa, scores
):
    give(store, doc_qa, "Ana", scores)
    give(store, doc_qa, "Ben", off(scores, 40))
    judge(store, doc_qa, "dear", off(scores, 60, 1))
    judge(store, doc_qa, "cheap", scores)
    assert chosen(store, doc_qa, NO_MINIMUM).alerts == ()


def test_a_judge_that_skips_hard_answers_is_said_to_be_judged_on_the_others(store, doc_qa, scores):
    """Every third answer fails; the judge leaves half of these out."""
    give(store, doc_qa, "Ana", scores)
    give(store, doc_qa, "Ben", off(scores, 12))
    judge(store, doc_qa, "dear", off(scores, 20))
    easy = {place: score for place, score in off(scores, 20, 5).items() if score or place % 2}
    judge(store, doc_qa, "cheap", easy)
    found = chosen(store, doc_qa, NO_MINIMUM)
    left = 120 - len(easy)
    assert found.winner == "cheap" and row(found, "cheap").not_graded == left > 6
    assert f"It gave no score to {left} answers that annotators scored." in found.headline
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert f"It gave no score to {left} answers" in body.sentence


def test_of_a_judge_that_graded_only_the_easy_half_no_verdict_is_replayed(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "other", off(scores, 20, 5))
    judge(store, doc_qa, "cheap", {n: score for n, score in scores.items() if n % 3 == 0})
    found = chosen(store, doc_qa, NO_MINIMUM)
    assert (found.winner, row(found, "cheap").n) == ("other", 0)
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert not body.certified and "It scored 40 of the 120 answers" in body.sentence
    assert not any("sensitivity analyses" in finding for _, finding in summary(body).rows)


def test_a_few_answers_without_a_score_are_not_in_the_headline(store, doc_qa, scores):
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 20))
    few = {place: score for place, score in off(scores, 20, 5).items() if place > 2}
    judge(store, doc_qa, "cheap", few)
    found = chosen(store, doc_qa, NO_MINIMUM)
    assert found.winner == "cheap" and "without a score" not in found.headline


@pytest.mark.parametrize(
    ("changes", "alike"),
    [
        ({"contexts": ()}, 40),
        ({"contexts": (), "cluster": "one text"}, 0),  # then it is one document
        ({}, 0),  # the contexts tell "Summarise this" of one document from that of another
    ],
)
def test_the_same_question_under_two_ids_is_said_not_to_be_independent(
    store, doc_qa, changes, alike
):
    made = [
        made_item(n, m, question=f"What is {n // 2}?" if n < 40 else f"What is {n}?", **changes)
        if n < 40
        else made_item(n, m)
        for n in range(60)
        for m in ("atlas", "birch")
    ]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    scores = {place: (3, 2, 0)[place % 3] for place in range(120)}
    give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", off(scores, 20))
    judge(store, doc_qa, "cheap", off(scores, 20, 5))
    found = chosen(store, doc_qa, Terms(0.3, None, None))
    assert found.repeated_questions == alike
    said_so = f"{alike} of 60 questions have the text and contexts of another one"
    assert (said_so in found.headline) == bool(alike)
    assert ("import them under one question id" in terminal.text(document(found))) == bool(alike)


def test_kappa_just_under_zero_is_written_without_a_sign():
    assert cells.written(-0.001, "number") == "0.00"
