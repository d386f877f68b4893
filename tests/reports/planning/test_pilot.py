"""A pilot says minutes, spread, agreement, and a range of questions with its hours."""

import pandas as pd
import pytest

from concord.grading import grading_sets
from concord.grading.campaigns import Campaign
from concord.reports.panel import panel_reading
from concord.reports.planning import pilot
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions


def test_minutes_are_the_median_and_the_middle_half():
    said = pilot.middle(pd.Series([60.0, 120.0, 180.0, 240.0, 600.0]))
    assert said == pilot.Middle(5, 2.0, 3.0, 4.0, None)
    assert pilot.middle(pd.Series([], dtype=float)).why_none == pilot.NO_TIMES


def test_hours_are_answers_with_repeats_times_annotators_times_pace():
    minutes = pilot.Middle(9, 1.0, 2.0, 3.0, None)
    # 600 answers and a tenth again, by 2 annotators at 1 minute: 22 hours
    assert pilot.hours([600, 600, None], minutes, 0.1, 2) == (22.0, 44.0, None)
    assert pilot.hours([1, 1, 1], pilot.Middle(0, None, None, None, ""), 0.1, 2) == (None,) * 3


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
    panel = panel_reading.read(store, twenty_four_questions, rubric)
    found = pilot.pilot(store, panel, made, 0.1)
    middle = pilot.Middle(80, 1.5, 1.5, 1.5, None)
    assert found.minutes == pilot.Minutes(middle, annotators=2, left_out=0)
    assert found.spread[0].n == 80 and found.spread[0].scores["5"] == 66
    assert found.agreement[0].n == 40
    assert found.agreement[0].exact.value == pytest.approx(26 / 40)
    low, likely, high = found.needed.sizes.answers
    assert found.needed.by == "formula" and 20 <= low <= likely <= high
    assert found.hours == tuple(round(n * 2 * 1.5 / 60, 1) for n in (low, likely, high))
    assert pilot.document(found).headline.startswith("1.5 minutes per answer")


def test_without_any_grade_the_formula_plans_and_no_hours_are_said(store, twenty_four_questions):
    rubric_id, rubric = rubric_versions.named(store, "holistic-1-10")
    made = grading_sets.create(store, twenty_four_questions.id, rubric_id, "Pilot", 20, 1, 6, 0.0)
    found = pilot.pilot(store, panel_reading.read(store, twenty_four_questions, rubric), made)
    assert found.needed.by == "formula" and found.hours == (None, None, None)
    shown = pilot.document(found)
    assert shown.headline == f"No minutes per answer: {pilot.NO_TIMES}."
    assert "Sample size by formula: no answer was graded blind by two annotators." in shown.notes
