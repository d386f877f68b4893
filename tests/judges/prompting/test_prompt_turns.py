"""Earlier turns in a judge's prompt, and contexts that are known by their ids alone."""

from concord.model import Context
from concord.rubrics.model import parse as parse_rubric
from tests.support.judges.prompts import ANSWER_ONLY, RUBRIC, RUBRIC_TEXT, item, judge, text

TURNS = (
    {"role": "user", "content": "Which tower?"},
    {"role": "assistant", "content": "", "tool_calls": [{"name": "look", "args": {"at": "map"}}]},
)
WITH_TURNS = parse_rubric(
    RUBRIC_TEXT.replace('["question", "contexts"]', '["turns", "question"]'), "r.toml"
)


def test_earlier_turns_are_shown_before_the_question_where_the_rubric_shows_them():
    said = text(judge(), WITH_TURNS, item(turns=TURNS))
    assert "user: Which tower?" in said and 'assistant: (calls look {"at":"map"})' in said
    assert said.index("<<<TURNS") < said.index("Which tower?") < said.index("<<<QUESTION")
    assert "Which tower?" not in text(judge(), RUBRIC, item(turns=TURNS))
    own = judge('prompt = "$rubric $turns $question $answer"\n')
    assert "Which tower?" in text(own, WITH_TURNS, item(turns=TURNS))
    assert WITH_TURNS.versions() != ANSWER_ONLY.versions()


def test_what_is_known_by_its_id_alone_is_no_context_to_read():
    only_ids = item(contexts=(Context("c1", "", "", 1), Context("c2", "", "Built in 1889.", 2)))
    assert text(judge(), RUBRIC, only_ids).count("<<<CONTEXT") == 1
