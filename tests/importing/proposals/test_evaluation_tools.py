"""Results of evaluation tools: the answers and grades that are proposed for them, and read."""

import json

import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.text import rating_words
from tests.support.annotations import ANSWERS, QUESTIONS, REASON

ROWS = range(12)


def taken(found):
    """What is proposed, and what is imported so: answers, and grades by kind and grader."""
    table = open_table(json.dumps(found).encode(), "results.json")
    proposal = propose(table)
    columns = column_map(table.columns, proposal.spoken())
    made = grade_rubric(table, columns, [], {})
    if made is None:
        return proposal, answer_file.read(table, columns), {}
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    by_grader: dict = {}
    for one in read.grades:
        by_grader.setdefault((one.grader_kind, one.grader, one.criterion), []).append(one.score)
    return proposal, read, by_grader


def component(kind, score, reason=REASON):
    return {"pass": bool(score), "score": score, "reason": reason, "assertion": {"type": kind}}


def test_components_of_promptfoo_are_graded_by_judges_metrics_and_the_annotator():
    results = [
        {
            "id": f"r{n}", "vars": {"question": QUESTIONS[n]}, "response": {"output": ANSWERS[n]},
            "score": n % 2, "success": bool(n % 2), "latencyMs": n,
            "testCase": {"assert": [{"type": "llm-rubric", "value": "good"},
                                    {"type": "contains", "value": "bad"}]},
            "gradingResult": {
                "pass": bool(n % 2), "score": n % 2, "reason": REASON,
                "componentResults": [component("llm-rubric", n % 2),
                                     component("not-contains", 1), component("human", n % 3 % 2)],
            },
        }
        for n in ROWS
    ]  # fmt: skip
    proposal, read, grades = taken({"results": {"version": 3, "results": results}})
    assert not read.bad_rows
    assert (proposal.grades, proposal.doubts) == ((), ())  # the totals are nobody's
    assert grades == {
        ("judge", "llm-rubric", "overall"): [n % 2 for n in ROWS],
        ("metric", "not-contains", "overall"): [1] * 12,
        ("person", "human", "overall"): [n % 3 % 2 for n in ROWS],
    }
    assert {one.reason for one in read.grades} == {REASON}


@pytest.mark.parametrize(("letters", "scores"), [("IC", (0, 1)), ("IPC", (0, 1, 2))])
def test_letters_of_inspect_are_scores_of_its_scorers(letters, scores):
    def scorer(n):
        return {
            "value": letters[n % len(letters)],
            "answer": ANSWERS[n % 12],
            "explanation": REASON,
        }

    samples = [
        {"id": n, "input": QUESTIONS[n], "target": f"Things in place {n} of the list.",
         "output": {"model": "m", "completion": ANSWERS[n]},
         "model_usage": {"openai/gpt-4o": {"input_tokens": 20, "output_tokens": 30}},
         "scores": {"model_graded_qa": scorer(n), "human": scorer(n + 1)}}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken({"status": "success", "samples": samples})
    assert [one.answer for one in read.items] == ANSWERS
    assert grades == {
        ("judge", "model_graded_qa", "overall"): [scores[n % len(scores)] for n in ROWS],
        ("person", "human", "overall"): [scores[(n + 1) % len(scores)] for n in ROWS],
    }
    for sample in samples:
        del sample["scores"]["human"]
    proposal, read, grades = taken({"status": "success", "samples": samples})
    assert proposal.doubts == ()
    assert [(one.answer, one.answer_model) for one in read.items] == [(a, "m") for a in ANSWERS]
    assert {kind for kind, _, _ in grades} == {"judge"}


def test_the_answer_of_helm_is_the_completion_and_not_the_input():
    states = [
        {"instance": {"references": [{"output": {"text": "It."}, "tags": ["correct"]}],
                      "input": {"text": QUESTIONS[n]}, "split": "test", "id": f"id{n}"},
         "request": {"model": "m", "model_deployment": "m",
                     "prompt": f"Question: {QUESTIONS[n]}\nAnswer:"},
         "result": {"success": True, "completions": [{"text": ANSWERS[n], "tokens": []}]},
         "annotations": {"human": {"score": n % 5},
                         "llm_judge": {"score": n % 4, "explanation": f"{REASON} {n}"}}}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken({"adapter_spec": {"method": "generation"}, "request_states": states})
    assert [(one.question, one.answer) for one in read.items] == [
        *zip(QUESTIONS, ANSWERS, strict=True)
    ]
    assert {one.answer_model for one in read.items} == {"m"}
    assert grades == {
        ("person", "human", "overall"): [n % 5 for n in ROWS],
        ("judge", "llm_judge", "overall"): [n % 4 for n in ROWS],
    }


def test_a_bare_score_of_fractions_is_a_metric():
    rows = [{"input": QUESTIONS[n], "output": ANSWERS[n], "score": n % 5 / 4} for n in ROWS]
    _, _, grades = taken(rows)
    assert grades == {("metric", "metric", "overall"): [n % 5 / 4 for n in ROWS]}


def test_a_bare_score_beside_that_of_an_annotator_is_a_judges():
    rows = [{"input": QUESTIONS[n], "output": ANSWERS[n], "score": n % 2, "human_score": n % 3 % 2}
            for n in ROWS]  # fmt: skip
    _, _, grades = taken(rows)
    assert {(kind, who) for kind, who, _ in grades} == {("judge", "judge"), ("person", "human")}


def test_letters_beside_other_letters_are_no_scores_of_inspect():
    assert set(rating_words.rated(["A", "B", "C"]).scores.values()) == {None}
    assert rating_words.rated(["C", "I", "N"]).scores == {"C": 1, "I": 0, "N": 0}


@pytest.mark.parametrize("key", ["quality.suggestion{}", "suggestions.quality{}"])
def test_the_confidence_of_a_suggestion_is_no_grade(key):
    value = "" if key.startswith("quality") else ".value"
    rows = [
        {"question": QUESTIONS[n], "answer": ANSWERS[n], key.format(value): 1 + n % 5,
         key.format(".score"): 0.9 - n / 100, key.format(".agent"): "gpt-4o"}
        for n in ROWS
    ]  # fmt: skip
    proposal, _, _ = taken(rows)
    assert [(one.kind, one.column) for one in proposal.grades] == [("judge", key.format(value))]
