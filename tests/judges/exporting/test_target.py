"""Exported judges run as files, and send what Concord sends."""

import ast
import json
from hashlib import sha256

import pytest

from concord.judges.exporting import targets
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.reply import verdicts_of
from concord.judges.prompting.request import encoded
from tests.support.judges import exported

# MLflow sends the requests of its `make_judge` itself.
PYTHON = [
    name
    for name, one in targets.known().items()
    if one.file.endswith(".py") and name != "mlflow-make-judge"
]


@pytest.mark.parametrize("kind", exported.KINDS)
def test_a_python_file_sends_the_bytes_that_concord_sends(file, kind):
    module, of, server = file(kind)
    for item in exported.ITEMS.values():
        already = len(server.seen)
        grades = module.grade(**exported.arguments(item))
        wanted = [sha256(encoded(body)).hexdigest()[:16] for body in exported.ours(of, item)]
        assert [one.digest for one in server.seen[already:]] == wanted
        assert {one["score"] for one in grades.values()} <= {0, 1, 2, 3}
        assert [*grades] == [one.name for one in of.rubric.criteria]


@pytest.mark.parametrize("kind", exported.KINDS)
def test_it_reads_the_scores_that_concord_reads(file, kind):
    module, of, server = file(kind)
    for item in exported.ITEMS.values():
        grades = module.grade(**exported.arguments(item))
        found = {}
        for criteria, body in zip(
            parts(of.judge, of.rubric).values(), exported.ours(of, item), strict=True
        ):
            names = [one.name for one in criteria]
            reply = server.completion(body)
            found |= verdicts_of(of.judge, reply, names, of.rubric.scale)
        assert {name: one.score for name, one in found.items()} == {
            name: one["score"] for name, one in grades.items()
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
    for name, verdict in verdicts_of(of.judge, reply, exported.NAMES, of.rubric.scale).items():
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
        verdicts = verdicts_of(of.judge, reply, exported.NAMES, of.rubric.scale)
        for name in exported.NAMES:
            assert read(module, reply, name) == verdicts[name].score
        assert (verdicts[exported.NAMES[0]].score is None) == (shares in ODD)


def test_answers_in_another_order_give_no_score(tmp_path):
    of = exported.setup("openai", "http://127.0.0.1:9/v1")
    path = exported.written("python", exported.exported(of, tmp_path), tmp_path)
    reply = exported.decided("openai", SHARES[0])
    reply["answers"].reverse()
    assert read(exported.module(path), reply, exported.NAMES[0]) is None


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
        one.body for one in what.calls
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
