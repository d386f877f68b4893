"""Canaries of whole metrics: who knows gets them right, who guesses does not, and none is free."""

import asyncio
import json

import pytest

from concord import metrics
from concord.judges.checks import canary
from concord.judges.checks.canary import Connection
from concord.judges.definition.model import parse
from concord.judges.prompting.metric_request import Undefined
from concord.messages import Problem
from concord.metrics import own_metrics
from concord.metrics.framework.metric import Canary, Metric, Outcome
from concord.reports.workflow import canaries
from concord.reports.workflow.canaries import of_canary
from tests.support.knowing import KnowingLine, labels, reply_to
from tests.support.own_metrics import TONE

ASKING = [one for one in metrics.available().values() if one.asks or one.embeds]
OF_VERDICTS = {one.name for one in ASKING if one.rubrics and not one.by_rule}
EMBEDS = '[embedding]\nmodel = "e"\nprice = 0\nbase_url = "http://localhost:1/v1"\n'


def judge(more=EMBEDS, url="http://localhost:1/v1"):
    text = f'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\n{more}\n'
    return parse(f'{text}[endpoint]\nbase_url = "{url}"\n', "mine.toml")


def found(metric, line):
    """Every canary of a metric, as a judge over a line fares with it: None for no number."""
    out = []
    for one in metric.canaries:
        try:
            out.append(asyncio.run(of_canary(judge(), metric, one).ask(line)))
        except Exception as error:
            out.append(error)
    return out


def is_right(said):
    return isinstance(said, tuple) and said[1]


def test_every_metric_that_asks_is_tried():
    for metric in ASKING:
        assert canaries.of_judge(judge(), [metric.name]).trials, metric.name
        assert metric.canaries or metric.name in OF_VERDICTS, metric.name
    assert canaries.of_judge(judge()).untried == ()


@pytest.mark.parametrize("metric", ASKING, ids=lambda one: one.name)
def test_who_knows_gets_every_canary_right(metric):
    said = found(metric, KnowingLine())
    assert all(map(is_right, said)), [one for one in said if not is_right(one)]


def always(place):
    """A judge that gives every verdict, score and list alike: the first, or the last."""

    def value(form):
        kinds = {"boolean": place == -1, "string": "So it is."}
        return form["enum"][place] if form.get("enum") else kinds[form["type"]]

    def reply(body):
        form = body["response_format"]["json_schema"]["schema"]["properties"]
        if "verdicts" not in form and "array" not in [one["type"] for one in form.values()]:
            return json.dumps({key: value(one) for key, one in form.items()})
        said = json.loads(reply_to(body))
        for one in said.get("verdicts", []):
            one["verdict"] = labels(form["verdicts"])[place]
        for one in said.get("questions", []):
            one["noncommittal"] = place == -1
            one["question"] = "What?"
        lists = {key: [] if place == 0 else ["So it is."] for key in said.keys() - {"verdicts"}}
        return json.dumps(said if "questions" in said else said | lists, ensure_ascii=False)

    return reply


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(
    "metric", [one for one in ASKING if one.canaries and one.asks], ids=lambda one: one.name
)
def test_who_says_the_same_of_everything_gets_some_wrong(metric, place):
    assert not all(map(is_right, found(metric, KnowingLine(always(place)))))


def test_votes_on_the_same_are_one_request_and_what_is_shared_is_sent_once():
    harmful = canaries.of_judge(judge(), ["aspect_harmful"]).trials
    assert [len(one.sends) for one in harmful] == [3, 3]
    assert canary.offer(harmful) == ("2 requests, free", True)
    assert {one.under for one in harmful} == {"Harmful"}


def test_a_number_that_must_not_be_is_right_where_there_is_none():
    metric = metrics.named("fact_support")
    nothing = next(one for one in metric.canaries if one.none)
    assert nothing.expected() == "undefined (not applicable)"
    line = KnowingLine(lambda body: reply_to(body).replace("[]", '["Bicycles are sold."]'))
    assert not is_right(asyncio.run(of_canary(judge(), metric, nothing).ask(line)))


def test_a_text_that_is_not_taken_apart_is_seen():
    metric = metrics.named("faithfulness")
    whole = next(one for one in metric.canaries if one.least_units)
    line = KnowingLine(lambda body: reply_to(body) if "verdicts" in str(body) else ONE)
    said = asyncio.run(of_canary(judge(), metric, whole).ask(line))
    assert said == ("1 from 1 part", False)


ONE = json.dumps({"claims": ["这家书店由王芳和赵明在1976年创立，位于杭州"]}, ensure_ascii=False)


BOTH = 'right = [1, 1]\nworse = "x"'


@pytest.mark.parametrize("more", ["right = [2, 2]", "right = [0.9, 0.2]", "", BOTH])
def test_a_canary_that_cannot_come_out_is_refused_with_its_file(tmp_path, more):
    path = tmp_path / "tone.toml"
    path.write_text(f'{TONE}\n[[canary]]\nname = "n"\n{more}\n', encoding="utf-8")
    with pytest.raises(Problem, match="tone"):
        own_metrics.load(path)


def test_lower_is_better_turns_a_worse_answer_round():
    one = Canary("n", worse="x")
    assert one.holds([0.2, 0.8], 1, "lower") and not one.holds([0.2, 0.8], 1, "higher")
    assert not one.holds([0.5, 0.5], 1, "higher")
    assert Canary("n", right=(0.2, 0.4)).expected() == "0.2 to 0.4"


def test_a_function_that_gives_no_number_says_why_instead():
    async def metric(item, by):
        return Outcome(None, "not_applicable", "There is none.")

    made = Metric("x", "X", "X?", "x", (), metric, "own")
    trial = of_canary(judge(), made, Canary("n", right=(1, 1)))
    with pytest.raises(ValueError, match="There is none"):
        asyncio.run(trial.ask(KnowingLine()))


def test_a_metric_that_embeds_without_saying_so_has_no_verdict_without_an_embedding_model():
    async def metric(item, by):
        await by.embed([item.answer])

    asked, made = judge(more=""), Metric("x", "X", "X?", "x", (), metric, "own")
    trial = of_canary(asked, made, Canary("n", answer="An answer.", right=(1, 1)))
    assert trial.sends == ()
    with pytest.raises(Undefined):
        asyncio.run(trial.ask(Connection(asked)))
