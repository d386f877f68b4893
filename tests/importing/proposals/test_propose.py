"""A column map is proposed from the values of a file; what is in doubt is left to the user."""

import io
import json
import random

import pandas
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.default_rubric import grade_rubric
from concord.importing.proposals.accept import as_proposed, unambiguous
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.files import OBJECTS

RNG = random.Random(7)


def text(words=8):
    return " ".join(f"word{RNG.randrange(500)}" for _ in range(words))


def question(n):
    return f"What about number {n} of all?"


def of_frame(rows, form="csv"):
    frame, file = pandas.DataFrame(rows), io.BytesIO()
    if form == "xlsx":
        frame.to_excel(file, index=False)
    elif form == "parquet":
        frame.to_parquet(file)
    elif form == "json":
        frame.to_json(file, orient="records")
    else:
        frame.to_csv(file, index=False)
    return open_table(file.getvalue(), f"s.{form}")


def words_of(proposal):
    return set(proposal.spoken())


def graderless(proposal):
    """The columns of grades that no name says the grader of."""
    return [c for doubt in proposal.doubts if doubt.field == "grader" for c in doubt.columns]


def nested_rows():
    return [
        {
            "qid": f"q{n}",
            "question": question(n),
            "gt_answer": text(),
            "answers": {
                model: {"answer_string": text(), "contexts": [text(), text()], "score": n % 5}
                for model in ("alpha", "beta-2.1")
            },
        }
        for n in range(20)
    ]


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_answers_under_each_model_are_unrolled(form):
    table = of_frame(nested_rows(), form)
    found = propose(table)
    assert words_of(found) == {
        "question_id=qid",
        "question=question",
        "reference=gt_answer",
        "answer=answers.{answer_model}.answer_string",
        "answer_model={answer_model}",
        "contexts=answers.{answer_model}.contexts",
    }
    assert graderless(found) == ["answers.{answer_model}.score"]
    read = answer_file.read(table, column_map(table.columns, found.spoken(with_grades=False)))
    assert (len(read.items), read.bad_rows) == (40, [])
    assert unambiguous(table).words == found.words


def test_one_grade_per_row_with_an_annotator_column():
    rows = [
        {"id": n * 6 + m * 3 + a, "query": question(n), "response": f"{text()} {n} {m}",
         "model": f"m{m}", "annotator_id": f"ann{a}", "dimension": d, "rating": (n + a) % 5 + 1,
         "comment": text()}
        for n in range(10) for m in range(2) for a in range(3) for d in ("fluency", "tone")
    ]  # fmt: skip
    answers = {}
    for row in rows:
        row["response"] = answers.setdefault((row["query"], row["model"]), row["response"])
    for n, row in enumerate(rows):
        row["id"] = n
    found = propose(of_frame(rows))
    assert words_of(found) == {
        "question=query", "answer=response", "answer_model=model", "grader=annotator_id",
        "grader_kind:=annotator", "criterion=dimension", "score=rating", "reason=comment",
        "item_id=",
    }  # fmt: skip
    assert found.grades == ()


def test_the_grader_may_be_read_from_a_column_for_several_criteria():
    rows = [
        {"question": question(n), "answer": f"{text()} {n}", "rater": rater,
         "Tone": n % 3, "Overall quality": n % 4}
        for n in range(12) for rater in ("ana", "bob")
    ]  # fmt: skip
    found = propose(of_frame(rows, "xlsx"))
    # A column of a constant score per question would be one of the question.
    assert [g.text for g in found.grades] == []
    for n, row in enumerate(rows):
        row["Tone"], row["Overall quality"] = n % 3, n % 4
    assert [g.text for g in propose(of_frame(rows, "xlsx")).grades] == [
        "score:annotator:{rater}:tone=Tone",
        "score:annotator:{rater}:overall_quality=Overall quality",
    ]


CELLS = st.one_of(
    st.none(), st.integers(0, 5).map(str), st.sampled_from(["ana", "bob", "Useful", "gpt"]),
    st.text(max_size=30), st.just("What is the matter with it?"), st.floats().map(str),
)  # fmt: skip
NAMES = st.sampled_from(
    ["question", "answer", "gpt_answer", "our_answer", "gt_answer", "annotator_id", "rater", "id",
     "score", "human_score", "dimension", "model", "system", "x", "text", "gpt_score", "our_score"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8, unique=True), st.integers(1, 8), st.data())
def test_any_sheet_gets_a_proposal_that_can_be_read(names, count, data):
    row = st.fixed_dictionaries({name: CELLS for name in names})
    rows = data.draw(st.lists(row, min_size=count, max_size=count))
    _check(json.dumps(rows).encode())


@settings(max_examples=150, deadline=None)
@given(OBJECTS)
@example([{"answer": 1}, {"": None, "answer": 0}])
@example([{"": {"": {}, "question": {"answer": False}}}])
@example([{"question": None, "answer": None, "": 0}, {"question": None, "": 1}])
def test_any_nested_file_gets_a_proposal_that_can_be_read(rows):
    _check(json.dumps(rows).encode())


def _check(data):
    """What is proposed can be said, and no column is both mapped and left out."""
    try:
        table = open_table(data, "s.json")
    except Problem:
        return
    found = propose(table)
    if found.of == "answers":
        spoken = [word for word in found.spoken() if not word.startswith("score:mean:")]
        columns = column_map(table.columns, spoken)
        mapped = {*columns.mapped()}
        assert not mapped & {left.column for left in found.left_out if left.column in mapped}
    assert json.dumps(found.as_json())


def of_completions():
    """One row per prompt with a list of completions, in each a list of annotations, and a judge."""
    return [
        {
            "prompt_id": f"p{n}",
            "instruction": question(n),
            "completions": [
                {
                    "model": model,
                    "response": text(12),
                    "annotations": [
                        {"annotator": who, "tone": (n + at) % 5, "wit": n % 4, "why": text()}
                        for at, who in enumerate(("ana", "小王"))
                    ],
                    "judge": {"name": "big", "tone": n % 5},
                }
                for model in ("alpha", "beta", "gamma")
            ],
        }
        for n in range(9)
    ]


def test_lists_of_named_objects_are_answers_and_grades():
    found = propose(of_frame(of_completions(), "json"))
    assert {"answer=completions.{model}.response", "answer_model={model}"} <= words_of(found)
    assert {g.text for g in found.grades} == {
        "score:judge:judge:tone=completions.{model}.judge.tone",
        "score:annotator:{annotator}:tone=completions.{model}.annotations.{annotator}.tone",
        "score:annotator:{annotator}:wit=completions.{model}.annotations.{annotator}.wit",
    }
    table = of_frame(of_completions(), "parquet")
    assert words_of(propose(table)) == words_of(found)
    assert unambiguous(table) is not None


def test_lists_of_metrics_are_values_of_metrics():
    rows = [
        {
            "input": question(n),
            "actualOutput": text(),
            "metricsData": [
                {"name": name, "threshold": 0.5, "score": n / 9, "reason": text()}
                for name in ("Correctness", "Faithfulness")
            ],
        }
        for n in range(9)
    ]
    assert [g.text for g in propose(of_frame(rows, "json")).grades] == [
        "score:metric:{name}:{name}=metricsData.{name}.score"
    ]


def test_what_is_proposed_can_be_taken_whole_or_without_some_columns():
    table = of_frame(of_completions(), "json")
    assert set(as_proposed(table, ())) == words_of(propose(table))
    mine = "score:judge:Big:tone=completions.{model}.judge.tone"
    words = as_proposed(table, [mine], ["completions.{model}.annotations"])
    assert [word for word in words if word.startswith("score:")] == [mine]
    with pytest.raises(Problem, match="no column “nope” to leave out"):
        as_proposed(table, (), ["nope"])


def test_scores_under_the_names_of_scorers_are_no_answers():
    rows = [
        {"input": question(n), "output": {"model": "ours", "completion": text(12)},
         "scores": {who: {"value": "CPI"[n % 3], "answer": text(12), "explanation": text()}
                    for who in ("model_graded_qa", "human")},
         "sizes": {"spans": 3, "bytes": 900 + n}, "state": "OK"}
        for n in range(12)
    ]  # fmt: skip
    found = propose(of_frame(rows, "json"))
    assert {"question=input", "answer=output.completion"} <= words_of(found)
    assert {one.column for one in found.grades} == {
        "scores.model_graded_qa.value", "scores.human.value",
    }  # fmt: skip
    assert found.doubts == ()


def test_a_comment_beside_the_annotator_is_the_reason_of_all_their_grades():
    rows = [
        {"question": question(n // 2), "answer": f"All about number {n // 2} and what follows it.",
         "annotator": ("ana", "ben")[n % 2], "accuracy": [{"rating": 1 + n % 5}],
         "helpfulness": [{"number": 1 + n % 4}], "comment": text(),
         "gpt4_accuracy": 1 + (n // 2) % 3}
        for n in range(24)
    ]  # fmt: skip
    table = of_frame(rows, "json")
    columns = column_map(table.columns, propose(table).spoken())
    found = grade_rubric(table, columns, [], {})
    read = answer_file.read(table, found.columns, found.fit.rubric, found.words)
    with_reason = {(g.grader, g.criterion) for g in read.grades if g.reason}
    assert with_reason == {(a, c) for a in ("ana", "ben") for c in ("accuracy", "helpfulness")}
    assert any(grade.grader == "gpt4" for grade in read.grades)


def test_headers_in_chinese_are_read_by_the_last_word_of_each_compound():
    rated = ("较差", "一般", "良好", "优秀")
    rows = [
        {
            "编号": f"Q{n // 3}",
            "用户问题": f"第{n // 3}个问题：如何办理业务？",
            "知识库片段": f"{n // 3}天内完成办理。",
            "模型回答": f"请携带身份证到网点办理，第{n}次。",
            "回答模型": ("千问", "文心", "智谱")[n % 3],
            "标准答案": f"携带身份证，{n // 3}天。",
            "张老师评分": rated[n % 4],
            "李老师评分": rated[-(n % 3)],
            "大模型评分": rated[n % 3],
            "大模型评分理由": f"回答与知识库一致，第{n}条。",
        }
        for n in range(18)
    ]
    opened = of_frame(rows, "xlsx")
    found = propose(opened)
    assert words_of(found) == {
        "question=用户问题", "answer=模型回答", "answer_model=回答模型",
        "question_id=编号", "reference=标准答案", "contexts=知识库片段",
        "score:annotator:张老师:overall=张老师评分",
        "score:annotator:李老师:overall=李老师评分",
        "score:judge:大模型:overall=大模型评分",
    }  # fmt: skip
    made = grade_rubric(opened, column_map(opened.columns, found.spoken()), [], {})
    assert [made.words[word] for word in rated] == [1, 2, 3, 4]


def test_an_id_that_questions_share_is_not_theirs_and_the_same_contexts_are_taken_once():
    """As promptfoo writes it: one prompt id for all, and the variables twice."""
    rows = []
    for n in range(12):
        given = {"question": question(n // 2), "context": f"context of {n // 2} and more words"}
        rows.append(
            {
                "id": f"run-{n}",
                "promptId": "p1",
                "vars": given,
                "testCase": {"vars": given},
                "response": {"output": text()},
                "provider": {"id": ("gpt", "claude")[n % 2]},
            }
        )
    found = words_of(propose(of_frame(rows, "json")))
    assert found == {
        "item_id=id", "question=vars.question", "question_id=", "contexts=vars.context",
        "answer=response.output", "answer_model=provider.id",
    }  # fmt: skip
