import pytest

from concord.grading import annotators
from concord.messages import Problem
from concord.model import Context
from concord.store import additions, certificates, graders, grades, items, sheets
from concord.store.grades import Press
from concord.store.permissions import GRADER, LEAD
from concord.team import members
from tests.support.made_items import made_item


def test_an_item_comes_back_as_it_went_in(store):
    made = made_item(
        7,
        own_id="007",
        cluster="doc",
        question="¿Qué? 何？ 무엇?",
        answer="NA",
        contexts=(Context("c1", "d1", "文脈", 1), Context("", "", "", 2)),
        reference=("a", "b"),
        reference_contexts=("r",),
        turns=({"role": "user", "content": "hi"},),
        synthetic=True,
        metadata={"defect": "無"},
    )
    additions.add(store, "one", [made], "one.csv", "x", {"question": "q"})
    stored = items.item(store, store.value("select id from items"))
    assert stored.item == made._replace(row=0)


def test_every_key_of_an_item_leads_to_it(store, sheet):
    keys = items.item_keys(store, sheet.id)
    made = made_item(3, "birch")
    assert len({keys[key] for key in made.keys}) == 1
    assert items.item(store, keys[made.identity]).item.own_id == "003-birch"


def test_a_sheet_is_chosen_by_name_or_because_it_is_the_only_one(store):
    with pytest.raises(Problem):
        sheets.chosen(store, None)
    additions.add(store, "one", [made_item(1)], "one.csv", "x", {})
    assert sheets.chosen(store, None).name == "one"
    additions.add(store, "two", [made_item(1)], "two.csv", "x", {})
    with pytest.raises(Problem, match="several sheets: one, two"):
        sheets.chosen(store, None)
    with pytest.raises(Problem, match=r"no sheet “three”\. Known sheets: one, two"):
        sheets.chosen(store, "three")


def test_deletion_says_what_goes_and_takes_it_all(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    item = store.value("select min(id) from items")
    lone = graders.ensure(store, "judge", "lone")
    grades.record(
        store,
        [
            Press(item, version, ana, score=1),
            Press(item, version, ana, score=2),
            Press(item, version, lone, score=2),
        ],
    )
    grades.open_item(store, item, ana)
    terms = {"criterion": "correctness", "figure": "exact", "margin": 0.1, "against": "lone"}
    at = {
        "sheet_id": sheet.id,
        "planned_questions": 9,
        "fixed_after_sight": 0,
        "created_at": "2026-11-01",
    }
    decision = store.insert("decisions", **terms, **at)
    body = {"made_at": "2026-11-01", "expires_at": "2026-12-01", "certified": True}
    certificates.keep(store, body, sheet.id, lone, decision)
    certificates.keep(store, body | {"certified": False}, sheet.id, lone, None)
    going = sheets.deletion_counts(store, sheet)
    assert going["grades"] == 3
    assert going["decisions"] == going["certificates"] == going["calibration records"] == 1
    assert sheets.deletion_text(going | {"runs": 1, "grading sets": 2}) == (
        f"{going['answers']} answers, {going['questions']} questions, 3 grades, "
        "2 grading sets, 1 run, 1 decision, 1 certificate, 1 calibration record"
    )
    sheets.delete(store, sheet)
    assert sheets.all_sheets(store) == []
    assert store.value("select count(*) from grades") == 0
    assert graders.find(store, "judge", "lone") is None
    assert sheets.was_removed(store, "numbers")


def test_a_sheet_is_deleted_although_members_and_paused_annotators_graded_it(
    store, sheet, rubric, ana
):
    members.add(store, "Lea", LEAD, "test")
    people = [ana, members.add(store, "Ann", GRADER, "Lea").grader_id]
    annotators.pause(store, ana, "Lea")
    item = store.value("select min(id) from items")
    version = rubric[1].versions()["correctness"]
    grades.record(store, [Press(item, version, one, score=1) for one in people])
    sheets.delete(store, sheet)
    assert sheets.all_sheets(store) == []
    assert [graders.get(store, one).name for one in people] == ["Ana", "Ann"]


def test_every_column_that_refers_to_a_grader_keeps_the_grader(store):
    tables = store.column("select name from sqlite_master where type = 'table'")
    found = {
        (table, key["from"])
        for table in tables
        for key in store.rows(f"pragma foreign_key_list({table})")
        if key["table"] == "graders" and key["on_delete"] == "NO ACTION"
    }
    assert found == {*sheets.HOLDERS}
