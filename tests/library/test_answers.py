import pandas as pd
import pytest

from concord import Problem, import_answers
from concord.store import items, sheets

MAPPING = {
    "question": "question",
    "answer": "response",
    "answer_model": "system",
    "score:annotator:Lea:correctness": "lea",
}


def test_a_frame_is_imported_once(store, graded_answers):
    first = import_answers(store, graded_answers, "pilot", mapping=MAPPING, rubric="doc-qa-0-3")
    assert (first.sheet, first.rubric) == ("pilot", "doc-qa-0-3")
    assert (first.counts.items, first.counts.grades) == (60, 60)
    again = import_answers(store, graded_answers, "pilot", mapping=MAPPING, rubric="doc-qa-0-3")
    assert (again.counts.items, again.counts.grades, again.counts.grades_unchanged) == (0, 0, 60)
    assert str(again) == "pilot: nothing changed; everything in it is already stored."


def test_a_frame_and_its_file_give_the_same_answers(store, graded_answers, tmp_path):
    graded_answers.to_csv(tmp_path / "file.csv", index=False)
    words = {key: MAPPING[key] for key in ("question", "answer", "answer_model")}
    import_answers(store, graded_answers, "frame", mapping=words)
    found = import_answers(store, tmp_path / "file.csv", mapping=words)
    assert found.sheet == "file" and found.rubric is None
    keys = [items.item_keys(store, sheets.find(store, name).id) for name in ("frame", "file")]
    assert {*keys[0]} == {*keys[1]} and len(keys[0]) >= 60


def test_values_keep_their_types(store):
    frame = pd.DataFrame(
        {
            "question": ["Who?", "Where?"],
            "answer": ["Ana", "在北京"],
            "contexts": [["Ana did.", "Ben saw."], []],
            "grade": [3, None],
        },
        index=[7, 7],
    )
    mapping = {"contexts": "contexts", "score:annotator:Lea:correctness": "grade"}
    taken = import_answers(store, frame, "few", mapping=mapping, rubric="doc-qa-0-3")
    assert (taken.counts.items, taken.counts.grades) == (2, 1)
    contexts = store.column("select contexts from items order by id")
    assert "Ben saw." in contexts[0] and "Ben" not in contexts[1]


def test_grades_in_words_make_a_rubric_of_their_own(store):
    frame = pd.DataFrame(
        {
            "question": [f"q{n}" for n in range(4)],
            "answer": [f"a{n}" for n in range(4)],
            "lea": ["fine", "bad", "fine", "skip"],
        }
    )
    taken = import_answers(
        store,
        frame,
        "words",
        mapping={"score:annotator:Lea:quality": "lea"},
        scores={"fine": 1, "bad": 0, "skip": None},
        scale=range(2),
    )
    assert taken.rubric not in (None, "doc-qa-0-3") and taken.counts.grades == 3


def test_what_cannot_be_imported_is_a_problem_and_stores_nothing(store, graded_answers):
    with pytest.raises(Problem, match="Name the sheet"):
        import_answers(store, graded_answers)
    with pytest.raises(Problem, match="not from list"):
        import_answers(store, [{"question": "q"}], "x")
    with pytest.raises(Problem, match="values of one type"):
        import_answers(store, graded_answers.assign(system=[1, "b"] * 30), "x")
    with pytest.raises(Problem, match="a name of its own"):
        import_answers(store, pd.concat([graded_answers, graded_answers], axis=1), "x")
    with pytest.raises(Problem, match="9"):
        wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
        import_answers(store, wrong, "x", mapping=MAPPING, rubric="doc-qa-0-3")
    assert sheets.all_sheets(store) == []


def test_with_partial_the_good_rows_are_imported_and_the_others_named(store, graded_answers):
    wrong = graded_answers.assign(lea=[9, *graded_answers.lea[1:]])
    taken = import_answers(store, wrong, "x", mapping=MAPPING, rubric="doc-qa-0-3", partial=True)
    assert taken.counts.grades == 59
    assert len(taken.left_out) == 1 and "9" in taken.left_out[0]
