"""The figures of a run as a table: what it is expected to take, and what it took."""

from collections import Counter

from concord.judges.definition.prices import Band
from concord.judges.running.cost_estimate import Estimate
from concord.judges.running.progress import Counts
from concord.reports.workflow import runs
from concord.reports.workflow.runs import State


def row(table):
    [cells] = table.rows
    return dict(zip((column.title for column in table.columns), cells, strict=True))


def test_an_estimate_has_a_column_for_each_figure_that_is_not_zero():
    found = Estimate(
        36, Band(100, 200), Band(10, 20), False, None, None, failed=3, new=31, retried=2
    )
    document = runs.estimate(found)
    assert row(document.tables[0]) == {
        "requests": 36,
        "new": 31,
        "failed before": 3,
        "without a result before": 2,
        "tokens in": "100-200",
        "tokens out": "10-20",
    }
    assert document.headline.startswith("36 requests, cost unknown")
    assert "Tokens are estimated from the length of the texts." in document.notes


def test_nothing_to_send_says_what_is_done_and_what_does_not_fit():
    found = Estimate(0, Band(0, 0), Band(0, 0), False, None, None, settled=34, too_long=2)
    assert row(runs.estimate(found).tables[0]) == {
        "requests": 0,
        "do not fit the model": 2,
        "done": 34,
    }


def test_what_a_run_took_counts_what_has_no_score_by_status():
    counts = Counts(done=4, calls=5, unpriced=5, tokens_in=900, tokens_out=80)
    counts.statuses = Counter(scored=9, unparsable=3)
    assert row(runs.taken(counts)) == {
        "done": 4,
        "requests": 5,
        "grades": 9,
        "unparsable": 3,
        "tokens in": 900,
        "tokens out": 80,
        "cost": "cost unknown",
    }


def test_a_stopped_run_names_how_far_it_came_only_where_a_total_is_known():
    assert State("stopped", Counts()).words() == "stopped"
    failed = Counts(done=2, calls=2, statuses=Counter(failed=2))
    assert State("done", failed).words() == "no usable reply"
    assert State("stopped", Counts(done=2, total=5)).words() == "stopped at 2 of 5"
