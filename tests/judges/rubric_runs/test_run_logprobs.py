"""Chat judges whose score is read from log-probabilities: each reply used once, by any rule."""

import pytest

from concord.judges.checks import check_request, endpoint_check
from concord.judges.prompting.request import fingerprint, requests_digest
from concord.store import graders, runs
from tests.support.endpoint import Endpoint
from tests.support.fakejudge import Fake, judge, run_rubric
from tests.support.judges.rubric_runs import prepared, reader, replies, statuses

NAMES = ("correctness", "comprehensiveness", "readability")
READ = {
    "": {0: 0, 1: 1, 2: 2, 3: 3},
    "argmax": {0: 0, 1: 1, 2: 1, 3: 1},
    "median": {0: 0, 1: 1, 2: 1, 3: 1},
    "rounded_mean": {0: 0, 1: 1, 2: 1, 3: 2},
}


def given(store, name):
    """The scores of a judge by (item, version)."""
    grader = graders.find(store, "judge", name)
    rows = store.rows("select * from grades where grader_id = ?", (grader.id,))
    return {(row["item_id"], row["version"]): row["score"] for row in rows}


@pytest.mark.usefixtures("api_key")
@pytest.mark.parametrize("first", ["", "argmax"])
def test_judges_that_only_read_otherwise_share_the_replies(store, sheet, asked, first):
    """The server gives each score half of the probability, and 1 the other half."""
    rules = [first, *(rule for rule in READ if rule != first)]
    assert [asked(rule) for rule in rules] == [36, 0, 0, 0]
    written = given(store, "plain")
    assert {*written.values()} == {0, 1, 2, 3}
    for rule in ("argmax", "median", "rounded_mean"):
        assert given(store, rule) == {key: READ[rule][one] for key, one in written.items()}
    assert len(replies(store)) == 36
    found = [graders.find(store, "judge", rule or "plain") for rule in READ]
    assert len({one.fingerprint for one in found}) == 4
    assert len({tuple(map(tuple, runs.charges(store, one.id, sheet.id))) for one in found}) == 1


@pytest.mark.usefixtures("api_key")
def test_a_judge_without_logprobs_and_a_namesake_without_a_rule_share_nothing(
    store, sheet, rubric, asked
):
    asked("argmax")
    assert len(prepared(store, sheet, rubric, judge()).pending) == 36
    run_rubric(store, prepared(store, sheet, rubric, judge()), Fake())
    assert len(prepared(store, sheet, rubric, judge(name="copy")).pending) == 36


def test_a_rule_makes_another_judge_that_sends_the_same_requests(rubric):
    plain, read = reader(""), reader("argmax")
    assert requests_digest(plain, rubric[1]) == requests_digest(read, rubric[1])
    assert requests_digest(plain, rubric[1]) == fingerprint(plain, rubric[1])
    assert fingerprint(read, rubric[1]) != fingerprint(plain, rubric[1])


def test_a_reply_without_logprobs_gives_no_score_and_is_not_asked_again(store, sheet, rubric):
    """It stays of use to the judge that reads the written score."""
    fake = Fake()
    run_rubric(store, prepared(store, sheet, rubric, reader("argmax")), fake)
    assert len(fake.bodies) == 36
    assert statuses(store, sheet, "argmax") == {"unparsable": 108}
    {*store.column("select reason from grades")}
    assert not store.value("select count(*) from distributions")
    assert {row["status"] for row in replies(store)} == {"scored"}
    again = prepared(store, sheet, rubric, reader("argmax"), retry_unscored=True)
    assert (len(again.pending), len(again.cached)) == (0, 36)
    nothing = Fake()
    run_rubric(store, prepared(store, sheet, rubric, reader("")), nothing)
    assert nothing.bodies == [] and statuses(store, sheet, "plain") == {"scored": 108}


@pytest.mark.usefixtures("api_key")
def test_a_check_names_the_line_where_the_server_sends_no_logprobs(rubric, monkeypatch):
    monkeypatch.setattr("tests.support.endpoint.token_logprobs", lambda text: None)
    with Endpoint() as server:
        sent = check_request.prepare(reader("argmax", server.url), rubric[1])
        report = endpoint_check.send(sent)
    (found,) = [one for one in report.findings if one.holds is False]
    assert 'reading = "argmax"' in found.sentence
