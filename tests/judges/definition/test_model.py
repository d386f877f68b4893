"""Judge files: what is read, what is refused and what makes a judge the same judge."""

import datetime
from dataclasses import dataclass

import pytest

from concord.judges.definition import model, prices, providers, registry
from concord.judges.definition.model import SETTINGS, Judge, from_body, parse, presets
from concord.judges.definition.prices import price_of
from concord.judges.definition.providers import as_toml, beginning
from concord.judges.kinds.combined import CriterionFit, frozen_fit, question_digest
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem, for_screen
from concord.rubrics.model import parse as parse_rubric
from concord.rubrics.model import presets as rubric_presets
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


def test_a_retired_model_is_warned_about_and_never_refused():
    retired = judge('retired = "2026-10-23"\n')
    assert "2026" in retired.retirement() and judge().retirement() is None


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


def test_meanings_and_shown_examples_change_the_fingerprint_and_what_is_not_sent_does_not():
    plain, few = judge(), judge('prompt = "few_shot"\n')
    for changed, alike in (
        ({"levels": {1: {"meaning": "Certainly."}}}, False),
        ({"title": "Another title"}, True),
    ):
        body = RUBRIC.model_dump()
        for place, level in changed.pop("levels", {}).items():
            body["criteria"][0]["levels"][place].update(level)
        other = type(RUBRIC).model_validate(body | changed)
        assert (fingerprint(plain, other) == fingerprint(plain, RUBRIC)) is alike
    body = RUBRIC.model_dump()
    body["criteria"][0]["levels"][0]["examples"][0]["answer"] = "Quite far."
    other = type(RUBRIC).model_validate(body)
    assert fingerprint(few, other) != fingerprint(few, RUBRIC)
    for text in (
        MINIMAL.replace('"j"', '"k"'),
        MINIMAL + 'about = "x"\nretired = "2026-01-01"\n',
        MINIMAL + '[endpoint]\napi_key_env = "OTHER"\ntimeout_s = 5\n',
        MINIMAL + '[endpoint]\nbase_url = "https://api.openai.com/v1/"\n',
    ):
        assert fingerprint(parse(text, "x"), other) == fingerprint(plain, RUBRIC)


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


def test_a_chat_judge_has_no_reading_rule_by_default_and_a_decision_model_has():
    plain = judge("logprobs = true\n")
    assert (plain.reading_rule(), plain.is_read(), judge().is_read()) == (None, True, False)
    moved = decision_judge(more='reading = "argmax"').with_overrides("n", "http://localhost:1")
    assert (decision_judge().reading_rule(), moved.reading_rule()) == ("rounded_mean", "argmax")


def test_a_decision_model_without_a_price_of_its_own_has_the_model_s():
    listed = [
        prices.Price(model="m", input=2, output=3, date=TODAY, source="a test"),
        prices.Price(model="n", input=1, output=0, decisions=True, date=TODAY, source="a test"),
    ]
    judge = decision_judge(url="https://llm.example.org/v1").changed({"price": None})
    assert price_of(listed, judge, TODAY).input == 2
    chat = parse('name="a"\nmodel="n"\nrubric="r"\n[endpoint]\nbase_url="https://l.org"', "a.toml")
    assert price_of(listed, chat, TODAY) is None


HEADS = {
    "": MINIMAL,
    "metric": 'name = "j"\nkind = "metric"\n',
    "baseline": 'name = "j"\nkind = "baseline"\nrubric = "r"\n',
    "decision": f'{MINIMAL}kind = "decision"\ndialect = "openai"\n',
    "combined": 'name = "j"\nkind = "combined"\nrubric = "r"\n',
}
OF_TWO = 'members = ["a", "b"]\nrule = "mean"\n'
AZURE = 'azure_endpoint = "https://a.example"\napi_version = "2024-10-21"\n'
# Head, further lines, and the key that the refusal names.
REFUSED = [
    ("", "temprature = 0.1", "temprature"),
    ("", '[endpoint]\nurl = "http://x"', "endpoint.url"),
    ("", "temperature = 3", "temperature"),
    ("", 'calls = "both"', "calls"),
    ("", 'output = "yaml"', "output"),
    ("", 'kind = "llm"', "kind"),
    ("", 'dialect = "openai"', "dialect"),
    ("", 'prompt = "zeroshot"', "prompt"),
    ("", 'prompt = "Grade $answer"', "$rubric"),
    ("", 'prompt = "Grade by $rubric"', "$answer"),
    ("", 'prompt = "Grade $answer by $rubric as $grader"', "$grader"),
    ("", 'prompt = "It costs $5. $answer $rubric"', "$$"),
    ("", "[examples]\nper_score = 2", "examples"),
    ("", 'prompt = "$answer $rubric"\n[examples]\nper_score = 2', "$examples"),
    ("", 'kind = "holistic"', "prompt"),
    ("", 'reading = "argmax"', "reading"),
    ("", 'reading = "argmax"\nconfidence = "stated"', "reading"),
    ("", 'logprobs = true\nconfidence = "stated"', "logprobs"),
    ("", OF_TWO, "members"),
    ("", '[extra_body]\nmodel = "x"', "extra_body.model"),
    ("", "[extra_body]\ntemperature = 1", "extra_body.temperature"),
    ("", '[extra_headers]\nAuthorization = "Bearer secret"', "extra_headers.Authorization"),
    ("", '[extra_headers]\nX-Api-Key = "secret"', "extra_headers.X-Api-Key"),
    ("", '[endpoint]\nbase_url = "localhost:11434"', "base_url"),
    ("", '[endpoint]\nbase_url = "ftp://localhost"', "base_url"),
    ("", '[endpoint]\nbase_url = "https://me:secret@host/v1"', "base_url"),
    ("", '[endpoint]\nbase_url = "https://host/v1?key=secret"', "base_url"),
    ("", '[endpoint]\nazure_endpoint = "https://a.example"', "endpoint"),
    ("", f'[endpoint]\nbase_url = "https://b.example"\n{AZURE}', "endpoint"),
    ("", '[endpoint]\napi_key_env = "sk-abc"', "api_key_env"),
    ("metric", 'rubric = "r"', "rubric"),
    ("metric", 'reading = "argmax"', "reading"),
    ("baseline", 'model = "m"', "model"),
    ("baseline", 'reading = "argmax"', "reading"),
    ("baseline", 'metrics = ["bleu"]', "metrics"),
    *(("decision", f"{key} = 0.0", key) for key in SETTINGS[:4]),
    *(("decision", f'{key} = "low"', key) for key in SETTINGS[5:]),
    ("decision", "max_tokens = 10", "max_tokens"),
    ("decision", 'output = "tool"', "output"),
    ("decision", 'prompt = "$rubric $answer"', "prompt"),
    ("decision", 'examples = { source = "rubric" }', "examples"),
    ("decision", "logprobs = true", "logprobs"),
    ("decision", 'confidence = "stated"', "confidence"),
    ("decision", 'reading = "mode"', "reading"),
    ("decision", "extra_body = { questions = 1 }", "extra_body.questions"),
    ("decision", '[endpoint]\nsystem_role = "user"', "system_role"),
    ("decision", '[endpoint]\nmax_tokens_field = "max_tokens"', "max_tokens_field"),
    ("decision", f"[endpoint]\n{AZURE}", "api_version"),
    ("combined", 'rule = "mean"', "members"),
    ("combined", 'members = ["a", "b"]', "rule"),
    ("combined", 'members = ["a", "b"]\nrule = "median"', "rule"),
    ("combined", 'members = ["a", "a"]\nrule = "mean"', "members"),
    ("combined", 'members = ["a", "j"]\nrule = "mean"', "members"),
    ("combined", 'members = ["a"]\nrule = "mean"', "members"),
    ("combined", 'members = ["a", "b"]\nrule = "cut_points"', "members"),
    ("combined", f'{OF_TWO}model = "m"', "model"),
    ("combined", f"{OF_TWO}temperature = 0", "temperature"),
    ("combined", f"{OF_TWO}price = 0", "price"),
    ("combined", f'{OF_TWO}[endpoint]\nbase_url = "http://localhost:1"', "endpoint"),
    ("combined", f"{OF_TWO}weights = [1]", "weights"),
]


@pytest.mark.parametrize(("head", "more", "key"), REFUSED)
def test_a_wrong_judge_file_is_refused_by_file_and_key(head, more, key):
    with pytest.raises(Problem) as caught:
        parse(f"{HEADS[head]}{more}\n", "judges/mine.toml")
    told = str(caught.value)
    assert told.startswith("judges/mine.toml: ") and key in told and "secret" not in told


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
        'name = "a"\nkind = "decision"\nmodel = "m"\nrubric = "r"\n',
        'name = "a',
    ],
)
def test_a_judge_without_what_its_kind_needs_is_refused(text):
    with pytest.raises(Problem):
        parse(text, "judges/mine.toml")


@pytest.mark.parametrize(
    ("dialect", "url", "found"),
    [
        ("openai", "https://api.openai.com/v1/", "https://api.openai.com/v1/decisions"),
        ("openai", "https://a.example/x/v1/decisions", "https://a.example/x/v1/decisions"),
        ("systemone", "https://api.typesafe.ai", "https://api.typesafe.ai/v1/systemone"),
        ("systemone", "http://localhost:8000/v1", "http://localhost:8000/v1/systemone"),
        ("systemone", "https://a.example/api", "https://a.example/api/v1/systemone"),
        ("systemone", "https://a.example/v1beta", "https://a.example/v1beta/systemone"),
        ("systemone", "https://a.example/v1/systemone", "https://a.example/v1/systemone"),
    ],
)
def test_a_decision_goes_below_the_url_whether_or_not_it_ends_in_a_version(dialect, url, found):
    assert decision_judge(dialect, url).address() == found


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


def at(server, known):
    """The judge that the server's beginning makes, asked at the imitation."""
    text = beginning(known)
    address = known.endpoint.base_url or known.endpoint.azure_endpoint
    host = "/".join(address.split("/")[:3])
    for placeholder in ("YOUR-DEPLOYMENT", "YOUR-MODEL", "VENDOR/MODEL"):
        text = text.replace(placeholder, "mine")
    return parse(text.replace(host, server.url[:-3]), "mine.toml")


@pytest.mark.parametrize("name", QUIRKS)
def test_a_judge_that_asks_at_a_known_server_is_recognised(name):
    judge = parse(beginning(providers.named(name)), "mine.toml")
    assert providers.of(judge).name == name
    assert providers.advice(judge) == []


def test_what_a_known_server_ignores_is_advised_against():
    text = beginning(providers.named("anthropic")).replace('"tool"', '"json_schema"\nseed = 1')
    advice = providers.advice(parse(text, "mine.toml"))
    assert ["line 11" in advice[0], "line 10" in advice[1], len(advice)] == [True, True, 2]
    own = beginning(providers.named("ollama")).replace("cuts_long_prompts = true\n", "")
    assert providers.of(parse(own.replace("11434", "11435"), "mine.toml")) is None


FIT = frozen_fit(
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
    return Judge.model_validate({"name": "jury", **keys, **changes})


def test_a_changed_number_of_a_frozen_fit_is_refused():
    text = as_toml(jury(fit=FIT))
    assert "1.25" in text
    with pytest.raises(Problem):
        parse(text.replace("1.25", "1.5"), "frozen.toml")


DAY = datetime.date(2026, 11, 20)


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


READ = f'{MINIMAL}logprobs = true\nreading = "median"\n'
WRITTEN = [*presets().values(), parse(OWN, "own"), parse(READ, "read"), jury(fit=FIT)]


@pytest.mark.parametrize("judge", WRITTEN, ids=lambda judge: judge.name)
def test_a_written_judge_reads_back_the_same(judge):
    again = parse(as_toml(judge), "again")
    assert again.body() == judge.body() == from_body(judge.body()).body()
    assert getattr(again, "fit", None) == getattr(judge, "fit", None)
