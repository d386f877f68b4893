"""Results of evaluation tools: the answers and grades that are proposed for them, and read."""

import io
import json
import re

import openpyxl
import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.default_rubric import grade_rubric
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.text import rating_words
from tests.support.files import ANSWERS, QUESTIONS, REASON

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
    totals = {column for doubt in proposal.doubts for column in doubt.columns}
    assert (proposal.grades, "gradingResult.score" in totals) == ((), True)
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


def test_letters_beside_other_letters_are_no_scores_of_inspect():
    assert set(rating_words.rated(["A", "B", "C"]).scores.values()) == {None}
    assert rating_words.rated(["C", "I", "N"]).scores == {"C": 1, "I": 0, "N": 0}


def promptfoo(*types):
    results = [
        {
            "vars": {"question": QUESTIONS[n]}, "response": {"output": ANSWERS[n]},
            "score": n % 2, "success": bool(n % 2),
            "gradingResult": {"pass": bool(n % 2), "score": n % 2,
                              "componentResults": [component(one, n % 2) for one in types]},
        }
        for n in ROWS
    ]  # fmt: skip
    return {"results": {"results": results}}


def test_newer_assertions_of_promptfoo_are_of_a_judge_or_computed():
    types = ("promptfoo:redteam:harmful", "agent-rubric", "finish-reason", "human")
    _, read, grades = taken(promptfoo(*types))
    assert not read.bad_rows
    assert {(kind, who) for kind, who, _ in grades} == {
        ("judge", types[0]), ("judge", types[1]), ("metric", types[2]), ("person", "human"),
    }  # fmt: skip


def test_of_an_unknown_assertion_nothing_is_taken():
    table = open_table(json.dumps(promptfoo("llm-rubric", "own-test")).encode(), "results.json")
    assert propose(table).grades == ()
    with pytest.raises(Problem):
        as_proposed(table, ())


def test_answers_of_two_kinds_under_keys_are_refused_with_an_example_that_settles_it():
    rows = [
        {"question": QUESTIONS[n],
         "answers": {"gpt-4o": ANSWERS[n], "claude": f"{ANSWERS[n]} So it is."},
         "responses": {"gpt-4o": f"No: {ANSWERS[n]}", "claude": f"Well, {ANSWERS[n]}"}}
        for n in ROWS
    ]  # fmt: skip
    table = open_table(json.dumps(rows).encode(), "answers.json")
    with pytest.raises(Problem) as raised:
        as_proposed(table, ())
    (word,) = re.findall('"(.*?)"', str(raised.value))
    read = answer_file.read(table, column_map(table.columns, as_proposed(table, [word])))
    assert {one.answer_model for one in read.items} == {"gpt-4o", "claude"}


def test_a_log_of_inspect_gives_its_scores_once_and_its_messages_are_no_earlier_turns():
    def score(n):
        return {"value": n % 5 + 1, "explanation": REASON}

    samples = [
        {"id": n, "input": QUESTIONS[n], "output": {"completion": ANSWERS[n]},
         "messages": [{"role": "user", "content": QUESTIONS[n]},
                      {"role": "assistant", "content": ANSWERS[n]}],
         "scores": {"judge_quality": score(n), "human_ana": score(n), "human_ben": score(n + 1)},
         "events": [{"name": f"{who}", "event": "score", "score": score(n),
                     "model": "m"} for who in ("judge_quality", "human_ana")]}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken({"samples": samples})
    assert {one.turns for one in read.items} == {None}
    assert {key: len(found) for key, found in grades.items()} == {
        ("judge", "judge_quality", "overall"): 12,
        ("person", "human_ana", "overall"): 12,
        ("person", "human_ben", "overall"): 12,
    }


def test_grades_of_one_of_several_answers_of_a_row_are_named():
    rows = [
        {"question": QUESTIONS[n],
         "answers": {"m1": {"text": ANSWERS[n]}, "m2": {"text": ANSWERS[-n]}},
         "ratings": [{"annotator": who, "model": model, "score": n % 5}
                     for who in ("ana", "ben") for model in ("m1", "m2")]}
        for n in ROWS
    ]  # fmt: skip
    table = open_table(json.dumps(rows).encode(), "results.json")
    with pytest.raises(Problem, match="ratings"):
        as_proposed(table, ())


def test_a_provider_that_is_labelled_twice_is_two_answering_models():
    rows = [
        {"vars": {"question": QUESTIONS[n]}, "response": {"output": f"{ANSWERS[n]} {label}"},
         "provider": {"id": "echo", "label": label}}
        for n in ROWS for label in ("new", "old")
    ]  # fmt: skip
    _, read, _ = taken({"results": {"results": rows}})
    assert {one.answer_model for one in read.items} == {"new", "old"}


def test_completions_as_messages_and_a_critique_under_its_judge():
    rows = [
        {"prompt": [{"role": "user", "content": QUESTIONS[n]}],
         "completion": [{"role": "assistant", "content": ANSWERS[n]}], "generator": "ab"[n % 2],
         "ratings": [{"annotator": who, "rating": str(n % 5)} for who in ("ana", "ben")],
         "critique": {"overall_score": n % 4, "judge_model": "gpt-4o"}}
        for n in ROWS
    ]  # fmt: skip
    _, read, grades = taken(rows)
    assert [(one.answer, one.answer_model) for one in read.items] == [
        (ANSWERS[n], "ab"[n % 2]) for n in ROWS
    ]
    assert {(kind, who) for kind, who, _ in grades} == {
        ("judge", "gpt-4o"), ("person", "ana"), ("person", "ben"),
    }  # fmt: skip


def test_reasons_beside_the_scores_of_an_annotator_and_a_judge_go_to_the_right_one():
    marks = {"human": "said Ana", "llm_judge": "said the judge"}
    rows = [
        {
            "question": QUESTIONS[n],
            "answers": {
                model: {
                    "text": f"{ANSWERS[n]} {model}",
                    "evaluation": {
                        who: {"score": n % 5 + 1, "reason": f"{reason} of {model} in row {n}"}
                        for who, reason in marks.items()
                    },
                }
                for model in ("alpha", "beta")
            },
        }
        for n in ROWS
    ]  # fmt: skip
    proposal, read, grades = taken(rows)
    assert "reason=answers.{answer_model}.evaluation.{grader}.reason" in proposal.spoken()
    assert (len(read.items), read.bad_rows, {k: len(v) for k, v in grades.items()}) == (
        24, [], {("person", "human", "overall"): 24, ("judge", "llm_judge", "overall"): 24},
    )  # fmt: skip
    for grade in read.grades:
        said = f"{marks[grade.grader]} of {grade.answer_model} in row {grade.row - 1}"
        assert grade.reason == said


ROWS_OF_PROPOSALS_CARELESS = range(len(QUESTIONS))


def taken_of_proposals_careless(table, words=()):
    columns = column_map(table.columns, as_proposed(table, words))
    made = grade_rubric(table, columns, [], {})
    return answer_file.read(table, made.columns, made.fit.rubric, made.words)


def grades(read):
    return {(one.grader, one.criterion, one.score) for one in read.grades}


def workbook(rows):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return open_table(file.getvalue(), "Evaluation.xlsx")


def test_a_question_may_be_a_word_of_totals_where_it_has_an_answer():
    rows = [
        (QUESTIONS[n] if n else "Mean", ANSWERS[n], n % 4, 3) for n in ROWS_OF_PROPOSALS_CARELESS
    ]
    read = taken_of_proposals_careless(
        workbook([("Question", "Answer", "rater_1", "rater_2"), *rows])
    )
    assert len(read.items) == len(ROWS_OF_PROPOSALS_CARELESS)
    assert not read.bad_rows


def test_a_column_of_reference_numbers_is_the_id_and_no_reference_answer():
    rows = [(f"K-{n}", QUESTIONS[n], ANSWERS[n], n % 4 + 1) for n in ROWS_OF_PROPOSALS_CARELESS]
    read = taken_of_proposals_careless(workbook([("Ref #", "Question", "Answer", "Rater"), *rows]))
    assert [item.own_id for item in read.items] == [f"K-{n}" for n in ROWS_OF_PROPOSALS_CARELESS]
    assert not any(item.reference for item in read.items)
