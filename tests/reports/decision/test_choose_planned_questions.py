"""The planned questions of a decision: what grading beyond them, or planning anew, does."""

import json

from concord.reports import terminal
from concord.reports.certificate import certification
from concord.reports.decision import choose, terms_review
from concord.reports.decision.document import conditions, document
from concord.reports.decision.results import KeptFrom, Terms
from concord.reports.panel.named_judge import judge_of
from concord.sampling import split_assignment, splits
from concord.store import graders, sheets
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, chosen, off, row, state


def test_grading_beyond_the_plan_keeps_the_verdict_and_refreshes_what_is_described(
    store, doc_qa, scores
):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    terms = TERMS._replace(planned_questions=40)
    first = chosen(store, doc_qa, terms)
    assert (first.verdict, first.clusters) == ("good_enough", 40)
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80, 120)})
    for _ in range(2):  # the second look has the very grades of the first one that keeps
        found = chosen(store, doc_qa, terms)
        assert (found.verdict, found.winner, found.looks) == ("good_enough", "cheap", 1)
        assert (found.level, found.new_look, found.clusters) == (first.level, False, 60)
        assert found.kept_from == KeptFrom(first.looked_at, 80, 40, 40)
        cheap = row(found, "cheap")
        assert cheap.conditions == row(first, "cheap").conditions and cheap.confirmed
        assert cheap.exact != row(first, "cheap").exact and cheap.n == 120
    day = first.looked_at[:10]
    assert found.headline == f"{first.headline} The verdict is that of {day}."
    assert f"The verdicts and conditions are those of {day}, on 40 questions." in found.sentence
    assert conditions(found).title == f"Conditions on {day}"


def test_a_verdict_that_the_grades_beyond_the_plan_contradict_says_so_in_its_headline(
    store, doc_qa, scores
):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(
        store, doc_qa, "cheap", {p: s if p < 80 else 3 - s for p, s in off(scores, 10, 5).items()}
    )
    terms = TERMS._replace(planned_questions=40)
    assert chosen(store, doc_qa, terms).verdict == "good_enough"
    made = panel(store, doc_qa)
    cheap = judge_of(store, made, "cheap")
    assert certification.certify(store, made, cheap).certified
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80, 120)})
    found = chosen(store, doc_qa, terms)
    assert found.verdict == "good_enough" and not row(found, "cheap").confirmed
    assert document(found).headline == "Not confirmed: cheap is good enough on correctness"
    assert "is not confirmed by the present grades." in document(found).facts[0]
    assert "good enough, not confirmed by the present grades" in terminal.text(document(found))
    body = certification.certify(store, panel(store, doc_qa), cheap)
    assert not body.certified and "the present grades do not confirm" in body.why_not
    (sheet,) = sheets.all_sheets(store)
    status = state(store, sheet, 1)
    assert "not confirmed" in status.note and "certificate" not in str(status.next)


def _as_by_an_earlier_version(store):
    """The newest look as it was stored before the majority-class baseline was a condition."""
    number, stored = store.row("select id, result from looks order by id desc limit 1")
    old = json.loads(stored)
    for one in old["judges"]:
        kept = one["conditions"].keys() - {"majority_baseline", "reference", "annotator_agreement"}
        one["conditions"] = {name: one["conditions"][name] for name in kept}
    store.execute("update looks set result = ? where id = ?", (json.dumps(old), number))


def test_a_verdict_of_an_earlier_version_graded_beyond_the_plan_is_tested_again_and_certified(
    store, doc_qa, scores
):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    terms = TERMS._replace(planned_questions=40)
    first = chosen(store, doc_qa, terms)
    _as_by_an_earlier_version(store)
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80, 120)})
    made = panel(store, doc_qa)
    cheap = judge_of(store, made, "cheap")
    assert not certification.certify(store, made, cheap).certified
    found = chosen(store, doc_qa, terms)
    assert (found.verdict, found.winner, found.clusters) == ("good_enough", "cheap", 60)
    assert (found.looks, found.level, found.new_look) == (1, first.level, False)
    assert found.tested_again == first.looked_at and found.heeds_assay
    assert "This spends no type I error." in found.sentence
    assert certification.certify(store, made, cheap).certified
    again = chosen(store, doc_qa, terms)
    assert (again.verdict, again.kept_from.clusters) == ("good_enough", 60)
    assert certification.certify(store, made, cheap).certified


def test_a_verdict_of_an_earlier_version_is_withdrawn_and_never_gained_beyond_the_plan(
    store, doc_qa, scores
):
    """Of two judges the first was good enough, and no longer is; the second now would be."""
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    good = off(scores, 10)
    turned = {p: s if p < 80 else 3 - s for p, s in good.items()}
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "first", turned)
    judge(store, doc_qa, "second", {p: s if p >= 80 or p % 8 else 3 - s for p, s in good.items()})
    terms = TERMS._replace(planned_questions=40)
    found = chosen(store, doc_qa, terms)
    assert row(found, "first").verdict == "good_enough"
    before = row(found, "second").verdict
    assert before != "good_enough"
    _as_by_an_earlier_version(store)
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80, 120)})
    for _ in range(2):
        found = chosen(store, doc_qa, terms)
        assert found.winner is None and row(found, "second").verdict == before
        assert row(found, "first").verdict == "cannot_tell" and row(found, "first").why


def test_another_plan_is_exploratory_once_the_first_was_looked_at(store, doc_qa, scores):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    made = panel(store, doc_qa)
    choose.fix(store, made, judge_of(store, made, "dear"), TERMS._replace(planned_questions=50))
    first = chosen(store, doc_qa, TERMS._replace(planned_questions=40))  # no look at 50 was taken
    assert first.confirmatory
    wider = chosen(store, doc_qa, Terms(0.2, 0.6, 0.5))
    assert wider.confirmatory and wider.planned_questions == 40  # and not all that may be graded
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80, 120)})
    more = chosen(store, doc_qa, TERMS._replace(planned_questions=60))
    assert more.decision.id != first.decision.id and more.shares == (40 / 60, 1)
    assert not more.confirmatory and more.headline.startswith("Exploratory: ")
    assert chosen(store, doc_qa).decision.id == first.decision.id
    made = panel(store, doc_qa)
    body = certification.certify(store, made, judge_of(store, made, "cheap"))
    assert body.certified and body.decision.look.planned_questions == 40


def test_a_new_decision_plans_the_questions_that_count_and_none_of_the_held_out_test(
    store, doc_qa, scores
):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    dear = judge(store, doc_qa, "dear", off(scores, 10))
    every = splits.of_sheet(store, sheets.all_sheets(store)[0].id)
    split_assignment.assign(store, [one["id"] for one in every[-7:]], "held-out", "for the end")
    found = panel(store, doc_qa)
    named = graders.get(store, dear)
    assert choose.planned(store, found, named, "correctness") == len(every) - 7
    proposed = choose.proposed(store, found, named, TERMS._replace(planned_questions=None))
    assert proposed.planned_questions == terms_review.questions(found) == len(every) - 7
