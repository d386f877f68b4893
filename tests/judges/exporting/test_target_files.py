"""Exported files in the tools that need nothing but openai, and as those tools call them."""

import json
import os
import re
import subprocess
import sys
import warnings

import pytest
from openai.types.graders import ScoreModelGrader

from concord.judges.exporting import targets
from concord.messages import Problem
from tests.support.judges import exported
from tests.support.source import ROOT


def run(path, folder, server, answers):
    (folder / "answers.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in answers), encoding="utf-8"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name]
    environment = {**os.environ, "MY_KEY": "sk-exported-0123456789"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_pytest_fails_for_the_answers_that_the_judge_fails(tmp_path):
    of_all = [exported.arguments(item) for item in exported.ITEMS.values()]
    with exported.server("zero_shot") as server:
        low = "is a number, says atlas"
        server.behaviour.grade = lambda body: {
            name: (1 if low in body["messages"][-1]["content"] else 2, "r")
            for name in exported.NAMES
        }
        path = exported.written(
            "pytest", exported.exported(exported.setup("zero_shot", server.url), tmp_path), tmp_path
        )
        done = run(path, tmp_path, server, of_all)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 2 passed, 1 skipped" in done.stdout
    assert "correctness 1: r" in done.stdout


@pytest.mark.parametrize(
    ("certificate", "outcome"),
    [
        ({"certified": True, "expires_at": "2999-01-01T00:00:00Z"}, "2 passed"),
        ({"certified": True, "expires_at": "2020-01-01T00:00:00Z"}, "expired on 2020-01-01"),
        (
            {"digest": "0123abc", "certified": False, "expires_at": "2999-01-01T00:00:00Z"},
            "is not good enough",
        ),
    ],
)
def test_pytest_fails_when_the_certificate_does_not_hold(tmp_path, certificate, outcome):
    with exported.server("zero_shot") as server:
        server.behaviour.grade = lambda body: dict.fromkeys(exported.NAMES, (3, "r"))
        what = exported.exported(exported.setup("zero_shot", server.url), tmp_path)
        path = exported.written("pytest", what._replace(certificate=certificate), tmp_path)
        done = run(path, tmp_path, server, [exported.arguments(exported.ITEMS["plain"])])
    assert outcome in done.stdout, done.stdout + done.stderr


def test_promptfoo_gets_pass_score_and_reason(file):
    module, _, server = file("zero_shot", "promptfoo")
    server.behaviour.grade = lambda body: {
        name: (score, "r") for name, score in zip(exported.NAMES, (3, 3, 1), strict=True)
    }
    given = exported.arguments(exported.ITEMS["plain"])
    found = module.get_assert(given.pop("answer"), {"vars": given | {"other": 1}})
    assert found["pass"] is False
    assert found["score"] == pytest.approx((0.6 * 3 + 0.2 * 3 + 0.2 * 1) / 3)
    assert found["namedScores"] == dict(zip(exported.NAMES, (3, 3, 1), strict=True))
    assert [one["pass"] for one in found["componentResults"]] == [True, True, False]


def test_langsmith_gets_one_result_per_criterion(file):
    module, of, server = file("zero_shot", "openevals")
    given = exported.arguments(exported.ITEMS["plain"])
    answer = given.pop("answer")
    reference = {"reference": given.pop("reference")}
    found = module.judge(inputs=given, outputs={"answer": answer}, reference_outputs=reference)
    assert [one["key"] for one in found] == exported.NAMES
    assert {one["score"] for one in found} <= {0, 1, 2, 3}
    assert found[0]["metadata"]["name"] == of.judge.name
    assert server.seen[0].body == exported.ours(of, exported.ITEMS["plain"])[0]


def test_a_key_goes_where_the_server_looks_for_it(file, monkeypatch):
    module, _, server = file("tool")
    module.grade(**exported.arguments(exported.ITEMS["plain"]))
    headers = server.seen[0].headers
    assert headers["x-api-key"] == "sk-exported-0123456789" and "Authorization" not in headers
    module, _, server = file("zero_shot")
    module.grade(**exported.arguments(exported.ITEMS["plain"]))
    assert server.seen[0].headers["Authorization"] == "Bearer sk-exported-0123456789"


def test_the_organisation_of_the_environment_goes_to_openai_alone(file, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    module, _, server = file("zero_shot")
    module.grade(**exported.arguments(exported.ITEMS["plain"]))
    assert not {"org-1", "proj-1"} & {*server.seen[0].headers.values()}
    of = exported.setup("zero_shot", "https://api.openai.com/v1")
    path = exported.written("python", exported.exported(of, tmp_path), tmp_path)
    client = exported.module(path).client()
    assert (client.organization, client.project) == ("org-1", "proj-1")


CERTIFICATE = {"digest": "0123abc", "certified": True, "criteria": ["correctness"]}


@pytest.mark.parametrize("name", targets.known())
def test_each_file_holds_the_digest_and_the_expiry_of_the_certificate(tmp_path, name):
    what = exported.exported(exported.setup("zero_shot", "http://127.0.0.1:9/v1"), tmp_path)
    what = what._replace(certificate=CERTIFICATE | {"expires_at": "2026-12-24"})
    text = targets.named(name).write(what)
    assert "0123abc" in text and "2026-12-24" in text


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        (CERTIFICATE | {"expires_at": "2999-01-01"}, None),
        (None, None),
        (CERTIFICATE | {"expires_at": "2020-01-01"}, "expired on 2020-01-01"),
        (CERTIFICATE | {"expires_at": "2999-01-01", "certified": False}, "is not good enough"),
    ],
)
def test_a_file_warns_when_the_certificate_does_not_hold(tmp_path, monkeypatch, certificate, said):
    monkeypatch.setenv("MY_KEY", "sk-exported-0123456789")
    with exported.server("zero_shot") as server:
        what = exported.exported(exported.setup("zero_shot", server.url), tmp_path)
        path = exported.written("python", what._replace(certificate=certificate), tmp_path)
        module = exported.module(path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            grades = module.grade(**exported.arguments(exported.ITEMS["plain"]))
    assert [*grades] == exported.NAMES
    assert [said in str(one.message) for one in caught] == ([True] if said else [])


CHAT = [kind for kind in exported.KINDS if kind not in exported.DECISIONS]


@pytest.mark.parametrize("kind", CHAT)
def test_openai_gets_a_grader_for_each_criterion_with_its_own_placeholders_only(tmp_path, kind):
    of = exported.setup(kind, "https://api.openai.com/v1")
    what = exported.exported(of, tmp_path)
    made = json.loads(targets.named("openai-grader").write(what))
    graders = [ScoreModelGrader.model_validate(one) for one in made["testing_criteria"]]
    assert [one.name for one in graders] == exported.NAMES
    for one in graders:
        assert (one.model, one.range) == (of.judge.model, [0, 3])
        text = "\n\n".join(message.content for message in one.input)
        assert sorted(re.findall(r"\{\{(.*?)\}\}", text)) == [
            *(" item.contexts ", " item.question ", " item.reference ", " item.turns "),
            " sample.output_text ",
        ]
        assert f"## {one.name}\n" in text
    assert made["testing_criteria"][0]["pass_threshold"] == 2
    assert made["metadata"]["concord_judge"] == f"{of.judge.name}@{what.fingerprint}"
    assert made["metadata"]["concord_certificate"] == "none"


def test_openai_takes_no_decision_model(tmp_path):
    of = exported.setup("openai", "https://api.openai.com/v1")
    with pytest.raises(Problem):
        targets.named("openai-grader").write(exported.exported(of, tmp_path))


def test_what_a_grader_of_openai_does_not_carry_is_named(tmp_path):
    of = exported.setup("extra", "http://127.0.0.1:9/v1")
    found = targets.named("openai-grader").differences(exported.exported(of, tmp_path))
    assert found[-1] == "Not exported: extra_body, confidence."


@pytest.mark.parametrize("name", targets.known())
def test_no_file_holds_a_key(tmp_path, monkeypatch, name):
    monkeypatch.setenv("MY_KEY", "sk-exported-0123456789")
    what = exported.exported(exported.setup("zero_shot", "http://127.0.0.1:9/v1"), tmp_path)
    text = targets.named(name).write(what)
    assert "sk-exported" not in text
    assert ("MY_KEY" in text) == (name != "openai-grader")


@pytest.mark.parametrize("name", targets.known())
def test_each_target_is_in_the_docs(name):
    page = (ROOT / "docs" / "judge-files.md").read_text(encoding="utf-8")
    assert f"| `{name}` |" in page.partition("## Judges in other tools")[2]
