import pytest

from concord import Problem, import_answers, judge
from concord.store.rubrics import rubric_versions

MAPPING = {"question": "question", "answer": "response", "answer_model": "system"}


@pytest.mark.usefixtures("few_answers")
def test_a_run_that_costs_money_needs_a_budget_or_yes(store, priced_judge):
    with pytest.raises(Problem):
        judge(store, priced_judge)
    assert store.value("select count(*) from grades") == 0
    outcome = judge(store, priced_judge, budget=5)
    assert (outcome.status, outcome.failed) == ("done", False)
    criteria = len(rubric_versions.named(store, "doc-qa-0-3")[1].criteria)
    assert store.value("select count(*) from grades") == 4 * criteria
    again = judge(store, priced_judge)  # nothing is left to pay for
    assert again.status == "done" and again.estimate.calls == 0


@pytest.mark.usefixtures("few_answers")
def test_a_run_stops_at_its_limit_of_answers_and_resumes(store, priced_judge):
    judge(store, priced_judge, yes=True, limit=1)
    first = store.value("select count(distinct item_id) from grades")
    judge(store, priced_judge, yes=True)
    assert (first, store.value("select count(distinct item_id) from grades")) == (1, 4)


def test_an_unknown_judge_is_a_problem(store):
    with pytest.raises(Problem, match="nobody"):
        judge(store, "nobody")


def test_the_baseline_is_free(store, graded_answers):
    mapping = MAPPING | {"score:annotator:Lea:correctness": "lea"}
    import_answers(store, graded_answers, "pilot", mapping=mapping, rubric="doc-qa-0-3")
    assert judge(store, "baseline").stored == 60


@pytest.mark.usefixtures("few_answers")
def test_a_metric_judge_computes_its_metrics(store):
    outcome = judge(store, "computed")
    assert outcome.status == "done"
    assert store.value("select count(*) from graders where kind = 'metric'") > 0


def test_every_kind_of_run_has_counts(store, graded_answers, priced_judge):
    mapping = MAPPING | {"score:annotator:Lea:correctness": "lea"}
    import_answers(store, graded_answers, "pilot", mapping=mapping, rubric="doc-qa-0-3")
    assert judge(store, "baseline").counts.statuses == {"scored": 60}
    assert judge(store, priced_judge, yes=True, limit=1).counts.statuses["scored"] > 0


@pytest.mark.usefixtures("few_answers")
@pytest.mark.parametrize(
    ("argument", "value"),
    [("budget", -1.0), ("budget", float("nan")), ("limit", 0), ("repeats", 0), ("concurrency", 0)],
)
def test_a_number_out_of_its_range_is_a_problem_and_runs_nothing(
    store, priced_judge, argument, value
):
    with pytest.raises(Problem, match=rf"{argument} is {value}. Give [01] or more\."):
        judge(store, priced_judge, **{"yes": True, argument: value})
    assert store.value("select count(*) from replies") == 0
