"""The planned questions of a decision: what grading beyond them, or planning anew, does."""

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


def test_another_plan_is_exploratory_once_the_first_was_looked_at(store, doc_qa, scores):
    give(store, doc_qa, "Ana", {place: scores[place] for place in range(80)})
    judge(store, doc_qa, "dear", off(scores, 10))
    judge(store, doc_qa, "cheap", off(scores, 10, 5))
    first = chosen(store, doc_qa, TERMS._replace(planned_questions=40))
    assert first.confirmatory
    stricter = chosen(store, doc_qa, Terms(0.09, 0.6, 0.5))
    assert stricter.confirmatory and stricter.planned_questions == 40  # and not all there are
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
