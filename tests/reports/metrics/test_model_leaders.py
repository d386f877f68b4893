"""Who leads by which metric, among answering models."""

from dataclasses import replace

from concord.reports.metrics import metrics
from concord.reports.metrics.metric_records import MetricMean
from concord.reports.metrics.metrics import MetricValues


def row(metric, **means):
    by_model = {name: MetricMean(4, 4, mean, None, None, "", None) for name, mean in means.items()}
    whole = {"mean": 0.5, "low": None, "high": None, "method": "", "why_none": None}
    about = {"metric": metric, "judge": "mine", "version": "v", "switches": {}, "items": 4}
    counts = {"n": 4, "questions": 4, "left_out": {}, "not_asked": 0}
    return MetricValues(**whole, **about, **counts, by_model=by_model)


def test_the_best_mean_leads_and_equal_ones_count_for_nobody():
    rows = [
        row("faithfulness", atlas=0.9, birch=0.1),
        row("noise_sensitivity_relevant", atlas=0.9, birch=0.1),
        row("faithfulness", atlas=0.1 + 0.2, birch=0.3),
        row("faithfulness", atlas=0.9, birch=0.1, cobalt=0.5),
        row("faithfulness", atlas=0.9),
    ]
    assert metrics.leaders(rows) == "atlas has the best mean in 2 of 4 metrics."
    both = "atlas, birch: each has the best mean in 1 of 2 metrics."
    assert metrics.leaders(rows[:2]) == both
    nothing = "In each of 2 metrics, several answering models share the best mean."
    assert metrics.leaders([rows[2], rows[2]]) == nothing
    assert metrics.leaders(rows[:1]) == ""  # not "in 1 of 1 metrics"
    alone = "No metric has values of two answering models, so they cannot be compared."
    assert metrics.leaders(rows[4:]) == alone


def test_a_model_without_a_value_has_a_dash():
    rows = [row("faithfulness", atlas=0.9), row("faithfulness", birch=0.25)]
    assert [cells[2:4] for cells in metrics.model_table(rows).rows] == [
        ("0.900 (n = 4)", "—"),
        ("—", "0.250 (n = 4)"),
    ]


def test_the_judge_has_a_column_only_where_there_are_several():
    one = row("faithfulness", atlas=0.9, birch=0.25)
    another = replace(one, judge="yours")
    judges = [metrics.model_table(rows).rows[0][4:] for rows in ([one], [one, another])]
    assert judges == [(), ("mine",)]
