"""The choice of a reading rule on the few-shot pool: what counts, what wins, what is written."""

import json

import pytest

from concord.judges.combined.run import run_combined
from concord.judges.definition.model import parse
from concord.judges.definition.toml import as_toml
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem, for_screen
from concord.model import Distribution
from concord.reports.comparison import studies
from concord.reports.comparison.reading_choice import written_judge
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import prepared, statuses
from tests.support.made_items import made_item
from tests.support.made_probabilities import give_probabilities
from tests.support.panels import give

LOW, HIGH = [0.6, 0.2, 0.1, 0.1], [0.1, 0.1, 0.2, 0.6]


def pooled(store, sheet, n):
    ids = [row["id"] for row in splits.of_sheet(store, sheet.id)][:n]
    split_assignment.assign(store, ids, "few-shot", "to develop on")


def ran(store, sheet, rubric, reply=None, **more):
    """Run a decision judge over the pool; argmax and median read 3, the rounded mean 2."""
    fake = Fake(reply or decided())
    run_rubric(store, prepared(store, sheet, rubric, decision_judge(), pool=True, **more), fake)


def asked(store, sheet, *judges):
    return studies.request(store, sheet, judges, pool=True)


def by_place(body, _=0):
    """Low probabilities for answers of the model atlas, high ones for the others."""
    return decided(LOW if "atlas" in json.dumps(body) else HIGH)(body)


def test_the_pool_alone_decides_whatever_the_rest_of_the_sheet_says(store, sheet, rubric):
    pooled(store, sheet, 6)
    give(store, rubric[1], "Ana", {n: 3 if n < 18 else 2 for n in range(36)})
    ran(store, sheet, rubric)
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(decided()))
    told = studies.run(store, sheet, "reading", pool=True)
    assert told.can_run and told.answer == (
        "On correctness, decides agrees most by median: exact agreement 100% on 18 answers to 6 "
        "questions; the majority class has 100%"
    )
    assert "Differences of a few answers are noise." in told.rests_on[0]
    assert told.rests_on[-2:] == (
        "No rule of decides agrees more often than the majority class.",
        "Cut points are not a candidate: they need 30 answers on 10 clusters of questions.",
    )
    exact = {one["rule"]: one["exact"]["value"] for one in told.figures}
    assert (exact["median"], exact["argmax"], exact["rounded_mean"]) == (1, 1, 0)
    beside = studies.run(store, sheet, "reading")
    exact = {one["rule"]: one["exact"]["value"] for one in beside.figures}
    assert (exact["median"], exact["argmax"], exact["rounded_mean"]) == (0, 0, 1)


def test_the_written_judge_has_the_rule_and_how_it_was_chosen(store, sheet, rubric):
    pooled(store, sheet, 6)
    give(store, rubric[1], "Ana", {n: 3 if n % 3 else 2 for n in range(18)})
    ran(store, sheet, rubric)
    judge = written_judge(store, asked(store, sheet, "decides"))
    assert (judge.name, judge.reading) == ("decides-median", "median")
    chosen = judge.chosen
    assert (chosen.rule, chosen.sheet, chosen.criterion) == ("median", "numbers", "correctness")
    assert (chosen.answers, chosen.questions) == (18, 6)
    assert chosen.exact == {
        **{"rounded_mean": 0.333333, "median": 0.666667, "argmax": 0.666667},
        "majority_class": 0.666667,
    }
    again = parse(as_toml(judge), "mine.toml")
    assert again.body() == judge.body()
    plain = judge.changed({"chosen": None})
    assert fingerprint(again, rubric[1]) == fingerprint(plain, rubric[1])
    # Its requests are those of the judge that was run on the pool, so that part costs nothing.
    nothing = Fake(decided())
    run_rubric(store, prepared(store, sheet, rubric, again, pool=True), nothing)
    assert nothing.bodies == [] and statuses(store, sheet, "decides-median") == {"scored": 54}
    told = studies.run(store, sheet, "reading", pool=True)
    assert {one["judge"] for one in told.figures} == {"decides"}
    with pytest.raises(Problem, match="chosen: median was chosen, and the judge has another rule"):
        judge.changed({"reading": "argmax"})
    assert judge.with_overrides(model="n").chosen is None


def test_cut_points_that_win_are_written_as_one_frozen_fit(store, sheet, rubric):
    pooled(store, sheet, 12)
    give(store, rubric[1], "Ana", {n: 2 if n % 3 == 0 else 3 for n in range(36)})
    ran(store, sheet, rubric, by_place)
    judge = written_judge(store, asked(store, sheet, "decides"))
    assert (judge.kind, judge.rule, judge.chosen.rule) == ("combined", "cut_points", "cut_points")
    assert judge.chosen.exact["cut_points"] == 1 > judge.chosen.exact["median"]
    assert len(judge.fit.questions) == 12
    judge = parse(as_toml(judge), "mine.toml")
    run_combined(store, sheet, *rubric, judge)
    assert set(statuses(store, sheet, judge.name)) == {"not_applicable"}
    new = [made_item(n, m) for n in range(50, 54) for m in ("atlas", "birch")]
    other = additions.add(store, "new", new, "n.csv", "9" * 64, {})
    run_rubric(store, prepared(store, other, rubric, decision_judge()), Fake(by_place))
    run_combined(store, other, *rubric, judge)
    mine = graders.find(store, "judge", judge.name)
    scores = store.column(
        "select distinct score from grades where grader_id = ? and status = 'scored'", (mine.id,)
    )
    assert sorted(scores) == [2, 3]


def test_the_fit_of_cut_points_does_not_see_evaluation(store, sheet, rubric):
    pooled(store, sheet, 10)
    given = {n: 2 if n % 3 == 0 else 3 for n in range(30)}
    give(store, rubric[1], "Ana", given | dict.fromkeys(range(30, 36), 0))
    ran(store, sheet, rubric, by_place)
    run_rubric(store, prepared(store, sheet, rubric, decision_judge()), Fake(by_place))
    fit = written_judge(store, asked(store, sheet, "decides")).fit.criteria["correctness"]
    assert (fit.answers, fit.clusters, fit.scores) == (30, 10, (2, 3))


def test_a_judge_of_whom_only_grades_are_known_is_no_candidate(store, sheet, rubric):
    pooled(store, sheet, 6)
    give(store, rubric[1], "Ana", dict.fromkeys(range(18), 3))
    sure = Distribution("native", ((0, 0.0), (1, 0.0), (2, 0.1), (3, 0.9)))
    give_probabilities(store, rubric[1], "imported", dict.fromkeys(range(18), sure))
    told = studies.run(store, sheet, "reading", pool=True)
    assert not told.can_run and "`judge NAME --pool`" in told.missing[0]
    with pytest.raises(Problem, match="imported has no probabilities on graded") as refused:
        written_judge(store, asked(store, sheet, "imported"))
    assert "--pool" in str(refused.value) and "--" not in for_screen(refused.value.on_screen)


def test_without_a_graded_pool_there_is_nothing_to_choose_on(store, sheet, rubric):
    give(store, rubric[1], "Ana", dict.fromkeys(range(36), 3))
    why = "No annotator has graded an answer to a question in the few.*splits --set few-shot"
    with pytest.raises(Problem, match=why) as refused:
        studies.run(store, sheet, "reading", pool=True)
    assert for_screen(refused.value.on_screen).endswith("graded questions there under Splits.")
    with pytest.raises(Problem, match="Only the study “reading” runs on the few-shot pool"):
        studies.run(store, sheet, "agreement", pool=True)


def test_the_command_writes_the_file_once_and_names_it(store, sheet, rubric, run, tmp_path):
    pooled(store, sheet, 6)
    give(store, rubric[1], "Ana", dict.fromkeys(range(18), 3))
    ran(store, sheet, rubric)
    path = tmp_path / "chosen.toml"
    words = ("compare", "--study", "reading", "--pool", "--judge", "decides", "--write", path)
    said = " ".join(run(*words).output.split())
    assert "agrees most by median: exact agreement 100% on 18 answers to 6 questions" in said
    assert "holds decides-median." in said
    assert parse(path.read_text(encoding="utf-8"), "x.toml").chosen.answers == 18
    assert "cannot be written" in run(*words, code=2).output
    run("compare", "--pool", code=2)
    run("compare", "--study", "reading", "--pool", "--write", path, code=2)
    assert len(items.item_ids(store, sheet.id)) == 36
