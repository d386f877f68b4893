"""What is assigned may never bring enough shared answers to test an annotator's agreement."""

from concord.grading import campaign_plan, campaigns, gold_items, grading_sets
from concord.reports.panel.panel_reading import read
from concord.reports.reliability import testable_agreement
from concord.reports.reliability.testable_agreement import Enough
from concord.store import graders
from tests.support.known import known, prepared
from tests.support.panels import give


def test_two_annotators_per_answer_of_a_small_set_can_never_be_compared(store, sheet, rubric):
    people = [graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cy", "Di")]

    def found():
        return testable_agreement.of_panel(store, read(store, sheet, rubric[1]))

    first = grading_sets.create(store, sheet.id, rubric[0], "First", None, 1, 6, 0.0)
    campaigns.begin(store, first, people, 2)
    give(store, rubric[1], "Imported", {0: 2})
    assert found() == dict.fromkeys(people, Enough(False, False))
    second = grading_sets.create(store, sheet.id, rubric[0], "Second", None, 1, 6, 0.0)
    campaigns.begin(store, second, people, 4)
    assert found() == dict.fromkeys(people, Enough(True, False))
    campaigns.leave(store, second, people[0], "Lea")
    campaigns.leave(store, first, people[0], "Lea")
    assert [*found()] == people[1:]  # nothing is left to grade


def test_gold_items_help_where_too_few_answers_are_shared(store, sheet, rubric, ana, monkeypatch):
    monkeypatch.setattr(testable_agreement, "GOLD_FLOOR", 2)
    made = prepared(store, sheet, rubric, "Team")
    plan = campaign_plan.assigned_annotators(campaign_plan.seats(range(2), 2, 1.0, 1), range(3), 1)
    lacks = testable_agreement.plan_lacks(store, made, (12, 12), plan)
    assert lacks.startswith("What is assigned is too little") and "gold items" in lacks
    assert testable_agreement.plan_lacks(store, made, (90, 90, 90), three(3)) is None
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-atlas", "001-birch"]), "Lea")
    assert testable_agreement.plan_lacks(store, made, (12, 12), plan) is None
    campaigns.begin(store, made, [ana], 1)
    panel = read(store, sheet, rubric[1])
    assert testable_agreement.of_panel(store, panel) == {ana: Enough(False, True)}
    [words] = testable_agreement.lacks(Enough(False, True))
    assert "gold items" not in words


def three(blocks: int) -> dict[campaign_plan.Seat, int]:
    """Every block to three annotators."""
    seats = campaign_plan.seats(range(blocks), 3, 1.0, 1)
    return campaign_plan.assigned_annotators(seats, range(3), 1)
