"""How far a run is, in numbers and words; what a budget allows."""

import json

import pytest

from concord.judges.running.progress import Counts, read, usd
from concord.judges.running.run_loop import Budget
from concord.language.languages import shown
from concord.messages import duration, said


def test_counts_read_back_as_they_were_stored():
    counts = Counts(total=9, done=4, calls=5, cost=0.25, seconds=2.0)
    counts.statuses.update({"scored": 10, "refused": 2})
    counts.note_trouble("refused", "The model refused.")
    counts.note_trouble("refused", "The model refused.")
    stored = json.loads(json.dumps(counts.as_stored()))
    assert read(stored) == counts
    assert read(stored).trouble_lines() == ["2 were refused: The model refused."]


def test_why_a_grade_is_missing_is_translated_from_what_was_stored(translate):
    counts = Counts()
    counts.note_trouble("failed", said("No reply within {seconds:g} s.", seconds=9.0))
    translate(
        "ja", {"{what}: {why}": "{why}", "No reply within {seconds:g} s.": "{seconds:g}秒超過"}
    )
    (line,) = read(json.loads(json.dumps(counts.as_stored()))).trouble_lines()
    assert shown(line, "ja") == "9秒超過"


def test_reasons_in_the_outcome_are_translated_and_end_in_one_full_stop(translate):
    counts = Counts()
    counts.note_trouble("failed", said("No reply within {seconds:g} s.", seconds=9.0))
    counts.note_trouble("failed", "busy")
    translate(
        "ja", {"{what}: {why}": "{why}", "No reply within {seconds:g} s.": "{seconds:g}秒超過。"}
    )
    found = counts.outcome()
    assert found.endswith("busy.") and ".." not in found
    assert "9秒超過。" in shown(found, "ja") and "No reply" not in shown(found, "ja")


def test_counts_of_an_older_or_smaller_kind_read_as_nothing():
    assert read({}) == Counts()
    assert read({"total": 3, "grades": 9}) == Counts(total=3)


def test_endless_kinds_of_trouble_stay_bounded():
    counts = Counts()
    for number in range(500):
        counts.note_trouble("unparsable", f"Scored {number}.")
    assert len(counts.troubles) <= 101


def test_rate_and_time_left_leave_the_cache_out():
    counts = Counts(total=100, done=40, cached=20, seconds=10.0)
    assert (counts.per_second(), counts.seconds_left()) == (2.0, 30.0)
    assert Counts(total=5).seconds_left() is None


def test_the_share_counts_what_earlier_runs_settled():
    assert Counts(total=50, done=25, before=50).share() == 0.75
    assert Counts(total=50, done=25, before=50).so_far() == "75 of 100"
    assert Counts().share() == 1.0


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (Counts(), "$0.00"),
        (Counts(cost=12.5), "$12.50"),
        (Counts(cost=0.0123), "$0.012"),
        (Counts(cost=1.0, unpriced=1), "$1.00 and more of unknown price"),
        (Counts(unpriced=3), "cost unknown"),
    ],
)
def test_money_that_is_not_known_is_not_nothing(counts, said):
    assert counts.money() == said


def test_an_outcome_gives_the_reasons_commonest_first():
    counts = Counts(total=9, done=9, calls=9, cost=1.0)
    for status, why in (("refused", "No."), ("unparsable", "Not JSON"), ("unparsable", "Not JSON")):
        counts.note_trouble(status, why)
    assert counts.outcome().endswith("$1.00. 2 could not be parsed: Not JSON. 1 was refused: No.")
    assert counts.sentence() == "9 of 9 done, $1.00"
    counts.statuses.update({"scored": 6, "truncated": 1})
    assert counts.sentence() == "9 of 9 done, 1 result missing, $1.00"
    assert Counts(cost=1.0).outcome().endswith("0 of 0 done, $1.00.")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 s"), (59, "59 s"), (150, "2 min"), (7200, "2.0 h")]
)
def test_a_length_of_time_in_words(seconds, said):
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (0, "$0.00"),
        (0.000042, "$0.000042"),
        (0.00042, "$0.00042"),
        (0.1, "$0.10"),
        (1234.5, "$1,234.50"),
    ],
)
def test_small_amounts_keep_their_digits(amount, said):
    assert usd(amount) == said


@pytest.mark.parametrize(
    ("limit", "counts", "in_flight", "allowed"),
    [
        (None, Counts(calls=10, cost=1e9), 5, True),
        (1.0, Counts(), 10, True),  # ten at the expected 0.10
        (1.0, Counts(), 11, False),
        (1.0, Counts(calls=4, cost=0.8), 1, True),  # the mean is 0.20 by now
        (1.0, Counts(calls=4, cost=0.8), 2, False),
        (1.0, Counts(calls=4, cost=0.6, unpriced=1), 1, True),  # 0.60 + two at 0.20
        (1.0, Counts(calls=4, cost=0.6, unpriced=1), 2, False),
        (1.0, Counts(calls=9, unpriced=9), 1, True),  # none priced: all as expected
        (1.0, Counts(calls=10, unpriced=10), 1, False),
        (1.0, Counts(calls=5, cost=0.8, lost=1), 1, True),  # a lost call costs nothing
        (0.0, Counts(), 1, False),
    ],
)
def test_a_budget_counts_what_is_spent_in_flight_and_unpriced(limit, counts, in_flight, allowed):
    assert Budget(limit, expected=0.1).allows(counts, in_flight) is allowed


def test_a_free_run_keeps_any_budget():
    assert Budget(0.0, expected=0.0).allows(Counts(calls=5), 64)
