"""Exported judges run as files, and send what Concord sends."""

import ast
import asyncio
import json
import os
import subprocess
import sys
import warnings
from hashlib import sha256
from types import ModuleType, SimpleNamespace

import pytest

from concord.definitions import encoded
from concord.judges.checks.endpoint_check import setup
from concord.judges.definition.model import presets
from concord.judges.exporting import targets
from concord.judges.exporting.targets import carried
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem
from concord.store import decisions, graders
from tests.support.judges import exported
from tests.support.judges.exported import FENCED, HOSTILE

PYTHON = [name for name, one in targets.TARGETS.items() if one.file.endswith(".py")]


@pytest.mark.parametrize("kind", exported.KINDS)
def test_a_python_file_sends_the_bytes_and_reads_the_scores_of_concord(file, kind):
    module, of, server = file(kind)
    for item in exported.ITEMS.values():
        already, bodies = len(server.seen), exported.ours(of, item)
        grades = module.grade(**exported.arguments(item))
        wanted = [sha256(encoded(body)).hexdigest()[:16] for body in bodies]
        assert [one.digest for one in server.seen[already:]] == wanted
        assert [*grades] == [one.name for one in of.rubric.criteria]
        found = {}
        for criteria, body in zip(of.judge.parts(of.rubric).values(), bodies, strict=True):
            names, reply = [one.name for one in criteria], server.completion(body)
            found |= of.judge.read(reply, names, of.rubric.scale)
        assert {n: one.score for n, one in found.items()} == {
            n: one["score"] for n, one in grades.items()
        }


def message(text, finish="stop", **more):
    return {
        "choices": [{"message": {"content": text, **more}, "finish_reason": finish}],
    }


GOOD = json.dumps({one: {"reason": "r", "score": 1} for one in exported.NAMES})
CALLED = {"function": {"name": "grading_function", "arguments": GOOD}}


@pytest.mark.parametrize(
    "reply",
    [
        *(message(GOOD), message(f"Sure.\n```json\n{GOOD}\n```"), message(f"{GOOD} {GOOD}")),
        *(message(f"<think>{{ {GOOD}</think>{GOOD}"), message(f"<think>{GOOD}"), message("")),
        *(message(GOOD, "length"), message(GOOD, "CONTENT_FILTER"), message(GOOD, "eos")),
        *(message(GOOD, refusal="No."), message(None), message("I'm sorry, but no."), {}),
        *(message(GOOD.replace("1", one)) for one in ("4", "1.0", '"1"', "true", "null", "1.5")),
        *(message(GOOD.replace("1", one)) for one in ("NaN", "0.99999999999999999999", "[1]")),
        message(GOOD.replace('"reason": "r", ', "", 1)),
        message(GOOD.replace('"reason": "r"', '"reason": 1', 1)),
        message(GOOD.replace('"score": 1', '"score": 1, "sure": 1', 1)),
        message(GOOD.replace('"score": 1', '"score": 1, "score": 2', 1)),
        message(json.dumps({exported.NAMES[0]: {"reason": "r", "score": 3}})),
        message(None, tool_calls=[CALLED]),
        message(None, tool_calls=[CALLED, CALLED]),
        message(GOOD.replace("1", "2"), tool_calls=[CALLED]),
        message(None, tool_calls=[{"function": {"name": "other", "arguments": GOOD}}]),
        {"choices": message(GOOD)["choices"] * 2},
    ],
)
def test_a_reply_is_never_read_as_another_score_than_concord_reads(file, reply):
    module, of, _ = file("zero_shot")
    for name, verdict in of.judge.read(reply, exported.NAMES, of.rubric.scale).items():
        score = read(module, reply, name)
        assert score in (verdict.score, None)
        if reply in (message(GOOD), message(None, tool_calls=[CALLED]), message(GOOD, "eos")):
            assert score == 1


def read(module, reply, name):
    try:
        return module.read(reply, name, exported.NAMES)["score"]
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


SHARES = [[0.1, 0.4, 0.4, 0.1], [0.5, 0, 0, 0.5], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.01, 0.99]]
ODD = [[0.5, 0.4], [1, 0, 0, 0.5], [-0.1, 0.1, 0.5, 0.5], [True, 0, 0, 0], ["1", 0, 0, 0]]


@pytest.mark.parametrize("rule", ["rounded_mean", "argmax", "median"])
@pytest.mark.parametrize("dialect", exported.DECISIONS)
def test_probabilities_are_read_by_the_rule_of_the_judge(tmp_path, dialect, rule):
    of = exported.setup(dialect, "http://127.0.0.1:9/v1")
    of = of._replace(judge=of.judge.changed({"reading": rule}))
    path = exported.written("python", exported.exported(of, tmp_path), tmp_path)
    module = exported.module(path)
    for shares in SHARES + ODD:
        reply = exported.decided(dialect, shares)
        verdicts = of.judge.read(reply, exported.NAMES, of.rubric.scale)
        for name in exported.NAMES:
            assert read(module, reply, name) == verdicts[name].score
        assert (verdicts[exported.NAMES[0]].score is None) == (shares in ODD)


@pytest.mark.parametrize("name", PYTHON)
@pytest.mark.parametrize("kind", exported.KINDS)
def test_no_text_of_a_judge_leaves_its_quotation_marks(tmp_path, name, kind):
    of = exported.setup(kind, "http://127.0.0.1:9/v1")
    what = exported.exported(of, tmp_path)
    code = targets.named(name).write(what)
    tree = ast.parse(code)
    values = {
        ast.unparse(node.targets[0]): node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
    }
    assert ast.literal_eval(values["JUDGE"]) == what.about()
    assert [one["body"] for one in ast.literal_eval(values["CALLS"])] == [
        one["body"] for one in what.calls
    ]
    # Outside its values the file is the one of a judge without any such text.
    plain = of._replace(judge=of.judge.changed({"name": "plain"}))
    other = ast.parse(targets.named(name).write(exported.exported(plain, tmp_path)))
    assert [ast.dump(node) for node in tree.body if not named(node)] == [
        ast.dump(node) for node in other.body if not named(node)
    ]
    assert code.isprintable() or not {"\u202e", "\u200b", "\x07"} & {*code}


def named(node):
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("JUDGE", "CALLS")


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


def test_the_program_grades_lines_and_ignores_keys_it_does_not_know(tmp_path):
    given = exported.arguments(exported.ITEMS["plain"]) | {"id": "a1"}
    with exported.server("zero_shot") as server:
        what = exported.exported(exported.setup("zero_shot", server.url), tmp_path)
        done = subprocess.run(
            [sys.executable, exported.written("python", what, tmp_path)],
            env={**os.environ, "MY_KEY": "sk-exported-0123456789"},
            input=f"{json.dumps(given)}\n" * 2, capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert [[*json.loads(line)] for line in done.stdout.splitlines()] == [exported.NAMES] * 2


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


@pytest.mark.parametrize(
    ("given", "score", "passed"),
    [((3, 3, 2), 14 / 15, True), ((3, 3, 1), 13 / 15, False), ((2, 2, 2), 2 / 3, True),
     ((3, 3, 4), None, False)],
)  # fmt: skip
def test_deepeval_gets_a_score_a_threshold_and_an_error(file, monkeypatch, given, score, passed):
    monkeypatch.setitem(sys.modules, "deepeval", ModuleType("deepeval"))
    metrics = ModuleType("deepeval.metrics")
    metrics.BaseMetric = object
    monkeypatch.setitem(sys.modules, "deepeval.metrics", metrics)
    module, of, server = file("zero_shot", "deepeval")
    server.behaviour.grade = lambda body: {
        name: (one, "r") for name, one in zip(exported.NAMES, given, strict=True)
    }
    item = exported.ITEMS["hostile"]._replace(reference=(HOSTILE,))
    case = SimpleNamespace(
        input=item.question,
        actual_output=item.answer,
        expected_output=HOSTILE,
        retrieval_context=[HOSTILE, SimpleNamespace(context=FENCED, source="a file")],
        metadata=None,
    )
    metric = module.Judge()
    assert asyncio.run(metric.a_measure(case)) == metric.score == pytest.approx(score)
    assert metric.threshold == pytest.approx(2 / 3)
    assert metric.is_successful() is passed
    assert (metric.error is None) is (score is not None)
    assert metric.score_breakdown[exported.NAMES[0]] == given[0]
    assert server.seen[0].body == exported.ours(of, item)[0]


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


@pytest.mark.parametrize("name", targets.TARGETS)
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


@pytest.mark.parametrize("name", targets.TARGETS)
def test_no_file_holds_a_key(tmp_path, monkeypatch, name):
    monkeypatch.setenv("MY_KEY", "sk-exported-0123456789")
    what = exported.exported(exported.setup("zero_shot", "http://127.0.0.1:9/v1"), tmp_path)
    text = targets.named(name).write(what)
    assert "sk-exported" not in text
    assert "MY_KEY" in text


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
    decisions.keep_certificate(store, body, sheet.id, grader, None)


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


@pytest.mark.parametrize("name", ["baseline", "rag-metrics", NAME])
def test_a_judge_without_a_prompt_or_with_a_reading_rule_is_not_exported(store, name):
    judge = presets()[name]
    judge = judge.changed({"logprobs": True, "reading": "median"}) if name == NAME else judge
    with pytest.raises(Problem):
        carried(store, *of(store)._replace(judge=judge))
