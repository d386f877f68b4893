"""The plan: what it takes, from assumptions and from the grades so far."""

import json
import re

import pytest

from concord.messages import Problem
from concord.reports import samples
from concord.reports.plan import PlannedDecision, cluster_sizes, plan
from concord.stats import planning
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

# Nine answers in ten pass: without a minimum a judge must beat always giving a 3.
AT_LEAST_HALF = PlannedDecision(minimum=0.5)


def test_before_anything_is_graded_assumptions_speak(store, forty_questions, half_of_sheets, panel):
    found = plan(store, panel())
    assert found["decision"]["by"] == found["needed"]["margin"]["by"] == "assumptions"
    low, likely, high = found["decision"]["needed"][:3]
    assert 40 < low <= likely <= high < 90


def test_a_pilot_of_few_questions_gives_way_to_assumptions(store, doc_qa, few_sheets):
    items = [made_item(n, m) for n in range(12) for m in ("atlas", "birch")]
    additions.add(store, "numbers", items, "n.csv", "0" * 64, {})
    for name, by in (("Ana", give), ("alpha", judge), ("beta", judge)):
        by(store, doc_qa, name, {n: n % 4 for n in range(24)})
    found = plan(store, panel(store, doc_qa))
    assert found["decision"]["by"] == "assumptions"


def test_power_is_simulated_from_the_pilot_of_two_judges(store, graded_forty, half_of_sheets):
    found = plan(store, graded_forty, AT_LEAST_HALF)["decision"]
    keys = ("by", "questions", "why_assumed")
    assert [found[key] for key in keys] == ["pilot", 40, None]
    assert {found["against"], found["candidate"]} == {"alpha", "beta"}
    low, likely, high = found["needed"][:3]
    assert 20 <= low <= likely <= high
    points = found["needed"].points
    before = [one.good for one in points if one.questions < likely]
    after = [one.good for one in points if one.questions > likely]
    assert max(before) <= 0.83 and min(after) >= 0.77
    narrow = plan(store, graded_forty, PlannedDecision(margin=0.05, minimum=0.5))["decision"]
    assert narrow["needed"].likely > 2 * likely


def test_a_small_pilot_of_two_annotators_gives_way_to_assumptions(
    store, graded_forty, few_sheets, give, panel
):
    give("Ben", {n: 0 if n % 10 == 0 else 2 + n % 2 for n in range(80)})
    read = panel()
    found = plan(store, read, AT_LEAST_HALF)["decision"]
    assert (found["by"], found["questions"]) == ("assumptions", 0)
    alone = plan(store, read, AT_LEAST_HALF._replace(annotators=1))["decision"]
    assert (alone["by"], alone["overlap"]) == ("pilot", 0)  # one annotator shows no ceiling


def test_a_second_annotator_makes_the_human_ceiling_a_condition(
    store, graded_forty, monkeypatch, half_of_sheets, give, panel
):
    monkeypatch.setattr(planning, "CEILING_PILOT_FLOOR", 40)
    give("Ben", {n: 0 if n % 10 == 0 else 2 + n % 2 for n in range(80)})
    read = panel()
    found = plan(store, read, AT_LEAST_HALF)["decision"]
    assert found["needed"].blocked == "ceiling" and found["needed"].likely is None
    one = plan(store, read, AT_LEAST_HALF._replace(annotators=1))["decision"]
    assert one["needed"].likely is not None and found["overlap"] == 40


def test_assumptions_that_exclude_each_other_are_refused(store, forty_questions, panel):
    read = panel()
    with pytest.raises(Problem, match="89%"):
        plan(store, read, PlannedDecision(share=0.95))
    with pytest.raises(Problem, match="--failing"):
        plan(store, read, PlannedDecision(failing=0))
    with pytest.raises(Problem, match="f1"):
        plan(store, read, PlannedDecision(figure="f1"))


def test_the_reference_judge_and_the_candidate_are_the_ones_named(store, graded_forty, few_sheets):
    for name, other in (("alpha", "beta"), ("beta", "alpha")):
        found = plan(store, graded_forty, against=name)["decision"]
        assert (found["against"], found["candidate"]) == (name, other)
        found = plan(store, graded_forty, candidate=name)["decision"]
        assert (found["against"], found["candidate"]) == (other, name)
    with pytest.raises(Problem, match="gamma"):
        plan(store, graded_forty, against="gamma")
    with pytest.raises(Problem, match="gamma"):
        plan(store, graded_forty, candidate="gamma")


def test_clusters_are_what_counts_as_independent(store, few_sheets, panel):
    made = [made_item(n, cluster=f"doc {n // 4}") for n in range(80)]
    additions.add(store, "docs", made, "docs.csv", "0" * 64, {})
    found = plan(store, panel())
    assert [found[key] for key in ("answers", "questions", "clusters")] == [80, 80, 20]
    sizes = found["needed"]["margin"]
    assert sizes["questions"][0] == 4 * sizes["clusters"][0]


def test_an_answer_is_suspected_where_one_of_the_judges_fails_it(forty_questions, judge, panel):
    judge("alpha", {0: 0, 1: 3, 2: 1})
    judge("beta", {0: 0, 9: 0})
    read = panel()
    ids = read.items["id"].tolist()
    suspected = samples.request(read, "correctness", 10, 1, 0.3).suspected
    assert suspected == {ids[0], ids[2], ids[9]}


def test_a_draw_says_which_grades_it_would_leave_out(
    store, forty_questions, rubric, give, judge, panel
):
    give("Ana", dict.fromkeys(range(20), 3))
    judge("alpha", {n: 0 if n < 8 else 3 for n in range(80)})
    read = panel()
    wanted = samples.request(read, "correctness", 20, 1, 1 / 3)
    proposal = samples.propose(store, read, rubric[0], wanted)
    assert proposal["questions"] == 20 and proposal["answers"] == 40
    warning = proposal["warning"]
    assert 0 < int(re.search(r"\d+", warning)[0]) < 20
    even = samples.propose(store, read, rubric[0], samples.request(read, "correctness", 20, 1))
    assert (even["held"], even["warning"]) == (10, "")


def test_the_plan_and_a_draw_on_the_command_line(run, answers, few_sheets):
    run("import", answers)
    found = json.loads(run("plan", "--json").stdout)
    assert found["drawn"] is None and found["needed"]["margin"]["by"] == "assumptions"
    drawn = json.loads(run("plan", "--draw", "2", "--name", "First", "--json").stdout)["drawn"]
    assert (drawn["set"], drawn["questions"], drawn["answers"]) == ("First", 2, 4)
    assert "Add --draw" in run("plan", "--enrich", "0.3", code=2).stderr
    run("plan", "--draw", "2", "--enrich", "0.3", code=2)


def test_an_enriched_draw_of_a_sheet_graded_whole_is_refused_before_simulating(
    sampled, monkeypatch
):
    monkeypatch.setattr("concord.reports.plan.plan", None)
    draw = ("plan", "--draw", "40", "--enrich", "0.33")
    sampled(*draw, "--yes", code=2)
    listed = json.loads(sampled("agreement", "--json").stdout)
    assert {row["n"] for row in listed["rows"] if row["criterion"] == "correctness"} == {192}


def test_assumptions_take_the_failing_share_and_the_sizes_that_are_there(
    store, forty_questions, few_sheets, give, panel
):
    """None of 80 graded answers fail, which was 25% before any were graded."""
    assert plan(store, panel())["decision"]["terms"].failing == 0.25
    give("Ana", dict.fromkeys(range(80), 3))
    none = plan(store, panel())["decision"]
    assert (none["by"], none["terms"].failing) == ("assumptions", 0.0)
    give("Ben", {n: 0 if n < 20 else 3 for n in range(80)})
    some = plan(store, panel())["decision"]
    assert some["terms"].failing == pytest.approx(
        10 / 80
    )  # an answer that one of two fails is half
    stated = PlannedDecision(failing=0.4)
    terms = plan(store, panel(), stated)["decision"]["terms"]
    assert terms == stated._replace(margin=0.1)
    assert cluster_sizes(panel()).tolist() == [2] * 40
