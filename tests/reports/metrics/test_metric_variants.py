"""A metric's numbers under other choices: beside the number, or from stored verdicts."""

import json

import pytest

from concord import metrics
from concord.judges.definition.model import parse
from concord.judges.metric_runs import job as jobs
from concord.judges.metric_runs.stored_session import version
from concord.judges.transport.client import Client
from concord.messages import Problem
from concord.metrics.prompts import verdicts
from concord.metrics.selection import choice
from concord.model import Cell, Context
from concord.reports.metrics import metric_records, metric_variants
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_variants import replayed
from concord.store import additions, grades, items, metric_values
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
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
    found = metric_variants.under(store, given, {name: {switch: choice}})
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
        [one] = metric_variants.under(store, given, {name: {switch: said}}).records
        flags[said] = one.flags
    assert flags == {
        "0.5": ("duplicates_folded",),
        "0.9": ("no_relevant", "duplicates_folded"),
        "each": ("duplicates",),
    }


def test_what_changes_if_is_said_for_every_other_choice_of_a_number(store, done):
    one = next(iter(of(metric_records.read(store, done), "faithfulness").values()))
    alone = {"contexts": "one by one"}
    faithful = metrics.named("faithfulness")
    again = replayed(store, faithful, [one.item_id], mine(store), alone)
    assert metric_variants.each(store, one) == {
        ("support", "lenient"): (one.parts["lenient"], True),
        ("contexts", "one by one"): (
            again[one.item_id].value,
            again[one.item_id].value is not None,
        ),
    }


def test_the_same_reading_changes_nothing(store, done):
    given = metric_records.read(store, done)
    same = metric_variants.under(store, given, {"faithfulness": {"support": "strict"}})
    assert metrics_metrics.rows(same)[0].mean is not None
    assert sorted(map(str, same.records)) == sorted(map(str, given.records))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("faithfulness=lenient", "is not of the form"),
        ("mood.support=lenient", "no metric “mood”"),
        ("faithfulness.mood=x", "has no switch “mood”"),
        ("faithfulness.support=x", "must be one of strict, lenient"),
    ],
)
def test_a_choice_that_is_none_is_said(said, why):
    with pytest.raises(Problem, match=why):
        metric_variants.parse([said])


def test_the_verb_reads_a_sheet_otherwise_at_no_cost(run, answers):
    run("import", answers)
    run("judge", "computed", "--metrics", "exact_match,edit_likeness")
    refused = run("metrics", "--switch", "exact_match.letters=words", code=2).output
    assert "Name it: --sheet" in refused
    said = ("--switch", "edit_likeness.distance=jaro", "--sheet", "meetings", "--json")
    rows = json.loads(run("metrics", *said).output)["rows"]
    assert {row["metric"]: row["switches"] for row in rows}["edit_likeness"]["distance"] == "jaro"


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
