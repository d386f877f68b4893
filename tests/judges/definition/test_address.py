"""Where a judge's requests go."""

import pytest

from concord.judges.definition import address
from tests.support.fakejudge import judge
from tests.support.judges.decisions import decision_judge


@pytest.mark.parametrize(
    ("dialect", "url", "found"),
    [
        ("openai", "https://api.openai.com/v1", "https://api.openai.com/v1/decisions"),
        ("openai", "https://api.openai.com/v1/", "https://api.openai.com/v1/decisions"),
        ("openai", "https://a.example/x/v1/decisions", "https://a.example/x/v1/decisions"),
        ("systemone", "https://api.typesafe.ai", "https://api.typesafe.ai/v1/systemone"),
        ("systemone", "http://localhost:8000/v1", "http://localhost:8000/v1/systemone"),
        ("systemone", "https://a.example/inference/v1", "https://a.example/inference/v1/systemone"),
        ("systemone", "https://a.example/api", "https://a.example/api/v1/systemone"),
        ("systemone", "https://a.example/v1beta", "https://a.example/v1beta/systemone"),
        ("systemone", "https://a.example/v1/systemone", "https://a.example/v1/systemone"),
        ("systemone", "https://a.example/v1/decisions", "https://a.example/v1/decisions"),
    ],
)
def test_a_decision_goes_below_the_url_whether_or_not_it_ends_in_a_version(dialect, url, found):
    assert address.of(decision_judge(dialect, url)) == found


def test_a_chat_completion_goes_below_the_url():
    assert address.of(judge()) == "/chat/completions"
