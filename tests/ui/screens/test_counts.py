"""Counts of one thing are the same in every report and on every screen."""

import json

from concord.grading import assignments, grading_sets
from concord.store import graders
from tests.support import counted_sheet, measured_sets
from tests.support.commandline import invoke
from tests.support.grading_pages import component_json
from tests.support.screens import counts


def found(store, *command):
    return json.loads(invoke(store.path, *command, "--json").stdout)


def of_judges(store, *more):
    """Agreement on correctness by judge."""
    rows = found(store, "agreement", *more)["rows"]
    return {row["judge"]: row for row in rows if row["criterion"] == "correctness"}


def bars(app) -> str:
    """How far everybody is."""
    return " ".join(bar.proto.text for bar in app.get("progress"))


def test_an_annotator_s_answers_are_counted_alike_in_the_pane_and_on_the_card(
    app, store, half_graded
):
    other = grading_sets.create(store, half_graded.sheet_id, half_graded.rubric_id, "Other", 5, 1)
    total = assignments.of_newcomer(store, other)
    ana = graders.annotator(store, "Ana").id
    graded = {*store.column("select item_id from grades where grader_id = ?", (ana,))}
    done = len(grading_sets.items(store, other.id) & graded)
    assert 0 < done < total
    pane = json.loads(component_json(app("pages/grade.py", set=other.id, grader="Ana")))
    assert (pane["done"], pane["total"]) == (done, total)


def test_counts_of_a_sheet_agree(app, store, rubric, tmp_path):
    """Cleo graded the pool alone and is in none; Gus gave no score, and figures are without him."""
    sheet = counted_sheet.add(store, rubric, tmp_path)
    names, scored = {"Ana", "Bo", "Dan", "Eva", "Fay", "Gus"}, {"Ana", "Bo", "Dan", "Eva", "Fay"}
    for command in ("agreement", "annotators", "ranking"):
        assert {one["name"] for one in found(store, command)["annotators"]} == names
    judges = of_judges(store)
    for row in judges.values():
        assert row["n"] + sum(row["left_out"].values()) == sheet.items == 60
    strict, lenient = judges["strict"], judges["lenient"]
    assert (strict["n"], strict["questions"], lenient["n"]) == (32, 11, 35)
    orders = {one["judge"]: one["n"] for one in found(store, "ranking")["orders"]}
    assert orders == {"strict": 32, "lenient": 35}
    plan, compared = found(store, "plan"), found(store, "compare")
    assert (plan["answers"], plan["questions"]) == (51, 17)
    assert (compared["n"], sum(compared["left_out"].values())) == (32, 60 - 32)
    look = found(store, "choose", "--against", "strict", "--margin", "0.1")
    assert {one["name"] for one in look["annotators"]} == names
    assert (look["answers"], look["questions"]) == (32, 11)
    certificate = found(store, "certificate", "strict")["annotators"]["named"]
    assert {one["name"] for one in certificate} == scored
    assert {one["name"]: one["grades"] for one in certificate}["Ana"] == 33 * 3
    [first, *_] = found(store, "annotators")["criteria"]
    assert {one["annotator"] for one in first["strictness"] if one["n"]} == names - {"Eva", "Gus"}
    listed = found(store, "disagreements", "--judge", "strict", "--criterion", "correctness")
    differing = found(store, "adjudicate")["n"]
    assert counts(app("pages/overview.py")) == (35, 51, 2)
    assert counts(app("pages/annotate.py")) == (17, 56)
    assert counts(app("pages/adjudicate.py")) == (differing,)
    assert counts(app("pages/data.py")) == (60, 20, 3)
    assert counts(app("pages/splits.py"))[:2] == (17, 2)
    assert counts(app("pages/judges.py")) == (2,)
    assert counts(app("pages/review.py")) == (listed["total"],)
    bars(app("pages/annotate.py"))


def test_counts_agree_where_questions_left_later_and_annotators_used_two_rubrics(
    app, store, rubric
):
    sheet = counted_sheet.add_hostile(store, rubric)
    named = "--rubric", "doc-qa-0-3"
    names = {"Ana", "Bo", "Cy", "Di", "Eli"}  # Fi graded by the other rubric alone
    for command in ("agreement", "annotators", "ranking"):
        assert {one["name"] for one in found(store, command, *named)["annotators"]} == names
    judges = of_judges(store, *named)
    for row in judges.values():
        assert row["n"] + sum(row["left_out"].values()) == sheet.items == 90
    good = judges["good"]["n"]
    # A judge that failed on every answer graded none, and no figure begins with it.
    assert (judges["garbled"]["n"], good) == (0, 69)
    listed = found(store, "disagreements", "--judge", "good", "--criterion", "correctness", *named)
    assert listed["total"] <= good
    [first, *_] = found(store, "annotators", *named)["criteria"]
    differ = found(store, "adjudicate", *named)["n"]
    assert first["overall"]["n"] == first["split"]["n"] == differ == 40
    look = found(store, "choose", "--against", "good", "--margin", "0.1", *named)
    certificate = found(store, "certificate", "good", *named)
    assert look["answers"] == certificate["decision"]["look"]["answers"] == 64
    assert found(store, "compare", *named)["n"] == 64
    assert found(store, "plan", *named)["questions"] == 26
    assert counts(app("pages/overview.py"))[:3] == (73, 78, 2)
    assert counts(app("pages/judges.py")) == (2,)
    assert counts(app("pages/splits.py"))[0] == 26
    progress = bars(app("pages/annotate.py"))
    assert all(done in progress for done in ("Ana: 54 of 84", "Bo: 45 of 84", "Ana: 33 of 84"))


def test_values_of_metrics_are_counted_out_of_the_same_answers(store, rubric, tmp_path):
    """Two metrics, one refused on seven answers, one asked of the first forty answers alone."""
    sheet = counted_sheet.add(store, rubric, tmp_path)
    refused = {0, 1, 10, 11, 45, 46, 58}
    given = [None if at in refused else at % 7 / 7 for at in range(60)]
    measured_sets.give(store, sheet.id, "faithfulness", given)
    measured_sets.give(store, sheet.id, "answer_correctness", [at % 5 / 5 for at in range(40)])
    rows = found(store, "metrics", "--sheet", "counts")["rows"]
    counted = {row["metric"]: (row["n"], row["items"]) for row in rows}
    assert counted == {"faithfulness": (47, 51), "answer_correctness": (34, 51)}
    for row in rows:
        assert row["n"] + row["not_asked"] + sum(row["left_out"].values()) == row["items"]
