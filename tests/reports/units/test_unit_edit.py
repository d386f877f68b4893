"""A number that rests on a list that was edited since is in no figure until it is found again."""

from concord.reports.metrics import (
    diagnosis,
    metric_notes,
    metric_validity,
    metric_variants,
    metrics,
)
from concord.reports.metrics import metric_records as readings
from concord.reports.units import answer_values, evidence_list
from concord.store.units import units
from tests.support.reports.edited_numbers import give_number


def test_it_is_left_out_of_the_mean_with_the_reason_and_its_count(store, edited):
    found = readings.read(store, edited)
    (row,) = metrics.rows(found)
    assert (row.n, row.mean, row.left_out) == (3, 1.75 / 3, {"list_edited": 1})
    assert metric_notes.left_out(found.records, 4) == [f"1 list edited: {readings.WHY_EDITED}"]
    said = (
        "1 number is excluded from all figures because the list it is based on was edited since. "
        "Run the judge again."
    )
    assert readings.edited_sentence(readings.edited(found)) == said


def test_no_report_counts_it_and_no_other_reading_brings_it_back(store, edited):
    found = readings.read(store, edited)
    assert set(metric_validity.series(found)[0].values) == {2, 3, 4}
    assert [row.item_ids for row in diagnosis.rows(found)] == [[2]]
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
    assert set(evidence_list.listed(store, edited, found, None, by).rows.index) == {1, 2, 3, 4}
