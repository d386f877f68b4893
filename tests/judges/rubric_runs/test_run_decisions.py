"""Runs of decision models: one request for all criteria, each reply used once and for good."""

from collections import Counter

import pytest

from concord.judges.checks import check_request, endpoint_check, rubric_canaries
from concord.judges.checks.canary import send
from concord.judges.rubric_runs import session
from concord.judges.running import unsupported_options
from concord.judges.running.job import Options
from concord.messages import Problem
from concord.reports.decision import cost
from concord.store import additions, graders, grades, items, runs
from tests.support.endpoint import DecisionEndpoint
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import prepared, replies, statuses
from tests.support.made_items import made_item

NAMES = ("correctness", "comprehensiveness", "readability")


def scores(store, name):
    grader = graders.find(store, "judge", name)
    rows = store.rows("select score, status from grades where grader_id = ?", (grader.id,))
    return Counter((row["status"], row["score"]) for row in rows)


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_one_request_gives_every_criterion_a_score_and_a_distribution(
    store, sheet, rubric, dialect
):
    fake = Fake(decided())
    job = prepared(store, sheet, rubric, decision_judge(dialect))
    ended = run_rubric(store, job, fake)
    assert (ended.status, ended.counts.calls, ended.counts.done) == ("done", 36, 36)
    assert scores(store, "decides") == {("scored", 2): 108}
    grader = graders.find(store, "judge", "decides")
    versions = {version: name for name, version in rubric[1].versions().items()}
    stored = grades.distributions_of_grader(store, sheet.id, grader.id, versions)
    assert len(stored) == 108
    assert next(iter(stored.values())) == (
        "native",
        ((0.0, 0.45), (1.0, 0.0), (2.0, 0.0), (3.0, 0.55)),
        None,
    )
    assert {row["tokens_in"] for row in replies(store)} == {100}


def test_in_separate_calls_each_criterion_has_a_request_of_its_own(store, sheet, rubric):
    fake = Fake(decided())
    judge = decision_judge(more='calls = "separate"')
    run_rubric(store, prepared(store, sheet, rubric, judge), fake)
    assert len(fake.bodies) == 108 and {len(body["questions"]) for body in fake.bodies} == {1}
    assert scores(store, "decides") == {("scored", 2): 108}


def test_a_judge_that_only_reads_otherwise_takes_the_stored_replies(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(decided()))
    for rule, score in (("argmax", 3), ("median", 3)):
        other = decision_judge(more=f'reading = "{rule}"', name=rule)
        job, fake = prepared(store, sheet, rubric, other), Fake(decided())
        expected = job.estimate(store)
        assert (expected.calls, expected.cached) == (0, 36)
        ended = run_rubric(store, job, fake)
        assert (fake.bodies, ended.counts.cached, ended.counts.cost) == ([], 36, 0)
        assert scores(store, rule) == {("scored", score): 108}
    assert scores(store, "decides") == {("scored", 2): 108}
    assert len(replies(store)) == 36
    item_id, other = items.item_ids(store, sheet.id)[0], graders.find(store, "judge", "argmax")
    assert len(runs.of_item(store, item_id, other.id)) == 1
    assert cost.cost(store, sheet, other) == cost.cost(
        store, sheet, graders.find(store, "judge", "decides")
    )


def test_another_dialect_or_model_shares_no_replies(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(decided()))
    for other in (decision_judge("systemone"), decision_judge().with_overrides(model="n")):
        assert len(prepared(store, sheet, rubric, other).pending) == 36


def test_a_refused_question_is_refused_alone_and_not_paid_again(store, sheet, rubric):
    answers = decided(refused=("readability",))
    fake = Fake(answers)
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), fake)
    assert len(fake.bodies) == 36
    assert statuses(store, sheet, "decides") == {"scored": 72, "refused": 36}
    other = decision_judge(more='reading = "argmax"', name="other")
    again = Fake(answers)
    run_rubric(store, prepared(store, sheet, rubric, other), again)
    assert again.bodies == []
    assert statuses(store, sheet, "other") == {"scored": 72, "refused": 36}
    retried = prepared(store, sheet, rubric, other, retry_unscored=True)
    assert len(retried.pending) == 36


def test_an_unreadable_reply_is_asked_again_three_times(store, sheet, rubric):
    one = additions.add(store, "one", [made_item(99)], "o.csv", "1" * 64, {})
    fake = Fake(decided([0.5, 0.5, 0.5, 0.5]))
    run_rubric(store, prepared(store, one, rubric, decision_judge()), fake)
    assert len(fake.bodies) == 3 and statuses(store, one, "decides") == {"unparsable": 3}
    assert not store.value("select count(*) from distributions")


def test_what_the_server_does_not_take_is_too_long_and_not_sent(store, sheet, rubric):
    long = made_item(99, answer="word " * 20_000)
    sheet = additions.add(store, "long", [long, made_item(1)], "l.csv", "1" * 64, {})
    judge = decision_judge("systemone", endpoint="max_request_bytes = 65536")
    fake = Fake(decided())
    run_rubric(store, prepared(store, sheet, rubric, judge), fake)
    assert len(fake.bodies) == 1
    assert statuses(store, sheet, "decides") == {"scored": 3, "too_long": 3}


def test_a_budget_holds_at_the_price_of_the_input(store, sheet, rubric):
    judge = decision_judge(url="https://llm.example.org/v1").changed(
        {"price": {"input": 100, "output": 0}}
    )
    job = prepared(store, sheet, rubric, judge)
    expected = job.estimate(store)
    assert expected.batch_cost is None and expected.cost[0] > 0
    ended = run_rubric(store, job, Fake(decided()), budget=0.1, concurrency=1)
    assert ended.status == "stopped" and ended.counts.cost <= 0.1


def test_a_batch_is_refused_with_the_reason(store, sheet, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nkind = "decision"\ndialect = "openai"\nmodel = "m"\n'
        'rubric = "doc-qa-0-3"\n',
        encoding="utf-8",
    )
    judge = session.prepare(store, str(path), Options(sheet_name=sheet.name)).judge
    with pytest.raises(Problem):
        unsupported_options.check(judge, Options(batch=True))


@pytest.mark.usefixtures("api_key")
@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_a_check_reports_what_works(dialect, rubric):
    with DecisionEndpoint(key="sk-secret") as server:
        judge = decision_judge(dialect, server.url)
        report = endpoint_check.send(check_request.prepare(judge, rubric[1]))
    assert report.holds
    assert [f.what for f in report.findings] == [
        *("reached", "key", "reply", "settings", "model", "usage", "cost")
    ]


@pytest.mark.usefixtures("api_key")
def test_a_check_says_what_is_wrong_with_the_reply(rubric):
    def spoil(made, _):
        made["answers"].reverse()

    with DecisionEndpoint(spoil=spoil) as server:
        sent = check_request.prepare(decision_judge("openai", server.url), rubric[1])
        report = endpoint_check.send(sent)
    (found,) = [f for f in report.findings if f.holds is False]
    assert "line 3 of mine.toml" in found.sentence


@pytest.mark.usefixtures("api_key")
def test_canaries_are_asked_and_read(rubric):
    with DecisionEndpoint() as server:
        judge = decision_judge("systemone", server.url)
        trials = rubric_canaries.of_rubric(judge, rubric[1])
        found = send(judge, trials.trials, trials.untried)
    assert found.found and all(one.said for one in found.found)
    assert found.cost == 0


def test_grades_are_stored_as_those_of_any_judge(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(decided()))
    grader = graders.find(store, "judge", "decides")
    versions = [*rubric[1].versions().values()]
    rows = grades.of_grader(store, grader.id, items.item_ids(store, sheet.id)[:1], versions)
    assert {(row["score"], row["reason"]) for row in rows} == {(2, "")}
