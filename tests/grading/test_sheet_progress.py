from concord.grading import sheet_progress
from concord.sampling import split_assignment, splits
from concord.store import graders, items
from concord.store.grades import Press, record


def graded_of(store, sheet):
    return sheet_progress.graded(store, sheet.id)[:7]


def test_answers_are_counted_once_and_so_is_who_graded_them(store, sheet, given):
    given("Ana", [0, 1, 2, 2])
    given("Ben", [2, 3])
    given("gpt", range(6), kind="judge")
    assert graded_of(store, sheet) == (4, 1, ["Ana", "Ben"], 0, 0, 0, 0)
    assert [*sheet_progress.judged(store, sheet.id).judges.values()] == ["gpt"]


def test_judges_are_counted_each_and_only_those_that_graded(store, sheet, rubric, given):
    given("gpt", [0], kind="judge")
    given("garbled", [0, 1], kind="judge", status="failed")
    given("taken back", [0], kind="judge")
    given("taken back", [0], kind="judge", status="withdrawn")
    for print_of in ("a", "b"):  # two judges of one name
        twin = graders.ensure(store, "judge", "twin", print_of * 16)
        version = next(iter(rubric[1].versions().values()))
        record(store, [Press(items.item_ids(store, sheet.id)[0], version, twin, score=1)])
    found = sheet_progress.judged(store, sheet.id).judges
    assert [*found.values()] == ["gpt", "twin", "twin"]
    news = [row["name"] for row in sheet_progress.grades_since(store, sheet.id, "")]
    assert news == ["garbled", "gpt", f"twin@{'a' * 16}", f"twin@{'b' * 16}"]
    garbled = graders.find(store, "judge", "garbled").id
    assert sheet_progress.asked(store, sheet.id) == {*found, garbled}


def test_answers_that_no_annotator_graded_blind_are_counted_apart(store, sheet, given):
    given("Ana", [0, 1, 2])
    with store.write():
        store.execute("update grades set blind = 0")
    given("Ben", [2, 3])
    assert graded_of(store, sheet) == (2, 0, ["Ben"], 0, 0, 2, 0)


def test_simulated_annotators_count_until_others_have_graded_as_in_figures(store, sheet, given):
    simulated = given("sim", range(6))
    with store.write():
        store.execute("update graders set simulated = 1 where id = ?", (simulated,))
    given("author", [0, 1])
    assert graded_of(store, sheet) == (6, 2, ["sim", "author"], 1, 0, 0, 0)
    given("Ana", [1, 2])
    assert graded_of(store, sheet) == (3, 1, ["author", "Ana"], 0, 0, 0, 0)


def test_answers_of_an_annotator_who_is_not_accepted_are_counted_apart(store, sheet, rubric, given):
    given("Ana", [0, 1])
    zoe = graders.ensure_annotator(store, "Zoe").id
    version = next(iter(rubric[1].versions().values()))
    ids = items.item_ids(store, sheet.id)
    record(store, [Press(ids[at], version, zoe, score=1) for at in (1, 2, 3)])
    assert graded_of(store, sheet) == (2, 0, ["Ana"], 0, 0, 0, 2)
    assert sheet_progress.graded(store, sheet.id).without == ("Zoe",)
    graders.decide_annotator(store, sheet.id, zoe, "included", "Lea")
    assert graded_of(store, sheet) == (4, 1, ["Ana", "Zoe"], 0, 0, 0, 0)


def test_news_count_each_answer_of_a_grader_once_from_a_moment_on(store, sheet, given):
    given("Ana", [0, 1])
    given("Ben", [0])
    with store.write():
        store.execute("update grades set created_at = '2026-01-01T00:00:00'")
    given("Ana", [1, 2, 2])
    given("gpt", [5], kind="judge")
    news = sheet_progress.grades_since(store, sheet.id, "2026-01-02")
    assert [tuple(row) for row in news] == [("person", 0, "Ana", 2), ("judge", 0, "gpt", 1)]
    assert len(sheet_progress.grades_since(store, sheet.id, "2025-12-31")) == 3
    assert sheet_progress.grades_since(store, sheet.id, "9999") == []


def test_who_graded_only_what_is_set_apart_is_no_annotator_and_no_news(store, sheet, given):
    """Places 0 to 2 are answers to question 000."""
    given("Ana", [0, 1, 5])
    given("Ben", [0, 2])
    given("gpt", [0], kind="judge")
    (pool,) = splits.questions_named(store, sheet, ["000"])
    split_assignment.assign(store, [pool], "few-shot", "")
    assert graded_of(store, sheet) == (1, 0, ["Ana"], 0, 3, 0, 0)
    news = [tuple(row) for row in sheet_progress.grades_since(store, sheet.id, "")]
    assert news == [("person", 0, "Ana", 1)]
