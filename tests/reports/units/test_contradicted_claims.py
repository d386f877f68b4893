"""Refutations: what judges call contradicted, confirmed or overturned by annotators one by one."""

import json

import numpy as np
import pytest

from concord.messages import Problem, is_message, message_of
from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.reports.agreement import unit_agreement
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metric_validity, metric_variants, metric_words, metrics
from concord.reports.panel import panel as panel_reading
from concord.reports.units import answer_values, contradicted_claims, evidence, extraction
from concord.reports.units import contradicted_claims as units_contradicted_claims
from concord.reports.units.extraction import Match, match
from concord.rubrics.model import Rubric
from concord.sampling import split_assignment
from concord.stats.agreement.failure_recall import refutation_precision
from concord.store import graders, grades
from concord.store.grade_table import adjudicated
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from tests.support.evidence_room import CLAIM_VERSION, CLAIMS, ENTITIES, KIND, give_number


def say(store, found, who, confirm, overturn):
    for place, one in enumerate(found.listed[: confirm + overturn]):
        word = "confirmed" if place < confirm else "overturned"
        unit_verdicts.review_refutation(store, one.grade_id, word, who)


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
    unit_verdicts.review_refutation(store, alone.grade_id, "overturned", ana)
    both = units_contradicted_claims.precision(
        units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed
    )
    assert units_contradicted_claims.headline(both) == (
        "1 of 2 “contradicted” verdicts confirmed: precision 0.500."
    )
    unit_verdicts.review_refutation(store, alone.grade_id, "", ana)
    said = run("disagreements", "--contradicted", "--judge", "other-judge").stdout
    assert "(confirmed for rag-metrics)" in said and often not in said
    found = contradicted_claims.refutations(store, thirty_seven, None, None, limit=50, by="Ana")
    (shown,) = contradicted_claims.document(found).tables
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
    assert unit_verdicts.review_refutation(store, first, "confirmed", ana, "so it is")
    assert not unit_verdicts.review_refutation(store, first, "confirmed", ana, "so it is")
    assert unit_verdicts.review_refutation(store, first, "overturned", ana)
    one = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
    assert (one.word, one.note, one.who) == ("overturned", "", "Ana")
    unit_verdicts.review_refutation(store, first, "", ana)
    assert units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0].word == ""
    assert store.value("select count(*) from adjudications") == 3


def test_what_is_no_refutation_cannot_be_settled(store, thirty_seven, ana, claims_judge):
    one = units_contradicted_claims.read(store, thirty_seven, CLAIMS).listed[0]
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
    passages = contradicted_claims.passages(store, one, CLAIMS)
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


@pytest.mark.parametrize(
    ("made", "right", "expected"),
    [
        (["Agra", "Yamuna"], ["agra", "Shah Jahan", "1631"], (2, 3, 1)),
        (["World Health Organization"], ["WHO | World Health Organization"], (1, 1, 1)),
        (["World Health Organization", "WHO"], ["World Health Organization | WHO"], (2, 1, 1)),
        (["World Health Organization | WHO", "WHO"], ["WHO"], (1, 1, 1)),
        (["A | B"], ["A", "B"], (1, 2, 1)),
        (["A | B", "A | C"], ["B", "C"], (1, 2, 1)),
        (["A | B", "C"], ["A", "B | C"], (2, 2, 2)),
        (["ＳＯＮＹ", "ソニー"], ["Sony | ソニー"], (2, 1, 1)),
        ([], ["A"], (0, 1, 0)),
        ([], [], (0, 0, 0)),
    ],
)
def test_an_entity_has_at_most_one_counterpart_under_any_of_its_names(made, right, expected):
    assert match(made, right) == Match(*expected)


def rows(store, sheet):
    panel = panel_reading.read(store, sheet, ENTITIES)
    return unit_agreement.report(store, panel).extraction


def test_precision_recall_and_f1_count_the_entities_of_all_lists_together(store, listed):
    (row,) = rows(store, listed)
    assert (row.kind, row.maker) == (KIND, "rag-metrics")
    assert (row.lists, row.annotators) == (19, 1)
    assert row.left_out == {extraction.UNCHECKED: 17}
    # 18 edited lists of 4 against 5 with 3 in both, and one of 4 that was approved.
    assert (row.made, row.right, row.both) == (76, 94, 58)
    figures = {name: getattr(row, name).value for name in ("precision", "recall", "f1")}
    precision, recall = 58 / 76, 58 / 94
    assert figures == pytest.approx(
        {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
        }
    )
    assert row.f1.low < row.f1.value < row.f1.high
    (line,) = extraction.table([row]).rows
    assert line[1:6] == ("rag-metrics", 19, 76, 94, 58)


def test_lists_of_questions_that_judges_saw_are_left_out_with_the_reason(store, listed):
    question = store.value("select min(question_id) from items")
    of_it = store.rows("select id from items where question_id = ? order by id", (question,))
    split_assignment.assign(store, [question], "few-shot", "to be shown")
    (row,) = rows(store, listed)
    edited = sum(bool(units.corrected_of_item(store, one["id"], KIND).annotators) for one in of_it)
    assert row.lists == 19 - edited
    assert sum(row.left_out.values()) == 36 - row.lists


def test_a_list_that_nobody_edited_or_approved_has_no_f1(store, sheet, ana):
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    item_id = store.value("select min(id) from items")
    made = units.keep(store, item_id, KIND, [Cell("A", 0)], judge)
    assert extraction.of_list(store, made) == (
        "F1 of what rag-metrics found is undefined: no annotator has edited or approved the list."
    )
    rubric_versions.register(store, ENTITIES, "preset")
    (row,) = rows(store, sheet)
    assert (row.lists, row.f1.value) == (0, None)
    assert row.f1.why_none == extraction.UNCHECKED


def test_one_list_says_its_own_figures_in_words(store, listed):
    item_id = store.rows("select id from items order by id")[1]["id"]
    cut = units.current(store, [item_id], KIND)[item_id]
    assert extraction.of_list(store, cut) == (
        "Of 4 entities that rag-metrics found 3 are in this list of 5: precision 0.75, "
        "recall 0.60, F1 0.67."
    )


def test_where_annotators_leave_nothing_precision_is_0_and_recall_undefined(store, sheet, ana):
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    item_id = store.value("select min(id) from items")
    made = units.keep(store, item_id, KIND, [Cell("A", 0)], judge)
    emptied = units.edit(store, made, [], ana)
    assert "precision 0.00, recall undefined, F1 0.00" in extraction.of_list(store, emptied)
    (row,) = rows(store, sheet)
    assert (row.lists, row.precision.value, row.f1.value) == (1, 0, 0)
    assert row.recall.why_none == extraction.NONE_RIGHT


def test_lists_of_claims_have_no_set_f1(store, sheet):
    claims = verdicts.rubric("claims-in-contexts")
    rubric_versions.register(store, claims, "preset")
    panel = panel_reading.read(store, sheet, claims)
    assert unit_agreement.report(store, panel).extraction == ()


def test_it_is_left_out_of_the_mean_with_the_reason_and_its_count(store, edited):
    found = readings.read(store, edited)
    (row,) = metrics.rows(found)
    assert (row.n, row.mean, row.left_out) == (3, 1.75 / 3, {"list_edited": 1})
    assert metric_words.left_out(found.records, 4) == [f"1 list edited: {readings.WHY_EDITED}"]
    assert "1 number" in readings.edited_sentence(readings.edited(found))


def test_no_report_counts_it_and_no_other_reading_brings_it_back(store, edited):
    found = readings.read(store, edited)
    assert set(metric_validity.series(found)[0].values) == {2, 3, 4}
    assert [row.item_ids for row in metric_validity.diagnosis_rows(found)] == [[2]]
    lenient = metric_variants.under(store, found, {"faithfulness": {"support": "lenient"}})
    assert {one.item_id: one.value for one in lenient.records} == {1: None, 2: 1, 3: 1, 4: 1}


def test_what_a_cross_encoder_read_over_it_counts_no_longer_either(store, edited):
    over = {
        "metric": "cross_encoder",
        "switches": {"over": "mrr by x@f2, faithfulness by mine@f1"},
    }
    for item_id in (1, 2):
        give_number(store, item_id, 3.5, (), "v9", over)
    found = readings.read(store, edited).records
    encoded = {one.item_id: one.value for one in found if one.metric == "cross_encoder"}
    assert encoded == {1: None, 2: 3.5}


def test_found_again_on_the_new_list_it_counts_at_once(store, edited):
    give_number(store, 1, 1.0, [units.current(store, [1], "claim")[1].id])
    found = readings.read(store, edited)
    assert metrics.rows(found)[0].n == 4 and readings.edited(found) == 0


def test_evidence_keeps_showing_it_with_what_happened(store, edited, ana):
    (number,) = answer_values.read(store, 1)
    assert (number.record.value, number.is_stale) == (0.0, True)
    found = readings.read(store, edited)
    by = ("mine@f1", "faithfulness")
    assert set(evidence.listed(store, edited, found, None, by).rows.index) == {1, 2, 3, 4}
