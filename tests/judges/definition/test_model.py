"""Judge files: what is read, what is refused and what makes a judge the same judge."""

import datetime

import pytest

from concord.judges.definition import model, registry
from concord.judges.definition.model import parse
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem, for_screen
from concord.rubrics.model import parse as parse_rubric
from concord.rubrics.model import presets as rubric_presets

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
