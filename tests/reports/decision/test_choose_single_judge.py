"""A decision where one judge alone has graded, and others that are imported after the look."""

from dataclasses import replace

import pytest

from concord.messages import message_of
from concord.reports import terminal
from concord.reports.certificate import certification
from concord.reports.decision import choose, history, terms_review
from concord.reports.decision.document import conditions, document, more_labels, one_sided
from concord.reports.decision.results import SETTLED, Terms
from concord.reports.panel.named_judge import judge_of
from concord.store import decisions, graders, items
from concord.store.grades import Press, record
from tests.support.panels import give, judge, panel
from tests.support.reports.choices import chosen, row, some_off, state

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
    assert history.looks(store, [decision]).rows[0][3] == "good enough"
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
