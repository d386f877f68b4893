import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.store import answer_record, answer_search, graders, grades, items, sheets
from concord.store.answer_search import (
    ANNOTATED,
    COLUMN,
    JUDGED,
    LENGTH,
    MODEL,
    NOT_ANNOTATED,
    NOT_JUDGED,
    QUESTION,
    AnswerFilter,
)
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.permissions import LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge
from tests.support.searched_answers import QUOTED


def ids(store, sheet_id: int, **wanted) -> list[str]:
    found = answer_search.find(store, sheet_id, AnswerFilter(**wanted), 50)
    assert found.total == len(found.answers)
    return [one.own_id for one in found.answers]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["a1", "a2", "b1", "b2", "c1"]),
        ("  ", ["a1", "a2", "b1", "b2", "c1"]),
        ("VALVE", ["a1"]),
        ("filters", ["a1", "a2"]),
        ("黑洞", ["b1", "b2"]),
        ("时空", ["b1"]),
        ("B2", ["b2"]),
        ("école", ["b2"]),
        ("ÉCOLE A", ["b2"]),
        ("%", ["a2"]),
        ("0%", ["a2"]),
        ("_", ["b2"]),
        ("\\", []),
        ("'quoted\" ", []),
        ("😀 'q", ["b2"]),
        ("valve\0", []),
        ("\0", []),
        ("\ud83d", []),
    ],
)
def test_a_search_finds_text_in_question_answer_and_own_id(store, small, search, found):
    assert ids(store, small, search=search) == found


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ((("team", "A"),), ["a1", "b1"]),
        ((("team", ""),), ["b2", "c1"]),
        ((("team", "A"), ("level", "10")), ["a1"]),
        ((("done", "true"),), ["b2"]),
        (((QUOTED, "yes"),), ["b1"]),
        (((QUOTED, 'n"o'),), ["c1"]),
        ((("nowhere", "A"),), []),
    ],
)
def test_a_filter_by_a_column_of_the_file_takes_its_text(store, small, where, found):
    assert ids(store, small, where=where) == found


@pytest.mark.parametrize(
    ("order", "descending", "found"),
    [
        ("file", True, ["c1", "b2", "b1", "a2", "a1"]),
        (QUESTION, False, ["c1", "a1", "a2", "b1", "b2"]),
        (MODEL, False, ["a1", "b1", "a2", "b2", "c1"]),
        (MODEL, True, ["a2", "b2", "a1", "b1", "c1"]),
        (LENGTH, False, ["c1", "b1", "a1", "a2", "b2"]),
        (f"{COLUMN}level", False, ["c1", "a2", "a1", "b2", "b1"]),
        (f"{COLUMN}level", True, ["a1", "a2", "c1", "b2", "b1"]),
        (f"{COLUMN}{QUOTED}", False, ["c1", "b1", "a1", "a2", "b2"]),
    ],
)
def test_an_order_keeps_missing_values_last_and_numbers_by_size(
    store, small, order, descending, found
):
    assert ids(store, small, order=order, descending=descending) == found


def test_only_current_scores_count_as_graded(store, small):
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    version = next(iter(rubric.versions().values()))
    ana = graders.ensure(store, "person", "Ana")
    judge = graders.ensure(store, "judge", "strict", "f")
    first = items.item_ids(store, small)
    grades.record(
        store,
        [Press(first[0], version, ana, score=2), Press(first[1], version, ana)._replace(score=1)],
    )
    grades.record(store, [Press(first[1], version, ana, status="withdrawn")])
    grades.record(store, [Press(first[2], version, judge, score=3)])
    grades.record(store, [Press(first[3], version, judge, status="unparsable")])
    assert ids(store, small, graded=ANNOTATED) == ["a1"]
    assert ids(store, small, graded=NOT_ANNOTATED) == ["a2", "b1", "b2", "c1"]
    assert ids(store, small, graded=JUDGED) == ["b1"]
    assert ids(store, small, graded=NOT_JUDGED) == ["a1", "a2", "b2", "c1"]
    assert ids(store, small, graded=ANNOTATED, model="birch") == []


def test_columns_and_their_values_are_counted_over_the_whole_sheet(store, small):
    assert answer_search.columns(store, small) == (QUOTED, "done", "level", "team")
    found = answer_search.values(store, small, "team", 2)
    assert [(one.text, one.answers) for one in found] == [("", 2), ("A", 2)]
    [missing, true] = answer_search.values(store, small, "done", 9)
    assert (missing.text, missing.answers, true.text, true.answers) == ("", 4, "true", 1)


@pytest.mark.parametrize("role", [LEAD, VIEWER])
def test_members_who_may_read_the_sheet_may_search_it(store, small, role):
    with open_store(store.path, Who("Lea", role)) as theirs:
        assert ids(theirs, small, search="valve") == ["a1"]
        assert answer_search.columns(theirs, small)


@given(
    search=st.text(min_size=1, max_size=8)
    | st.text(alphabet="%_\\'\"0aÉé黑洞😀\0 ", min_size=1, max_size=6)
)
def test_any_text_is_found_as_it_is_and_never_as_a_pattern(searched, search):
    store, sheet_id, texts = searched
    found = {
        one.own_id for one in answer_search.find(store, sheet_id, AnswerFilter(search), 50).answers
    }
    holds = {name for name, some in texts.items() if any(search.strip() in one for one in some)}
    assert holds <= found
    folded = {
        name
        for name, some in texts.items()
        if any(search.strip().casefold() in one.casefold() for one in some)
    }
    assert found <= (folded if search.strip() else {*texts})


def test_what_is_searched_follows_the_answers(store, small):
    other = sheets.find(store, "other")
    with store.write():
        store.execute("update items set answer = 'New.', metadata = '{}' where own_id = 'a1'")
        store.execute(f"update items set sheet_id = {other.id}, identity = 'x' where own_id = 'a2'"
                      f" and sheet_id = {small}")  # fmt: skip
    assert ids(store, small, search="new") == ["a1"]
    assert ids(store, small, search="100%") == []
    assert ids(store, small, where=(("team", "A"),)) == ["b1"]
    assert [one.length for one in answer_search.find(store, small, AnswerFilter(), 1).answers] == [
        4
    ]
    with store.write():
        store.execute("delete from sheets where id = ?", (small,))
    assert ids(store, small) == []
    assert store.value("select count(*) from answer_texts") == store.value(
        "select count(*) from items"
    )


def test_current_first_grades_are_read(store, sheet, rubric):
    give(store, rubric[1], "Ana", {0: 3, 1: None})
    give(store, rubric[1], "Ana", {0: 2})
    give(store, rubric[1], "Ana", {0: 2}, repeat=2)
    judge(store, rubric[1], "gpt", {0: 0})
    first, second, *_ = items.item_ids(store, sheet.id)
    found = answer_record.scores(store, [first, second])
    assert [(one.item_id, one.kind, one.grader, one.score) for one in found] == [
        (second, "person", "Ana", None),
        (first, "person", "Ana", 2),
        (first, "judge", "gpt", 0),
    ]
