"""The verbs that find and list metrics."""

import json

import pytest


def test_the_estimate_names_the_answers_that_lack_something_and_asks_nothing(
    two_answers, run, metric_judge, metric_server
):
    said = run("judge", metric_judge, "--estimate").output
    heads, figures = said.splitlines()[2:4]
    assert heads.split()[:2] == ["requests", "new"] and figures.split()[:2] == ["2", "1"]
    assert metric_server.seen == []


def test_a_judge_for_metrics_is_run_and_found_again_by_its_name(
    two_answers, run, metric_judge, metric_server
):
    done = json.loads(run("judge", metric_judge, "--json").output)["runs"][0]
    assert (done["status"], done["estimate"]["calls"], done["counts"]["calls"]) == ("done", 2, 2)
    assert done["counts"]["statuses"] == {"scored": 1, "missing_input": 1}
    again = run("judge", "mine", "--metrics", "context_relevance, faithfulness").output
    assert "context_relevance" in again and len(metric_server.seen) == 3
    listed = json.loads(run("graders", "--json").output)["graders"]
    assert [(one["kind"], one["name"]) for one in listed] == [("metric", "mine")]


@pytest.mark.parametrize(
    "words",
    [
        ("computed", "--metrics", "faithfulness"),
        ("rag-metrics", "--metrics", "exact_match"),
        ("rag-metrics", "--rubric", "doc-qa-0-3"),
        ("rag-metrics", "--batch"),
        ("computed", "--repeat", "3"),
        ("local", "--metrics", "faithfulness"),
    ],
)
def test_what_does_not_go_together_is_refused(two_answers, run, words):
    run("judge", *words, code=2)


def test_the_check_of_a_judge_for_metrics_asks_in_the_form_of_its_metric(
    run, metric_judge, metric_server
):
    run("check", metric_judge)
    assert len(metric_server.seen) == 1
    metric_server.behaviour.write = lambda body: '{"correctness": {"reason": "So.", "score": 1}}'
    run("check", metric_judge, code=1)
