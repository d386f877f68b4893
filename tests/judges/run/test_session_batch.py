"""Judging as a batch: the same statuses, cache, estimate and budget, and nothing asked twice."""

import json

import pytest

from concord import clock
from concord.judges.run import batch as batch_plan
from concord.judges.transport.batch_client import answered, custom_id, results
from concord.messages import Problem
from concord.store import additions, graders, grades, runs
from tests.support.commandline import judge_file
from tests.support.fakejudge import judge
from tests.support.judges.rubric_runs import judged, statuses
from tests.support.made_items import made_item


def test_a_batch_is_handed_over_polled_and_collected_by_the_same_command(
    store, sheet, batch_server, batch_judge
):
    handed = judged(store, batch_judge, batch=True)
    assert handed.status == "submitted"
    waiting = judged(store, batch_judge, batch=True)
    assert (waiting.status, waiting.failed) == ("pending", False)
    batch_server.finish()
    done = judged(store, batch_judge, batch=True)
    assert (done.status, done.failed, done.counts.done) == ("done", False, 36)
    assert statuses(store, sheet) == {"scored": 108}
    assert (batch_server.creations, batch_server.uploads, len(batch_server.seen)) == (1, 1, 0)
    again = judged(store, batch_judge, batch=True)
    assert again.counts.cost == 0


def test_what_is_sent_in_a_batch_is_what_would_be_asked_live(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True, limit=5)
    batched = [json.dumps(line["body"], sort_keys=True) for line in batch_server.lines()]
    assert {(line["method"], line["url"]) for line in batch_server.lines()} == {
        ("POST", "/v1/chat/completions")
    }
    judged(store, batch_judge, batch=True, cancel_batch=True)
    store.execute("delete from replies")
    store.execute("delete from grades")
    judged(store, batch_judge, limit=5)
    assert sorted(json.dumps(seen.body, sort_keys=True) for seen in batch_server.seen) == sorted(
        batched
    )


def test_a_live_run_leaves_out_what_a_batch_asks_and_says_so(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True, limit=10)
    other = additions.add(store, "other", [made_item(0), made_item(99)], "o.csv", "1" * 64, {})
    live = judged(store, batch_judge, sheet_name="numbers")
    assert live.counts.calls == 26
    assert live.estimate.in_batch == 10
    elsewhere = judged(store, batch_judge, sheet_name="other")
    assert (elsewhere.counts.calls, elsewhere.estimate.in_batch) == (1, 1)
    batch_server.finish()
    done = judged(store, batch_judge, sheet_name="numbers", batch=True)
    assert done.counts.done == 10 and statuses(store, sheet) == {"scored": 108}
    cached = judged(store, batch_judge, sheet_name="other")
    assert (cached.counts.calls, cached.counts.cached) == (0, 1)
    assert statuses(store, other) == {"scored": 6}
    asked = [json.dumps(seen.body["messages"]) for seen in batch_server.seen]
    asked += [json.dumps(line["body"]["messages"]) for line in batch_server.lines()]
    assert len(asked) == len(set(asked)) == 37


def test_a_judge_with_another_reading_rule_leaves_out_what_the_batch_asks(
    store, sheet, batch_server, tmp_path
):
    plain, read = tmp_path / "plain", tmp_path / "read"
    plain.mkdir()
    read.mkdir()
    first = judge_file(plain, batch_server.url, "logprobs = true")
    other = judge_file(read, batch_server.url, 'logprobs = true\nreading = "argmax"')
    judged(store, first, batch=True, limit=10)
    live = judged(store, other)
    assert (live.counts.calls, live.estimate.in_batch) == (26, 10)
    batch_server.finish()
    judged(store, first, batch=True, limit=10)
    done = judged(store, other)
    assert (done.counts.calls, done.counts.cached) == (0, 10)
    assert len(batch_server.seen) == 26


def test_replies_of_a_batch_cost_half_at_the_price_of_the_day_it_was_handed_over(
    store, sheet, batch_server, batch_judge, half_price
):
    expected = judged(store, batch_judge, batch=True, yes=True).estimate
    low, high = map(float, expected.batch_cost)
    assert (2 * low, 2 * high) == tuple(pytest.approx(usd) for usd in map(float, expected.cost))
    batch_server.finish()
    spent = judged(store, batch_judge, batch=True).counts.cost
    rows = store.rows("select tokens_in, tokens_out, cost, price, price_date, latency from replies")
    halves = [(row["tokens_in"] + 5 * row["tokens_out"]) / 1e6 for row in rows]
    assert [row["cost"] for row in rows] == pytest.approx(halves)
    assert spent == pytest.approx(sum(halves)) and 0 < spent <= high
    assert json.loads(rows[0]["price"])["input"] == "1.0"
    assert (rows[0]["price_date"], rows[0]["latency"]) == (str(clock.today()), None)


def test_a_budget_holds_by_the_upper_estimate_of_each_question(
    store, sheet, batch_server, batch_judge, half_price
):
    whole = judged(store, batch_judge, batch=True, only_estimate=True).estimate.as_json()[
        "batch_cost_usd"
    ][1]
    judged(store, batch_judge, batch=True, yes=True, budget=whole / 2)
    asked = len(batch_server.lines())
    assert 0 < asked < 36
    batch_server.finish()
    assert judged(store, batch_judge, batch=True).counts.cost <= whole / 2
    assert judged(store, batch_judge, only_estimate=True).estimate.calls == 36 - asked
    judged(store, batch_judge, batch=True, yes=True, budget=0.0)
    assert len(batch_server.lines()) == asked


def test_every_line_gets_the_status_it_would_have_live(store, sheet, batch_server, batch_judge):
    told = {"message": "The response was filtered", "code": "content_filter"}
    full = {"message": "Too long.", "code": "context_length_exceeded"}
    batch_server.spoils = {
        0: {"response": {"status_code": 400, "body": {"error": told}}},
        1: {"response": {"status_code": 400, "body": {"error": full}}},
        2: {"response": {"status_code": 500, "body": {"error": {"message": "Oops"}}}},
        3: {"response": None, "error": {"code": "server_error", "message": "It broke."}},
        4: {"response": {"status_code": 404, "body": {"error": {"code": "model_not_found"}}}},
    }
    judged(store, batch_judge, batch=True, limit=6)
    batch_server.finish()
    done = judged(store, batch_judge, batch=True)
    assert done.failed
    assert statuses(store, sheet) == {"refused": 3, "too_long": 3, "failed": 9, "scored": 3}
    left = judged(store, batch_judge, only_estimate=True, limit=6).estimate
    assert (left.calls, left.failed, left.settled) == (3, 3, 3)


def test_a_reply_that_cannot_be_read_is_asked_again_as_often_as_live(
    store, sheet, batch_server, batch_judge
):
    broken = {"choices": [{"message": {"content": "3, I think"}, "finish_reason": "stop"}]}
    batch_server.spoils = {0: {"response": {"status_code": 200, "body": broken}}}
    for _attempt in (1, 2, 3):
        judged(store, batch_judge, batch=True, limit=1)
        batch_server.finish()
        judged(store, batch_judge, batch=True)
    assert statuses(store, sheet) == {"unparsable": 3}
    rows = store.rows("select attempt, status from replies order by id")
    assert [tuple(row) for row in rows] == [(n, "unparsable") for n in (1, 2, 3)]
    assert judged(store, batch_judge, only_estimate=True, limit=1).estimate.calls == 0


def test_what_is_too_long_for_the_model_goes_to_its_larger_sibling_in_the_next_batch(
    store, sheet, batch_server, tmp_path
):
    mine = judge_file(tmp_path, batch_server.url, 'larger = { model = "big" }')
    told = {"error": {"message": "Too long.", "code": "context_length_exceeded"}}
    batch_server.spoils = {0: {"response": {"status_code": 400, "body": told}}}
    judged(store, mine, batch=True, limit=3)
    batch_server.finish()
    judged(store, mine, batch=True)
    batch_server.spoils = {}
    judged(store, mine, batch=True, limit=3)
    batch_server.finish()
    judged(store, mine, batch=True)
    assert [line["body"]["model"] for line in batch_server.lines()] == ["m"] * 3 + ["big"]
    assert statuses(store, sheet) == {"scored": 9}


def test_what_was_not_done_in_time_stays_pending_and_is_handed_over_next_time(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True)
    batch_server.expire(answered=10)
    done = judged(store, batch_judge, batch=True)
    assert (done.status, done.failed, done.estimate.calls) == ("done", False, 26)
    assert statuses(store, sheet) == {"scored": 30}
    judged(store, batch_judge, batch=True)
    batch_server.finish()
    judged(store, batch_judge, batch=True)
    assert statuses(store, sheet) == {"scored": 108}
    assert len(batch_server.lines()) == 36 + 26


def test_a_cancelled_batch_gives_what_was_answered_and_frees_the_rest(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True)
    judged(store, batch_judge, cancel_batch=True)
    assert statuses(store, sheet) == {"scored": 6}
    assert judged(store, batch_judge).counts.calls == 34


def test_a_batch_that_is_refused_whole_says_why_and_frees_its_questions(
    store, sheet, batch_server, batch_judge
):
    batch_server.refuses_batches = "Enqueued token limit reached."
    judged(store, batch_judge, batch=True)
    done = judged(store, batch_judge, batch=True)
    assert done.failed and "Enqueued token limit reached." in done.said
    assert judged(store, batch_judge, only_estimate=True).estimate.calls == 36


def test_a_server_without_a_batch_mode_is_one_sentence_and_nothing_is_in_flight(
    store, sheet, batch_server, batch_judge
):
    batch_server.has_batches = False
    with pytest.raises(Problem):
        judged(store, batch_judge, batch=True)
    assert judged(store, batch_judge, only_estimate=True).estimate.calls == 36
    assert runs.of_sheet(store, sheet.id)[0]["status"] == "failed"


def test_a_refused_key_is_one_sentence_and_nothing_is_in_flight(
    store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-wrong-0123456789")
    batch_server.behaviour.key = "sk-right"
    with pytest.raises(Problem) as told:
        judged(store, batch_judge, batch=True)
    assert "sk-quite-wrong" not in str(told.value)
    assert judged(store, batch_judge, only_estimate=True).estimate.calls == 36


def test_a_batch_that_the_server_has_forgotten_can_be_given_up(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True)
    batch_server.made.clear()
    with pytest.raises(Problem, match="batch_"):
        judged(store, batch_judge, batch=True)
    done = judged(store, batch_judge, cancel_batch=True)
    assert done.estimate.calls == 36


def test_results_that_are_gone_from_the_server_can_be_given_up(
    store, sheet, batch_server, batch_judge
):
    judged(store, batch_judge, batch=True)
    batch_server.finish()
    for made in batch_server.made.values():
        del batch_server.files[made.output]
    with pytest.raises(Problem):
        judged(store, batch_judge, batch=True)
    assert judged(store, batch_judge, cancel_batch=True).estimate.calls == 36


def test_more_than_a_batch_may_hold_becomes_several(
    store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(batch_plan, "MOST_QUESTIONS", 8)
    judged(store, batch_judge, batch=True)
    sizes = [
        len(batch_server.files[made.file_id].splitlines()) for made in batch_server.made.values()
    ]
    assert sizes == [8, 8, 8, 8, 4]
    batch_server.finish()
    assert judged(store, batch_judge, batch=True).counts.done == 36
    assert statuses(store, sheet) == {"scored": 108}


def test_repeats_and_separate_calls_come_back_to_where_they_belong(
    store, sheet, batch_server, tmp_path
):
    mine = judge_file(tmp_path, batch_server.url, 'calls = "separate"')
    judged(store, mine, batch=True, repeats=2, limit=4)
    assert len({line["custom_id"] for line in batch_server.lines()}) == 4 * 3 * 2
    batch_server.finish()
    judged(store, mine, batch=True)
    live = judge_file(tmp_path, batch_server.url, 'calls = "separate"\nseed = 7')
    assert statuses(store, sheet) == {"scored": 24}
    grader = graders.find(store, "judge", "mine")
    first = store.rows(
        "select item_id, version, score from grades where repeat = 1 and grader_id = ?"
        " order by item_id, version",
        (grader.id,),
    )
    judged(store, live, limit=4)
    other = graders.find(store, "judge", "mine")
    again = store.rows(
        "select item_id, version, score from grades where repeat = 1 and grader_id = ?"
        " order by item_id, version",
        (other.id,),
    )
    assert other.id != grader.id and list(map(tuple, first)) == list(map(tuple, again))


def test_a_batch_of_a_judge_that_was_changed_since_is_still_collected(
    store, sheet, batch_server, tmp_path
):
    judged(store, judge_file(tmp_path, batch_server.url), batch=True)
    old = graders.find(store, "judge", "mine")
    batch_server.finish()
    changed = judge_file(tmp_path, batch_server.url, "temperature = 0.5")
    assert judged(store, changed, batch=True).counts.done == 36
    assert len(grades.statuses(store, sheet.id, old.id)) == 108


def test_a_collection_that_breaks_off_in_the_middle_loses_and_doubles_nothing(
    store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(batch_plan, "LANDED_AT_ONCE", 10)
    judged(store, batch_judge, batch=True)
    batch_server.finish()
    landed, real = [], batch_plan.commit

    def broken(*arguments):
        landed.append(1)
        if len(landed) == 3:
            raise KeyboardInterrupt
        real(*arguments)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(batch_plan, "commit", broken)
        judged(store, batch_judge, batch=True)
    assert store.value("select count(*) from replies") == 20
    done = judged(store, batch_judge, batch=True)
    assert done.counts.done == 16
    assert store.value("select count(*) from replies") == 36
    assert statuses(store, sheet) == {"scored": 108}


@pytest.mark.parametrize("part", ["", "correctness", "正确性", "a/b c\n"])
def test_a_question_is_named_in_at_most_64_ascii_characters(part):
    name = custom_id("0123456789abcdef" * 4, part, 12)
    assert name.isascii() and name.isprintable() and " " not in name and len(name) <= 64
    assert name.startswith("0123456789abcdef") and name.endswith("-12")


def test_lines_that_cannot_be_read_are_left_out_and_the_rest_is_not_lost():
    good = json.dumps({"custom_id": "q", "response": {"status_code": 200, "body": {"a": 1}}})
    content = f'nonsense\n\n[1]\n{{"custom_id": 5}}\n{good}\r\n{good[:20]}'.encode() + b"\n\xff\xfe"
    assert [result.custom_id for result in results(content)] == ["q"]
    assert list(results(b"")) == []


@pytest.mark.parametrize(
    ("told", "status", "undone"),
    [
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "", False),
        ({"response": {"status_code": 200, "body": "text"}}, "unparsable", False),
        ({"response": {"status_code": 200, "body": None}}, "unparsable", False),
        ({"response": {"status_code": 200, "body": {"error": {"code": 429}}}}, "failed", False),
        ({"response": {"status_code": 500, "body": {}}}, "failed", False),
        ({"response": {"status_code": 401, "body": {"error": {}}}}, "failed", False),
        ({"response": {"body": {"choices": []}}}, "failed", False),
        ({"response": None, "error": None}, "failed", False),
        ({"response": None, "error": {"code": "batch_expired"}}, "failed", True),
        ({"error": {"code": "batch_cancelled"}}, "failed", True),
        ({"response": {"status_code": 200, "body": {"x": "\ud800"}}}, "", False),
    ],
)
def test_whatever_a_result_holds_has_a_status(told, status, undone):
    [found] = results(json.dumps({"custom_id": "q", **told}).encode())
    assert found.undone is undone
    got = answered(found, judge(), {"model": "m"})
    assert got.status == status
    got.raw.encode()
