"""The means of what stands beside a metric's number, by hand arithmetic."""

import json

from concord.metrics import title
from concord.reports import terminal
from concord.reports.document import as_json
from concord.reports.metrics import metric_details, sheet_metrics
from concord.reports.metrics import metric_records as readings
from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue


def give(store, name, *parts, value=0.5, repeat=1):
    """A metric's number for the items in order, each with its parts; None for no number."""
    metric_values.register(store, name, f"v-{name}", json.dumps({"metric": name, "switches": {}}))
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id, beside in enumerate(parts, 1):
        press = Press(item_id, f"v-{name}", mine, repeat=repeat, score=value)
        if beside is None:
            press = press._replace(status="failed", score=None)
        metric_values.record(store, [NewMetricValue(press, beside or {}, (), 1, ())])


def document(store, sheet):
    """The related means of the only row as JSON has them, and the report as text."""
    whole = sheet_metrics.report(store, sheet, readings.read(store, sheet))
    [row] = as_json(whole)["rows"]
    return row, terminal.text(sheet_metrics.document(whole))


def test_all_three_rates_of_facts_stand_beside_the_share_that_is_supported(store, four_questions):
    rates = ("supports", "refutes", "not enough info")
    said = [dict(zip(rates, one, strict=True)) for one in ((0.5, 0.25, 0.25), (0.5, 0, 0.5))]
    give(store, "fact_support", *({"strict": 0.5, **one} for one in said), None)
    give(store, "fact_support", {"supports": 0, "refutes": 1, "not enough info": 0}, repeat=2)
    row, text = document(store, four_questions)
    assert row["parts"] == {
        "refutes": {"n": 2, "mean": 0.125},
        "not enough info": {"n": 2, "mean": 0.375},
    }
    assert "fact_support  mine@f1  not enough info  2  0.375" in text
    whole = sheet_metrics.report(store, four_questions, readings.read(store, four_questions))
    related, *_ = metric_details.tables(whole.rows, title)
    assert related.rows[0][0] == "Fact support"


def test_a_part_that_some_answers_lack_says_of_how_many_it_is(store, four_questions):
    give(store, "faithfulness", {"contradicted": 0.2}, {"contradicted": None}, {})
    row, _ = document(store, four_questions)
    assert row["parts"] == {"contradicted": {"n": 1, "mean": 0.2}}


def test_other_choices_of_a_switch_are_other_readings_and_no_parts(store, four_questions):
    give(store, "faithfulness", {"strict": 0.5, "lenient": 0.9})
    row, text = document(store, four_questions)
    assert row["parts"] == {} and "Component means" not in text


def test_what_nobody_voted_for_counts_as_no_vote_and_not_as_no_answer(store, four_questions):
    give(store, "tone", *({"votes for 1": 3}, {"votes for 0": 1, "votes for 1": 2}, {}, None))
    row, _ = document(store, four_questions)
    assert row["parts"] == {
        "votes for 1": {"n": 2, "mean": 2.5},
        "votes for 0": {"n": 2, "mean": 0.5},
    }
