import pytest

from concord.grading import assignments, campaigns, grading_sets, workspace
from concord.reports.agreement.agreement import Headline
from concord.reports.workflow.workflow import loop
from concord.sampling import split_assignment, splits
from concord.store import decisions, graders, grades, items, runs
from concord.store.grades import Press
from tests.support.agreement_rows import figure

BEST = Headline("strict", "correctness", figure(0.83, 0.77, 0.88), 240, False, 2, 0.5, "clear")


def step(state, title):
    return next(step for step in state.steps if step.title == title)


def test_a_new_sheet_waits_for_its_first_grade(store, sheet):
    state = loop(store, sheet)
    assert [s.state for s in state.steps] == ["done", "next", "open", "open", "open"]
    assert step(state, "Sheet").notes == ["12 questions", "3 answering models"]
    assert state.next.screen == "annotate"


def test_grading_is_not_done_while_a_campaign_has_answers_left(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    grade("judge", "strict", 1)
    assert step(loop(store, sheet), "Graded").state == "done"
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 1, 1, 6, 0.0)
    ben = graders.ensure(store, "person", "Ben")
    campaigns.begin(store, made, [ben], 1, 0.0)
    graded = step(loop(store, sheet), "Graded")
    assert graded.state == "open"
    versions = list(rubric[1].versions().values())
    for place in assignments.queue(store, made, ben, versions, 10):
        keys = [workspace.Key(f"{place.id}{v}", place.id, v, "scored", 2) for v in versions]
        workspace.save(store, made, ben, rubric[1], keys)
    graded = step(loop(store, sheet), "Graded")
    assert graded.state == "done" and "assigned" not in graded.notes[-1]


def test_grades_that_no_figure_includes_wait_for_blind_ones(store, sheet, grade):
    grade("judge", "strict", 1)
    grade("person", "Ana", 1)
    with store.write():
        store.execute("update grades set blind = 0")
    state = loop(store, sheet)
    graded = step(state, "Graded")
    assert (graded.figure, graded.state) == ("None yet", "next")
    assert step(state, "Agreement").figure == "None yet"


def test_grades_taken_back_and_merged_annotators_do_not_count_twice(store, sheet, rubric, grade):
    ana, ben = grade("person", "Ana", 1), grade("person", "Ben", 2)
    version = rubric[1].versions()["correctness"]
    grades.record(store, [Press(2, version, ben, status="withdrawn")])
    assert step(loop(store, sheet), "Graded").figure == "1 of 36"
    grade("person", "Ben", 3)
    graders.merge(store, ben, ana)
    assert step(loop(store, sheet), "Graded").figure == "2 of 36"


def test_grades_of_held_out_and_few_shot_questions_are_counted_apart(store, sheet, grade):
    first, second = (items.items(store, [n])[0].question_id for n in (1, 4))
    grade("person", "Ana", 1)
    split_assignment.assign(store, [first], splits.HELD_OUT, "for the certificate")
    state = loop(store, sheet)
    assert step(state, "Graded").figure == "None yet"
    grade("person", "Ana", 4)
    grade("person", "Ana", 7)
    split_assignment.assign(store, [second], splits.FEW_SHOT, "to show")
    state = loop(store, sheet)
    assert step(state, "Graded").figure == "1 of 30"


def test_a_run_that_stopped_comes_before_reading(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    judge = grade("judge", "strict", 1)
    run = runs.start(
        store, {}, [], {}, None, grader_id=judge, sheet_id=sheet.id, rubric_id=rubric[0]
    )
    assert "1 running" in step(loop(store, sheet), "Judged").notes
    runs.finish(store, run, "stopped", "The key was refused.", {})
    state = loop(store, sheet)
    assert state.next.screen == "judges" and state.next.why in state.news
    assert "1 unfinished" in step(state, "Judged").notes


@pytest.mark.parametrize("state", ["open", "fails"])
def test_a_judge_not_shown_to_beat_the_baseline_leads_to_review(store, sheet, grade, state):
    grade("person", "Ana", 1)
    grade("judge", "strict", 1)
    grade("judge", "cheap", 1)
    found = loop(store, sheet, BEST._replace(above_baseline=state))
    assert found.next.screen == "review" and step(found, "Agreement").state == "next"
    assert "majority-class baseline 50%" in step(found, "Agreement").notes
    assert step(loop(store, sheet, BEST), "Agreement").state == "done"


def test_an_open_alert_comes_first_and_nothing_is_concluded(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    for name in ("strict", "cheap"):
        grade("judge", name, 1)
    found = loop(store, sheet, BEST, ["Ana"])
    assert found.next.screen == "progress" and "Ana" in found.headline
    assert [one.state for one in found.steps] == ["done", "next", "done", "open", "open"]


def test_answers_that_annotators_could_not_grade_are_not_graded(store, sheet, grade):
    grade("person", "Ana", 1)
    grade("person", "Ana", 2, None)
    state = loop(store, sheet)
    assert step(state, "Graded").figure == "1 of 36"
    assert "not counted: 1 without a score" in step(state, "Graded").notes


TERMS = {"criterion": "correctness", "margin": 0.1, "against": "strict", "looks": 1, "level": 0.018}
TERMS |= {"answers": 40, "questions": 10, "clusters": 10, "decision": {"id": 1, "number": 1}}
TERMS |= {"minimum": 0.5, "planned_questions": 20}
CHEAP = {"judge": "cheap", "simulated": False, "cost_per_1000": 0.9, "conditions": {}, "why": []}
CHEAP |= {"is_reference": False, "stated_on": None, "confirmed": True, "p": 0.01}


@pytest.mark.parametrize(
    ("verdict", "more", "figure", "page"),
    [
        ("good_enough", None, "Good enough", "certificate"),
        ("not", None, "Not good enough", "judges"),
        ("cannot_tell", [40, 200], "Inconclusive", "annotate"),
        ("cannot_tell", None, "Inconclusive", "decide"),
    ],
)
def test_a_look_at_a_decision_says_what_follows(
    store, sheet, rubric, grade, verdict, more, figure, page
):
    grade("person", "Ana", 1)
    for name in ("strict", "cheap"):
        grade("judge", name, 1)
    decision = fixed(store, sheet, rubric)
    assert step(loop(store, sheet), "Decision").figure == "Terms fixed"
    row = CHEAP | {"verdict": verdict}
    found = {"verdict": verdict, "more_labels": more, "about": "cheap", "judges": [row]}
    found |= {"more_questions": more and [10, 50]}
    found |= TERMS
    decisions.look(store, decision, "a", found | {"simulated": False, "winner": "cheap"})
    state = loop(store, sheet)
    card = step(state, "Decision")
    assert card.figure == figure and card.notes[0].startswith("cheap")
    assert state.next.screen == page
    grade("metric", "computed", 1)
    assert loop(store, sheet).next == state.next


def test_a_judge_that_is_not_good_enough_on_another_criterion_is_no_settled_choice(
    store, sheet, rubric, grade
):
    grade("person", "Ana", 1)
    for name in ("strict", "cheap"):
        grade("judge", name, 1)
    found = TERMS | {"about": "cheap", "winner": "cheap", "simulated": False, "more_labels": None}
    for criterion, verdict in (("readability", "not"), ("correctness", "good_enough")):
        row = CHEAP | {"verdict": verdict}
        decision = fixed(store, sheet, rubric, criterion)
        decisions.look(store, decision, "a", found | {"verdict": verdict, "judges": [row]})
    card = step(loop(store, sheet), "Decision")
    assert card.state != "done"
    assert loop(store, sheet).next.screen == "judges"


def fixed(store, sheet, rubric, criterion="correctness"):
    decision = decisions.Decision(
        id=0,
        sheet_id=sheet.id,
        rubric_id=rubric[0],
        criterion=criterion,
        figure="exact",
        margin=0.1,
        minimum=0.7,
        failure_recall=0.5,
        against="strict",
        fixed_after_sight=True,
        created_at="",
        planned_questions=36,
    )
    return decisions.fix(store, decision)


def test_claims_that_a_metric_judged_wait_for_peoples_labels(store, sheet, label_claims, grade):
    label_claims("metric", "rag", 0)
    state = loop(store, sheet)
    assert step(state, "Judged")[1:3] == ("1 judge", ["verdicts on claims"])
    assert state.next.screen == "annotate" and step(state, "Graded").state == "next"
    grade("person", "Ana", 1)
    assert "verdicts" in loop(store, sheet).next.why
    grade("judge", "strict", 1)
    state = loop(store, sheet)
    assert state.next.screen == "agreement"
