"""Judge files: what is read, what is refused and what makes a judge the same judge."""

import datetime
import json
from dataclasses import dataclass
from decimal import Decimal

import pytest

from concord.judges.checks import check_request, endpoint_check
from concord.judges.definition import combined, model, prices, providers, registry
from concord.judges.definition.combined import CriterionFit, frozen, question_digest
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.model import READINGS, Judge, from_body, parse, presets
from concord.judges.definition.price_file import append
from concord.judges.definition.prices import Price, load
from concord.judges.definition.toml import as_toml, beginning
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem, for_screen
from concord.rubrics.model import parse as parse_rubric
from concord.rubrics.model import presets as rubric_presets
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.endpoint import Endpoint, error
from tests.support.environment import environment
from tests.support.judges.decisions import decision_judge

MINIMAL = 'name = "j"\nmodel = "m"\nrubric = "r"\n'

RUBRIC = parse_rubric(
    """
name = "r"
title = "R"
scale = [0, 1]
[[criteria]]
name = "correctness"
weight = 1
question = "Is it right?"
  [[criteria.levels]]
  score = 0
  meaning = "No."
    [[criteria.levels.examples]]
    question = "How far is the moon?"
    answer = "Not far."
    why = "No distance."
  [[criteria.levels]]
  score = 1
  meaning = "Yes."
""",
    "r.toml",
)


def judge(more=""):
    """A judge with further lines."""
    return parse(MINIMAL + more, "judges/mine.toml")


def test_a_judge_file_needs_only_a_name_a_model_and_a_rubric():
    read = judge()
    assert (read.kind, read.prompt, read.calls, read.output) == (
        "rubric",
        "zero_shot",
        "joint",
        "json_schema",
    )
    assert read.settings() == {}


def test_only_settings_that_are_given_are_sent_and_zero_is_given():
    read = judge("temperature = 0\nseed = 7\nmax_tokens = 300\n")
    assert read.settings() == {"temperature": 0, "seed": 7, "max_completion_tokens": 300}
    old = judge('max_tokens = 300\n[endpoint]\nmax_tokens_field = "max_tokens"\n')
    assert old.settings() == {"max_tokens": 300}


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("temprature = 0.1\n", "temprature — unknown key"),
        ('[endpoint]\nurl = "http://x"\n', "endpoint.url — unknown key"),
        ("temperature = 3\n", "temperature"),
        ('calls = "both"\n', "calls"),
        ('output = "yaml"\n', "output"),
        ('kind = "llm"\n', "kind"),
        ('prompt = "zeroshot"\n', "prompt"),
        ('prompt = "Grade $answer"\n', "$rubric is missing"),
        ('prompt = "Grade by $rubric"\n', "$answer is missing"),
        ('prompt = "Grade $answer by $rubric as $grader"\n', "there is no placeholder $grader"),
        ('prompt = "It costs $5. $answer $rubric"\n', "written $$"),
        ("[examples]\nper_score = 2\n", "use few_shot"),
        ('prompt = "$answer $rubric"\n[examples]\nper_score = 2\n', "$examples is missing"),
        ('kind = "holistic"\n', "a holistic judge takes"),
        ('kind = "metric"\n', "a metric judge has none"),
        ('kind = "baseline"\n', "the baseline sends no request"),
        ('[extra_body]\nmodel = "x"\n', "extra_body.model"),
        ("[extra_body]\ntemperature = 1\n", "extra_body.temperature"),
        ('[extra_headers]\nAuthorization = "Bearer x"\n', "holds no credentials"),
        ('[extra_headers]\nX-Api-Key = "x"\n', "holds no credentials"),
        ('[endpoint]\nbase_url = "localhost:11434"\n', "begins with http"),
        ('[endpoint]\nbase_url = "ftp://localhost"\n', "begins with http"),
        ('[endpoint]\nbase_url = "https://me:secret@host/v1"\n', "holds credentials"),
        ('[endpoint]\nbase_url = "https://host/v1?key=secret"\n', "query or fragment"),
        ('[endpoint]\nazure_endpoint = "https://a.example"\n', "go together"),
        (
            '[endpoint]\nbase_url = "https://b.example"\nazure_endpoint = "https://a.example"\n'
            'api_version = "2024-10-21"\n',
            "not both",
        ),
        ('[endpoint]\napi_key_env = "sk-abc"\n', "api_key_env"),
    ],
)
def test_a_wrong_judge_file_is_refused_by_file_and_key(more, named):
    with pytest.raises(Problem) as caught:
        judge(more)
    assert str(caught.value).startswith("judges/mine.toml: ")
    assert named in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        'model = "m"\nrubric = "r"\n',
        'name = "a b"\nmodel = "m"\nrubric = "r"\n',
        'name = "a@b"\nmodel = "m"\nrubric = "r"\n',
        'name = "a.toml"\nmodel = "m"\nrubric = "r"\n',
        'name = "a"\nrubric = "r"\n',
        'name = "a"\nmodel = "m"\n',
        'name = "a"\nkind = "baseline"\n',
        'name = "a',
    ],
)
def test_a_judge_without_what_its_kind_needs_is_refused(text):
    with pytest.raises(Problem):
        parse(text, "judges/mine.toml")


def test_a_path_and_a_preset_name_are_told_apart(store, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    assert registry.named(store, str(path)).name == "j"
    assert registry.named(store, "gpt-4-zero-shot").model == "gpt-4"
    with pytest.raises(Problem, match="gpt-4-zero-shot"):
        registry.named(store, "gpt-4")
    with pytest.raises(Problem):
        registry.named(store, str(tmp_path / "other.toml"))


def test_every_preset_is_complete_and_its_rubric_ships():
    shipped = model.presets()
    assert {
        "gpt-4-zero-shot",
        "gpt-4-few-shot",
        "gpt-3.5-turbo-zero-shot",
        "gpt-3.5-turbo-few-shot",
        "gpt-6-luna-zero-shot",
        "gpt-6-luna-few-shot",
        "gpt-6.1-sol-zero-shot",
        "gpt-6.1-sol-few-shot",
        "holistic-1-10",
        "local",
        "baseline",
        "rag-metrics",
        "vera",
        "computed",
    } <= set(shipped)
    rubrics = rubric_presets()
    asked = [one for one in shipped.values() if one.rubric and one.kind != "baseline"]
    assert len({fingerprint(one, rubrics[one.rubric]) for one in asked}) == len(asked)
    assert all(one.about for one in shipped.values())


def test_the_presets_of_the_original_study_call_a_function_at_temperature_a_tenth():
    for name in ("gpt-4", "gpt-3.5-turbo"):
        for prompt in ("zero-shot", "few-shot"):
            preset = model.presets()[f"{name}-{prompt}"]
            assert (preset.output, preset.temperature) == ("tool", 0.1)
            assert preset.retired == datetime.date(2026, 10, 23)


def test_presets_for_todays_models_send_no_setting_they_would_refuse():
    for name in ("gpt-6-luna-zero-shot", "gpt-6.1-sol-few-shot", "holistic-1-10"):
        assert model.presets()[name].settings() == {}


def test_a_retired_model_is_warned_about_and_never_refused():
    retired = judge('retired = "2026-10-23"\n')
    assert "was retired" in retired.retirement(datetime.date(2026, 10, 23))
    assert judge().retirement(datetime.date(2026, 10, 23)) is None


def test_the_endpoint_comes_from_the_file_then_the_environment_then_openai(monkeypatch):
    assert judge().url() == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1/")
    assert judge().url() == "http://localhost:8000/v1"
    assert judge('[endpoint]\nbase_url = "https://x.example/v1/"\n').url() == (
        "https://x.example/v1"
    )
    azure = judge('[endpoint]\nazure_endpoint = "https://a.example/"\napi_version = "2024-10-21"\n')
    assert azure.url() == "https://a.example/openai?api-version=2024-10-21"
    assert azure.endpoint.auth_style() == "api-key"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:pw@x.example")
    with pytest.raises(Problem, match="OPENAI_BASE_URL"):
        judge().url()


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.0.1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://models.localhost/v1", True),
        ("http://127.example.com/v1", False),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.0.2:8000/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_only_this_machine_is_local(url, local):
    assert judge(f'[endpoint]\nbase_url = "{url}"\n').is_local() is local


def test_the_baseline_is_local_wherever_openai_is():
    assert model.presets()["baseline"].is_local()


def test_another_model_or_endpoint_makes_a_new_judge_under_the_same_name():
    old = model.presets()["gpt-3.5-turbo-few-shot"]
    other = old.with_overrides(model="m2")
    assert (other.name, other.model, other.temperature) == (old.name, "m2", 0.1)
    assert (other.retired, other.larger, other.context_tokens) == (None, None, None)
    moved = old.with_overrides(base_url="http://localhost:9/v1/")
    assert moved.url() == "http://localhost:9/v1"
    assert (moved.larger, moved.retired) == (old.larger, old.retired)
    rubric = rubric_presets()["doc-qa-0-3"]
    assert len({fingerprint(one, rubric) for one in (old, other, moved)}) == 3
    with pytest.raises(Problem):
        old.with_overrides(base_url="localhost")


def test_a_base_url_replaces_azure():
    azure = judge('[endpoint]\nazure_endpoint = "https://a.example"\napi_version = "v"\n')
    assert azure.with_overrides(base_url="http://localhost:9").url() == "http://localhost:9"


def test_a_stored_judge_reads_back_as_the_same_judge():
    for preset in model.presets().values():
        again = model.from_body(preset.body())
        assert again.body() == preset.body()
        if preset.kind not in ("baseline", "metric"):
            rubric = rubric_presets()[preset.rubric]
            assert fingerprint(again, rubric) == fingerprint(preset, rubric)


CHANGES = [
    'model = "m2"',
    "temperature = 0.1",
    "top_p = 1",
    "seed = 1",
    "max_tokens = 1",
    'reasoning_effort = "low"',
    'calls = "separate"',
    'output = "tool"',
    'output = "json_object"',
    'output = "text"',
    'prompt = "few_shot"',
    'prompt = "$question $contexts $answer $rubric"',
    'larger = { model = "m3" }',
    "extra_body = { a = 1 }",
    'extra_headers = { a = "1" }',
    'endpoint = { base_url = "http://localhost/v1" }',
    'endpoint = { system_role = "developer" }',
]


def test_every_change_of_what_is_sent_changes_the_fingerprint():
    texts = [MINIMAL, *(_replaced(change) for change in CHANGES)]
    prints = [fingerprint(parse(text, "x"), RUBRIC) for text in texts]
    assert len(set(prints)) == len(prints)


def test_what_is_not_sent_does_not_change_the_fingerprint():
    plain = fingerprint(judge(), RUBRIC)
    for text in (
        MINIMAL.replace('"j"', '"k"'),
        MINIMAL + 'about = "x"\nretired = "2026-01-01"\n',
        MINIMAL + '[endpoint]\napi_key_env = "OTHER"\ntimeout_s = 5\n',
        MINIMAL + '[endpoint]\nbase_url = "https://api.openai.com/v1/"\n',
    ):
        assert fingerprint(parse(text, "x"), RUBRIC) == plain


def test_meanings_change_the_fingerprint_and_weights_do_not():
    body = RUBRIC.model_dump()
    body["criteria"][0]["levels"][1]["meaning"] = "Certainly."
    changed = type(RUBRIC).model_validate(body)
    assert fingerprint(judge(), changed) != fingerprint(judge(), RUBRIC)
    body = RUBRIC.model_dump()
    body["title"] = "Another title"
    renamed = type(RUBRIC).model_validate(body)
    assert fingerprint(judge(), renamed) == fingerprint(judge(), RUBRIC)


def test_example_texts_are_part_of_a_few_shot_judge():
    body = RUBRIC.model_dump()
    body["criteria"][0]["levels"][0]["examples"][0]["answer"] = "Quite far."
    changed = type(RUBRIC).model_validate(body)
    few = judge('prompt = "few_shot"\n')
    assert fingerprint(few, changed) != fingerprint(few, RUBRIC)
    assert fingerprint(judge(), changed) == fingerprint(judge(), RUBRIC)


def test_the_place_of_a_key_is_its_line_in_the_file():
    read = judge("temperature = 0.1\n")
    assert read.place("temperature") == "line 4 of judges/mine.toml (`temperature = 0.1`)"
    assert read.place("top_p") == "the key `top_p` in judges/mine.toml"
    assert read.with_overrides(model="x").place("temperature").startswith("line 4")
    moved = read.with_overrides(model="x", base_url="http://localhost:9/v1")
    assert for_screen(moved.place("base_url")) == "“Base URL”"
    assert "judge j" in model.from_body(read.body()).place("temperature")


def _replaced(change):
    """The minimal file with one key set or replaced."""
    key = change.split(" = ")[0]
    kept = [line for line in MINIMAL.splitlines() if not line.startswith(f"{key} ")]
    return "\n".join([*kept, change, ""])


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


FILE = """
name = "jury"
kind = "combined"
rubric = "doc-qa-0-3"
members = ["a", "b"]
rule = "ordinal"
"""
FIT = frozen(
    {
        "is short": CriterionFit(
            version="v1",
            features=("a", "b: “x”@v2"),
            weights=(0.1 + 0.2, -1e-7),
            points=(0.5, 1.25),
            scores=(0, 1, 3),
            answers=30,
            clusters=10,
        )
    },
    ("q1", question_digest("q2", "doc")),
)


def jury(**changes):
    keys = {"kind": "combined", "rubric": "doc-qa-0-3", "members": ("a", "b"), "rule": "ordinal"}
    return Judge(name="jury", **keys | changes)


def test_a_file_names_members_and_a_rule():
    judge = parse(FILE, "jury.toml")
    assert (judge.members, judge.rule, judge.fit) == (("a", "b"), "ordinal", None)
    assert parse(as_toml(judge), "again.toml").body() == judge.body()


def test_a_frozen_fit_is_read_back_exactly():
    judge = jury(fit=FIT)
    assert parse(as_toml(judge), "frozen.toml").fit == FIT == from_body(judge.body()).fit


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ('model = "m"', "model: a combined judge sends no request"),
        ('prompt = "few_shot"', "prompt: a combined judge"),
        ("temperature = 0", "temperature: a combined judge"),
        ("price = 0", "price: a combined judge"),
        ('[endpoint]\nbase_url = "http://localhost:1"', "endpoint: a combined judge"),
        ("weights = [1]", "weights — unknown key"),
    ],
)
def test_what_a_combined_judge_does_not_take_is_refused_by_name(more, fault):
    with pytest.raises(Problem, match=fault):
        parse(FILE + more, "jury.toml")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rubric": None}, "rubric: name the rubric"),
        ({"rule": None}, "rule: name one of majority, mean, weighted, ordinal, cut_points"),
        ({"rule": "median"}, "rule"),
        ({"members": None}, "members: name the judges"),
        ({"members": ()}, "members: name the judges"),
        ({"members": ("a", "a")}, "members: name the judges"),
        ({"members": ("a", "jury")}, "members: name the judges"),
        ({"members": ("a",), "rule": "mean"}, "members: mean takes at least two"),
        ({"rule": "cut_points"}, "members: cut_points reads the probabilities of one judge"),
        ({"rule": "mean", "fit": FIT}, "fit: mean is not fitted"),
    ],
)
def test_what_is_missing_or_contradicts_is_refused_by_name(changes, fault):
    with pytest.raises(ValueError, match=fault):
        jury(**changes)


def test_only_a_combined_judge_has_members():
    with pytest.raises(ValueError, match="members: only a combined judge has it"):
        Judge(name="a", model="m", rubric="r", members=("a", "b"))


def test_a_changed_number_of_a_frozen_fit_is_refused():
    text = as_toml(jury(fit=FIT))
    assert "1.25" in text
    with pytest.raises(Problem):
        parse(text.replace("1.25", "1.5"), "frozen.toml")


def test_a_feature_without_a_weight_is_refused():
    with pytest.raises(ValueError, match="a feature has one weight"):
        CriterionFit(**FIT.criteria["is short"].model_dump() | {"weights": (1.0,)})


def test_every_rule_has_words():
    assert [*combined.WORDS] == [*combined.RULES]


DAY = datetime.date(2026, 11, 20)


def test_an_entry_is_written_as_it_is_read_and_earlier_ones_stay(tmp_path, monkeypatch):
    path = tmp_path / "prices.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    path.write_text('# mine\n[[price]]\nmodel = "a"\ninput = 1\noutput = 2\ndate = 2026-01-01\n')
    with path.open("a") as file:
        file.write('source = "contract"')
    before = path.read_text()
    made = Price(
        model='b "x"',
        host="llm.example.org:8000",
        input="0.042",
        output=Decimal("1E+1"),
        decisions=True,
        until=DAY,
        date=DAY,
        source="there",
    )
    assert append([made, made]) == path
    assert path.read_text().startswith(before)
    assert load(path)[1:] == (made, made)


def test_a_wrong_price_file_is_not_made_longer(tmp_path, monkeypatch):
    path = tmp_path / "prices.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    path.write_text("[[price]]\nmodell = 1\n")
    with pytest.raises(Problem, match="modell"):
        append([Price(model="a", input=1, output=1, date=DAY, source="s")])
    assert path.read_text() == "[[price]]\nmodell = 1\n"


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
