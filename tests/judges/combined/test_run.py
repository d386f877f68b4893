"""Combined judges over a sheet: what is stored, when it is stored again, and what is refused."""

import pytest

from concord.judges.combined import freeze, run_combined
from concord.judges.definition.model import as_toml, parse
from concord.messages import Problem
from concord.sampling import split_assignment, splits
from concord.store import graders, grades, runs
from concord.store.grades import Press
from tests.support.made_items import made_item


def scores(store, sheet, grader, version):
    rows = grades.first_grades(store, sheet.id, grader.id)
    return [
        row["score"]
        for row in sorted(rows, key=lambda row: row["item_id"])
        if row["version"] == version
    ]


def grader(store, run):
    return graders.find(store, "judge", run.label)


def test_a_majority_of_two_is_the_lower_where_they_differ(
    store, sheet, rubric, graded, jury, version
):
    run = run_combined(store, sheet, *rubric, jury("majority"))
    lower = [min(pair) for pair in zip(graded.by_one, graded.by_two, strict=True)]
    assert scores(store, sheet, grader(store, run), version) == lower
    assert run.stored == 108
    row = runs.of_sheet(store, sheet.id)[0]
    assert (row["status"], row["estimate"]) == ("done", '{"calls": 0}')


@pytest.mark.parametrize("rule", ["majority", "mean", "weighted", "ordinal"])
def test_the_same_grades_change_nothing(store, sheet, rubric, graded, jury, rule):
    first = run_combined(store, sheet, *rubric, jury(rule))
    again = run_combined(store, sheet, *rubric, jury(rule))
    assert (first.stored, again.stored) == (108, 0)
    assert again.fingerprint == first.fingerprint
    assert len(runs.of_sheet(store, sheet.id)) == 1


@pytest.mark.parametrize("rule", ["weighted", "ordinal"])
def test_other_grades_of_a_question_do_not_change_its_own_score(
    store, sheet, rubric, graded, jury, version, rule
):
    first = run_combined(store, sheet, *rubric, jury(rule))
    item_ids = [row["item_id"] for row in grades.first_grades(store, sheet.id, graded.ana)]
    question = sorted({*item_ids})[:3]  # the three answers to the first question
    presses = [
        Press(one, version, graded.ana, score=3 - int(graded.score[place]))
        for place, one in enumerate(question)
    ]
    grades.record(store, presses)
    second = run_combined(store, sheet, *rubric, jury(rule))
    assert second.fingerprint != first.fingerprint
    own = [scores(store, sheet, grader(store, one), version)[:3] for one in (first, second)]
    assert own[0] == own[1]


def test_too_few_grades_give_none_with_the_reason(store, sheet, rubric, jury, give, ana, version):
    for name in ("one", "two"):
        give(graders.ensure(store, "judge", name), [1] * 36)
    grades.record(store, [Press(1, version, ana, score=1)])
    run = run_combined(store, sheet, *rubric, jury("ordinal"))
    assert run.stored == 0 and grader(store, run) is None


def test_an_answer_that_a_member_left_unscored_has_no_score_and_one_not_graded_waits(
    store, sheet, rubric, graded, jury, give, version
):
    three = graders.ensure(store, "judge", "three")
    statuses = ["refused"] + ["scored"] * 35
    give(three, graded.score, criteria=["correctness"], statuses=statuses)
    members = ("one", "two", "three")
    run = run_combined(store, sheet, *rubric, jury("majority", members))
    rows = grades.first_grades(store, sheet.id, grader(store, run).id)
    assert [row["status"] for row in rows] == ["missing_input"] + ["scored"] * 35
    # Once it gives a score, that grade is made again and no other.
    grades.record(store, [Press(rows[0]["item_id"], version, three, score=2)])
    assert run_combined(store, sheet, *rubric, jury("majority", members)).stored == 1


def test_a_combined_judge_cannot_be_a_member(store, sheet, rubric, graded, jury):
    run_combined(store, sheet, *rubric, jury("mean"))
    other = jury("mean", ("one", "jury"), name="jury2")
    with pytest.raises(Problem):
        run_combined(store, sheet, *rubric, other)


def test_cut_points_undo_the_bias_of_probabilities(
    store, sheet, rubric, give, jury, ana, harsh, version
):
    score = [place * 7 % 4 for place in range(36)]
    member = graders.ensure(store, "judge", "harsh")
    read = [max(0, one - 1) for one in score]
    give(ana, score)
    give(member, score, likely=harsh)
    run = run_combined(store, sheet, *rubric, jury("cut_points", ("harsh",)))
    assert scores(store, sheet, grader(store, run), version) == score != read


def test_a_member_under_another_rubric_gives_every_criterion_as_a_feature(
    store, sheet, rubric, graded, jury
):
    store.insert("criteria", version="v" * 16, name="is short", body="{}", created_at="2026-01-01")
    store.insert("criteria", version="w" * 16, name="is empty", body="{}", created_at="2026-01-01")
    narrow = graders.ensure(store, "judge", "narrow")
    every = {row["item_id"] for row in grades.first_grades(store, sheet.id, graded.ana)}
    for version in ("v" * 16, "w" * 16):
        grades.record(store, [Press(one, version, narrow, score=one % 2) for one in sorted(every)])
    run = run_combined(store, sheet, *rubric, jury("ordinal", ("one", "narrow")))
    names = run.fit.criteria["correctness"].features
    assert names == ("one", "narrow: is empty@wwwwwwww", "narrow: is short@vvvvvvvv")
    run_combined(store, sheet, *rubric, jury("mean", ("one", "narrow")))


def test_held_out_questions_are_never_fitted_to(store, sheet, rubric, graded, jury):
    whole = run_combined(store, sheet, *rubric, jury("ordinal"))
    with store.write():
        split_assignment.assign(
            store, splits.questions_named(store, sheet, ["000"]), "held-out", ""
        )
    part = run_combined(store, sheet, *rubric, jury("ordinal"))
    counts = [one.fit.criteria["correctness"].answers for one in (whole, part)]
    assert counts == [36, 33]


def test_a_frozen_judge_applies_the_one_fit_and_spares_the_questions_it_was_fitted_to(
    store, sheet, rubric, graded, jury, give
):
    from concord.store import additions

    run = run_combined(store, sheet, *rubric, jury("ordinal"))
    judge = parse(as_toml(freeze(grader(store, run))), "frozen.toml")
    assert judge.fit == run.fit
    own = run_combined(store, sheet, *rubric, judge)
    assert {one.status for one in own.presses} == {"not_applicable"}
    assert own.fingerprint != run.fingerprint
    new = [made_item(n, "atlas") for n in (0, 50, 51)]
    other = additions.add(store, "more", new, "m.csv", "9" * 64, {})
    versions = rubric[1].versions()
    ids = [row["id"] for row in store.rows("select id from items where sheet_id = ?", (other.id,))]
    for name, values in (("one", (1, 0, 3)), ("two", (1, 0, 3))):
        member = graders.find(store, "judge", name).id
        grades.record(
            store,
            [
                Press(one, version, member, score=value)
                for one, value in zip(ids, values, strict=True)
                for version in versions.values()
            ],
        )
    applied = run_combined(store, other, *rubric, judge)
    found = [
        (one.status, one.score) for one in applied.presses if one.version == versions["correctness"]
    ]
    assert found == [("not_applicable", None), ("scored", 0), ("scored", 3)]
    assert applied.fingerprint == own.fingerprint
