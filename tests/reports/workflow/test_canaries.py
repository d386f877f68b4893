"""Canaries: a judge that knows its work holds, one that does not says so before money is spent."""

import json

import pytest

from concord import metrics
from concord.judges.checks import canary
from concord.judges.definition import model
from concord.judges.definition.model import parse
from concord.reports.workflow import canaries
from concord.rubrics.model import of_units, presets
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.knowing import reply_to
from tests.support.metric_runs import MetricEndpoint

RUBRIC = presets()["doc-qa-0-3"]
OF_UNITS = of_units()
# Those whose verdicts a model is asked for; a rule draws the others, and needs no canary.
ASKED = {name for one in metrics.available().values() if not one.by_rule for name in one.rubrics}


def judge_file(tmp_path, url, more=""):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'name = "mine"\nmodel = "m"\nprice = 0\n{more}\n[endpoint]\nbase_url = "{url}"\n',
        encoding="utf-8",
    )
    return path


def by_rubric(url="http://localhost:1/v1", more='rubric = "doc-qa-0-3"'):
    text = f'name = "mine"\nmodel = "m"\nprice = 0\n{more}\n[endpoint]\nbase_url = "{url}"\n'
    return parse(text, "mine.toml")


def texts(body):
    return "\n".join(message["content"] for message in body["messages"])


def knows(body):
    """The scores that are right: those of the rubric's own examples, and of the plain cases."""
    asked = body["messages"][-1]["content"]
    right = {}
    for one in canary.load().answer:
        if one.question in asked and (one.answer.strip()[:30] in asked if one.answer else True):
            right = dict.fromkeys(grade_by_hash(body), 3 if one.right == "passes" else 0)
            if one.answer:
                break
    for criterion in RUBRIC.criteria:
        for level in criterion.levels:
            for example in level.examples:
                if example.question in asked and example.answer in asked:
                    right = right or dict.fromkeys(grade_by_hash(body), level.score)
                    right[criterion.name] = level.score
    return {name: (right[name], "known") for name in grade_by_hash(body)}


def test_a_judge_that_knows_its_work_gets_all_of_them_right(run, tmp_path):
    with Endpoint(grade=knows) as server:
        path = judge_file(tmp_path, server.url, 'rubric = "doc-qa-0-3"')
        said = run("check", path, "--canaries").output
        assert len(server.seen) == len(canary.load().answer) + 12
    assert said.startswith("mine: 19 of 19 canaries right ($0")


def test_a_judge_that_always_gives_the_highest_score_says_which_it_failed(run, tmp_path):
    always = lambda body: {name: (3, "fine") for name in grade_by_hash(body)}  # noqa: E731
    with Endpoint(grade=always) as server:
        path = judge_file(tmp_path, server.url, 'rubric = "doc-qa-0-3"')
        whole = json.loads(run("check", path, "--canaries", "--json", code=1).output)["canaries"][0]
    assert not whole["holds"] and len(whole["canaries"]) == 19
    wrong = [one["name"] for one in whole["canaries"] if not one["holds"]]
    assert "example of 3" not in wrong and wrong.count("example of 0") == 3


def test_a_reply_that_cannot_be_read_is_no_verdict(run, tmp_path):
    with Endpoint(write=lambda body: "It is fine.") as server:
        path = judge_file(tmp_path, server.url, 'kind = "metric"\nmetrics = ["faithfulness"]')
        said = run("check", path, "--canaries", code=1).output
    assert "0 of 9 canaries right" in said


def test_a_judge_for_metrics_is_tried_under_its_rubrics_of_units(run, tmp_path):
    names = ["faithfulness", "context_precision", "noise_sensitivity_relevant", "vera_faithfulness"]
    with MetricEndpoint(write=reply_to) as server:
        path = judge_file(tmp_path, server.url, f'kind = "metric"\nmetrics = {names}')
        said = run("check", path, "--canaries").output
        everywhere = sum(one.everywhere for one in canary.load().claim)
        # rubrics: claims in contexts; in reference, in chunk, reference claims in chunk; answers
        expected = len(canary.load().claim) + 4 * everywhere + len(canary.load().passage)
        expected += sum(len(metrics.named(name).canaries) for name in names)
        offered = canary.offer(canaries.of_judge(model.load(path)).trials)
        assert offered == (f"{len(server.seen)} requests, free", True)
    assert said.startswith(f"mine: {expected} of {expected} canaries right")


@pytest.mark.parametrize("name", sorted(ASKED))
def test_every_rubric_of_units_takes_its_canaries(name):
    """The evidence stands in the request under every rubric, and every right word is a label."""
    judge = by_rubric(more='kind = "metric"')
    rubric = OF_UNITS[name]
    made = canary.load()
    shown = made.passage[0].passage if name in canaries.OF_PASSAGES else made.claim[0].evidence
    trial = canaries.of_units(judge, [name])[0]
    assert shown in texts(trial.sends[0][0])
    assert {*trial.right} <= {level.label for level in rubric.criteria[0].levels}


@pytest.mark.parametrize("name", presets())
def test_every_rubric_has_canaries_with_words_of_its_own_scale(name):
    rubric = presets()[name]
    trials = canary.of_rubric(by_rubric(more=f'rubric = "{name}"'), rubric).trials
    plain, own = (
        [one for one in trials if one.name.startswith("example of ") is is_own]
        for is_own in (False, True)
    )
    assert len(plain) == len(canary.load().answer)
    assert {one.right[0] for one in own} <= {str(score) for score in rubric.scale}


def test_separate_calls_ask_about_the_criterion_of_the_canary():
    judge = by_rubric(more='rubric = "doc-qa-0-3"\ncalls = "separate"')
    trials = canary.of_rubric(judge, RUBRIC).trials
    readable = [one for one in trials if one.under == "readability"]
    sent = [json.dumps(one.sends[0][0]) for one in readable]
    assert sent and all('"correctness"' not in one for one in sent)
