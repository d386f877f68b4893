"""A metric's numbers under other choices: beside the number, or from stored verdicts."""

import json

import pytest

from concord import metrics
from concord.judges.definition.model import parse
from concord.judges.metric_runs import job as jobs
from concord.judges.transport.client import Client
from concord.messages import Problem
from concord.metrics.selection import choice
from concord.model import Context
from concord.reports.metrics import metric_records, metric_variants
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_variants import replayed
from concord.store import additions, items
from tests.support.made_items import made_item
from tests.support.metric_runs import mine, run_metrics

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
