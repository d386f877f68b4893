"""A judge written as TOML reads back as the same judge."""

import pytest

from concord.judges.definition.model import parse, presets
from concord.judges.definition.toml import as_toml

OWN = '''
name = "mine"
model = "m"
rubric = "doc-qa-0-3"
extra_body = { top_k = 5, "a b" = [1, true, "x"] }
extra_headers = { "X-Team" = "a\\"b" }
larger = { model = "big", context_tokens = 9 }
prompt = """
Say "yes" \\\\ or 否.\\t

$question $contexts
$answer
  $rubric """
[endpoint]
base_url = "http://localhost:1/v1"
timeout_s = 2.5
'''


@pytest.mark.parametrize("judge", [*presets().values(), parse(OWN, "own")], ids=lambda j: j.name)
def test_a_written_judge_reads_back_the_same(judge):
    assert parse(as_toml(judge), "again").body() == judge.body()


def test_what_is_written_says_how_the_judge_is_asked_and_leaves_out_other_defaults():
    text = as_toml(presets()["local"])
    assert 'prompt = "zero_shot"' in text and 'output = "json_schema"' in text
    assert "proxy" not in text and "extra_body" not in text


def test_the_form_of_a_reply_is_not_written_where_no_model_replies():
    assert "output" not in as_toml(presets()["computed"])
    assert "output" in as_toml(presets()["rag-metrics"])
