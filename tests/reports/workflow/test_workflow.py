import pytest

from concord.grading import adjudications, assignments, campaigns, grading_sets, workspace
from concord.grading.adjudications import ANNOTATORS, Adjudication
from concord.reports.agreement.headline import Headline
from concord.reports.panel.sheet_grading import labels_of_sheet
from concord.reports.workflow import campaign, judges
from concord.reports.workflow.workflow import loop
from concord.samples.load import load_sample
from concord.sampling import split_assignment, splits
from concord.store import decisions, graders, grades, items, runs, sheets
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.runs import Receipt
from tests.support import evidence_room
from tests.support.agreement_rows import figure

BEST = Headline("strict", "correctness", figure(0.83, 0.77, 0.88), 240, False)


def step(state, title):
    return next(step for step in state.steps if step.title == title)


def test_a_new_sheet_waits_for_its_first_grade(store, sheet):
    state = loop(store, sheet)
    assert state.headline == "36 answers, none graded by annotators yet"
    assert [s.state for s in state.steps] == ["done", "next", "open", "open", "open"]
    assert step(state, "Sheets").notes == ["12 questions", "3 answering models"]
    assert state.next.screen == "annotate"


def test_grades_of_annotators_ask_for_a_judge(store, sheet, grade):
    grade("person", "Ana", 1)
    grade("person", "Ana", 2)
    grade("person", "Ben", 2)
    state = loop(store, sheet)
    assert step(state, "Graded").figure == "2 of 36"
    assert step(state, "Graded").notes == ["by 2 annotators", "1 by two or more annotators"]
    assert step(state, "Judged").state == "next"
    assert state.next.screen == "judges"


def test_grading_is_not_done_while_a_campaign_has_answers_left(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    grade("judge", "strict", 1)
    assert step(loop(store, sheet), "Graded").state == "done"
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 1, 1, 6, 0.0)
    ben = graders.ensure(store, "person", "Ben")
    campaigns.begin(store, made, [ben], 1, 0.0)
    graded = step(loop(store, sheet), "Graded")
    assert graded.state == "open"
    assert graded.notes[-1] == "0 of 3 assigned answers are graded."
    versions = list(rubric[1].versions().values())
    for place in assignments.queue(store, made, ben, versions, 10):
        keys = [workspace.Key(f"{place.id}{v}", place.id, v, "scored", 2) for v in versions]
        workspace.save(store, made, ben, rubric[1], keys)
    graded = step(loop(store, sheet), "Graded")
    assert graded.state == "done" and "assigned" not in graded.notes[-1]


def test_sets_that_are_no_campaign_count_among_the_assigned_answers(store, sheet, rubric):
    ben = graders.ensure(store, "person", "Ben")
    versions = list(rubric[1].versions().values())
    made = grading_sets.create(store, sheet.id, rubric[0], "Pilot", 2, 1, 6, 0.0)
    place, *_ = assignments.queue(store, made, ben, versions, 10)
    keys = [workspace.Key(f"{place.id}{v}", place.id, v, "scored", 2) for v in versions]
    workspace.save(store, made, ben, rubric[1], keys)
    assert step(loop(store, sheet), "Graded").notes[-1] == "1 of 6 assigned answers are graded."


def test_who_left_a_campaign_counts_as_in_its_own_report(store, sheet, rubric):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ben, cleo = (graders.ensure(store, "person", name) for name in ("Ben", "Cleo"))
    campaigns.begin(store, made, [ben, cleo], 1, 0.0)
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ben, versions, 10)[0]
    keys = [workspace.Key(v, place.id, v, "scored", 2) for v in versions]
    workspace.save(store, made, ben, rubric[1], keys)
    campaigns.leave(store, made, ben, "Lea", "")
    for seat, person in campaigns.taken(store, made.id).items():
        if person == ben:
            campaigns.move(store, made, seat.block, ben, cleo, "Lea", "")
    told = campaign.progress(store, made).annotators
    assert [one.done for one in told] == [1, 0]
    assert assignments.of_sheet(store, sheet.id) == (1, sum(one.of for one in told))


def test_grades_that_no_figure_includes_wait_for_blind_ones(store, sheet, grade):
    grade("judge", "strict", 1)
    grade("person", "Ana", 1)
    with store.write():
        store.execute("update grades set blind = 0")
    state = loop(store, sheet)
    assert state.headline == "36 answers, none graded blind yet"
    graded = step(state, "Graded")
    assert (graded.figure, graded.state) == ("None yet", "next")
    assert graded.notes == ["not counted: 1 graded, but not blind"]
    assert step(state, "Agreement").figure == "Not yet"
    assert "given where other scores are shown" in state.next.why


def test_grades_taken_back_and_merged_annotators_do_not_count_twice(store, sheet, rubric, grade):
    ana, ben = grade("person", "Ana", 1), grade("person", "Ben", 2)
    version = rubric[1].versions()["correctness"]
    grades.record(store, [Press(2, version, ben, status="withdrawn")])
    assert step(loop(store, sheet), "Graded").figure == "1 of 36"
    grade("person", "Ben", 3)
    graders.merge(store, ben, ana)
    assert step(loop(store, sheet), "Graded").notes == [
        "by 1 annotator",
        "none by two annotators yet",
    ]


def _headline(store, sheet):
    found = judges.entries(store, sheet, {}).items
    return judges.document(sheet, found, labels_of_sheet(store, sheet)).headline


def test_judges_are_counted_alike_wherever_they_are_counted(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    grade("judge", "baseline", 1)
    state = loop(store, sheet)
    assert step(state, "Judged").figure == "The baseline"
    assert state.headline.endswith("; the baseline to compare")
    assert _headline(store, sheet).startswith("Only the baseline")
    grade("judge", "strict", 1)
    grade("judge", "lenient", 2)
    state = loop(store, sheet)
    assert step(state, "Judged").figure == "2 judges"
    assert "plus the baseline" in step(state, "Judged").notes
    assert state.headline.endswith("; 2 judges to compare")
    assert state.next.why.startswith("2 judges have graded")
    assert _headline(store, sheet).startswith("2 judges and the baseline")
    grade("judge", "garbled", 3, None)
    twin = graders.ensure(store, "judge", "strict", "f" * 16)
    version = rubric[1].versions()["correctness"]
    grades.record(store, [Press(3, version, twin, score=1)])
    assert step(loop(store, sheet), "Judged").figure == "3 judges"
    assert _headline(store, sheet).startswith("3 judges and the baseline")
    listed = [one.argument for one in judges.entries(store, sheet, {}) if one.judge is None]
    assert "garbled" in listed


def test_judges_of_units_alone_are_counted_alike_and_listed(store, sheet, ana):
    rubric_versions.register(store, evidence_room.RUBRIC, "preset")
    mine = graders.ensure(store, "metric", "mine", "f1")
    [claim] = evidence_room.cut(store, 1, "One.", by=mine)
    evidence_room.say(store, 1, mine, {claim: 3})
    evidence_room.say(store, 1, ana, {claim: 3})
    assert loop(store, sheet).headline == "1 claim labelled by annotators; 1 judge to compare"
    assert _headline(store, sheet) == "1 judge labelled claims of “numbers”"
    assert "mine@f1" in judges.entries(store, sheet, {}).keys


def test_grades_of_held_out_and_few_shot_questions_are_counted_apart(store, sheet, grade):
    first, second = (items.items(store, [n])[0].question_id for n in (1, 4))
    grade("person", "Ana", 1)
    split_assignment.assign(store, [first], splits.HELD_OUT, "for the certificate")
    state = loop(store, sheet)
    assert step(state, "Graded").figure == "None yet"
    assert step(state, "Graded").notes == [
        "not counted: 3 in the few-shot pool or held out, 1 of them graded"
    ]
    grade("person", "Ana", 4)
    grade("person", "Ana", 7)
    split_assignment.assign(store, [second], splits.FEW_SHOT, "to show")
    state = loop(store, sheet)
    assert state.headline.startswith("1 of 30 answers graded by annotators")
    assert step(state, "Graded").figure == "1 of 30"
    assert (
        "not counted: 6 in the few-shot pool or held out, 2 of them graded"
        in step(state, "Graded").notes
    )
    with store.write():  # as of a sheet that is imported later
        store.execute("update questions set cluster = 'x' where id in (?, ?)", (second, second + 1))
    assert step(loop(store, sheet), "Graded").notes[-1] == (
        "not counted: 9 in the few-shot pool or held out, or with the text or cluster of such a "
        "question, 3 of them graded"
    )


def test_simulated_annotators_who_no_longer_count_are_named(store, sheet, grade):
    grade("person", "Sim", 1)
    with store.write():
        store.execute("update graders set simulated = 1")
    assert "no longer" not in str(step(loop(store, sheet), "Graded").notes)
    grade("person", "Ana", 4)
    graded = step(loop(store, sheet), "Graded")
    assert graded.figure == "1 of 36"
    assert graded.notes[-1] == "1 simulated annotator no longer counts, as others have graded"


def test_annotators_and_a_judge_make_agreement_the_next_thing(store, sheet, grade):
    grade("person", "Ana", 1)
    grade("judge", "strict", 1)
    state = loop(store, sheet)
    assert state.next.screen == "agreement"
    assert step(state, "Agreement").figure == "Ready to read"
    assert step(loop(store, sheet, BEST), "Agreement").figure == "83% [77, 88]"


def test_a_run_that_stopped_comes_before_reading(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    judge = grade("judge", "strict", 1)
    run = runs.start(store, judge, sheet.id, rubric[0], {}, [], {}, None)
    assert "1 running" in step(loop(store, sheet), "Judged").notes
    runs.finish(store, run, "stopped", "The key was refused.", {})
    state = loop(store, sheet)
    assert state.next.why == "The run of strict stopped. The key was refused."
    assert "1 not finished" in step(state, "Judged").notes
    assert "The run of strict stopped. The key was refused." in state.news


def test_a_later_run_that_is_done_settles_an_earlier_one(store, sheet, rubric, grade):
    grade("person", "Ana", 1)
    judge = grade("judge", "strict", 1)
    for status in ("failed", "done"):
        run = runs.start(store, judge, sheet.id, rubric[0], {}, [], {}, None)
        runs.finish(store, run, status, "", {})
    assert "not finished" not in step(loop(store, sheet), "Judged").notes


def test_money_is_what_priced_replies_cost_and_the_rest_is_counted(store, sheet, rubric, grade):
    judge = grade("judge", "strict", 1)
    run = runs.start(store, judge, sheet.id, rubric[0], {}, [], {}, None)
    reply = {"content_hash": "h", "repeat": 1, "attempt": 1, "request": "", "raw": ""}
    costs = [1.5, 1.62, None]
    runs.add_replies(
        store,
        run,
        [
            runs.Reply(
                judge, item, part="joint", status="failed", receipt=Receipt(cost=cost), **reply
            )
            for item, cost in enumerate(costs, 1)
        ],
    )
    notes = step(loop(store, sheet), "Judged").notes
    assert notes[:2] == ["$3.12 spent", "1 reply of unknown price"]


def test_no_decision_is_said_as_such(store, sheet):
    decision = step(loop(store, sheet), "Decision")
    assert (decision.figure, decision.screen) == ("Not yet", "decide")


def test_two_judges_make_the_terms_the_next_thing_and_the_baseline_is_none(store, sheet, grade):
    grade("person", "Ana", 1)
    grade("judge", "strict", 1)
    grade("judge", "baseline", 1)
    assert loop(store, sheet).next.screen == "agreement"
    grade("judge", "cheap", 1)
    state = loop(store, sheet)
    assert state.next.label == "Set the terms"
    assert "before you can see how well they agree" in state.next.why
    for known in (loop(store, sheet, BEST), loop(store, sheet, seen=True)):
        assert "before you can see" not in known.next.why
        assert known.next.label == state.next.label
    assert step(state, "Decision").state == "next"


TERMS = {"criterion": "correctness", "margin": 0.1, "against": "strict", "looks": 1, "level": 0.018}
TERMS |= {"answers": 40, "questions": 10, "clusters": 10, "decision": {"id": 1, "number": 1}}
TERMS |= dict.fromkeys(("majority_baseline", "first_terms", "kept_from"))
TERMS |= {"annotators": [], "without_annotators": []}
CHEAP = {"judge": "cheap", "simulated": False, "cost_per_1000": 0.9, "conditions": {}, "why": []}


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
    assert ("price per 1,000 answers: $0.90" in card.notes[0]) == (more is None)
    assert ("needed: 10 to 50 questions (40 to 200 answers to grade)" in card.notes[0]) == bool(
        more
    )
    assert state.next.screen == page
    grade("metric", "computed", 1)
    assert loop(store, sheet).next == state.next
    grade("person", "Ben", 1)
    assert loop(store, sheet).next.label == "Review the decision"


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
    assert card.notes == ["cheap: not good enough on readability"] and card.state != "done"
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


def test_adjudicated_answers_are_news(store, sheet, rubric):
    lea, versions = graders.ensure(store, "person", "Lea"), rubric[1].versions().values()
    one = items.item_ids(store, sheet.id)[0]
    for version in versions:
        adjudications.record(store, Adjudication(one, version, 2, ANNOTATORS, (), lea))
    assert "Adjudicated: 1 answer, for the consensus." in loop(store, sheet).news


def test_the_sample_says_who_is_simulated(store):
    load_sample(store)
    state = loop(store, sheets.find(store, "sample"))
    assert "by 3 annotators, 2 of them simulated" in step(state, "Graded").notes
    assert "author graded 192 answers." in state.news
    assert "sample.jsonl was imported (answers)." in state.news


def test_claims_that_a_metric_judged_wait_for_peoples_labels(store, sheet, label_claims, grade):
    label_claims("metric", "rag", 0)
    state = loop(store, sheet)
    assert step(state, "Judged")[1:3] == (
        "1 judge",
        ["verdicts on claims", "$0.00 spent"],
    )
    assert state.next.why.startswith("Judges have given verdicts on claims")
    assert state.next.screen == "annotate" and step(state, "Graded").state == "next"
    grade("person", "Ana", 1)
    assert "verdicts on claims" in loop(store, sheet).next.why
    grade("judge", "strict", 1)
    state = loop(store, sheet)
    assert state.next.screen == "agreement"
    assert "Judges' verdicts on claims wait for annotators' labels too." in state.next.why


def test_a_team_that_labels_claims_only_is_not_told_that_nobody_graded(store, sheet, label_claims):
    for place in range(3):
        label_claims("person", "Ana", place)
    label_claims("person", "Ben", 0)
    label_claims("person", "Ben", 2)
    label_claims("person", "Ben", 2, "withdrawn")
    state = loop(store, sheet)
    assert state.headline == "3 claims labelled by annotators, none of them by a judge yet"
    assert step(state, "Graded")[1:3] == (
        "3 claims",
        ["labelled by 2 annotators in 2 answers", "no answer graded as a whole"],
    )
    assert state.next.label == "Run a metric judge"
    label_claims("metric", "rag", 0)
    state = loop(store, sheet)
    assert state.headline == "3 claims labelled by annotators; 1 judge to compare"
    assert step(state, "Agreement").notes == ["Both have labelled claims."]
    assert state.next.screen == "agreement" and step(state, "Agreement").state == "next"
    assert state.next.rubric == "claims-in-contexts"
    assert step(state, "Judged").figure == "1 judge"


def test_a_metric_is_no_judge_of_the_answers_and_what_can_be_read_is_opened(
    store, sheet, label_claims, grade
):
    grade("person", "Ana", 1)
    label_claims("person", "Ana", 0)
    label_claims("metric", "rag", 0)
    state = loop(store, sheet)
    assert state.headline.endswith("none by a judge yet")
    assert step(state, "Judged").figure == "None yet"
    assert "verdicts on claims" in step(state, "Judged").notes
    assert step(state, "Agreement").figure == "Ready to read"
    assert step(state, "Agreement").rubric == "claims-in-contexts"
    grade("judge", "strict", 1)
    assert step(loop(store, sheet), "Agreement").rubric is None


def test_the_next_thing_after_grading_opens_the_baseline(store, sheet, grade):
    grade("person", "Ana", 1)
    assert (loop(store, sheet).next.screen, loop(store, sheet).next.judge) == ("judges", "baseline")
    grade("judge", "baseline", 1)
    assert loop(store, sheet).next.judge is None
