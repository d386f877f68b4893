"""How far a run is, in numbers and words; what a budget allows."""

import json

import pytest

from concord.judges.definition import model
from concord.judges.prompting.reply import Verdict
from concord.judges.run.job import Options
from concord.judges.run.progress import Counts, read
from concord.judges.run.session import Budget
from concord.messages import Problem
from tests.support.commandline import invoke, judge_file
from tests.support.endpoint import Endpoint


def test_counts_read_back_as_they_were_stored():
    counts = Counts(total=9, done=4, calls=5, cost=0.25, seconds=2.0)
    refused = Verdict("refused", why="The model refused.")
    counts.note_done([*[Verdict("scored", 1)] * 10, refused, refused])
    stored = json.loads(json.dumps(counts.as_dict()))
    assert read(stored) == counts
    assert [line.count("The model refused.") for line in read(stored).trouble_lines()] == [1]


def test_endless_kinds_of_trouble_stay_bounded():
    counts = Counts()
    counts.note_done(Verdict("unparsable", why=f"Scored {number}.") for number in range(500))
    assert len(counts.troubles) <= 101


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
        (Counts(cost=1.0, unpriced=1), "$1.00 and more"),
        (Counts(unpriced=3), "cost unknown"),
    ],
)
def test_money_that_is_not_known_is_not_nothing(counts, said):
    assert counts.money() == said


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


EMBEDS = (
    'name = "e"\nkind = "metric"\nmetrics = ["semantic_similarity"]\n'
    '[embedding]\nmodel = "v"\nbase_url = "http://localhost:1/v1"\n'
)
COMBINED = (
    'name = "c"\nkind = "combined"\nrubric = "doc-qa-0-3"\nmembers = ["a", "b"]\nrule = "mean"\n'
)
PRESETS = model.presets()
JUDGES = {
    "rubric": PRESETS["local"],
    "metrics": PRESETS["rag-metrics"],
    "embeds": model.parse(EMBEDS, "e.toml"),
    "computed": PRESETS["computed"],
    "combined": model.parse(COMBINED, "c.toml"),
    "baseline": PRESETS["baseline"],
}
GIVEN = {
    "--metrics": {"metrics": ("bleu",)},
    "--rubric": {"rubric": "doc-qa-0-3"},
    "--batch": {"batch": True},
    "--cancel-batch": {"cancel_batch": True},
    "--model": {"model": "m"},
    "--base-url": {"base_url": "http://localhost:1/v1"},
    "--repeat": {"repeats": 2},
    "--limit": {"limit": 3},
    "--retry-unscored": {"retry_unscored": True},
    "--scheduler": {"scheduler": "2"},
    "--budget": {"budget": 1.0},
    "--concurrency": {"concurrency": 2},
    "--estimate": {"only_estimate": True},
    "--yes": {"yes": True},
}


def refuses(sort, option):
    try:
        Options(**GIVEN[option]).check(JUDGES[sort])
    except Problem as problem:
        assert option in str(problem)
        return True
    return False


WITHOUT_MODEL = {"--model", "--base-url", "--repeat", "--batch", "--cancel-batch", "--scheduler"}
REFUSED = {
    "rubric": {"--metrics"},
    "metrics": {"--rubric", "--batch", "--cancel-batch", "--scheduler"},
    "embeds": {"--rubric", "--batch", "--cancel-batch", "--scheduler", "--repeat"},
    "computed": {"--rubric", *WITHOUT_MODEL},
    "combined": {"--metrics", "--limit", "--retry-unscored", *WITHOUT_MODEL},
    "baseline": {"--metrics", "--limit", "--retry-unscored", *WITHOUT_MODEL},
}


@pytest.mark.parametrize("sort", JUDGES)
def test_every_option_is_followed_or_refused(sort):
    assert {option for option in GIVEN if refuses(sort, option)} == REFUSED[sort]


def test_a_refusal_comes_before_the_first_of_several_judges_is_asked(store, sheet, tmp_path):
    with Endpoint() as server:
        path = judge_file(tmp_path, server.url)
        words = ("judge", path, "computed", "--limit", "1", "--repeat", "2")
        assert invoke(store.path, *words).exit_code == 2
        assert not server.seen
