"""Counts of one thing are the same in every report and on every screen.

A sheet of 60 answers without ids of their own, on which every kind of count can go wrong.

Three models answered questions q00 to q19. q00 and q01 are in the few-shot pool, q19 is held out,
so 51 answers to 17 questions count.
"""

import json

from concord.grading import annotators, assignments, campaigns, gold_items, grading_sets
from concord.grading.adjudications import ANNOTATORS, Adjudication
from concord.grading.adjudications import record as adjudicate
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from concord.store.grades import Press, record
from tests.support.commandline import invoke
from tests.support.grading_room import component_json, known
from tests.support.made_items import made_item
from tests.support.screens import counts

NAME = "counts"
_COLUMNS = "question_id,model,criterion,grader,grader_kind,score"
QUESTIONS, MODELS = 20, ("atlas", "birch", "cobalt")


def add(store, rubric, folder):
    """The sheet, graded: Ana, Bo, Dan, Eva, Fay and Gus count; Cleo graded the pool alone."""
    made = [
        made_item(n, m, own_id=None, question_id=f"q{n:02}", question=f"What is item {n}?")
        for n in range(QUESTIONS)
        for m in MODELS
    ]
    sheet = additions.add(store, NAME, made, "counts.csv", "c" * 64, {})
    ids = items.item_ids(store, sheet.id)
    versions = list(rubric[1].versions().values())

    def grade(name, places, kind="person", status="scored", shift=0):
        return _grade(store, versions, ids, name, places, kind, status, shift)

    whole = grading_sets.create(store, sheet.id, rubric[0], "Whole", None, 1, 9, 0.0)
    grade("Ana", range(39))
    bo = grade("Bo", range(6, 21), shift=1)
    dan = grade("Dan", range(6, 12))
    grade("Gus", range(6, 8), status="cannot_grade")
    grade("Cleo", range(3))
    grade("strict", [*range(9), *range(12, 60)], kind="judge")
    grade("strict", range(9, 12), kind="judge", status="failed")
    grade("lenient", range(60), kind="judge", shift=1)
    for split, names in (("few-shot", ["q00", "q01"]), ("held-out", ["q19"])):
        split_assignment.assign(store, splits.questions_named(store, sheet, names), split, "")
    annotators.pause(store, dan, "Lea")
    ten = grading_sets.create(store, sheet.id, rubric[0], "Ten", 10, 2, 9, 0.0)
    gold_items.agree(store, ten, known(store, ten, rubric, [f"q00, no. {ids[0]}"]), "Lea")
    gold_items.mix_in(store, ten, known(store, ten, rubric, [f"q01, no. {ids[3]}"]), "Lea")
    cleo = graders.ensure(store, "person", "Cleo")
    for one in (whole, ten):
        assignments.queue(store, one, cleo, versions, 1)
    assignments.queue(store, whole, graders.ensure(store, "person", "Ana"), versions, 1)
    campaign = grading_sets.create(store, sheet.id, rubric[0], "Campaign", None, 3, 9, 0.0)
    campaigns.begin(store, campaign, [bo], 1)
    grade("Eva", [39, 40])
    _import(store, rubric[1], folder)
    lea = graders.ensure(store, "person", "Lea")
    seen = store.column(
        "select g.id from grades g join graders r on r.id = g.grader_id where g.item_id = ?"
        " and g.version = ? and r.kind = 'person'",
        (ids[12], versions[0]),
    )
    adjudicate(store, Adjudication(ids[12], versions[0], 2, ANNOTATORS, tuple(seen), lea))
    return sheet


def _grade(store, versions, ids, name, places, kind, status, shift, blind=None, lowest=0):
    who = graders.ensure(store, kind, name)
    scored = status == "scored"
    presses = [
        Press(ids[at], one, who, status, lowest + (at + shift) % 4 if scored else None, blind=blind)
        for at in places
        for one in versions
    ]
    record(store, presses)
    return who


def _import(store, rubric, folder):
    """Fay's grades, from a file."""
    file = folder / "fay.csv"
    rows = [
        f"q{at // 3:02},{MODELS[at % 3]},{one.name},Fay,person,{at % 4}"
        for at in range(9, 18)
        for one in rubric.criteria
    ]
    file.write_text("\n".join([_COLUMNS, *rows]), encoding="utf-8")
    assert not invoke(store.path, "grades", file, "--sheet", NAME).exit_code


def found(store, *command):
    return json.loads(invoke(store.path, *command, "--json").stdout)


def of_judges(store, *more):
    """Agreement on correctness by judge."""
    rows = found(store, "agreement", *more)["rows"]
    return {row["judge"]: row for row in rows if row["criterion"] == "correctness"}


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
    sheet = add(store, rubric, tmp_path)
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
    assert counts(app("pages/overview.py")) == (48, 193)
    assert counts(app("pages/annotate.py")) == (48, 193)
    assert counts(app("pages/adjudicate.py")) == (differing,)
    assert counts(app("pages/data.py")) == (60, 20, 3)
    assert counts(app("pages/splits.py"))[:2] == (2, 17)
    assert counts(app("pages/judges.py")) == (2,)
    assert counts(app("pages/review.py")) == (listed["total"],)
