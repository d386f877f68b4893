"""LangSmith feedback, built from its documented schema: no server wrote this file."""

from tests.support.exports import left_out, rows


def test_feedback_of_the_app_is_of_people_and_of_evaluators_of_judges():
    found, origin = rows("langsmith.json")
    names = ("item_id", "grader_kind", "grader", "criterion", "score", "blind")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("r1", "annotator", "u-ana", "correctness", "1", "false"),
        ("r1", "judge", "grader (gpt-4.1-mini)", "correctness", "0.8", None),
        ("r2", "annotator", "u-bo", "correctness", "0", "false"),
        ("r2", "judge", "LangSmith evaluator", "correctness", "wrong", None),
    ]
    assert origin.of == "grades"
    assert left_out(origin) == {
        ("feedback", 1, "it is a preference between two runs"),
        ("feedback", 1, "it has no known source or no single value"),
        ("feedback", 1, "it belongs to no run"),
    }
