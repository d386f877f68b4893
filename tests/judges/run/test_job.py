"""What a judge still has to do: nothing that may not be asked, nothing that is done."""

import datetime
from decimal import Decimal

import pytest

from concord.judges.definition import prices
from concord.judges.definition.prices import Price, Usage
from concord.judges.run import rubric as jobs
from concord.judges.transport.response import Answer
from concord.messages import Problem
from concord.sampling import split_assignment, splits
from concord.store import additions, batches, graders, grades, items, runs
from concord.store.batches import Question
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from tests.support.fakejudge import PRICED, Fake, completion, good, judge, run_rubric
from tests.support.judges.building import PRICE
from tests.support.made_items import made_item

GRADED = '[examples]\nsource = "graded"\n'
FEW_SHOT = 'prompt = "few_shot"\n'
PRICES = (
    Price(model="m", input=2, output=10, date=datetime.date(2026, 11, 1), source="a test"),
    Price(model="big", input=20, output=100, date=datetime.date(2026, 11, 1), source="a test"),
)


def prepared(store, sheet, rubric, of=None, **options):
    return jobs.prepare(store, of or judge(), *rubric, sheet, **options)


def test_all_criteria_of_an_answer_are_asked_before_the_next_answer(store, sheet, rubric):
    of = judge('calls = "separate"')
    job = prepared(store, sheet, rubric, of, limit=2, repeats=2)
    names = list(of.parts(rubric[1]))
    assert [task.part for task in job.pending] == names * 4
    assert [task.repeat for task in job.pending] == [1] * 6 + [2] * 6


def test_contents_that_are_asked_again_get_further_repeats_and_nothing_else_is_asked(
    store, sheet, rubric
):
    two = frozenset(task.content_hash for task in prepared(store, sheet, rubric).pending[:2])
    again = jobs.Again(sorted(two), first_repeat=4, purpose="a test")
    job = prepared(store, sheet, rubric, repeats=5, again=again)
    assert {task.content_hash for task in job.pending} == two
    assert [task.repeat for task in job.pending] == [4, 4, 5, 5]
    assert job.renewed(store) == job


def test_a_limit_counts_answers_that_may_be_asked(store, sheet, rubric):
    first = items.item(store, items.item_ids(store, sheet.id)[0])
    split_assignment.assign(store, [first.question_id], "few-shot", "shown")
    job = prepared(store, sheet, rubric, limit=2)
    assert len(job.pending) == 2 and job.closed == 3
    assert first.id not in {task.item_ids[0] for task in job.pending}


def test_questions_like_an_example_are_closed_in_every_sheet(store, sheet, rubric):
    shown = next(row["id"] for row in splits.of_sheet(store, sheet.id) if row["own_id"] == "000")
    split_assignment.assign(store, [shown], "few-shot", "shown")
    other = additions.add(
        store,
        "other",
        [
            made_item(0, question="WHAT  is 0?"),  # the same text, normalised
            made_item(1, question="Something else", cluster="c"),
            made_item(2, question="What is 0?", cluster="d"),
        ],
        "o.csv",
        "1" * 64,
        {},
    )
    job = prepared(store, other, rubric)
    asked = [items.item(store, task.item_ids[0]).item.question for task in job.pending]
    assert (asked, job.closed) == (["Something else"], 2)


def test_the_rubrics_own_examples_are_never_asked_of_a_judge_that_shows_them(store, rubric):
    level = next(level for level in rubric[1].criteria[0].levels if level.examples)
    made = [made_item(1, question=level.examples[0].question), made_item(2)]
    sheet = additions.add(store, "leaky", made, "l.csv", "2" * 64, {})
    assert len(prepared(store, sheet, rubric).pending) == 2
    assert len(prepared(store, sheet, rubric, judge(FEW_SHOT)).pending) == 1


def test_graded_items_are_shown_one_per_score_and_the_run_records_them(store, sheet, rubric, shown):
    job = prepared(store, sheet, rubric, judge(f"{FEW_SHOT}{GRADED}"))
    assert [shot.id for shot in job.shots] == shown[:4]
    assert len(job.pending) == 30
    fake = Fake()
    run_rubric(store, job, fake)
    assert "Because 2." in fake.bodies[0]["messages"][0]["content"]
    assert store.value("select examples from runs") == str(shown[:4])


def test_examples_graded_by_several_annotators_ask_for_a_name(store, sheet, rubric, shown):
    ben = graders.ensure(store, "person", "Ben")
    version = rubric[1].versions()["correctness"]
    grades.record(store, [Press(shown[0], version, ben, score=1)])
    with pytest.raises(Problem):
        prepared(store, sheet, rubric, judge(f"{FEW_SHOT}{GRADED}"))
    named = judge(f'{FEW_SHOT}{GRADED}grader = "Ana"\n')
    assert len(prepared(store, sheet, rubric, named).shots) == 4


def test_a_new_wording_of_a_criterion_is_asked_anew(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric), Fake())
    criteria = rubric[1].criteria
    reworded = criteria[0].model_copy(update={"question": "Is it right?"})
    changed = rubric[1].model_copy(update={"criteria": (reworded, *criteria[1:])})
    rubric_id = rubric_versions.register(store, changed, "app")
    assert len(jobs.prepare(store, judge(), rubric_id, changed, sheet).pending) == 36


def test_the_estimate_tells_new_questions_from_failed_ones(store, sheet, rubric):
    unread = Fake(lambda body, _: completion("no grade at all"))
    run_rubric(store, prepared(store, sheet, rubric, limit=2), unread)
    broken = Fake(lambda body, _: Answer("failed", "The connection broke off."))
    run_rubric(store, prepared(store, sheet, rubric, limit=5), broken)
    found = prepared(store, sheet, rubric).estimate(store)
    assert (found.new, found.failed, found.settled) == (31, 3, 2)
    again = prepared(store, sheet, rubric, retry_unscored=True).estimate(store)
    assert (again.new, again.failed, again.settled) == (33, 3, 0)


def test_what_an_open_batch_asks_is_left_out_and_said(store, sheet, rubric):
    job = prepared(store, sheet, rubric)
    owed = [
        Question(f"q{n}", task.content_hash, task.part, task.repeat, "{}")
        for n, task in enumerate(job.pending[:4])
    ]
    with store.write():
        judge_id = job.register(store)
        batches.add(store, judge_id, sheet.id, rubric[0], "t", {}, {}, None, owed)
    left = prepared(store, sheet, rubric)
    assert (len(left.pending), left.in_batch) == (32, 4)
    fake = Fake()
    run_rubric(store, left, fake)
    assert len(fake.bodies) == 32


def test_the_estimate_multiplies_prompts_by_the_price(store, sheet, rubric):
    found = prepared(store, sheet, rubric, judge(url=PRICED)).estimate(store, PRICES)
    low = (2 * found.tokens_in.low + 10 * found.tokens_out.low) / Decimal(1_000_000)
    assert found.cost[0] == low and found.cost[1] > low
    assert found.cost_per_call() == pytest.approx(float(found.cost[1]) / 36)
    assert str(found.price.date) == "2026-11-01"


def test_the_estimate_prices_long_prompts_as_the_larger_sibling(store, rubric):
    made = [made_item(n, answer="word " * (4000 if n % 2 else 1)) for n in range(10)]
    sheet = additions.add(store, "mixed", made, "m.csv", "3" * 64, {})
    larger = 'context_tokens = 4000\nlarger = { model = "big", context_tokens = 99999 }'
    of = judge(larger, url=PRICED)
    both = prepared(store, sheet, rubric, of).estimate(store, PRICES)
    assert (both.calls, both.too_long) == (10, 0)
    alone = prepared(store, sheet, rubric, judge(url=PRICED)).estimate(store, PRICES)
    assert both.cost[0] > 5 * alone.cost[0]
    without = prepared(store, sheet, rubric, of).estimate(store, PRICES[:1])
    assert without.cost is None


def test_prompts_that_fit_nothing_are_no_calls(store, sheet, rubric):
    found = prepared(store, sheet, rubric, judge("context_tokens = 50")).estimate(store)
    assert (found.calls, found.too_long) == (0, 36)


def priced_job(store, sheet, rubric, of=None):
    return jobs.prepare(store, of or judge(url=PRICED), *rubric, sheet)


def answering(usage):
    return Fake(lambda body, _: good(body)._replace(usage=usage), seconds=0.001)


def test_a_run_from_the_cache_costs_nothing(store, sheet, rubric, priced):
    run_rubric(store, priced_job(store, sheet, rubric), answering(Usage(1000, 100)))
    spent = store.value("select sum(cost) from replies")
    store.execute("delete from grades")
    found = priced_job(store, sheet, rubric).estimate(store, (PRICE,))
    assert (found.calls, found.cached, found.cost) == (0, 36, (0, 0))
    ended = run_rubric(store, priced_job(store, sheet, rubric), answering(Usage(1000, 100)))
    assert (ended.counts.cached, ended.counts.calls, ended.counts.cost) == (36, 0, 0)
    assert ended.counts.money() == "$0.00"
    assert store.value("select sum(cost) from replies") == spent


def test_an_unknown_price_stays_unknown_everywhere(store, sheet, rubric, monkeypatch):
    monkeypatch.setattr(prices, "load", lambda: ())
    job = priced_job(store, sheet, rubric)
    found = job.estimate(store)
    assert (found.cost, found.batch_cost) == (None, None)
    assert found.as_json()["batch_cost_usd"] is None and not found.is_free()
    ended = run_rubric(store, job, answering(Usage(1000, 100)))
    assert (ended.counts.unpriced, ended.counts.money()) == (36, "cost unknown")
    assert store.value("select count(*) from replies where cost is null") == 36
    assert runs.charges(store, job.register(store), sheet.id)[0]["unpriced"] == 1
