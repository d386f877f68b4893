"""Runs over the few-shot pool: what is asked there, and that no figure changes by it."""

import json

import pytest

from concord.judges.definition.toml import as_toml
from concord.judges.rubric_runs import session
from concord.judges.rubric_runs.batch_server import submit
from concord.judges.running import unsupported_options
from concord.judges.running.job import Options
from concord.messages import Problem, for_screen
from concord.sampling import split_assignment, splits
from concord.store import graders, grades, items, runs
from concord.store.grades import Press
from tests.support.commandline import judge_file
from tests.support.decision_endpoint import DecisionEndpoint
from tests.support.fakejudge import Fake, judge, run_rubric
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import prepared, reader
from tests.support.judges.sessions import judged


def pooled(store, sheet, n=3):
    """Move the first n questions to the few-shot pool; returns their ids."""
    ids = [row["id"] for row in splits.of_sheet(store, sheet.id)][:n]
    split_assignment.assign(store, ids, "few-shot", "to develop on")
    return ids


def asked(job):
    return {item_id for task in job.pending for item_id in task.item_ids}


def annotated(store, sheet, rubric, name="Ana"):
    person = graders.ensure(store, "person", name)
    given = [
        Press(item_id, version, person, score=float(place * 7 % 4))
        for place, item_id in enumerate(items.item_ids(store, sheet.id))
        for version in rubric[1].versions().values()
    ]
    grades.record(store, given)


def test_only_the_pool_is_asked_and_each_answer_is_paid_once(store, sheet, rubric):
    pool = {*pooled(store, sheet)}
    of = {row["id"]: row["question_id"] for row in items.item_index(store, sheet.id)}
    job = prepared(store, sheet, rubric, decision_judge(), pool=True)
    assert {of[one] for one in asked(job)} == pool and (len(job.pending), job.closed) == (9, 27)
    run_rubric(store, job, Fake(decided()))
    again = prepared(store, sheet, rubric, decision_judge(), pool=True)
    assert (again.pending, again.settled) == ([], 9)
    rest = prepared(store, sheet, rubric, decision_judge())
    assert (len(rest.pending), rest.closed) == (27, 9)
    assert not asked(rest) & asked(job)
    (row,) = runs.of_sheet(store, sheet.id)
    assert runs.scope(row)["purpose"] == "pool"
    assert runs.shown(store, sheet.id, row["grader_id"]) is None


def test_a_judge_is_not_asked_about_what_it_is_shown(store, sheet, rubric):
    pool = pooled(store, sheet)
    annotated(store, sheet, rubric)
    shows = reader("argmax").changed({"prompt": "few_shot", "examples": {"source": "graded"}})
    job = prepared(store, sheet, rubric, shows, pool=True)
    of = {row["id"]: row["question_id"] for row in items.item_index(store, sheet.id)}
    shown = {of[shot.id] for shot in job.shots}
    assert shown and {of[one] for one in asked(job)} == {*pool} - shown


def test_what_is_held_out_or_in_evaluation_is_never_of_the_pool(store, sheet, rubric):
    pool = {*pooled(store, sheet)}
    every = [row["id"] for row in splits.of_sheet(store, sheet.id)]
    split_assignment.assign(store, every[-2:], "held-out", "for the certificate")
    assert splits.pool(store, sheet.id) == pool


@pytest.mark.parametrize(
    ("of", "why"),
    [(judge(), "gives no probabilities"), (decision_judge(), "has no question in the few-shot")],
)
def test_without_probabilities_or_a_pool_the_run_is_refused(store, sheet, of, why):
    with pytest.raises(Problem, match=why) as refused:
        session.prepared(store, of, Options(sheet_name=sheet.name, pool=True))
    assert "--" in str(refused.value) and "--" not in for_screen(refused.value.on_screen)


@pytest.mark.parametrize("name", ["baseline", "computed", "rag-metrics"])
def test_judges_without_a_reading_rule_refuse_the_option(store, name):
    named = session.registry.named(store, name)
    with pytest.raises(Problem):
        unsupported_options.check(named, Options(pool=True))


def test_a_question_that_a_judge_was_run_on_stays_in_the_pool(store, sheet, rubric):
    pool = pooled(store, sheet)
    run_rubric(store, prepared(store, sheet, rubric, decision_judge(), pool=True), Fake(decided()))
    with pytest.raises(Problem):
        split_assignment.assign(store, pool[:1], "evaluation", "")


def test_a_question_graded_before_it_was_in_the_pool_stays_there_too(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(decided()))
    pool = pooled(store, sheet)
    split_assignment.assign(store, pool[:1], "evaluation", "no annotator graded it")
    annotated(store, sheet, rubric)
    with pytest.raises(Problem):
        split_assignment.assign(store, pool[1:], "evaluation", "")


def test_a_question_without_probabilities_leaves_the_pool_again(store, sheet, rubric):
    run_rubric(store, prepared(store, sheet, rubric, judge()), Fake())
    annotated(store, sheet, rubric)
    split_assignment.assign(store, pooled(store, sheet), "evaluation", "back")


def test_the_pool_can_be_asked_as_a_batch(store, sheet, rubric, batch_server, tmp_path):
    pool = pooled(store, sheet)
    path = judge_file(tmp_path, batch_server.url, "logprobs = true")
    assert judged(store, path, batch=True, pool=True).status == "submitted"
    assert len(batch_server.lines()) == 9
    batch_server.finish()
    done = judged(store, path, batch=True, pool=True)
    assert (done.status, done.counts.done) == ("done", 9)
    of = {row["id"]: row["question_id"] for row in items.item_index(store, sheet.id)}
    graded = store.column("select distinct item_id from grades")
    assert {of[one] for one in graded} == {*pool}
    assert {runs.scope(row)["purpose"] for row in runs.of_sheet(store, sheet.id)} == {"pool"}
    with pytest.raises(Problem):
        split_assignment.assign(store, pool[:1], "evaluation", "")


def test_a_batch_over_the_pool_and_one_over_the_rest_are_two_runs(
    store, sheet, rubric, batch_server, tmp_path
):
    """Both may be open together where two commands submit at the same time."""
    pool = {*pooled(store, sheet)}
    path = judge_file(tmp_path, batch_server.url, "logprobs = true")
    for of_pool in (True, False):
        options = Options(sheet_name=sheet.name, batch=True, pool=of_pool)
        submit(store, session.prepare(store, path, options))
    batch_server.finish()
    done = judged(store, path, batch=True)
    assert (done.status, done.counts.done, done.counts.calls) == ("done", 36, 36)
    of = {row["id"]: row["question_id"] for row in items.item_index(store, sheet.id)}
    collected = {}
    for row in runs.of_sheet(store, sheet.id):
        given = store.column("select distinct item_id from grades where run_id = ?", (row["id"],))
        if given:
            found = {of[one] for one in given}
            collected[runs.scope(row).get("purpose")] = found, json.loads(row["counts"])["done"]
    rest = {*of.values()} - pool
    assert collected == {"pool": (pool, 9), None: (rest, 27)}


@pytest.mark.usefixtures("api_key")
def test_no_figure_changes_by_grades_on_the_pool(store, sheet, rubric, run, tmp_path):
    pooled(store, sheet)
    annotated(store, sheet, rubric)
    annotated(store, sheet, rubric, "Ben")
    with DecisionEndpoint() as server:
        files = {}
        for name, rule in (("one", "argmax"), ("two", "median")):
            made = decision_judge("openai", server.url, f'reading = "{rule}"', name=name)
            files[name] = tmp_path / f"{name}.toml"
            files[name].write_text(as_toml(made), encoding="utf-8")
            run("judge", files[name], "--yes")
        asked_before = len(server.seen)
        before = _figures(run)
        run("judge", files["one"], "--yes", "--pool")
        run("judge", files["two"], "--yes", "--pool")
        assert (asked_before, len(server.seen)) == (27, 36)
    after = _figures(run)
    assert before.keys() == after.keys() and before["agreement"]["rows"]
    for name in before:
        assert _without_counts(after[name]) == _without_counts(before[name]), name
    (row, *_) = [one for one in after["agreement"]["rows"] if one["judge"] == "one"]
    assert (row["n"], row["questions"]) == (27, 9)
    assert row["left_out"]["judges may have seen its question as an example"] == 9


def test_a_judge_that_was_run_on_the_pool_alone_is_in_no_figure(store, sheet, rubric, run):
    pooled(store, sheet)
    annotated(store, sheet, rubric)
    annotated(store, sheet, rubric, "Ben")
    for name in ("one", "two"):
        of = decision_judge(name=name, more='reading = "median"' if name == "two" else "")
        run_rubric(store, prepared(store, sheet, rubric, of), Fake(decided()))
    before = _figures(run)
    alone = decision_judge("systemone", name="alone")
    run_rubric(store, prepared(store, sheet, rubric, alone, pool=True), Fake(decided()))
    after = _figures(run)
    for name in before:
        assert _without_counts(after[name]) == _without_counts(before[name]), name
    assert before["compare"]["n"] == 27


def _figures(run):
    decision = ("choose", "--against", "one", "--json")
    verbs = [("agreement", "--json"), ("ranking", "--json"), ("compare", "--json"), decision]
    verbs += [("compare", "--study", "reading", "--json"), ("disagreements", "--json")]
    return {
        " ".join(words[:2]).replace(" --json", ""): json.loads(run(*words).stdout)
        for words in verbs
    }


def _without_counts(value):
    """A document without counts of exclusions, times, and what the requests took."""
    gone = ("left_out", "signature", "cost", "cost_per_1000", "seconds", "seconds_p95")
    gone += ("graded", "no_score", "looked_at")
    if isinstance(value, dict):
        return {key: _without_counts(one) for key, one in value.items() if key not in gone}
    return [_without_counts(one) for one in value] if isinstance(value, list) else value
