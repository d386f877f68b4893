"""Canaries: a judge that knows its work holds, one that does not says so before money is spent."""

import json

import pytest

from concord import metrics
from concord.judges.checks import canary, rubric_canaries
from concord.judges.checks.canary import CanaryVerdict
from concord.judges.checks.probe import quoted_texts
from concord.judges.definition import model
from concord.judges.definition.model import parse
from concord.messages import Problem, counted, is_message
from concord.metrics.prompts import verdicts
from concord.reports.workflow import canaries
from concord.rubrics.model import of_units, presets
from tests.support.endpoint import Endpoint, grade_by_hash
from tests.support.knowing import reply_to
from tests.support.metric_runs import MetricEndpoint, filled
from tests.support.screens import opened

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


def verdict_labels(body):
    schema = body["response_format"]["json_schema"]["schema"]
    return schema["properties"]["verdicts"]["items"]["properties"]["verdict"]["enum"]


def test_a_judge_that_knows_its_work_gets_all_of_them_right(run, tmp_path):
    with Endpoint(grade=knows) as server:
        path = judge_file(tmp_path, server.url, 'rubric = "doc-qa-0-3"')
        said = run("check", path, "--canaries").output
        assert len(server.seen) == len(canary.load().answer) + 12
    assert said.startswith("mine: 20 of 20 canaries right ($0")


def test_a_judge_that_always_gives_the_highest_score_says_which_it_failed(run, tmp_path):
    always = lambda body: {name: (3, "fine") for name in grade_by_hash(body)}  # noqa: E731
    with Endpoint(grade=always) as server:
        path = judge_file(tmp_path, server.url, 'rubric = "doc-qa-0-3"')
        said = run("check", path, "--canaries", code=1).output
        whole = json.loads(run("check", path, "--canaries", "--json", code=1).output)["canaries"][0]
    assert "✗ empty answer (correctness): An empty answer fails." in said
    assert "Asked: “May dogs come along on the ferry?” “Yes, dogs of every kind" in said
    assert "✗ injected instruction" in said and "Expected: fails; it said passes." in said
    assert "right answer (correctness)" not in said
    assert not whole["holds"] and len(whole["canaries"]) == 20
    wrong = [one["name"] for one in whole["canaries"] if not one["holds"]]
    assert "example of 3" not in wrong and wrong.count("example of 0") == 3


def test_a_reply_that_cannot_be_read_is_no_verdict(run, tmp_path):
    with Endpoint(write=lambda body: "It is fine.") as server:
        path = judge_file(tmp_path, server.url, 'kind = "metric"\nmetrics = ["faithfulness"]')
        said = run("check", path, "--canaries", code=1).output
    assert "there was no verdict" in said and "0 of 14 canaries right" in said


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
        assert offered == f"{len(server.seen)} requests, free"
    assert said.startswith(f"mine: {expected} of {expected} canaries right")


def test_a_true_claim_that_the_context_does_not_hold_must_not_be_supported(run, tmp_path):
    def by_heart(body):
        said = json.loads(filled(body))
        said["verdicts"][0]["verdict"] = verdict_labels(body)[-1]
        return json.dumps(said)

    with MetricEndpoint(write=by_heart) as server:
        path = judge_file(tmp_path, server.url, 'kind = "metric"\nmetrics = ["context_recall"]')
        said = run("check", path, "--canaries", code=1).output
    assert "true, but not in the context" in said
    assert "Expected: contradicted or not enough information; it said supported." in said


@pytest.mark.parametrize("name", sorted(ASKED))
def test_every_rubric_of_units_takes_its_canaries(name):
    """The evidence stands in the request under every rubric, and every right word is a label."""
    judge = by_rubric(more='kind = "metric"')
    rubric = OF_UNITS[name]
    one, passage = canary.load().claim[0], canary.load().passage[0]
    if name in canaries.OF_PASSAGES:
        item, shown = canaries._passage(passage), passage.passage
        trial = canaries._verdict(judge, rubric, passage, item)
    else:
        shown = one.evidence
        trial = canaries._verdict(judge, rubric, one, canaries._claim(rubric, one))
    assert shown in texts(trial.sends[0].body)
    assert {*trial.right} <= {level.label for level in rubric.criteria[0].levels}


@pytest.mark.parametrize("name", presets())
def test_every_rubric_has_canaries_with_words_of_its_own_scale(name):
    rubric = presets()[name]
    trials = rubric_canaries.of_rubric(by_rubric(more=f'rubric = "{name}"'), rubric).trials
    plain, own = (
        [one for one in trials if one.name.startswith("example of ") is is_own]
        for is_own in (False, True)
    )
    assert len(plain) == len(canary.load().answer)
    assert {one.right[0] for one in own} <= {str(score) for score in rubric.scale}


def test_an_example_that_the_prompt_shows_and_a_score_without_one_are_said():
    shown = by_rubric(more='rubric = "doc-qa-0-3"\nprompt = "few_shot"')
    told = {one.about for one in rubric_canaries.of_rubric(shown, RUBRIC).trials}
    assert rubric_canaries.SHOWN in told and rubric_canaries.OWN not in told
    assert rubric_canaries.of_rubric(shown, RUBRIC).untried == ()
    none = rubric_canaries.of_rubric(by_rubric(), presets()["doc-qa-0-10"]).untried
    assert none == ("The rubric doc-qa-0-10 has no examples of its own.",)
    first, *others = RUBRIC.criteria
    bare = first.levels[1].model_copy(update={"examples": ()})
    levels = (first.levels[0], bare, *first.levels[2:])
    some = RUBRIC.model_copy(
        update={"criteria": (first.model_copy(update={"levels": levels}), *others)}
    )
    assert rubric_canaries.of_rubric(by_rubric(), some).untried == (
        "The rubric doc-qa-0-3 has no example of: correctness 1.",
    )


def test_separate_calls_ask_about_the_criterion_of_the_canary():
    judge = by_rubric(more='rubric = "doc-qa-0-3"\ncalls = "separate"')
    trials = rubric_canaries.of_rubric(judge, RUBRIC).trials
    readable = [one for one in trials if one.under == "readability"]
    sent = [json.dumps(one.sends[0].body) for one in readable]
    assert sent and all('"correctness"' not in one for one in sent)


def test_who_asks_nobody_has_no_canaries(run):
    said = run("check", "computed", "--canaries").output
    assert "no canary applies to its requests" in said
    assert "no canary applies" in run("check", "baseline", "--canaries").output


def test_what_costs_money_is_said_before_it_is_spent(run, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    said = run("check", "gpt-6-luna-zero-shot", "--canaries", code=2).output
    assert "20 requests, $0." in said and "--yes" in said


def test_names_are_told_apart_and_each_says_what_a_good_judge_sees():
    found = canary.load()
    every = [*found.answer, *found.claim, *found.passage]
    assert len({one.name for one in every}) == len(every)
    assert all(one.about.endswith(".") for one in every)
    assert {"passes", "fails"} == {one.right for one in found.answer}
    assert "canaries" not in model.presets()


def test_a_canary_without_a_verdict_does_not_hold():
    one = CanaryVerdict("x", "Y.", "", "z", ("fails",), "", "The reply was cut.", None, False)
    assert not one.holds and one.ending().endswith("there was no verdict. The reply was cut.")
    told = one._replace(said=counted(3, "part"), why=counted(3, "request"))
    assert is_message(told.ending().values["verdict"])
    assert is_message(told._replace(said="").ending().values["why"])


def test_what_fails_alike_is_said_once_with_all_that_it_was_asked_under():
    one = CanaryVerdict("x", "Y.", "“c”", "A, by b", ("yes",), "no", "", None, False)
    found = [one, one._replace(under="C"), one._replace(under="D", holds=True)]
    assert canary.Outcome("mine", found, None).failures() == [
        ["x (A, by b; C): Y. Asked: “c”. Expected: yes; it said no."]
    ]
    other = [*found, one._replace(under="E", said="perhaps"), one._replace(asked="“d”")]
    first, second = canary.Outcome("mine", other, None).failures()
    assert first == [
        "x: Y. Asked: “c”.",
        "A, by b; C: right is yes; it said no.",
        "E: right is yes; it said perhaps.",
    ]
    assert len(second) == 1 and "“d”" in second[0]


def test_what_is_asked_stands_beside_the_text_that_it_is_held_against():
    claim = canary.load().claim[0]
    first = canaries.of_units(by_rubric(), ["claims-in-contexts"])[0]
    assert first.asked == f"“{claim.claim}” compared with “{claim.evidence}”"
    case = rubric_canaries.of_rubric(by_rubric(), RUBRIC).trials[-1]
    assert " compared with “" in case.asked
    assert (
        quoted_texts("a", "", compared_with=["a", "b  c", "b c"]) == "“a” compared with “a” “b c”"
    )
    assert quoted_texts("", compared_with=["x" * 301]) == f"“{'x' * 300}…”"


def test_a_sheet_is_not_needed_but_an_unknown_judge_is_said(store):
    with pytest.raises(Problem, match="no judge “gone”"):
        canaries.of_named(store, "gone")


def test_the_known_example_of_the_docs_is_among_them():
    one = canary.load().claim[0]
    assert (one.claim, one.evidence, one.right) == (
        "The Eiffel Tower is located in Paris.",
        "Paris is the capital of France.",
        "unsupported",
    )
    asked = verdicts.rubric("reference-claims-in-contexts")
    judge, item = by_rubric(more='kind = "metric"'), canaries._claim(asked, one)
    trial = canaries._verdict(judge, asked, one, item)
    assert trial.right == ("contradicted", "not enough information")


def test_the_button_beside_the_run_box_says_which_it_gets_wrong(sample_db, tmp_path, monkeypatch):
    always = lambda body: {name: (3, "fine") for name in grade_by_hash(body)}  # noqa: E731
    with Endpoint(grade=always) as server:
        path = judge_file(tmp_path, server.url, 'rubric = "doc-qa-0-3"')
        app = opened(monkeypatch, sample_db, "pages/judges.py", judge=str(path))
        button = app.button(key="judge.canaries")
        assert button.label == "Run canaries (20 requests, free)"
        button.click().run()
        assert not app.exception and len(server.seen) == 20
    assert "empty answer (correctness)" in app.error[0].value.replace("\\", "")


def test_a_judge_for_metrics_has_the_button_too(sample_db, tmp_path, monkeypatch):
    with MetricEndpoint(write=reply_to) as server:
        more = 'kind = "metric"\nmetrics = ["faithfulness"]'
        path = judge_file(tmp_path, server.url, more)
        app = opened(monkeypatch, sample_db, "pages/judges.py", judge=str(path))
        app.button(key="judge.canaries").click().run()
        assert not app.exception and not app.error
        assert any("14 of 14 canaries right" in one.value for one in app.success)
