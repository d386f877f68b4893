"""The planned questions of a decision: what grading beyond them, or planning anew, does."""

from concord.reports import terminal
from concord.reports.certificate import certification
from concord.reports.decision import choose
from concord.reports.decision.decision_status import decided
from concord.reports.decision.document import conditions, document
from concord.reports.decision.results import KeptFrom, Terms
from concord.reports.panel.named_judge import judge_of
from concord.store import sheets
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import TERMS, chosen, off, row


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
    assert found.headline == f"Verdict of {day}: {first.headline}"
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
    assert ", not confirmed by the present grades: cheap is good enough" in found.headline
    assert "good enough, not confirmed by the present grades" in terminal.text(document(found))
    body = certification.certify(store, panel(store, doc_qa), cheap)
    assert not body.certified and "the present grades do not confirm" in body.why_not
    (sheet,) = sheets.all_sheets(store)
    status = decided(store, sheet, 1, True)
    assert "not confirmed" in status.note and "certificate" not in str(status.next)


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
