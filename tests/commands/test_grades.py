"""The command `grades`: answers by the names that lists show."""

import json

import pytest

from concord.store import additions
from tests.support.commandline import grades_file, invoke
from tests.support.exports import FOLDER
from tests.support.made_items import made_item


def imported(store, tmp_path, *rows, **columns):
    head = ",".join(["item_id,criterion,grader,grader_kind,score", *columns])
    more = "".join(f",{value}" for value in columns.values())
    file = grades_file(tmp_path, [])
    file.write_text("\n".join([head, *(row + more for row in rows)]), encoding="utf-8")
    return invoke(store.path, "grades", file, "--rubric", "doc-qa-0-3")


def test_grades_come_in_by_the_names_of_a_list_that_went_out(store, unnamed, tmp_path):
    given = json.loads(invoke(store.path, "answers", "--json").stdout)["answers"]
    names = {one["name"]: one["id"] for one in given}
    assert [*names] == ["q1, no. 1", "q1, no. 2", "q2, no. 3", "q2, no. 4", "q3", "no. 6"]
    rows = [f'"{name}",correctness,Ana,annotator,{at % 4}' for name, at in names.items()]
    assert not imported(store, tmp_path, *rows).exit_code
    stored = store.rows("select item_id, score from grades order by item_id")
    assert [tuple(one) for one in stored] == [(at, at % 4) for at in names.values()]
    again = imported(store, tmp_path, *rows)
    assert not again.exit_code
    assert store.value("select count(*) from grades") == len(names)


@pytest.mark.parametrize(
    ("name", "columns", "words"),
    [
        ("q1", {}, "“q1” matches 2 answers. Name one of them: q1, no. 1; q1, no. 2."),
        ("q1, no. 3", {}, "the sheet has no answer “q1, no. 3”."),
        ("3", {}, "the sheet has no answer “3”."),
        ("6", {}, "the sheet has no answer “6”."),  # the number of a row, perhaps
        (
            "q1, no. 1",
            {"question_id": "q2", "answer_model": "birch"},
            "“q1, no. 1 / birch” matches several answers, or not the one of the row",
        ),
    ],
)
def test_a_name_that_is_not_of_one_answer_is_refused(
    store, unnamed, tmp_path, name, columns, words
):
    found = imported(store, tmp_path, f'"{name}",correctness,Ana,annotator,2', **columns)
    assert found.exit_code
    assert words in " ".join(found.output.split())
    assert not store.value("select count(*) from grades")


def test_a_name_with_its_own_question_and_model_is_taken(store, unnamed, tmp_path):
    of = {"question_id": "q1", "answer_model": "birch"}
    assert not imported(store, tmp_path, '"q1, no. 2",correctness,Ana,annotator,2', **of).exit_code
    assert store.value("select item_id from grades") == 2


def test_an_id_of_its_own_counts_before_a_name_that_is_shown(store, tmp_path):
    made = [made_item(1, own_id="2"), made_item(2, own_id=None, question_id=None)]
    additions.add(store, "own", made, "o.csv", "c" * 64, {})
    assert not imported(store, tmp_path, "2,correctness,Ana,annotator,2").exit_code
    assert store.value("select item_id from grades") == 1


def told(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_results_of_a_tool_bring_grades_of_answers_that_are_there(db):
    results = FOLDER / "mlflow.json"
    invoke(db, "import", results, "--map", "score=")
    how = ("--rubric", "doc-qa-0-1", "--map", "criterion:length=", "--json")
    renamed = told(invoke(db, "grades", results, *how, "--map", "criterion:tone=readability"))
    assert (renamed["grades"], renamed["bad_rows"], renamed["found"]["not_blind"]) == (12, 0, 6)
    left_out = told(invoke(db, "grades", results, *how, "--map", "criterion:tone="))
    assert (left_out["grades"], left_out["grades_unchanged"]) == (0, 9)


def test_criteria_of_several_rubrics_come_in_at_once(db, store, tmp_path):
    rows = [f"q{n},Q{n}?,A{n},{1 + n % 5},{n % 2}" for n in range(10)]
    answers = tmp_path / "two.csv"
    answers.write_text("\n".join(("item_id,question,answer,flow,safe", *rows)))
    maps = [f"--map=score:annotator:Ana:{c}={c}" for c in ("flow", "safe")]
    told(invoke(db, "import", answers, *maps, "--json"))
    file = tmp_path / "more.csv"
    rows = [f"q{n},{c},Bo,annotator,{s}" for n in range(10) for c, s in (("Flow", 5), ("safe", 1))]
    file.write_text("\n".join(("item_id,criterion,grader,grader_kind,score", *rows)))
    taken = told(invoke(db, "grades", file, "--json"))
    assert (taken["rubric"], taken["grades"]) == ("two, two-2", 20)
    assert told(invoke(db, "grades", file, "--json"))["grades_unchanged"] == 20
    assert store.value("select count(*) from grades") == 40
