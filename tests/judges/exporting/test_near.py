"""Near judges: what promptfoo's `llm-rubric` and MLflow's `make_judge` are given to send."""

import ast
import json

import pytest
import yaml
from jinja2 import Environment

from concord.judges.checks.check_request import setup
from concord.judges.definition.model import presets
from concord.judges.exporting import targets
from concord.judges.exporting.carried import carried
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem
from concord.store import certificates, graders
from tests.support.judges import exported, near

NEAR = ("promptfoo-llm-rubric", "mlflow-make-judge")
SERVER = "http://127.0.0.1:9/v1"


def made(kind, folder, name):
    of = exported.setup(kind, SERVER)
    what = exported.exported(of, folder)
    return of, what, targets.named(name).write(what)


@pytest.mark.parametrize("item", near.ITEMS)
@pytest.mark.parametrize("kind", near.KINDS)
def test_llm_rubric_asks_what_concord_asks_but_for_the_code_and_the_form(tmp_path, kind, item):
    of, what, text = made(kind, tmp_path, "promptfoo-llm-rubric")
    nunjucks = Environment(keep_trailing_newline=True)
    nunjucks.filters["load"] = json.loads
    given = exported.arguments(near.ITEMS[item])
    given["output"] = given.pop("answer")
    given["turns"] = [json.dumps(turn) for turn in given["turns"]]
    wanted = near.llm_rubric(of, what.fingerprint, near.ITEMS[item])
    for one in yaml.safe_load(text)["assert"]:
        messages = [
            {"role": each["role"], "content": nunjucks.from_string(each["content"]).render(given)}
            for each in one["rubricPrompt"]
        ]
        sent = {"messages": messages, **one["provider"]["config"]["passthrough"]}
        expected = wanted[one["metric"]]
        for each in expected["messages"]:
            # Jinja, which stands for Nunjucks here, writes every line end in one way.
            each["content"] = each["content"].replace("\r\n", "\n")
        assert {"model": of.judge.model, **sent} == expected


@pytest.mark.parametrize("kind", near.KINDS)
def test_make_judge_is_given_the_prompt_with_its_own_variables_only(tmp_path, kind):
    of, what, code = made(kind, tmp_path, "mlflow-make-judge")
    tree = ast.parse(code)
    values = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper()
        if ast.unparse(node.targets[0]) != "KEY"
    }
    assert values["JUDGE"] == what.about()
    assert values["SETTINGS"] == of.judge.settings() | of.judge.extra_body
    assert values["ENDPOINT"]["url"] == f"{SERVER}/chat/completions"
    for name, text in values["INSTRUCTIONS"].items():
        names = {part.partition("}}")[0] for part in text.split("{{")[1:]}
        assert names == {" inputs ", " outputs ", " expectations "}
        assert f"## {name}\n" in text
    # Outside its values the file is the one of a judge without any such text.
    plain = of._replace(judge=of.judge.changed({"name": "plain"}))
    other = targets.named("mlflow-make-judge").write(exported.exported(plain, tmp_path))
    assert _code(tree) == _code(ast.parse(other))


def _code(tree):
    held = ("JUDGE", "INSTRUCTIONS")
    return [
        ast.dump(node)
        for node in tree.body
        if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in held)
    ]


@pytest.mark.parametrize("kind", near.KINDS)
@pytest.mark.parametrize("name", (*NEAR, "openai-grader"))
def test_the_prompt_promises_no_code_of_each_item_and_no_rewritten_markers(tmp_path, kind, name):
    _, _, text = made(kind, tmp_path, name)
    assert "differs from item to item" not in text and "marker was" not in text


@pytest.mark.parametrize("name", NEAR)
def test_what_a_tool_cannot_ask_is_refused_with_the_target_that_can(tmp_path, name):
    with pytest.raises(Problem):
        made("openai", tmp_path, name)
    with pytest.raises(Problem):
        made("tool", tmp_path, name)  # its key goes in a header of its own


def test_what_a_near_judge_does_not_carry_is_named(tmp_path):
    of = exported.setup("extra", SERVER)
    what = exported.exported(of, tmp_path)
    assert targets.named(NEAR[0]).differences(what)[-1] == "Not exported: confidence."


NAME = "gpt-6-luna-zero-shot"


def of(store, name=NAME):
    return setup(store, presets()[name], None, None)


def certified(store, sheet, known, digest, expires):
    grader = graders.ensure(store, "judge", NAME, known)
    body = {
        "digest": digest,
        "certified": True,
        "made_at": "2026-01-01",
        "expires_at": expires,
        "criteria": [],
    }
    certificates.keep(store, body, sheet.id, grader, None)


def test_the_newest_certificate_of_exactly_this_judge_is_carried(store, sixty):
    found = of(store)
    assert carried(store, *found).certificate is None
    certified(store, sixty, "0" * 16, "of another judge", "2027-01-01")
    assert carried(store, *found).certificate is None
    known = fingerprint(*found)
    certified(store, sixty, known, "first", "2026-04-01")
    certified(store, sixty, known, "second", "2026-05-01")
    assert carried(store, *found).about()["certificate"] == {
        "digest": "second",
        "certified": True,
        "criteria": [],
        "expires_at": "2026-05-01",
    }


def test_a_chat_judge_with_a_reading_rule_is_not_exported(store):
    found = of(store)
    read = found.judge.changed({"logprobs": True, "reading": "median"})
    with pytest.raises(Problem):
        carried(store, *found._replace(judge=read))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("baseline", "it is trained on the grades of a sheet and sends no request."),
        ("rag-metrics", "it computes metrics, each by several requests of its own."),
    ],
)
def test_a_judge_without_a_prompt_is_not_exported(store, name, message):
    found = of(store)._replace(judge=presets()[name])
    with pytest.raises(Problem, match=message):
        carried(store, *found)
