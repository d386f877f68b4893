"""The verbs that find and list metrics."""

import json

import pytest


def test_the_estimate_names_the_answers_that_lack_something_and_asks_nothing(
    two_answers, run, metric_judge, metric_server
):
    said = run("judge", metric_judge, "--estimate").output
    heads, figures = said.splitlines()[2:4]
    assert heads.split()[:2] == ["requests", "answers"] and figures.split()[:2] == ["2", "1"]
    assert "1 answer has no contexts (for faithfulness): q2." in said
    assert metric_server.seen == []


def test_an_answer_without_an_id_that_lacks_something_is_named_by_its_number(
    run, metric_judge, metric_server, tmp_path
):
    path = tmp_path / "bare.jsonl"
    path.write_text(json.dumps({"question": "Who?", "answer": "Me.", "answer_model": "beta"}))
    run("import", path)
    said = run("judge", metric_judge, "--estimate").output
    assert "1 answer has no contexts (for faithfulness): no. 1." in said


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


def test_computed_metrics_are_free_and_ask_no_one(two_answers, run):
    done = json.loads(run("judge", "computed", "--json").output)["runs"][0]
    assert (done["status"], done["counts"]["calls"], done["counts"]["cost"]) == ("done", 0, 0)
    assert run("judge", "computed").output.startswith("computed: No requests were left")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["computed", "--metrics", "faithfulness"], "faithfulness needs a model"),
        (["rag-metrics", "--metrics", "exact_match"], "exact_match is computed"),
        (["rag-metrics", "--metrics", "mood"], "no metric “mood”"),
        (["rag-metrics", "--rubric", "doc-qa-0-3"], "Leave --rubric out"),
        (["rag-metrics", "--batch"], "Leave --batch out"),
        (["rag-metrics", "--cancel-batch"], "Leave --cancel-batch out"),
        (["computed", "--repeat", "3"], "always gives the same"),
        (["local", "--metrics", "faithfulness"], "grades by a rubric"),
    ],
)
def test_what_does_not_go_together_is_said(two_answers, run, words, said):
    assert said in run("judge", *words, code=2).output


def test_a_judge_by_a_rubric_takes_no_keys_of_metrics(two_answers, run, tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text('name = "odd"\nmodel = "m"\nrubric = "doc-qa-0-3"\nmetrics = ["mrr"]\n')
    assert "only a metric judge has it" in run("judge", path, code=2).output


def test_an_embedding_model_needs_an_address(two_answers, run, tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text('name = "odd"\nkind = "metric"\nmodel = "m"\n[embedding]\nmodel = "e"\n')
    assert "name the server of the embedding model" in run("judge", path, code=2).output


def test_an_export_holds_every_number_and_its_grades_come_in_again(two_answers, run, tmp_path):
    run("judge", "computed")
    run("export", tmp_path / "out")
    lines = (tmp_path / "out" / "metrics.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("sheet,item_id,question_id") and ",computed," in lines[1]
    grades = (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(grades) == 1  # those of metrics are not of a rubric


def test_what_is_computed_is_not_checked_and_a_long_sheet_says_what_the_estimate_rests_on(
    run, metric_judge, tmp_path
):
    assert "sends no request" in run("check", "computed").output
    path = tmp_path / "long.csv"
    path.write_text("id,question,answer\n" + "\n".join(f"q{n},Why {n}?,So." for n in range(201)))
    run("import", path)
    said = run(
        "judge", metric_judge, "--metrics", "vera_answer_relevance,faithfulness", "--estimate"
    )
    assert "Estimated from 101 of 201 answers." in said.output


def test_the_check_of_a_judge_for_metrics_asks_in_the_form_of_its_metric(
    run, metric_judge, metric_server
):
    said = run("check", metric_judge).output
    assert "✓ reply: The reply has the format that claims-in-contexts requests." in said
    assert "✓ output: The server supports" in said
    assert len(metric_server.seen) == 1
    metric_server.behaviour.write = lambda body: '{"correctness": {"reason": "So.", "score": 1}}'
    said = run("check", metric_judge, code=1).output
    assert "✗ reply: claims-in-contexts: The reply contains no list of verdicts" in said


def test_the_check_of_a_judge_for_metrics_embeds_one_text(run, metric_judge, metric_server):
    text = metric_judge.read_text()
    metric_judge.write_text(f'{text}[embedding]\nmodel = "e"\nbase_url = "{metric_server.url}"\n')
    assert "embedding: e returns embeddings of dimension 8." in run("check", metric_judge).output
    assert len(metric_server.embedded) == 1
    nowhere = f'{text}[embedding]\nmodel = "e"\nbase_url = "http://127.0.0.1:9/v1"\n'
    metric_judge.write_text(nowhere)
    said = run("check", metric_judge, code=1).output
    line = nowhere.splitlines().index('base_url = "http://127.0.0.1:9/v1"') + 1
    assert f"line {line} of {metric_judge}" in said
