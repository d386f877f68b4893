"""Refutations: what judges call contradicted, confirmed or overturned by annotators one by one."""

import json

import numpy as np
import pytest

from concord.messages import Problem, is_message, message_of
from concord.reports.panel import panel_reading
from concord.reports.units import contradicted_claims as units_contradicted_claims
from concord.reports.units import contradicted_claims_list, contradicted_passages
from concord.rubrics.model import Rubric
from concord.sampling import split_assignment
from concord.stats.agreement.failure_recall import refutation_precision
from concord.store import graders, grades
from concord.store.grade_table import adjudicated
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import contradicted_claims, units
from tests.support.unit_verdicts import CLAIM_VERSION, CLAIMS


def say(store, found, who, confirm, overturn):
    for place, one in enumerate(found.listed[: confirm + overturn]):
        word = "confirmed" if place < confirm else "overturned"
        contradicted_claims.review(store, one.grade_id, word, who)


def test_five_of_thirty_seven_overturned_is_a_precision_of_865(store, thirty_seven, ana):
    found = units_contradicted_claims.read(store, thirty_seven, CLAIMS)
    none = units_contradicted_claims.precision(found.listed)
    assert units_contradicted_claims.headline(none) == (
        "37 “contradicted” verdicts, none reviewed yet."
    )
    say(store, found, ana, 32, 5)
    figures = units_contradicted_claims.precision(
        units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed
    )
    assert (figures.confirmed, figures.overturned, figures.open) == (32, 5, 0)
    assert units_contradicted_claims.headline(figures) == (
        "32 of 37 “contradicted” verdicts confirmed: precision 0.865 [0.712, 0.943]."
    )


def test_a_claim_that_two_judges_refute_is_two_refutations_of_one_claim(
    run, store, thirty_seven, ana
):
    """A second judge refutes the first claim too, and Ana confirmed that for the first judge."""
    first = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
    say(store, units_contradicted_claims.read(store, thirty_seven, CLAIMS), ana, 1, 0)
    other = graders.ensure(store, "metric", "other-judge", "e" * 16)
    again = Press(first.item_id, CLAIM_VERSION, other, score=0, label="contradicted")
    grades.record(store, [again._replace(unit_id=first.unit_id)])
    found = units_contradicted_claims.read(store, thirty_seven, CLAIMS)
    figures = units_contradicted_claims.precision(found.listed)
    assert (figures.open, figures.units) == (37, 37)
    assert (
        units_contradicted_claims.headline(figures)
        == "1 of 1 “contradicted” verdict confirmed: precision 1.000."
    )
    often = (
        "All 38 “contradicted” verdicts concern 37 claims; a claim counts once for each judge that "
        "calls it contradicted."
    )
    assert units_contradicted_claims.counts_often(figures, CLAIMS) == often
    (alone,) = units_contradicted_claims.read(store, thirty_seven, CLAIMS, "other-judge").listed
    narrowed = units_contradicted_claims.read(store, thirty_seven, CLAIMS, "other-judge")
    assert [one.grade_id for one in units_contradicted_claims.elsewhere(narrowed, alone)] == [
        first.grade_id
    ]
    contradicted_claims.review(store, alone.grade_id, "overturned", ana)
    both = units_contradicted_claims.precision(
        units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed
    )
    assert units_contradicted_claims.headline(both) == (
        "1 of 2 “contradicted” verdicts confirmed: precision 0.500."
    )
    contradicted_claims.review(store, alone.grade_id, "", ana)
    said = run("disagreements", "--contradicted", "--judge", "other-judge").stdout
    assert "(confirmed for rag-metrics)" in said and often not in said
    found = contradicted_claims_list.refutations(
        store, thirty_seven, None, None, limit=50, by="Ana"
    )
    (shown,) = contradicted_claims_list.document(found).tables
    column = [one.title for one in shown.columns].index("review")
    reviews = [row[column] for row in shown.rows if row[column]]
    assert {str(one) for one in reviews} == {"confirmed", "(confirmed for rag-metrics)"}
    assert all(is_message(one) for one in reviews)
    (elsewhere,) = (one.values["others"] for one in reviews if "others" in one.values)
    assert is_message(elsewhere.values["0"].values["word"])
    assert often in run("disagreements", "--contradicted").stdout


def test_several_refutations_of_a_question_are_worth_less():
    right = np.array([True] * 30 + [False] * 10)
    alone = refutation_precision(right, np.arange(40))
    together = refutation_precision(right, np.arange(40) // 2)
    assert alone.value == together.value == 0.75
    assert together.low < alone.low
    assert "effective n" in together.method
    few = refutation_precision(right[:9], np.arange(9))
    assert (few.value, few.low) == (1.0, None)
    assert "fewer than 10 questions" in message_of(few.why_none)
    assert refutation_precision(right[:0], np.arange(0)).value is None


def test_a_word_touches_no_grade_and_enters_no_reference(store, thirty_seven, ana):
    before = [tuple(row) for row in store.rows("select * from grades order by id")]
    say(store, units_contradicted_claims.read(store, thirty_seven, CLAIMS), ana, 2, 1)
    assert [tuple(row) for row in store.rows("select * from grades order by id")] == before
    names = {CLAIM_VERSION: "claim_in_contexts"}
    assert adjudicated(store, thirty_seven.id, names).empty
    panel = panel_reading.read(store, thirty_seven, CLAIMS)
    assert panel.annotators == {}


def test_the_newest_word_holds_and_a_word_can_be_taken_back(store, thirty_seven, ana):
    first = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0].grade_id
    assert contradicted_claims.review(store, first, "confirmed", ana, "so it is")
    assert not contradicted_claims.review(store, first, "confirmed", ana, "so it is")
    assert contradicted_claims.review(store, first, "overturned", ana)
    one = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
    assert (one.word, one.note, one.who) == ("overturned", "", "Ana")
    contradicted_claims.review(store, first, "", ana)
    assert units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0].word == ""
    assert store.value("select count(*) from adjudications") == 3


def test_what_is_no_refutation_cannot_be_settled(store, thirty_seven, ana, claims_judge):
    one = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
    with pytest.raises(Problem, match="not a review of a “contradicted” verdict"):
        contradicted_claims.review(store, one.grade_id, "perhaps", ana)
    with pytest.raises(Problem, match="Only an annotator"):
        contradicted_claims.review(store, one.grade_id, "confirmed", claims_judge)
    again = Press(
        one.item_id, CLAIM_VERSION, claims_judge, score=3, label="supported", unit_id=one.unit_id
    )
    grades.record(store, [again])
    with pytest.raises(Problem, match="another verdict meanwhile"):
        contradicted_claims.review(store, one.grade_id, "confirmed", ana)


def test_edited_units_and_closed_questions_are_not_in_the_list(store, thirty_seven, ana):
    first, second, *_ = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed
    old = units.current(store, [first.item_id], "claim")[first.item_id]
    units.edit(store, old, [(old.units[1].id, old.units[1].text)], ana)
    split_assignment.assign(store, [second.question_id], "held-out", "for the certificate")
    found = units_contradicted_claims.read(store, thirty_seven, CLAIMS)
    assert (len(found.listed), found.closed) == (35, 1)
    told = "1 “contradicted” verdict on held-out questions or in the few-shot pool is not shown."
    assert units_contradicted_claims.not_shown(1) == told
    assert not {first.unit_id, second.unit_id} & {one.unit_id for one in found.listed}


def test_the_quote_is_marked_where_it_stands(store, thirty_seven):
    one = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
    passages = contradicted_passages.passages(store, one, CLAIMS)
    first, second = passages
    assert (first.name, second.name) == ("Context 1", "Context 2") and not first.spans
    ((begin, end, unit),) = second.spans
    assert second.text[begin:end] == "About 9.4 million annotators live there."
    assert unit == one.unit_id


def test_the_verb_lists_confirms_and_overturns(run, store, thirty_seven):
    found = json.loads(run("disagreements", "--contradicted", "--json", "--limit", 2).stdout)
    assert (found["total"], found["open"], len(found["refutations"])) == (37, 37, 2)
    first, second = (one["id"] for one in found["refutations"])
    assert (
        found["refutations"][0]["item"]
        == "000-atlas"
        in run("disagreements", "--contradicted").stdout
    )
    run("disagreements", "--contradicted", "--confirm", first, code=2)
    run(
        "disagreements",
        "--contradicted",
        "--confirm",
        first,
        "--overturn",
        first,
        "--by",
        "Zoë",
        code=2,
    )
    run("disagreements", "--contradicted", "--confirm", 10**9, "--by", "Zoë", code=2)
    lines = run(
        "disagreements", "--contradicted", "--confirm", first, "--overturn", second, "--by", "Zoë"
    ).stdout
    assert lines.startswith("1 of 2 “contradicted” verdicts confirmed: precision 0.500.")
    after = json.loads(run("disagreements", "--contradicted", "--json", "--limit", 37).stdout)
    assert (after["confirmed"], after["overturned"], after["open"]) == (1, 1, 35)
    assert after["refutations"][-1]["who"] == "Zoë"
    run("disagreements", "--contradicted", "--take-back", first, "--by", "Zoë")
    assert json.loads(run("disagreements", "--contradicted", "--json").stdout)["confirmed"] == 0


def test_the_verb_says_what_to_do_where_no_judge_checked_claims(run, store, sheet):
    run("disagreements", "--contradicted", code=2)


def test_the_verb_says_that_a_rubric_by_that_name_is_not_there(run, thirty_seven):
    run("disagreements", "--contradicted", "--rubric", "claims-in-context", code=2)


def test_verdicts_stay_readable_when_a_release_rewords_their_rubric(
    store, thirty_seven, monkeypatch
):
    body = CLAIMS.model_dump(mode="json")
    body["criteria"][0]["levels"][0]["meaning"] = "As of the next release."
    released = {CLAIMS.name: Rubric.model_validate(body)}
    monkeypatch.setattr(rubric_versions, "of_units", lambda: released)
    assert released[CLAIMS.name].versions() != CLAIMS.versions()
    assert rubric_versions.units_graded(store, thirty_seven.id) == [CLAIMS.name]
    [graded] = units_contradicted_claims.rubrics(store, thirty_seven)
    assert graded == CLAIMS
    assert len(units_contradicted_claims.read(store, thirty_seven, graded).listed) == 37
