import pandas as pd
import pytest

from concord import Problem, import_answers, import_grades
from tests.support.exports import FOLDER

HUMAN = {"grader_kind:": "annotator"}


def frame(*scores, ids=("a", "b")):
    return pd.DataFrame(
        {"item_id": ids, "annotator": "Lea", "criterion": "correctness", "score": scores}
    )


def taken(store, grades, **more):
    return import_grades(store, grades, "pilot", mapping=HUMAN, rubric="doc-qa-0-3", **more)


def test_grades_of_a_frame_are_imported_once(store, two_answers):
    first = taken(store, frame(2, 3))
    assert (first.sheet, first.rubrics, first.counts.grades) == ("pilot", ("doc-qa-0-3",), 2)
    again = import_grades(store, frame(2, 3), mapping=HUMAN)  # the only sheet, and its rubric
    assert (again.counts.grades, again.counts.grades_unchanged) == (0, 2)
    assert store.column("select score from grades order by id") == [2, 3]


def test_numbers_of_zero_to_one_need_a_word_on_their_scale(store, two_answers):
    with pytest.raises(Problem):
        taken(store, frame(1, 0))
    taken(store, frame(1, 0), scores={"0-1": "0-3"})
    assert store.column("select score from grades order by id") == [3, 0]


def test_another_score_is_kept_or_replaced_as_the_script_says(store, two_answers):
    taken(store, frame(2, 3))
    with pytest.raises(Problem):
        taken(store, frame(2, 2))
    assert taken(store, frame(2, 2), on_conflict="keep").counts.grades_replaced == 0
    assert taken(store, frame(2, 2), on_conflict="replace").counts.grades_replaced == 1


def test_what_cannot_be_imported_stores_nothing(store, two_answers):
    with pytest.raises(Problem, match=r'as in mapping=\{"grader_kind:": "annotator"\}'):
        import_grades(store, frame(2, 3), "pilot")
    with pytest.raises(Problem, match="not from list"):
        import_grades(store, [{"item_id": "a"}], "pilot")
    with pytest.raises(Problem):
        taken(store, frame(2, 3, ids=("z", "b")))
    assert store.value("select count(*) from grades") == 0
    good = taken(store, frame(2, 3, ids=("z", "b")), partial=True)
    assert good.counts.grades == 1 and good.left_out[0].startswith("row 1: ")


def test_scores_of_another_tool_say_what_they_hold(store):
    import_answers(store, FOLDER / "langfuse_traces.json", "traces", mapping={"score": ""})
    done = import_grades(store, FOLDER / "langfuse_scores.csv", rubric="doc-qa-0-3", partial=True)
    assert done.found.tool.startswith("Langfuse") and done.found.annotators
    assert done.counts.grades and done.left_out


def test_words_have_their_usual_scores_on_the_scale_of_the_rubric(store, two_answers):
    labels = pd.DataFrame({"ticket": ["a", "b"], "reviewer": "Lea", "verdict": ["pass", "fail"]})
    mapping = {**HUMAN, "criterion:": "correctness"}
    with pytest.raises(Problem):
        import_grades(store, labels, mapping=mapping, rubric="doc-qa-0-3")
    done = import_grades(store, labels, mapping=mapping, rubric="doc-qa-0-1")
    assert done.scores == {"fail": 0, "pass": 1}
    assert store.column("select score from grades order by id") == [1, 0]
