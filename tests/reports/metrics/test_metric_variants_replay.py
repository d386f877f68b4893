"""Metrics found again from what is stored: other readings, and annotators' labels, at no cost."""

import pytest

from concord import metrics
from concord.judges.metric_runs.stored_session import version
from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics.metric_variants import replayed
from concord.store import additions, grades, items, metric_values
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.made_items import made_item
from tests.support.metric_runs import REPLAYED, mine

METRIC = metrics.named("faithfulness")


@pytest.mark.parametrize("name", REPLAYED)
def test_the_same_reading_comes_to_the_same_number(store, done, name):
    found = replayed(store, metrics.named(name), items.item_ids(store, done.id), mine(store))
    stored = {
        row["item_id"]: row
        for row in metric_values.of_sheet(store, done.id)
        if row["metric"] == name
    }
    assert len(found) == len(stored) == 3
    for item_id, outcome in found.items():
        row = stored[item_id]
        assert (outcome.value, outcome.status, outcome.reason) == (
            row["score"],
            row["status"],
            row["reason"],
        )


def test_another_reading_is_the_part_that_was_stored_beside_the_number(store, done):
    parts = {
        one.item_id: one.parts
        for one in readings.read(store, done).records
        if one.metric == "faithfulness"
    }
    lenient = replayed(
        store, METRIC, items.item_ids(store, done.id), mine(store), {"support": "lenient"}
    )
    assert {i: o.value for i, o in lenient.items()} == {i: p["lenient"] for i, p in parts.items()}


def test_a_persons_labels_on_the_same_claims_give_the_number_by_that_person(store, done, ana):
    item_id = items.item_ids(store, done.id)[0]
    claims = units.current(store, [item_id], "claim")[item_id].units
    rubric = verdicts.rubric("claims-in-contexts")
    said = Press(item_id, version(rubric), ana, score=3, label="supported", unit_id=claims[0].id)
    grades.record(store, [said])
    partly = replayed(store, METRIC, [item_id], ana)[item_id]
    assert (partly.value, partly.status) == (None, "not_asked")
    assert "has not labelled" in partly.reason
    grades.record(store, [said._replace(score=0, label="contradicted", unit_id=claims[1].id)])
    assert replayed(store, METRIC, [item_id], ana)[item_id].value == 1 / 2


def test_what_was_never_asked_is_no_number_and_what_is_lacking_is_said(store, done):
    other = replayed(
        store, metrics.named("context_relevance"), items.item_ids(store, done.id)[:1], mine(store)
    )
    assert [(o.value, o.status, o.reason) for o in other.values()] == [
        (None, "not_asked", "Not asked yet.")
    ]
    bare = additions.add(store, "bare", [made_item(7, contexts=())], "b.csv", "7" * 64, {})
    found = replayed(store, METRIC, items.item_ids(store, bare.id), mine(store))
    assert [o.reason for o in found.values()] == ["It has no contexts."]


def test_another_repeat_has_verdicts_of_its_own(store, done):
    second = replayed(store, METRIC, items.item_ids(store, done.id), mine(store), repeat=2)
    assert {outcome.status for outcome in second.values()} == {"not_asked"}


def test_an_entity_that_a_person_labels_needs_no_list_of_the_contexts(store, done, ana):
    item_id, metric = items.item_ids(store, done.id)[0], metrics.named("context_entity_recall")
    cells = [Cell(text, place) for place, text in enumerate(["WHO", "Geneva"])]
    first, second = units.keep(store, item_id, "reference_entity", cells, mine(store)).units
    rubric = verdicts.rubric("entities-in-contexts")
    rubric_versions.register(store, rubric, "preset")
    said = Press(item_id, version(rubric), ana, score=1, label="present", unit_id=first.id)
    grades.record(store, [said])
    partly = replayed(store, metric, [item_id], ana)[item_id]
    assert (partly.value, partly.status) == (None, "not_asked")
    assert "has not labelled" in partly.reason
    grades.record(store, [said._replace(score=0, label="missing", unit_id=second.id)])
    whole = replayed(store, metric, [item_id], ana)[item_id]
    assert (whole.value, whole.reason) == (1 / 2, "Missing: Geneva.")
    assert replayed(store, metric, [item_id], mine(store))[item_id].value is None
