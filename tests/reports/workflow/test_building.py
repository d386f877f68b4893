"""What is shown of a sheet that is being built."""

from concord.model import Question
from concord.reports.workflow import building


def test_one_question_is_counted_as_one():
    question = Question("q", None, "When?", (), (), (), True)
    assert building.file_questions([question]).facts == (
        "Questions without a context: 1. Models answer these without one.",
    )
    assert building.answered("port", [question], []).headline == "port: 1 question, 1 synthetic."
