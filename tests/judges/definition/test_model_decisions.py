"""Judge files of decision models: what they need, and what they do not take."""

import datetime

import pytest

from concord.judges.definition import prices, providers
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.model import READINGS, Judge, from_body, parse, presets
from concord.judges.definition.toml import as_toml
from concord.messages import Problem
from tests.support.judges.decisions import decision_judge

TODAY = datetime.date(2026, 11, 26)
DECIDING = [judge for judge in presets().values() if judge.kind == "decision"]


def test_a_file_names_a_dialect_a_model_and_a_rubric():
    judge = decision_judge("systemone")
    assert (judge.dialect, judge.reading_rule(), judge.reading) == (
        "systemone",
        "rounded_mean",
        None,
    )
    for key in ("dialect", "model", "rubric"):
        text = "\n".join(
            line for line in as_toml(judge).splitlines() if not line.startswith(f"{key} ")
        )
        with pytest.raises(Problem, match=f"{key}: name the"):
            parse(text, "mine.toml")


@pytest.mark.parametrize(
    "line",
    [
        "temperature = 0.0",
        "top_p = 1.0",
        "frequency_penalty = 0.0",
        "presence_penalty = 0.0",
        "seed = 1",
        "max_tokens = 10",
        'reasoning_effort = "low"',
        'verbosity = "low"',
        'output = "tool"',
        'output = "json_schema"',
        'prompt = "few_shot"',
        'prompt = "zero_shot"',
        'prompt = "holistic"',
        'prompt = "$rubric $answer"',
        'examples = { source = "rubric" }',
        "logprobs = true",
        'confidence = "stated"',
    ],
)
def test_what_a_decision_model_does_not_take_is_refused_by_name(line):
    line.partition(" ")[0]
    with pytest.raises(Problem):
        decision_judge(more=line)


@pytest.mark.parametrize("line", ['system_role = "user"', 'max_tokens_field = "max_tokens"'])
def test_an_endpoint_of_decisions_has_no_settings_of_chat(line):
    line.partition(" ")[0]
    with pytest.raises(Problem):
        decision_judge(endpoint=line)


def test_a_dated_address_of_azure_takes_no_decisions():
    endpoint = {"azure_endpoint": "https://a.openai.azure.com", "api_version": "2024-10-21"}
    given = {"name": "d", "kind": "decision", "dialect": "openai", "model": "m", "rubric": "r"}
    with pytest.raises(ValueError, match="azure_endpoint: a decision model takes none"):
        Judge(**given, endpoint=endpoint)


CHAT = 'name = "a"\nmodel = "m"\nrubric = "doc-qa-0-3"\n'


def test_only_a_decision_model_has_a_dialect():
    with pytest.raises(Problem):
        parse(f'{CHAT}dialect = "openai"\n', "mine.toml")


def test_a_chat_judge_with_logprobs_takes_a_reading_rule_and_has_none_by_default():
    read = parse(f'{CHAT}logprobs = true\nreading = "median"\n', "mine.toml")
    assert (read.reading_rule(), read.is_read()) == ("median", True)
    assert parse(as_toml(read), "again.toml").body() == read.body()
    plain = parse(f"{CHAT}logprobs = true\n", "mine.toml")
    assert (plain.reading_rule(), plain.is_read()) == (None, True)
    assert not parse(CHAT, "mine.toml").is_read()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("", "reading: only a judge that returns probabilities has it; set logprobs = true"),
        ('confidence = "stated"\n', "reading: a stated confidence is the probability of one score"),
    ],
)
def test_without_probabilities_of_all_scores_there_is_nothing_to_read(more, why):
    with pytest.raises(Problem, match=why):
        parse(f'{CHAT}{more}reading = "argmax"\n', "mine.toml")


@pytest.mark.parametrize("kind", ["metric", "baseline"])
def test_what_grades_by_no_reply_has_no_reading_rule(kind):
    with pytest.raises(Problem, match=r"reading: .*; remove it"):
        parse(f'name = "a"\nkind = "{kind}"\nreading = "argmax"\n', "mine.toml")


@pytest.mark.parametrize("line", ['dialect = "other"', 'reading = "mode"'])
def test_a_dialect_and_a_rule_are_of_a_few(line):
    with pytest.raises(Problem, match=line.partition(" ")[0]):
        decision_judge(more=line) if "reading" in line else decision_judge("other")


@pytest.mark.parametrize("key", ["input", "state", "questions", "temperature"])
def test_extra_keys_hide_nothing_of_the_request(key):
    with pytest.raises(Problem, match=f"extra_body.{key}: this is set"):
        decision_judge(more=f"extra_body = {{ {key} = 1 }}")


@pytest.mark.parametrize("rule", READINGS)
def test_file_and_json_give_the_same_judge_back(rule):
    judge = decision_judge(more=f'reading = "{rule}"\ncalls = "separate"')
    assert parse(as_toml(judge), "mine.toml").body() == judge.body()
    assert from_body(judge.body()).body() == judge.body()
    assert judge.with_overrides(model="n", base_url="http://localhost:1").reading_rule() == rule


def test_seven_presets_ask_decision_models_and_say_that_they_were_not_tried():
    assert len(DECIDING) == 7
    for judge in DECIDING:
        assert parse(as_toml(judge), judge.name).body() == judge.body()


def test_hosted_presets_have_a_dated_price_with_free_output():
    for judge in DECIDING:
        found = price_of(prices.load(), judge, TODAY)
        assert found.output == 0 and (found.input > 0) == (not judge.is_local())


def test_a_price_of_decisions_is_not_that_of_chat_with_the_same_model():
    chat = presets()["gpt-6-luna-zero-shot"]
    assert price_of(prices.load(), chat, TODAY).output > 0
    assert price_of(prices.load(), presets()["gpt-6-luna-decisions"], TODAY).output == 0


def test_a_decision_model_without_a_price_of_its_own_has_the_model_s():
    listed = [
        prices.Price(model="m", input=2, output=3, date=TODAY, source="a test"),
        prices.Price(model="n", input=1, output=0, decisions=True, date=TODAY, source="a test"),
    ]
    judge = decision_judge(url="https://llm.example.org/v1").changed({"price": None})
    assert price_of(listed, judge, TODAY).input == 2
    chat = parse('name="a"\nmodel="n"\nrubric="r"\n[endpoint]\nbase_url="https://l.org"', "a.toml")
    assert price_of(listed, chat, TODAY) is None


def test_what_is_known_of_chat_servers_is_not_advised_for_decisions():
    judge = presets()["local-decision-ollama"]
    assert providers.of(judge) is None and providers.advice(judge) == []
