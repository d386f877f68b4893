"""The known servers, each against a local server that imitates its quirk."""

import json
from dataclasses import dataclass

import pytest

from concord.judges.checks import check_request, endpoint_check
from concord.judges.definition import providers
from concord.judges.definition.model import parse
from concord.judges.definition.toml import beginning
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.endpoint import Endpoint, error
from tests.support.environment import environment

KEY = "a-key"


@dataclass
class Quirk:
    """What a server insists on, or does in silence.

    `path` and `header` are where and how it is asked; `refuses` says why a body is refused, ''
    otherwise; `prose` says whether it ignores the form that a body asks for.
    """

    path: str = "/v1/chat/completions"
    header: str = "Authorization"
    refuses: object = lambda body: ""
    prose: object = lambda body: False


def refusing(*keys):
    """Refuses bodies that hold one of these keys, by its name."""
    return lambda body: next((f"Unsupported parameter: '{k}'" for k in keys if k in body), "")


def wants_no_developer(body):
    roles = {message["role"] for message in body["messages"]}
    return "Unexpected role: developer is not supported" if "developer" in roles else ""


QUIRKS = {
    "openai": Quirk(refuses=refusing("max_tokens", "temperature")),
    "azure": Quirk("/openai/v1/chat/completions", "api-key", refusing("max_tokens")),
    "azure-dated": Quirk(
        "/openai/deployments/mine/chat/completions?api-version=2024-10-21", "api-key"
    ),
    "ollama": Quirk(header=""),
    "vllm": Quirk(refuses=wants_no_developer),
    "llama-cpp": Quirk(refuses=refusing("tools")),
    "openrouter": Quirk(
        "/api/v1/chat/completions", prose=lambda body: "require_parameters" not in str(body)
    ),
    "anthropic": Quirk(prose=lambda body: "response_format" in body),
    "google": Quirk("/v1beta/openai/chat/completions", refuses=refusing("frequency_penalty")),
}
# A setting that an annotator might well write, and what `check` then says to change.
WRONG = {
    "openai": ("temperature = 0.1", "Remove line"),
    "azure": ('endpoint.auth = "bearer"', "AZURE_OPENAI_API_KEY"),
    "azure-dated": ('endpoint.auth = "bearer"', "AZURE_OPENAI_API_KEY"),
    "ollama": ('max_tokens = 5\nendpoint.max_tokens_field = "max_completion_tokens"', "other name"),
    "vllm": ('endpoint.system_role = "developer"', "Set system_role to user"),
    "llama-cpp": ('output = "tool"', "Set output to json_schema"),
    "openrouter": ("extra_body = {}", "ignored json_schema"),
    "anthropic": ('output = "json_schema"', "Set output to tool"),
    "google": ("frequency_penalty = 0.5", "Remove line"),
}


class Imitated(Endpoint):
    """A local server with the quirk of another one."""

    def __init__(self, quirk: Quirk):
        super().__init__()
        self.quirk = quirk

    def _refusal(self, request, seen):
        quirk = self.quirk
        if seen.path != quirk.path:
            return error(404, "Not Found")
        keys = {n for n in ("Authorization", "api-key") if KEY in request.headers.get(n, "")}
        if keys != {*filter(None, [quirk.header])}:
            return error(401, "Access denied", "invalid_api_key")
        why = quirk.refuses(seen.body)
        return error(400, why) if why else None

    def completion(self, body, finish="", cut=False):
        self.behaviour.ignores_format = self.quirk.prose(body)
        found = super().completion(body, finish, cut)
        if "max_tokens" in body:  # the only name of the limit that the imitation keeps to
            found["usage"]["completion_tokens"] = body["max_tokens"]
        return found


def at(server, known, more=""):
    """The judge that the server's beginning makes, asked at the imitation."""
    lines = beginning(known).splitlines()
    extra, inner = [], []
    for line in filter(None, more.split("\n")):
        (inner if line.startswith("endpoint.") else extra).append(line.removeprefix("endpoint."))
    lines = [line for line in lines if line.split(" ")[0] not in named([*extra, *inner])]
    place = lines.index("[endpoint]")
    text = "\n".join([*lines[:place], *extra, *lines[place:], *inner])
    address = known.endpoint.base_url or known.endpoint.azure_endpoint
    host = "/".join(address.split("/")[:3])
    for placeholder in ("YOUR-DEPLOYMENT", "YOUR-MODEL", "VENDOR/MODEL"):
        text = text.replace(placeholder, "mine")
    return parse(text.replace(host, server.url[:-3]), "mine.toml")


def named(lines):
    return {line.split(" ")[0] for line in lines}


def checked(store, name, more=""):
    known = providers.named(name)
    with Imitated(QUIRKS[name]) as server:
        judge = at(server, known, more)
        rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
        with environment({known.endpoint.api_key_env: KEY}):
            return endpoint_check.send(check_request.prepare(judge, rubric))


def told(report):
    return " ".join(finding.sentence for finding in report.findings)


def test_every_known_server_is_imitated_and_says_where_it_was_read():
    assert {*providers.known()} == {*QUIRKS} == {*WRONG}
    assert all(one.source and one.note for one in providers.known().values())


@pytest.mark.parametrize("name", QUIRKS)
def test_the_beginning_for_a_server_suits_its_quirk(store, name):
    report = checked(store, name)
    assert report.holds, told(report)


@pytest.mark.parametrize("name", QUIRKS)
def test_where_a_setting_does_not_suit_the_check_says_what_to_change(store, name):
    more, advice = WRONG[name]
    report = checked(store, name, more)
    assert not report.holds and advice in told(report), told(report)


@pytest.mark.parametrize("name", QUIRKS)
def test_a_judge_that_asks_at_a_known_server_is_recognised(name):
    judge = parse(beginning(providers.named(name)), "mine.toml")
    assert providers.of(judge).name == name
    assert providers.advice(judge) == []


def test_what_a_known_server_ignores_is_said_beside_what_one_call_shows():
    text = beginning(providers.named("anthropic")).replace('"tool"', '"json_schema"\nseed = 1')
    said = providers.advice(parse(text, "mine.toml"))
    assert said == [
        "Remove seed, which it ignores: line 11 of mine.toml (`seed = 1`).",
        'Set output = "tool": line 10 of mine.toml (`output = "json_schema"`).',
    ]
    own = beginning(providers.named("ollama")).replace("cuts_long_prompts = true\n", "")
    assert providers.of(parse(own.replace("11434", "11435"), "mine.toml")) is None


def test_the_verb_begins_a_judge_file_and_lists_the_servers(store, tmp_path):
    begun = invoke(store.path, "judges", "--endpoint", "google").stdout
    assert parse(begun, "mine.toml").model == "gemini-3.5-flash"
    listed = json.loads(invoke(store.path, "judges", "--json").stdout)["endpoints"]
    assert {one["name"]: one["tried"] for one in listed} == dict.fromkeys(QUIRKS)
    refused = invoke(store.path, "judges", "--endpoint", "nowhere")
    assert refused.exit_code == 2 and "Available: openai" in refused.stderr


def test_a_beginning_takes_prompt_and_rubric_of_another_judge(store):
    base = parse('name = "b"\nmodel = "m"\nrubric = "r"\nprompt = "few_shot"\n', "b.toml")
    judge = parse(beginning(providers.named("vllm"), base), "mine.toml")
    assert (judge.rubric, judge.prompt, judge.model) == ("r", "few_shot", "YOUR-MODEL")
