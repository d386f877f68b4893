import pytest

from concord.grading import annotators, grading_sets, regrades
from concord.model import Context
from concord.reports.panel.panel import read
from concord.store import additions, decisions, graders, grades, items, sheets
from concord.store.grades import Press
from concord.store.permissions import GRADER, LEAD
from concord.store.sheets import state_key
from concord.team import members
from tests.support.made_items import made_item
from tests.support.rubrics import reworded


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
    decisions.keep_certificate(store, body, sheet.id, lone, decision)
    decisions.keep_certificate(store, body | {"certified": False}, sheet.id, lone, None)
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


def test_pages_follow_the_order_of_the_file(store, sheet):
    first = [stored.item.own_id for stored in items.page(store, sheet.id, 1, 5)]
    assert first == ["000-atlas", "000-birch", "000-cobalt", "001-atlas", "001-birch"]
    assert [stored.item.own_id for stored in items.page(store, sheet.id, 8, 5)] == ["011-cobalt"]
    assert items.page(store, sheet.id, 9, 5) == []


def test_answers_are_found_by_words_of_question_answer_or_id(store):
    made = [
        made_item(1, own_id="Q1-a", question="東京の駅は？", answer="ＡＢＣ  station"),
        made_item(2, own_id="Q2-a", question="What is tea?", answer="A drink."),
    ]
    here = additions.add(store, "two", made, "t.csv", "8" * 64, {})
    wanted = {"abc station": {1}, "東京": {1}, "q2-": {2}, "q": {1, 2}, "coffee": set()}
    assert {words: items.matching(store, here.id, words) for words in wanted} == wanted


def test_values_keep_their_types_and_any_name(store):
    told = [
        {"team": "Rome", "a.b": 1, "tags": ["x"]},
        {"team": None, 'say "$[0]"': True, "a.b": 1.5},
        {"团队": "一"},
    ]
    made = [made_item(n, metadata=one) for n, one in enumerate(told)]
    sheet = additions.add(store, "s", made, "s.csv", "1" * 64, {})
    assert items.column_names(store, sheet.id) == ["a.b", 'say "$[0]"', "tags", "team", "团队"]
    by = {name: [*items.column_values(store, sheet.id, name).values()] for name in ("team", "a.b")}
    assert by == {"team": ["Rome", None, None], "a.b": [1, 1.5, None]}
    assert [*items.column_values(store, sheet.id, "tags").values()] == [["x"], None, None]
    assert [*items.column_values(store, sheet.id, 'say "$[0]"').values()] == [None, True, None]
    assert {*items.column_values(store, sheet.id, "nowhere").values()} == {None}


def test_a_different_answer_question_or_cluster_is_a_conflict_and_not_an_overwrite(store, sheet):
    changed = [
        made_item(0, answer="Something else.", row=1),
        made_item(1, question="What was it?", row=2),
        made_item(2, cluster="book", row=3),
        made_item(99, row=4),
    ]
    comparison = additions.compare(store, sheet.name, changed)
    assert [(c.row, c.column) for c in comparison.conflicts] == [
        (1, "answer"),
        (2, "question"),
        (3, "cluster"),
    ]
    assert [item.row for item in comparison.new] == [4]


def bare(number, model="atlas", /, **changes):
    """An item as a file without ids gives it."""
    return made_item(number, model, **{"own_id": None, "question_id": None, **changes})


def test_answers_without_ids_are_the_stored_ones_with_the_same_question_text_and_model(
    store, sheet
):
    made = [bare(n, m) for n in range(12) for m in ("atlas", "birch")]
    found = additions.compare(store, sheet.name, made)
    assert (list(found.new), found.unchanged, found.conflicts) == ([], 24, [])
    (stored,) = items.ids_of(store, sheet.id, [made_item(0, "atlas").identity]).values()
    assert found.recognised[additions.digest(made[0].identity)] == stored
    assert len(found.recognised) == 24
    # The question's id alone does as well.
    half = additions.compare(store, sheet.name, [made_item(3, own_id=None)])
    assert half.unchanged == 1


def test_an_answer_recognised_by_its_text_is_a_conflict_where_its_contexts_differ(store, sheet):
    found = additions.compare(store, sheet.name, [bare(0, contexts=(), row=4)])
    (conflict,) = found.conflicts
    assert (conflict.row, conflict.column, list(found.new)) == (4, "answer", [])


def test_answers_under_other_ids_or_without_a_model_are_added_and_counted(store, sheet):
    made = [
        made_item(0, own_id="x", question_id="y"),
        bare(1, answer_model=None),
        bare(2, answer="New."),
    ]
    found = additions.compare(store, sheet.name, made)
    assert (len(found.new), found.conflicts) == (3, [])


def test_of_two_questions_with_one_text_none_is_guessed(store):
    made = [
        made_item(n, question="When?", answer="Then.", contexts=(), reference=()) for n in (1, 2)
    ]
    additions.add(store, "twins", made, "t.csv", "x", {})
    asked = bare(1, question="When?", answer="Then.", contexts=(), reference=())
    found = additions.compare(store, "twins", [asked])
    assert (len(found.new), len(found.recognised)) == (1, 0)


def test_texts_in_another_normal_form_are_no_silent_duplicate(store):
    made = made_item(1, question="ＡＢＣとは何ですか。", answer="カタカナです。")
    additions.add(store, "wide", [made], "w.csv", "x", {})
    same = bare(1, question="ＡＢＣとは何ですか。", answer="カタカナです。")
    assert additions.compare(store, "wide", [same]).unchanged == 1
    for other in (
        bare(1, question="ABCとは何ですか。", answer="カタカナです。"),
        bare(1, question="ＡＢＣとは何ですか。", answer="ｶﾀｶﾅです。"),
    ):
        found = additions.compare(store, "wide", [other])
        assert (list(found.new), len(found.conflicts)) == ([], 1)


def test_a_row_without_ids_and_one_with_them_are_not_both_taken(store, sheet):
    both = [bare(0, row=1), made_item(0, row=2)]
    found = additions.compare(store, sheet.name, both)
    assert (found.unchanged, [c.row for c in found.conflicts]) == (1, [2])
    found = additions.compare(store, sheet.name, both[::-1])
    assert (found.unchanged, len(found.new)) == (1, 1)


def _withdraw_older_set(store, sheet, rubric):
    """Withdraw a set that is not the newest, which the test made before."""
    grading_sets.remove(store, grading_sets.of_sheet(store, sheet.id)[0].id)


def _ask_again(store, sheet, rubric):
    made = grading_sets.of_sheet(store, sheet.id)[0]
    regrades.ask_again(store, made, "Lea", reworded(rubric, rubric.name))


def _delete_other_sheet(store, sheet, rubric):
    sheets.delete(store, sheets.find(store, "other"))


def _exclude(store, sheet, rubric):
    ana = graders.named(store, "person", "Ana").id
    graders.decide_annotator(store, sheet.id, ana, "excluded", "Lea", "at random")


def _merge(store, sheet, rubric):
    ids = [graders.named(store, "person", name).id for name in ("Typed", "Ana")]
    graders.merge(store, *ids)


CHANGES = [_withdraw_older_set, _ask_again, _delete_other_sheet, _exclude, _merge]


@pytest.mark.parametrize("change", CHANGES)
def test_the_state_changes_where_rows_are_changed_or_deleted(store, later_sheet, rubric, change):
    before = state_key(store, later_sheet)
    change(store, later_sheet, rubric[1])
    assert state_key(store, later_sheet) != before


def test_deleting_a_sheet_opens_the_questions_it_held_out_elsewhere(store, later_sheet, doc_qa):
    closed = [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    _delete_other_sheet(store, later_sheet, doc_qa)
    closed += [(read(store, later_sheet, doc_qa).items["closed"] != "").sum()]
    assert closed == [4, 2]


def test_answers_under_the_ids_of_deleted_ones_are_seen(store, sheet):
    """As when a file was taken for another sheet at first."""
    more = [made_item(n, question=f"A new question {n}?") for n in range(900, 905)]
    before = state_key(store, sheet)
    other = additions.add(store, "other", more, "more.csv", "0" * 64, {})
    sheets.delete(store, other)
    assert state_key(store, sheet) == before
    additions.add(store, sheet.name, more, "more.csv", "0" * 64, {})
    assert state_key(store, sheet) != before
