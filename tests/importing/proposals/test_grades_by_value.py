"""Grade columns by value: whose scores numbers under the name of a grader are."""

import json

import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.metrics import available
from tests.support.annotations import ANSWERS, QUESTIONS
from tests.support.exports import CASES, FOLDER


def grades(rows):
    """What is proposed for columns next to questions and answers."""
    pairs = zip(QUESTIONS, ANSWERS, rows, strict=True)
    told = [{"question": question, "answer": answer} | row for question, answer, row in pairs]
    found = propose(open_table(json.dumps(told).encode(), "s.json"))
    assert not found.doubts
    return [(grade.column, grade.kind, grade.grader) for grade in found.grades]


@pytest.mark.parametrize(
    ("annotator", "judge"),
    [("human", "judge"), ("annotator", "judge"), ("rater", "gpt4"), ("评审", "裁判")],
)
def test_numbers_under_the_name_of_a_grader_are_its_scores(annotator, judge):
    found = grades([{annotator: n % 3, judge: n % 4} for n in range(12)])
    assert found == [(annotator, "annotator", annotator), (judge, "judge", judge)]


def test_numbers_name_annotators_where_another_column_has_the_scores():
    found = grades([{"annotator": n % 2, "score": n % 4} for n in range(12)])
    assert found == [("score", "annotator", "{annotator}")]


@pytest.mark.parametrize("given", [("TRUE", "FALSE"), ("bad", "good")])
def test_rating_words_under_the_name_of_a_judge_are_its_scores(given):
    found = grades([{"annotator": n % 3, "judge": given[n % 2]} for n in range(12)])
    assert found == [("annotator", "annotator", "annotator"), ("judge", "judge", "judge")]


def test_scores_without_answers_read_as_a_plain_table_are_proposed_without_a_crash():
    """Langfuse scores name their author in some rows, and have no answer in any."""
    assert propose(open_table(FOLDER / "langfuse_scores_v3.json")).grades is not None


METRICS = [
    *available(),
    *("Answer Relevancy", "Contextual Recall", "Hallucination", "exact_match", "nv_accuracy"),
    *("llm_context_recall", "factual_correctness(mode=f1)", "ragas.faithfulness", "recall@5"),
    *("noise_sensitivity(mode=relevant)", "faithfulness_score", "toxicity", "qa_correctness"),
]


@pytest.mark.parametrize("name", METRICS)
def test_0_and_1_under_the_name_of_a_metric_are_its_values(name):
    (found,) = grades([{name: (n * n) % 2} for n in range(12)])
    assert found[1] == "metric"


@pytest.mark.parametrize("name", ["correctness", "helpful", "faithfulness", "tone", "score"])
def test_no_values_make_a_person(name):
    pairs = zip(range(12), QUESTIONS, ANSWERS, strict=False)
    rows = [{"question": q, "answer": a, name: 1 + n % 3} for n, q, a in pairs]
    found = propose(open_table(json.dumps(rows).encode(), "s.json"))
    assert (found.grades, [one.columns for one in found.doubts]) == ((), [(name,)])


def test_a_file_of_metrics_is_read_without_an_annotator():
    table = open_table(CASES / "metric_columns.csv")
    columns = column_map(table.columns, as_proposed(table, ()))
    made = grade_rubric(table, columns, [], {})
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    assert {(one.grader_kind, one.grader) for one in read.grades} == {
        ("metric", name) for name in table.columns[4:]
    }
    assert len(read.grades) == 30


def _verdicts(unread, rows=20):
    """A file of verdicts of two annotators, of which one has cells that are none."""
    return [
        {
            "question": f"{n}: {QUESTIONS[n % len(QUESTIONS)]}",
            "answer": f"{ANSWERS[n % len(ANSWERS)]} {n}",
            "OK? (Priya)": "YN"[n % 2],
            "OK? (Tom)": unread[n] if n < len(unread) else "NY"[n % 2],
        }
        for n in range(rows)
    ]


@pytest.mark.parametrize("words", [("Y", "N", "?"), ("상", "하", "중?"), ("1", "0", "n/a")])
def test_a_few_cells_that_are_no_scores_hide_no_annotator(words):
    rows = _verdicts("?")
    usual = dict(zip("YN?", words, strict=True))
    for row in rows:
        row |= {name: usual[row[name]] for name in ("OK? (Priya)", "OK? (Tom)")}
    found = propose(open_table(json.dumps(rows).encode(), "s.json"))
    assert [(one.grader, one.criterion) for one in found.grades] == [("Priya", "ok"), ("Tom", "ok")]


def test_a_column_with_more_cells_that_are_no_scores_is_left_out_with_a_word():
    found = propose(
        open_table(json.dumps(_verdicts(["?", "later", "??", "ask"])).encode(), "s.json")
    )
    assert [one.grader for one in found.grades] == ["Priya"]
    assert [(one.field, one.columns) for one in found.doubts] == [
        ("score", ("OK? (Priya)",)),
        ("score", ("OK? (Tom)",)),
    ]
