"""One call to a judge: what works, what the server ignored, and which line to change."""

import datetime
import json

import pytest

from concord.judges.checks import endpoint_check
from concord.judges.definition import prices, registry
from concord.judges.definition.model import parse
from concord.judges.definition.prices import Usage
from concord.judges.transport.response import Answer
from concord.messages import said
from concord.reports.workflow import canaries
from concord.rubrics.model import of_units, presets
from tests.support.endpoint import Endpoint

pytestmark = pytest.mark.usefixtures("api_key")

RUBRIC = presets()["doc-qa-0-3"]
TODAY = datetime.date(2026, 11, 20)


def judge(url, more="", endpoint=""):
    free = "price = 0\n" if "127.0.0.1" in url else ""
    text = (
        f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{more}{free}'
        f'[endpoint]\nbase_url = "{url}"\n{endpoint}'
    )
    return parse(text, "mine.toml")


def checked(server, more="", endpoint="", rubric=RUBRIC):
    return endpoint_check.send(endpoint_check.prepare(judge(server.url, more, endpoint), rubric))


def finding(report, what):
    (found,) = [f for f in report.findings if f.what == what]
    return found


@pytest.mark.parametrize("mode", ["json_schema", "tool", "json_object", "text"])
def test_a_server_that_does_as_it_is_asked_holds_in_every_output_mode(mode):
    with Endpoint(key="sk-secret") as server:
        report = checked(server, f'output = "{mode}"\ntemperature = 0.1\n')
    assert report.holds
    assert len(server.seen) == 1
    assert [f.what for f in report.findings] == [
        *("reached", "reply", *(() if mode == "text" else ("output",))),
        *("model", "cost"),
    ]
    assert all(one.holds for one in report.findings)


@pytest.mark.parametrize("mode", ["json_schema", "tool", "json_object"])
def test_a_server_that_ignores_the_output_mode_is_told_with_the_line_to_change(mode):
    with Endpoint(ignores_format=True) as server:
        report = checked(server, f'output = "{mode}"\n')
    assert not report.holds
    assert finding(report, "reply").holds is True
    assert finding(report, "output").holds is False
    assert f'line 4 of mine.toml (`output = "{mode}"`)' in finding(report, "output").sentence


@pytest.mark.parametrize(
    ("model", "url"),
    [("YOUR-MODEL", ""), ("VENDOR/MODEL", ""), ("m", "https://YOUR-RESOURCE.openai.azure.com")],
)
def test_a_placeholder_that_nobody_replaced_is_told_before_anything_is_asked(model, url):
    with Endpoint() as server:
        text = f'name = "j"\nmodel = "{model}"\nrubric = "r"\n[endpoint]\n'
        asked = parse(f'{text}base_url = "{url or server.url}"', "mine.toml")
        report = endpoint_check.send(endpoint_check.prepare(asked, RUBRIC))
    assert not report.holds and server.seen == []


@pytest.mark.parametrize(
    ("behaviour", "what"),
    [
        ({"key": "other"}, "endpoint"),
        ({"models": frozenset({"n"})}, "endpoint"),
        ({"script": ["redirect"]}, "endpoint"),
        ({"script": ["quota"]}, "endpoint"),
        ({"script": ["form"]}, "endpoint"),
        ({"script": ["500", "500"]}, "reached"),
        ({"script": ["garbage"]}, "reply"),
        ({"script": ["cut"]}, "reply"),
        ({"script": ["mangled"]}, "reply"),
        ({"script": ["filter"]}, "reply"),
        ({"context_tokens": 10}, "reply"),
    ],
)
def test_whatever_goes_wrong_is_one_finding_that_does_not_hold(behaviour, what):
    with Endpoint(**behaviour) as server:
        report = checked(server)
    assert not report.holds
    assert finding(report, what).holds is False
    assert "sk-secret" not in str(canaries.of_check(report))


def test_a_reply_cut_at_the_judges_own_limit_names_that_line():
    with Endpoint(script=["cut"]) as server:
        report = checked(server, "max_tokens = 5\n")
    assert "Raise line 4 of mine.toml (`max_tokens = 5`)" in finding(report, "reply").sentence


def test_a_request_that_is_rejected_is_no_fault_of_the_connection():
    given = Answer("failed", said("No.", fault_code="rejected"), http_status=400, latency=0.1)
    sent = endpoint_check.prepare(judge("https://x.example/v1"), RUBRIC)
    report = endpoint_check.answered(sent, given, [], TODAY)
    assert (finding(report, "reached").holds, finding(report, "reply").holds) == (True, False)


def test_a_limit_on_tokens_that_the_server_ignores_is_seen():
    with Endpoint() as server:
        report = checked(server, "max_tokens = 5\n")
    assert not report.holds


def test_nobody_at_the_address_is_a_finding_and_not_a_fault():
    with Endpoint() as server:
        pass
    report = checked(server)
    assert finding(report, "endpoint").holds is False
    assert "line 6 of mine.toml" in finding(report, "endpoint").sentence


def test_no_key_is_a_finding_and_nothing_is_sent(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    sent = endpoint_check.prepare(judge("https://x.example/v1"), RUBRIC)
    report = endpoint_check.send(sent)
    assert [f.what for f in report.findings if f.holds is False] == ["key"]


def answered(usage, model="m", price_input="1", calls="joint"):
    one = judge("https://x.example/v1", f'calls = "{calls}"\n')
    listed = prices.Price(model=model, input=price_input, output="10", date=TODAY, source="a test")
    completion = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}
    answer = Answer(completion=completion, usage=usage, http_status=200, latency=0.5)
    return endpoint_check.answered(endpoint_check.prepare(one, RUBRIC), answer, [listed], TODAY)


def replied(content, more="", **answer):
    """The report on a reply with this content to a judge of these keys."""
    completion = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    came = {"raw": json.dumps(completion), "http_status": 200, "latency": 0.5}
    given = Answer(completion=completion, **came, **answer)
    sent = endpoint_check.prepare(judge("https://x.example/v1", more), RUBRIC)
    return endpoint_check.answered(sent, given, [], TODAY)


def graded(**more):
    grade = {"reason": "r", "score": 2} | more
    return json.dumps({criterion.name: grade for criterion in RUBRIC.criteria})


@pytest.mark.parametrize(
    ("answered", "wanted", "holds"),
    [
        ("something-else", "m1", None),
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("llama3:latest", "llama3", True),
        ("Org/Model", "model:provider", True),
        ("sonnet-2025", "sonnet-latest", True),
    ],
)
def test_another_model_than_was_requested_has_no_tick(answered, wanted, holds):
    text = f'name = "j"\nmodel = "{wanted}"\nrubric = "r"\n'
    sent = endpoint_check.prepare(parse(text, "mine.toml"), RUBRIC)
    given = Answer(completion={}, http_status=200, latency=0.5, model=answered)
    found = finding(endpoint_check.answered(sent, given, [], TODAY), "model")
    assert found.holds is holds


@pytest.mark.parametrize("line", ['confidence = "stated"', "logprobs = true"])
def test_a_probability_that_was_asked_for_and_did_not_come_is_a_finding(line):
    found = finding(replied(graded(), f"{line}\n"), "reply")
    assert found.holds is False and f"line 4 of mine.toml (`{line}`)" in found.sentence
    if "stated" in line:
        assert finding(replied(graded(confidence=80), f"{line}\n"), "reply").holds is True


def test_the_cost_is_that_of_the_tokens_reported():
    # 1,000 in at $1 and 100 out at $10 per million: $0.002 a call, $2.00 for 1,000 answers.
    found = finding(answered(Usage(1000, 100)), "cost")
    assert "$2.00" in found.sentence
    apart = finding(answered(Usage(1000, 100), calls="separate"), "cost")
    assert "$6.00" in apart.sentence


def test_without_reported_tokens_the_cost_and_the_model_are_unsaid():
    report = answered(None)
    assert (finding(report, "cost").holds, finding(report, "model").holds) == (None, None)


def test_a_model_without_a_price_is_unknown_and_not_free():
    found = finding(answered(Usage(1000, 100), model="other"), "cost")
    assert found.holds is None and "$" not in found.sentence


def test_the_baseline_asks_nobody_and_a_retired_model_is_a_warning(store):
    report = endpoint_check.send(endpoint_check.of_judge(store, registry.named(store, "baseline")))
    assert report.holds and report.url is None
    warned = endpoint_check.send(
        endpoint_check.of_judge(
            store,
            registry.named(store, "gpt-4-zero-shot").with_overrides(
                base_url="http://127.0.0.1:9/v1"
            ),
        )
    )
    assert finding(warned, "retirement").holds is None


@pytest.mark.parametrize("name", sorted(of_units()))
def test_every_rubric_of_units_can_be_asked_about_the_built_in_answer(name):
    sent = canaries.of_verdict(judge("http://127.0.0.1:9/v1"), name)
    assert sent.rubric.name == name
    assert "reading room" in sent.body["messages"][-1]["content"]
