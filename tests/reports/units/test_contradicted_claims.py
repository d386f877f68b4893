"""Refutations: what judges call contradicted, confirmed or overturned by annotators one by one."""

import numpy as np
import pytest

from concord.messages import Problem, message_of
from concord.reports.cells import written
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metric_validity, metrics
from concord.reports.panel import panel as panel_reading
from concord.reports.units import contradicted_claims
from concord.rubrics.model import Rubric
from concord.sampling import split_assignment
from concord.stats.agreement.coefficients import refutation_precision
from concord.store import graders, grades
from concord.store.grade_table import adjudicated
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from tests.support.evidence_room import CLAIM_VERSION, CLAIMS


def say(store, found, who, confirm, overturn):
    for place, one in enumerate(found[: confirm + overturn]):
        word = "confirmed" if place < confirm else "overturned"
        unit_verdicts.review_refutation(store, one.grade_id, word, who)


def figures_of(store, sheet):
    return contradicted_claims.precision(contradicted_claims.read(store, sheet, CLAIMS)[0])


def test_five_of_thirty_seven_overturned_is_a_precision_of_865(store, thirty_seven, ana):
    found, _ = contradicted_claims.read(store, thirty_seven, CLAIMS)
    assert contradicted_claims.precision(found)["precision"].value is None
    say(store, found, ana, 32, 5)
    figures = figures_of(store, thirty_seven)
    assert [figures[key] for key in ("confirmed", "overturned", "open")] == [32, 5, 0]
    assert written(figures["precision"], "value") == "0.865 [0.712, 0.943]"


def test_a_claim_that_two_judges_refute_is_two_refutations_of_one_claim(store, thirty_seven, ana):
    """A second judge refutes the first claim too, and Ana confirmed that for the first judge."""
    first = contradicted_claims.read(store, thirty_seven, CLAIMS)[0][0]
    say(store, contradicted_claims.read(store, thirty_seven, CLAIMS)[0], ana, 1, 0)
    other = graders.ensure(store, "metric", "other-judge", "e" * 16)
    again = Press(first.item_id, CLAIM_VERSION, other, score=0, label="contradicted")
    grades.record(store, [again._replace(unit_id=first.unit_id)])
    figures = figures_of(store, thirty_seven)
    assert (figures["open"], figures["units"]) == (37, 37)
    (alone,), _ = contradicted_claims.read(store, thirty_seven, CLAIMS, "other-judge")
    unit_verdicts.review_refutation(store, alone.grade_id, "overturned", ana)
    assert figures_of(store, thirty_seven)["precision"].value == 0.5
    unit_verdicts.review_refutation(store, alone.grade_id, "", ana)
    found = contradicted_claims.refutations(store, thirty_seven, None, None, limit=50, by="Ana")
    assert [row["word"] for row in found["refutations"]].count("confirmed") == 1


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
    say(store, contradicted_claims.read(store, thirty_seven, CLAIMS)[0], ana, 2, 1)
    assert [tuple(row) for row in store.rows("select * from grades order by id")] == before
    names = {CLAIM_VERSION: "claim_in_contexts"}
    assert adjudicated(store, thirty_seven.id, names).empty
    panel = panel_reading.read(store, thirty_seven, CLAIMS)
    assert panel.annotators == {}


def test_the_newest_word_holds_and_a_word_can_be_taken_back(store, thirty_seven, ana):
    first = contradicted_claims.read(store, thirty_seven, CLAIMS)[0][0].grade_id
    assert unit_verdicts.review_refutation(store, first, "confirmed", ana, "so it is")
    assert not unit_verdicts.review_refutation(store, first, "confirmed", ana, "so it is")
    assert unit_verdicts.review_refutation(store, first, "overturned", ana)
    one = contradicted_claims.read(store, thirty_seven, CLAIMS)[0][0]
    assert (one.word, one.note, one.who) == ("overturned", "", "Ana")
    unit_verdicts.review_refutation(store, first, "", ana)
    assert contradicted_claims.read(store, thirty_seven, CLAIMS)[0][0].word == ""
    assert store.value("select count(*) from adjudications") == 3


def test_what_is_no_refutation_cannot_be_settled(store, thirty_seven, ana, claims_judge):
    one = contradicted_claims.read(store, thirty_seven, CLAIMS)[0][0]
    with pytest.raises(Problem, match="not a review of a “contradicted” verdict"):
        unit_verdicts.review_refutation(store, one.grade_id, "perhaps", ana)
    with pytest.raises(Problem, match="Only an annotator"):
        unit_verdicts.review_refutation(store, one.grade_id, "confirmed", claims_judge)
    again = Press(
        one.item_id, CLAIM_VERSION, claims_judge, score=3, label="supported", unit_id=one.unit_id
    )
    grades.record(store, [again])
    with pytest.raises(Problem, match="another verdict meanwhile"):
        unit_verdicts.review_refutation(store, one.grade_id, "confirmed", ana)


def test_edited_units_and_closed_questions_are_not_in_the_list(store, thirty_seven, ana):
    first, second, *_ = contradicted_claims.read(store, thirty_seven, CLAIMS)[0]
    old = units.current(store, [first.item_id], "claim")[first.item_id]
    units.edit(store, old, [(old.units[1].id, old.units[1].text)], ana)
    split_assignment.assign(store, [second.question_id], "held-out", "for the certificate")
    found, closed = contradicted_claims.read(store, thirty_seven, CLAIMS)
    assert (len(found), closed) == (35, 1)
    assert not {first.unit_id, second.unit_id} & {one.unit_id for one in found}


def test_verdicts_stay_readable_when_a_release_rewords_their_rubric(
    store, thirty_seven, monkeypatch
):
    body = CLAIMS.model_dump(mode="json")
    body["criteria"][0]["levels"][0]["meaning"] = "As of the next release."
    released = {CLAIMS.name: Rubric.model_validate(body)}
    monkeypatch.setattr(rubric_versions, "of_units", lambda: released)
    assert released[CLAIMS.name].versions() != CLAIMS.versions()
    assert rubric_versions.units_graded(store, thirty_seven.id) == [CLAIMS.name]
    [graded] = contradicted_claims.rubrics(store, thirty_seven)
    assert graded == CLAIMS
    assert len(contradicted_claims.read(store, thirty_seven, graded)[0]) == 37


def test_it_is_left_out_of_the_mean_with_the_reason_and_its_count(store, edited):
    found = readings.read(store, edited)
    (row,) = metrics.rows(found)
    assert (row.n, row.mean.value, row.left_out) == (3, 1.75 / 3, {"list_edited": 1})
    assert metrics.notes(row)[-1] == f"1 list edited: {readings.WHY_EDITED}"


def test_no_report_counts_it_and_no_other_reading_brings_it_back(store, edited):
    found = readings.read(store, edited)
    names = {n: str(n) for n in range(5)}
    (row,) = metric_validity.diagnosis(found, names)
    assert row["items"] == ["2"]
    lenient = metrics.under(store, found, {"faithfulness": {"support": "lenient"}})
    assert [one.item_id for one in lenient.records if one.status == readings.LIST_EDITED] == [1]
