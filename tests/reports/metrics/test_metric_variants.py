"""A metric's numbers under other choices: beside the number, or from stored verdicts."""

import pytest

from concord import metrics
from concord.judges.definition.model import parse
from concord.judges.metric_results import version
from concord.judges.run import metric as jobs
from concord.judges.transport.client import Client
from concord.metrics.prompts import verdicts
from concord.metrics.selection import choice
from concord.model import Context
from concord.reports.metrics import metric_records
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics.metrics import replayed, under
from concord.store import additions, grades, items, metric_values
from concord.store.grades import Press
from concord.store.units import units
from tests.support.made_items import made_item
from tests.support.metric_runs import REPLAYED, mine, run_metrics

CHOICES = [
    ("faithfulness", "support", "lenient"),
    ("faithfulness", "contexts", "one by one"),
    ("response_relevancy", "noncommittal", "never"),
    ("response_relevancy", "unclear", "dropped"),
    ("noise_sensitivity_relevant", "support", "lenient"),
]


def of(found, name):
    return {one.item_id: one for one in found.records if one.metric == name}


@pytest.mark.parametrize(("name", "switch", "choice"), CHOICES)
def test_another_reading_is_what_the_stored_verdicts_give(store, done, name, switch, choice):
    given = metric_records.read(store, done)
    found = under(store, given, {name: {switch: choice}})
    again = replayed(
        store, metrics.named(name), items.item_ids(store, done.id), mine(store), {switch: choice}
    )
    changed = of(found, name)
    assert {i: one.value for i, one in changed.items()} == {i: o.value for i, o in again.items()}
    assert {one.switches[switch] for one in changed.values()} == {choice}
    others = [one for one in given.records if one.metric != name]
    assert others and others == [one for one in found.records if one.metric != name]


def test_what_is_said_beside_a_number_is_that_of_the_reading_too(store):
    contexts = [Context("", "", text, n) for n, text in enumerate(("Rome is old.",) * 2, 1)]
    item = made_item(1, contexts=tuple(contexts), reference_contexts=("Rome is big.",))
    sheet = additions.add(store, "one", [item], "o.csv", "1" * 64, {})
    name = "context_precision_by_likeness"
    asked = parse(f'name = "mine"\nkind = "metric"\nmetrics = ["{name}"]\n', "mine.toml")
    run_metrics(store, jobs.prepare(store, asked, choice(asked), sheet), Client)
    given = metric_records.read(store, sheet)
    flags = {}
    for switch, said in (("threshold", "0.5"), ("threshold", "0.9"), ("duplicates", "each")):
        [one] = under(store, given, {name: {switch: said}}).records
        flags[said] = one.flags
    assert flags == {
        "0.5": ("duplicates_folded",),
        "0.9": ("no_relevant", "duplicates_folded"),
        "each": ("duplicates",),
    }


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
    grades.record(store, [said._replace(score=0, label="contradicted", unit_id=claims[1].id)])
    assert replayed(store, METRIC, [item_id], ana)[item_id].value == 1 / 2


def test_another_repeat_has_verdicts_of_its_own(store, done):
    second = replayed(store, METRIC, items.item_ids(store, done.id), mine(store), repeat=2)
    assert {outcome.status for outcome in second.values()} == {"not_asked"}
