"""What an export holds, before any of it is stored."""

from concord.importing.recognition.found import found_in
from concord.importing.recognition.recognise import open_file
from tests.support.exports import FOLDER


def test_answers_people_and_judges_are_counted_by_name():
    found = found_in(open_file(FOLDER / "mlflow.json"))
    assert (found.answers, found.answer_models) == (3, {"answer": 3})
    assert found.annotators == {"ana": 2, "bo": 2, "cem": 2}
    assert found.grades_by_judge == {"openai:/gpt-4.1-mini v2": 3}
    assert found.grades_by_metric == {"length.py": 3, "tone.py": 3}
    assert found.values["correctness"] == {"no": 6, "yes": 3}
    assert found.not_blind == 6


def test_the_sentences_say_what_is_left_out_and_which_scores_words_are():
    found = found_in(open_file(FOLDER / "mlflow.json"))
    text = "\n".join(found.sentences())
    assert "MLflow traces: 3 answers by answer (3)." in text
    assert "Grades by annotators: " in text
    assert "Left out: assessments (3), because the grader returned an error." in text
    assert "(--map blind= on the command line)" in text
    assert found.mapping() is None
    assert found.mapped({"yes": 1, "no": 0, "n/a": None}).mapping() == (
        "Scores of words: yes = 1, no = 0, n/a = -. Other scores: --score WORD=SCORE."
    )
