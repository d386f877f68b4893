"""What a run asks and what it puts on disk: nothing asked twice, nothing lost."""

import json
from collections import Counter

import pytest

from concord.judges.run.job import ATTEMPTS
from concord.judges.transport.response import Answer
from concord.messages import Problem
from concord.reports.decision import cost
from concord.store import additions, graders, grades, items, runs
from concord.store import grades as distributions
from concord.store.database import open_store
from tests.support.commandline import invoke, judge_file
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.fakejudge import PRICED, Fake, completion, good, judge, run_rubric
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import last_run, prepared, reader, replies, statuses
from tests.support.made_items import made_item


def test_every_answer_is_asked_once_and_everything_is_stored(store, sheet, rubric):
    fake = Fake()
    ended = run_rubric(store, prepared(store, sheet, rubric), fake, concurrency=4)
    assert (ended.status, ended.counts.done, ended.counts.calls) == ("done", 36, 36)
    assert len(fake.bodies) == 36 and fake.most_in_flight <= 4
    assert statuses(store, sheet) == {"scored": 108}
    stored = replies(store)
    assert len(stored) == 36 and {row["status"] for row in stored} == {"scored"}
    assert json.loads(stored[0]["request"]) in fake.bodies
    assert {(row["model"], row["system_fingerprint"]) for row in stored} == {("m-2026", "fp")}
    assert {row["blind"] for row in store.rows("select blind from grades")} == {None}
    row = last_run(store, sheet)
    assert (row["status"], row["message"], row["finished_at"] is None) == ("done", "", False)


def test_the_same_content_in_two_items_or_two_sheets_is_asked_once(store, sheet, rubric):
    twins = [made_item(500, m, answer="The same.") for m in ("atlas", "birch")]
    first = additions.add(store, "twins", twins, "t.csv", "2" * 64, {})
    fake = Fake()
    assert run_rubric(store, prepared(store, first, rubric), fake).counts.calls == 1
    assert statuses(store, first) == {"scored": 6}
    other = additions.add(store, "copy", twins, "t.csv", "3" * 64, {})
    ended = run_rubric(store, prepared(store, other, rubric), fake)
    assert (ended.counts.cached, ended.counts.calls, ended.counts.cost) == (1, 0, 0)
    assert len(fake.bodies) == 1
    assert statuses(store, other) == {"scored": 6}
    assert {row["run_id"] for row in replies(store)} == {1}


def test_a_resumed_run_counts_a_request_for_several_items_once(store, rubric):
    made = [made_item(500, m, answer="The same.") for m in ("atlas", "birch", "cedar")]
    sheet = additions.add(store, "s", [*made, made_item(501)], "t.csv", "5" * 64, {})
    assert prepared(store, sheet, rubric).counts().so_far() == "0 of 2"
    run_rubric(store, prepared(store, sheet, rubric, limit=3), Fake())
    resumed = prepared(store, sheet, rubric)
    assert (resumed.counts().so_far(), resumed.estimate(store).settled) == ("1 of 2", 1)


def test_repeats_are_separate_replies(store, sheet, rubric):
    fake = Fake()
    run_rubric(store, prepared(store, sheet, rubric, limit=5), fake)
    run_rubric(store, prepared(store, sheet, rubric, limit=5, repeats=3), fake)
    assert len(fake.bodies) == 15
    assert Counter(row["repeat"] for row in replies(store)) == {1: 5, 2: 5, 3: 5}


def test_a_reply_that_cannot_be_read_is_asked_again_and_every_attempt_is_kept(store, sheet, rubric):
    bad = [completion("No idea."), completion("{", "length")]
    fake = Fake(lambda body, before: [*bad, good(body)][before])
    ended = run_rubric(store, prepared(store, sheet, rubric, limit=3), fake)
    assert (ended.counts.calls, ended.counts.done) == (9, 3)
    kept = Counter((row["attempt"], row["status"]) for row in replies(store))
    assert kept == {(1, "unparsable"): 3, (2, "truncated"): 3, (3, "scored"): 3}
    assert statuses(store, sheet) == {"scored": 9}


def test_the_number_of_attempts_is_bounded_and_what_is_settled_is_not_asked_again(
    store, sheet, rubric
):
    fake = Fake(lambda *_: completion("No idea."))
    run_rubric(store, prepared(store, sheet, rubric, limit=2), fake)
    assert len(fake.bodies) == 2 * ATTEMPTS
    assert statuses(store, sheet) == {"unparsable": 6}
    job = prepared(store, sheet, rubric, limit=2)
    assert (job.pending, job.settled) == ([], 2)
    healed = Fake()
    run_rubric(store, prepared(store, sheet, rubric, limit=2, retry_unscored=True), healed)
    assert len(healed.bodies) == 2
    assert statuses(store, sheet) == {"scored": 6}


def test_attempts_of_a_stopped_run_count_when_it_is_resumed(store, sheet, rubric):
    def broken_off(body, before):
        if before:
            raise Problem("The run ended here.")
        return partial("rather good")(body, before)

    with pytest.raises(Problem, match="ended here"):
        run_rubric(store, prepared(store, sheet, rubric, limit=1), Fake(broken_off))
    assert statuses(store, sheet) == {}
    unread = Fake(lambda *_: completion("No idea."))
    run_rubric(store, prepared(store, sheet, rubric, limit=1), unread)
    assert [row["attempt"] for row in replies(store)] == [1, 2, 3] == [*range(1, ATTEMPTS + 1)]
    assert statuses(store, sheet) == {"scored": 2, "unparsable": 1}  # of the first attempt
    again = prepared(store, sheet, rubric, limit=1, retry_unscored=True)
    run_rubric(store, again, Fake(lambda *_: completion("No idea.")))
    assert [row["attempt"] for row in replies(store)] == [1, 2, 3, 1, 2, 3]


def partial(score: str):
    def reply(body, _):
        grades_ = json.loads(good(body).completion["choices"][0]["message"]["content"])
        grades_["readability"]["score"] = score
        grades_["correctness"]["score"] = 3
        return completion(json.dumps(grades_))

    return reply


def test_a_score_that_is_there_is_not_replaced_when_the_others_are_asked_again(
    store, sheet, rubric
):
    run_rubric(store, prepared(store, sheet, rubric, limit=2), Fake(partial("rather good")))
    before = store.rows("select id from grades where status = 'scored'")
    job = prepared(store, sheet, rubric, limit=2, retry_unscored=True)
    run_rubric(store, job, Fake())
    superseded = {row["supersedes"] for row in store.rows("select supersedes from grades")}
    assert statuses(store, sheet) == {"scored": 6}
    assert not superseded & {row["id"] for row in before}


@pytest.mark.parametrize("status", ["refused", "too_long"])
def test_what_asking_again_cannot_help_is_asked_once(status, store, sheet, rubric):
    fake = Fake(lambda *_: Answer(status, "Said so."))
    run_rubric(store, prepared(store, sheet, rubric, limit=2), fake)
    assert statuses(store, sheet) == {status: 6}
    assert len(fake.bodies) == 2


def test_failed_ones_are_asked_again_next_time_and_superseded(store, sheet, rubric):
    failing = Fake(lambda *_: Answer("failed", "No reply within 9 s."))
    run_rubric(store, prepared(store, sheet, rubric, limit=3), failing)
    assert prepared(store, sheet, rubric, limit=3).failed == 3
    run_rubric(store, prepared(store, sheet, rubric, limit=3), Fake())
    assert statuses(store, sheet) == {"scored": 9}
    assert store.value("select count(*) from grades where supersedes is not null") == 9


def test_a_prompt_that_fits_no_model_is_too_long_without_a_call(store, sheet, rubric):
    fake = Fake()
    ended = run_rubric(store, prepared(store, sheet, rubric, judge("context_tokens = 50")), fake)
    assert (fake.bodies, ended.counts.calls, ended.counts.done) == ([], 0, 36)
    assert statuses(store, sheet) == {"too_long": 108}


LARGER = 'context_tokens = {}\nlarger = {{ model = "gpt-4o", context_tokens = 99999 }}'


def test_a_prompt_that_does_not_fit_goes_to_the_larger_sibling_at_its_price(store, sheet, rubric):
    of = judge(LARGER.format(50), url=PRICED)
    fake = Fake()
    ended = run_rubric(store, prepared(store, sheet, rubric, of, limit=2), fake)
    assert {body["model"] for body in fake.bodies} == {"gpt-4o"}
    price = json.loads(replies(store)[0]["price"])
    assert price["model"] == "gpt-4o"
    assert ended.counts.cost == pytest.approx(
        2 * (100 * float(price["input"]) + 20 * float(price["output"])) / 1e6
    )


def test_a_server_that_finds_a_prompt_too_long_is_asked_by_its_larger_model(store, sheet, rubric):
    def reply(body, _):
        return good(body) if body["model"] != "m" else Answer("too_long", "Too long.")

    fake = Fake(reply)
    run_rubric(store, prepared(store, sheet, rubric, judge(LARGER.format(99999)), limit=1), fake)
    assert [body["model"] for body in fake.bodies] == ["m", "gpt-4o"]
    assert statuses(store, sheet) == {"scored": 3}


def large(store, answers):
    """A sheet of so many answers."""
    made = [made_item(n, answer=f"Answer {n}") for n in range(answers)]
    return additions.add(store, f"large {answers}", made, "l.csv", f"{answers:064}", {})


@pytest.mark.parametrize(
    ("more", "source"), [("logprobs = true", "logprobs"), ('confidence = "stated"', "stated")]
)
def test_distributions_of_a_chat_judge_are_stored_and_not_asked_for_again(
    db, sheet, rubric, tmp_path, more, source
):
    with Endpoint() as server:
        file = judge_file(tmp_path, server.url, more)
        for _ in range(2):
            assert invoke(db, "judge", file, "--yes").exit_code == 0
        assert len(server.seen) == 36
    with open_store(db) as store:
        grader = graders.find(store, "judge", "mine")
        versions = {version: name for name, version in rubric[1].versions().items()}
        found = distributions.distributions_of_grader(store, sheet.id, grader.id, versions)
        assert len(found) == 108 and {one.source for one in found.values()} == {source}
        for (item_id, criterion, _), one in found.items():
            version = rubric[1].versions()[criterion]
            of_grade = "select score from grades where item_id = ? and version = ?"
            score = store.value(of_grade, (item_id, version))
            right = {"stated": 0.8}.get(source, 1.0 if score == 1 else 0.5)
            assert dict(one.probabilities)[score] == pytest.approx(right)


def test_a_share_where_percent_was_asked_for_is_no_probability(store, sheet, rubric):
    def shares(body, _):
        shared = {
            n: {"reason": why, "score": s, "confidence": 0.9 if n == "correctness" else 80}
            for n, (s, why) in grade_by_hash(body).items()
        }
        return completion(json.dumps(shared))

    ended = run_rubric(
        store, prepared(store, sheet, rubric, judge('confidence = "stated"')), Fake(shares)
    )
    assert ended.counts.statuses == {"scored": 108}
    assert store.value("select count(*) from distributions") == 72


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


def test_a_reply_without_logprobs_gives_no_score_and_is_not_asked_again(store, sheet, rubric):
    """It stays of use to the judge that reads the written score."""
    fake = Fake()
    run_rubric(store, prepared(store, sheet, rubric, reader("argmax")), fake)
    assert len(fake.bodies) == 36
    assert statuses(store, sheet, "argmax") == {"unparsable": 108}
    assert not store.value("select count(*) from distributions")
    assert {row["status"] for row in replies(store)} == {"scored"}
    again = prepared(store, sheet, rubric, reader("argmax"), retry_unscored=True)
    assert (len(again.pending), len(again.cached)) == (0, 36)
    nothing = Fake()
    run_rubric(store, prepared(store, sheet, rubric, reader("")), nothing)
    assert nothing.bodies == [] and statuses(store, sheet, "plain") == {"scored": 108}


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


def test_what_the_server_does_not_take_is_too_long_and_not_sent(store, sheet, rubric):
    long = made_item(99, answer="word " * 20_000)
    sheet = additions.add(store, "long", [long, made_item(1)], "l.csv", "1" * 64, {})
    decider = decision_judge("systemone", endpoint="max_request_bytes = 65536")
    fake = Fake(decided())
    run_rubric(store, prepared(store, sheet, rubric, decider), fake)
    assert len(fake.bodies) == 1
    assert statuses(store, sheet, "decides") == {"scored": 3, "too_long": 3}
