"""The plan: what it takes, by formula and from the grades so far, and its floors."""

import json
from dataclasses import astuple

import pandas as pd
import pytest

from concord.grading import grading_sets
from concord.grading.campaigns import Campaign
from concord.messages import Problem
from concord.reports.panel import panel as panel_reading
from concord.reports.panel.criterion_comparison import EACH, ground
from concord.reports.panel.decision_conditions import floors
from concord.reports.planning import next_sample, pilot
from concord.reports.planning.interval_width import cluster_sizes
from concord.reports.planning.next_sample import suspicion
from concord.reports.planning.plan import plan
from concord.reports.planning.power import PlannedDecision
from concord.stats.core.estimate import reason, under
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.planning import question_pool
from concord.store import additions, graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

# Nine answers in ten pass: without a minimum a judge must beat always giving a 3.
AT_LEAST_HALF = PlannedDecision(minimum=0.5)


def test_before_anything_is_graded_formulas_and_assumptions_speak(
    store, forty_questions, doc_qa, half_of_sheets
):
    found = plan(store, panel(store, doc_qa))
    assert found.needed["half_width"].by == "formula"
    # 246 answers (n = 1.96^2 * .8 * .2 / .05^2) to 123 questions of two answers; alike by .6: 1.6
    assert found.formula.questions == (123, 160, 197)
    assert found.decision.by == found.needed["margin"].by == "assumptions"
    low, likely, high = found.decision.needed[:3]
    assert 40 < low <= likely <= high < 90


def test_a_pilot_of_few_questions_gives_way_to_assumptions(store, doc_qa, few_sheets):
    items = [made_item(n, m) for n in range(12) for m in ("atlas", "birch")]
    additions.add(store, "numbers", items, "n.csv", "0" * 64, {})
    for name, by in (("Ana", give), ("alpha", judge), ("beta", judge)):
        by(store, doc_qa, name, {n: n % 4 for n in range(24)})
    found = plan(store, panel(store, doc_qa))
    assert found.decision.by == "assumptions"


def test_what_was_graded_narrows_the_range_and_more_precision_takes_more(
    store, graded_forty, few_sheets
):
    found = plan(store, graded_forty)
    tight = plan(store, graded_forty, 0.025)
    low, likely, high = found.needed["half_width"].sizes.questions
    assert found.needed["half_width"].by == "pilot"
    assert low <= likely <= high
    assert tight.needed["half_width"].sizes.questions[1] > 3 * likely
    assert found.pilot.answers == 80 and found.pilot.questions == 40


def test_a_pilot_too_small_to_forecast_leaves_the_word_to_the_formulas(
    store, forty_questions, doc_qa, few_sheets
):
    for name, kind in (("Ana", give), ("alpha", judge)):
        kind(store, doc_qa, name, dict.fromkeys(range(12), 3))
    found = plan(store, panel(store, doc_qa))
    assert found.needed["half_width"].by == "formula"
    why = found.pilot.half_width[0]["why_none"]
    assert why == under(40, reason("no_forecast_from_pilot"))


def test_power_is_simulated_from_the_pilot_of_two_judges(store, graded_forty, half_of_sheets):
    found = plan(store, graded_forty, decided=AT_LEAST_HALF).decision
    assert (found.by, found.questions, found.answers, found.why_assumed) == ("pilot", 40, 80, None)
    assert {found.against, found.candidate} == {"alpha", "beta"}
    low, likely, high = found.needed[:3]
    assert 20 <= low <= likely <= high
    planned = next(one for one in found.curves if one.planned)
    assert [one.compared for one in found.curves] == [1, 4, 9]
    assert planned.questions == likely
    before = [one.good for one in planned.points if one.questions < likely]
    after = [one.good for one in planned.points if one.questions > likely]
    assert max(before) <= 0.83 and min(after) >= 0.77
    narrow = plan(store, graded_forty, decided=PlannedDecision(margin=0.05, minimum=0.5)).decision
    assert narrow.needed.likely > 2 * likely


def test_curves_compare_judges_figures_margins_and_annotators(store, graded_forty, half_of_sheets):
    figures = plan(store, graded_forty, compare="figure").decision
    assert [one.compared for one in figures.curves] == [*FIGURES]
    margins = plan(store, graded_forty, decided=AT_LEAST_HALF, compare="margin").decision
    assert [one.compared for one in margins.curves] == [0.05, 0.1, 0.15, 0.2]
    powers = [round(one.points[3].good, 9) for one in margins.curves]
    assert powers == sorted(powers) and powers[0] < powers[-1]
    annotators = plan(store, graded_forty, compare="annotators").decision
    assert [one.compared for one in annotators.curves] == [0, 1, 2]
    *_, two = annotators.curves
    assert two.points == ()


def test_a_small_pilot_of_two_annotators_gives_way_to_assumptions(
    store, graded_forty, doc_qa, few_sheets
):
    give(store, doc_qa, "Ben", {n: 0 if n % 10 == 0 else 2 + n % 2 for n in range(80)})
    read = panel(store, doc_qa)
    found = plan(store, read, decided=AT_LEAST_HALF)
    assert (found.decision.by, found.decision.questions) == ("assumptions", 0)
    alone = plan(store, read, decided=AT_LEAST_HALF._replace(annotators=1)).decision
    assert (alone.by, alone.overlap) == ("pilot", 0)  # one annotator shows no ceiling


def test_a_second_annotator_makes_the_human_ceiling_a_condition(
    store, graded_forty, doc_qa, monkeypatch, half_of_sheets
):
    monkeypatch.setattr(question_pool, "CEILING_PILOT_FLOOR", 40)
    give(store, doc_qa, "Ben", {n: 0 if n % 10 == 0 else 2 + n % 2 for n in range(80)})
    read = panel(store, doc_qa)
    found = plan(store, read, decided=AT_LEAST_HALF, compare="annotators").decision
    assert found.needed.blocked == "ceiling" and found.needed.likely is None
    one = next(curve for curve in found.curves if curve.compared == 1)
    assert one.questions is not None and found.overlap == 40


def test_assumptions_that_exclude_each_other_are_refused(store, forty_questions, doc_qa):
    read = panel(store, doc_qa)
    with pytest.raises(Problem, match="89%"):
        plan(store, read, decided=PlannedDecision(share=0.95))
    with pytest.raises(Problem, match="--failing"):
        plan(store, read, decided=PlannedDecision(failing=0))
    with pytest.raises(Problem, match="f1"):
        plan(store, read, decided=PlannedDecision(figure="f1"))


def test_the_reference_judge_and_the_candidate_are_the_ones_named(store, graded_forty, few_sheets):
    for name, other in (("alpha", "beta"), ("beta", "alpha")):
        found = plan(store, graded_forty, against=name, curves=False).decision
        assert (found.against, found.candidate) == (name, other)
        found = plan(store, graded_forty, candidate=name, curves=False).decision
        assert (found.against, found.candidate) == (other, name)
    with pytest.raises(Problem, match="gamma"):
        plan(store, graded_forty, against="gamma")
    with pytest.raises(Problem, match="gamma"):
        plan(store, graded_forty, candidate="gamma")


def test_clusters_are_what_counts_as_independent(store, doc_qa, few_sheets):
    made = [made_item(n, cluster=f"doc {n // 4}") for n in range(80)]
    additions.add(store, "docs", made, "docs.csv", "0" * 64, {})
    found = plan(store, panel(store, doc_qa))
    assert found.extent == (80, 80, 20)
    sizes = found.needed["half_width"].sizes
    assert sizes.questions[0] == pytest.approx(4 * sizes.clusters[0], abs=4)


def test_each_floor_says_what_there_is_and_about_what_it_takes(store, graded_forty, doc_qa):
    found = {(f.what, f.of): f for f in floors(ground(graded_forty, "correctness", EACH))}
    assert astuple(found["any interval", "questions"])[1:] == (10, "questions", 40, 20, True)
    failed = found["the Rogan-Gladen correction", "answers annotators failed"]
    assert (failed.has, failed.holds, failed.answers) == (8, False, 300)
    test = found["the alternative annotator test", "annotators with 30 shared answers each"]
    assert (test.has, test.holds) == (0, False)
    ordinal = found["a verdict on quadratic kappa or tau-b", "answers"]
    assert astuple(ordinal)[1:] == (60, "answers", 80, 60, True)
    power_pilot = found["power planned from a pilot, once two judges graded it", "questions"]
    assert (power_pilot.needs, power_pilot.has, power_pilot.answers, power_pilot.holds) == (
        40,
        40,
        80,
        True,
    )
    shared = (
        "power planned from a pilot with several annotators per answer",
        "questions graded by two annotators",
    )
    assert (found[shared].needs, found[shared].has, found[shared].holds) == (200, 0, False)
    nothing = floors(ground(panel(store, doc_qa), "readability", EACH))
    assert {(one.has, one.holds) for one in nothing} == {(0, False)}


def test_an_answer_is_suspected_where_one_of_the_judges_fails_it(store, forty_questions, doc_qa):
    judge(store, doc_qa, "alpha", {0: 0, 1: 3, 2: 1})
    judge(store, doc_qa, "beta", {0: 0, 9: 0})
    read = panel(store, doc_qa)
    assert suspicion(read, "correctness")[1:] == (3, 40)
    ids = read.items["id"].tolist()
    assert suspicion(read, "correctness", ["beta"]).items == {ids[0], ids[9]}
    with pytest.raises(Problem, match="No judge “gamma”"):
        next_sample.wanted(read, "correctness", 10, 1, 0.3, ["gamma"])


def test_a_draw_says_which_grades_it_would_leave_out(store, forty_questions, rubric):
    give(store, rubric[1], "Ana", dict.fromkeys(range(20), 3))
    judge(store, rubric[1], "alpha", {n: 0 if n < 8 else 3 for n in range(80)})
    read = panel(store, rubric[1])
    wanted = next_sample.wanted(read, "correctness", 20, 1, 1 / 3)
    proposal = next_sample.propose(store, read, rubric[0], wanted)
    assert proposal.questions == 20 and proposal.answers == 40
    assert proposal.graded + proposal.unknown == 20
    even = next_sample.propose(
        store, read, rubric[0], next_sample.wanted(read, "correctness", 20, 1)
    )
    assert (even.graded, even.unknown, even.held, even.warnings()) == (0, 0, 10, [])


def test_the_plan_and_a_draw_on_the_command_line(run, answers, few_sheets):
    run("import", answers)
    found = json.loads(run("plan", "--json").stdout)
    assert found["drawn"] is None and found["needed"]["margin"]["by"] == "assumptions"
    drawn = json.loads(run("plan", "--draw", "2", "--name", "First", "--json").stdout)["drawn"]
    assert (drawn["set"], drawn["questions"], drawn["answers"]) == ("First", 2, 4)
    assert "Add --draw" in run("plan", "--enrich", "0.3", code=2).stderr
    run("plan", "--half-width", "0", code=2)
    run("plan", "--draw", "2", "--enrich", "0.3", code=2)


def test_an_enriched_draw_of_a_sheet_graded_whole_is_refused_before_simulating(
    sampled, monkeypatch
):
    monkeypatch.setattr("concord.reports.planning.plan.simulated_power", None)
    draw = ("plan", "--draw", "40", "--enrich", "0.33", "--suspect", "simulated-lenient-judge")
    sampled(*draw, "--yes", code=2)
    listed = json.loads(sampled("agreement", "--json").stdout)
    assert {row["n"] for row in listed["rows"] if row["criterion"] == "correctness"} == {192}


def test_assumptions_take_the_failing_share_and_the_sizes_that_are_there(
    store, forty_questions, doc_qa, few_sheets
):
    """None of 80 graded answers fail, which was 25% before any were graded."""
    assert plan(store, panel(store, doc_qa), curves=False).decision.terms.failing == 0.25
    give(store, doc_qa, "Ana", dict.fromkeys(range(80), 3))
    none = plan(store, panel(store, doc_qa), curves=False).decision
    assert (none.by, none.terms.failing) == ("assumptions", 0.0)
    give(store, doc_qa, "Ben", {n: 0 if n < 20 else 3 for n in range(80)})
    some = plan(store, panel(store, doc_qa), curves=False).decision
    assert some.terms.failing == pytest.approx(10 / 80)  # an answer that one of two fails is half
    stated = PlannedDecision(failing=0.4)
    assert plan(store, panel(store, doc_qa), decided=stated, curves=False).decision.terms == (
        stated._replace(margin=0.1)
    )
    assert cluster_sizes(panel(store, doc_qa)).tolist() == [2] * 40


def test_minutes_are_the_median_and_the_middle_half():
    said = pilot.middle(pd.Series([60.0, 120.0, 180.0, 240.0, 600.0]))
    assert said == {"n": 5, "low": 2.0, "median": 3.0, "high": 4.0, "why_none": None}
    assert pilot.middle(pd.Series([], dtype=float))["why_none"] == pilot.NO_TIMES


def test_hours_are_answers_with_repeats_times_annotators_times_pace():
    minutes = {"low": 1.0, "median": 2.0, "high": 3.0}
    # 600 answers and a tenth again, by 2 annotators at 1 minute: 22 hours
    assert pilot.hours([600, 600, None], minutes, 0.1, 2) == (22.0, 44.0, None)
    assert pilot.hours([1, 1, 1], dict.fromkeys(minutes), 0.1, 2) == (None,) * 3


def test_annotators_per_answer_follow_the_campaign_or_are_everyone():
    campaign = Campaign(1, 3, 0.5, None, "Lea", "")
    assert pilot.annotators_per_answer(campaign, 9) == 2.0
    assert pilot.annotators_per_answer(None, 2) == 2.0
    assert pilot.annotators_per_answer(None, 0) == 1.0


def test_a_set_of_twenty_questions_leaves_the_size_to_the_formula(store, twenty_four_questions):
    rubric_id, rubric = rubric_versions.named(store, "holistic-1-10")
    made = grading_sets.create(store, twenty_four_questions.id, rubric_id, "Pilot", 20, 1, 6, 0.0)
    [version] = rubric.versions().values()
    items = sorted(grading_sets.items(store, made.id))
    outside = {row["id"] for row in store.rows("select id from items")} - set(items)
    for person, name in enumerate(("Ann", "Bo")):
        grader = graders.ensure(store, "person", name)
        for place, item in enumerate([*items, *outside]):
            score = 5 + (person and place % 3 == 0)
            press = Press(
                item, version, grader, score=score, seconds=90.0, press_id=f"{person}{item}"
            )
            grades.record(store, [press])
    read_panel = panel_reading.read(store, twenty_four_questions, rubric)
    found = pilot.pilot(store, read_panel, made, 0.1)
    minutes, needed = found["minutes"], found["needed"]
    assert [minutes[key] for key in ("n", "low", "median", "high")] == [80, 1.5, 1.5, 1.5]
    assert (minutes["annotators"], minutes["left_out"]) == (2, 0)
    assert found["spread"][0]["n"] == 80 and found["spread"][0]["scores"]["5"] == 66
    assert found["agreement"][0]["n"] == 40
    assert found["agreement"][0]["exact"].value == pytest.approx(26 / 40)
    low, likely, high = needed["answers"]
    assert needed["by"] == "formula" and 20 <= low <= likely <= high
    assert found["hours"] == tuple(round(n * 2 * 1.5 / 60, 1) for n in (low, likely, high))
