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
from concord.importing.proposals.accept import as_proposed, unambiguous
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.nested_objects import OBJECTS

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


@pytest.mark.parametrize(
    ("columns", "grades"),
    [
        (("Annotator 1", "Annotator 2"), {"annotator_1:overall", "annotator_2:overall"}),
        (("human_correctness",), {"human:correctness"}),
        (("ana_wit", "ana_tact", "bob_wit", "bob_tact"),
         {"ana:wit", "ana:tact", "bob:wit", "bob:tact"}),
        (("gpt-4 score",), {"gpt-4:overall"}),
    ],
)  # fmt: skip
def test_a_column_of_scores_is_named_by_grader_and_criterion(columns, grades):
    rows = [
        {"question": question(n), "answer": text(), **{c: (n + i) % 5 for i, c in
         enumerate(columns)}, "tokens": n % 4}
        for n in range(20)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert {f"{g.grader}:{g.criterion}" for g in found.grades} == grades
    assert {g.kind for g in found.grades} == {"judge" if "gpt" in columns[0] else "annotator"}
    assert "tokens" in {left.column for left in found.left_out}


@pytest.mark.parametrize(
    ("column", "keys", "word"),
    [
        ("annotators", "xy", "score:annotator:{grader}:overall=annotators.{grader}.score"),
        ("marks", ("tone", "clarity"), None),
        ("human_marks", ("tone", "clarity"),
         "score:annotator:annotator:{criterion}=human_marks.{criterion}.score"),
        ("marks", ("faithfulness", "bias"), None),
        ("marks", "xy", None),
    ],
)  # fmt: skip
def test_scores_under_each_key_of_a_dictionary(column, keys, word):
    rows = [
        {"question": question(n), "answer": text(),
         column: {key: {"score": n % 3, "why": text(3)} for key in keys}}
        for n in range(9)
    ]  # fmt: skip
    found = propose(of_frame(rows, "json"))
    assert [g.text for g in found.grades] == [word] * bool(word)
    assert [d.columns[0].partition(".")[0] for d in found.doubts] == [column] * (not word)


def test_criteria_whose_names_have_no_letters_of_ascii_stay_apart():
    rows = [
        {"question": question(n), "answer": text(), "rater": "ana",
         "准确": n % 3, "流畅": n % 4, "clarity": n % 5}
        for n in range(20)
    ]  # fmt: skip
    grades = propose(of_frame(rows)).grades
    assert len({g.criterion for g in grades}) == len(grades) == 3


def test_words_of_a_scale_are_grades_and_topics_are_not():
    rows = [
        {"question": question(n), "answer": text(), "useful": ("Useful", "Not useful")[n % 2],
         "topic": ("trains", "boats")[n % 2]}
        for n in range(20)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert ([one.columns for one in found.doubts], found.grades) == ([("useful",)], ())
    assert [left.column for left in found.left_out] == ["topic"]


def test_columns_that_could_be_graders_or_criteria_are_left_to_the_user():
    rows = [
        {"question": question(n), "answer": text(), "wit": n % 5, "ana": n % 4} for n in range(20)
    ]
    found = propose(of_frame(rows))
    assert found.grades == ()
    assert [(d.field, d.columns) for d in found.doubts] == [("score", ("wit", "ana"))]


@pytest.mark.parametrize("labels", [["accept", "reject", "ignore"], ["yes"], list("ABCD")])
@pytest.mark.parametrize("name", ["answer", "final_answer"])
def test_a_few_short_values_are_never_the_answer_unless_the_user_says_so(labels, name):
    rows = [{"question": question(n), name: labels[n % len(labels)]} for n in range(12)]
    table = of_frame(rows)
    found = propose(table)
    assert not any(word.field == "answer" and word.column for word in found.words)
    with pytest.raises(Problem):
        as_proposed(table, ())
    if name == "answer":
        with pytest.raises(Problem):
            unambiguous(table)
    mapped = [f"answer={name}"]
    assert unambiguous(table, mapped) is None
    read = answer_file.read(table, column_map(table.columns, mapped))
    assert {item.answer for item in read.items} == {*labels}


def test_two_columns_of_prose_are_left_to_the_user():
    rows = [{"question": question(n), "left": text(), "right": text()} for n in range(9)]
    table = of_frame(rows)
    assert [(d.field, d.columns) for d in propose(table).doubts] == [("answer", ("left", "right"))]
    assert unambiguous(table) is None


def test_two_conversations_are_left_to_the_user():
    talk = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]
    one = of_frame([{"talk_a": talk} for _ in range(4)], "json")
    assert words_of(unambiguous(one)) == {"turns=talk_a"}
    two = of_frame([{"talk_a": talk, "talk_b": talk} for _ in range(4)], "json")
    assert unambiguous(two) is None
    assert ("turns", ("talk_a", "talk_b")) in [(d.field, d.columns) for d in propose(two).doubts]


def test_the_only_prose_beside_questions_is_the_answer():
    rows = [{"a": question(n), "b": text(), "n": n} for n in range(9)]
    assert words_of(propose(of_frame(rows))) == {"question=a", "answer=b"}


def test_a_system_prompt_is_no_answering_model():
    rows = [{"question": question(n), "answer": text(), "system": text(30)} for n in range(9)]
    assert "answer_model=" in words_of(propose(of_frame(rows)))


def test_what_is_the_same_for_each_answer_of_a_question_is_not_a_grade():
    rows = [
        {"question": question(n), "answer": text(), "model": f"m{m}", "difficulty": n % 3}
        for n in range(9) for m in range(2)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert found.grades == ()
    assert [(one.column, str(one.reason)) for one in found.left_out] == [
        ("difficulty", "the same for every answer to a question")
    ]


def test_an_id_with_several_answers_is_that_of_the_question():
    rows = [
        {"id": n, "question": question(n), "answer": text(), "model": f"m{m}"}
        for n in range(9) for m in range(2)
    ]  # fmt: skip
    assert {"question_id=id", "item_id="} <= words_of(propose(of_frame(rows)))


def test_a_file_of_grades_is_told_from_one_of_answers():
    csv = (
        b"item_id,criterion,rater,rater_kind,grade\n1,overall,ana,human,3\n2,overall,bob,human,4\n"
    )
    found = propose(open_table(csv, "g.csv"))
    assert found.of == "grades"
    assert "grader=rater" in found.spoken()
    assert unambiguous(open_table(csv, "g.csv")) is None


def test_what_names_say_alone_is_taken_as_before():
    assert unambiguous(open_table(b"question,answer\nQ,A\n", "s.csv")) is None


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


def test_two_columns_named_like_models_yield_to_answers_under_models():
    rows = [
        {"question": question(n), "gpt_answer": text(), "our_answer": text(), "model": None,
         "system": "a system"}
        for n in range(4)
    ]  # fmt: skip
    found = propose(of_frame(rows, "json"))
    models = [word.column for word in found.words if word.field == "answer_model"]
    assert models == ["{answer_model}"]


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


def test_ratings_in_lists_of_one_are_grades_and_a_judges_column_is_the_judges():
    """One row per annotation, as annotation platforms write it."""
    rows = [
        {
            "id": n, "question": f"第{n}个问题是什么？", "answer": f"第{n}个问题的回答，内容很长。",
            "annotator": who, "correctness": [{"rating": 1 + (n + at) % 5}],
            "helpfulness": [{"rating": 1 + n % 4}], "gpt4_correctness": 1 + n % 3,
        }
        for n in range(9) for at, who in enumerate(("ana@firm.cn", "ben@firm.cn"))
    ]  # fmt: skip
    for form in ("json", "csv"):
        assert {g.text for g in propose(of_frame(rows, form)).grades} == {
            "score:judge:gpt4:correctness=gpt4_correctness",
            "score:annotator:{annotator}:correctness=correctness.0.rating",
            "score:annotator:{annotator}:helpfulness=helpfulness.0.rating",
        }


def test_a_table_of_mlflow_is_read_with_its_justifications():
    rows = [
        {"inputs": question(n), "outputs": text(), "ana": n % 3, "ben": n % 4,
         "answer_correctness/v1/score": n % 5, "answer_correctness/v1/justification": text()}
        for n in range(12)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert {"question=inputs", "answer=outputs"} <= words_of(found)
    assert [g.text for g in found.grades] == [
        "score:judge:judge:answer_correctness=answer_correctness/v1/score"
    ]
    assert [d.columns for d in found.doubts] == [("ana", "ben")]


def test_what_is_proposed_can_be_taken_whole_or_without_some_columns():
    table = of_frame(of_completions(), "json")
    assert set(as_proposed(table, ())) == words_of(propose(table))
    mine = "score:judge:Big:tone=completions.{model}.judge.tone"
    words = as_proposed(table, [mine], ["completions.{model}.annotations"])
    assert [word for word in words if word.startswith("score:")] == [mine]
    with pytest.raises(Problem, match="no column “nope” to leave out"):
        as_proposed(table, (), ["nope"])


def test_what_can_be_read_in_two_ways_is_not_taken_as_proposed():
    rows = [
        {"question": question(n), "answer": text(), "human_ana": n % 3, "human_ben": n % 4}
        for n in range(12)
    ]
    table = of_frame(rows)
    with pytest.raises(Problem, match=r"human_ana, human_ben \(score\): the names could be"):
        as_proposed(table, ())
    one = "score:annotator:ana:overall=human_ana"
    assert one in as_proposed(table, [one], ["human_ben"])


@pytest.mark.parametrize(
    ("name", "cells", "is_grades"),
    [
        ("ana", ["Good", "Bad", "OK", "Good", "OK"], True),
        ("useful", ["Useful", "Not useful", "Somewhat useful"], True),
        ("verdict", ["pass", "fail", "pass"], True),
        ("topic", ["trains", "boats", "planes", "trains", "cars"], False),
        ("stay", ["3 days", "5 days", "2 days", "4 days", "1 day"], False),
        ("mood", ["good", "grand", "bad", "blue", "bored"], False),
        ("ana", ["4", "3", "5", "2", "4"], True),
        ("place", ["1", "2", "3", "4", "5"], False),
        ("story", ["1", "2", "3", "4", "5"], False),
        ("visitors", ["40", "13", "55", "12", "24"], False),
        ("status_code", ["OK", "OK", "OK", "OK", "OK"], False),
    ],
)
def test_words_of_a_usual_scale_are_grades_in_a_file_of_a_few_rows(name, cells, is_grades):
    rows = [{"question": question(n), "answer": text(), name: c} for n, c in enumerate(cells)]
    found = propose(of_frame(rows))
    assert [c for doubt in found.doubts for c in doubt.columns] == [name] * is_grades
    assert found.grades == ()


def test_lists_of_scores_beside_lists_of_annotators_are_grades():
    rows = [
        {"question": question(n), "answer": text(), "annotators": ["ana", "ben"],
         "scores": [n % 5, n % 4], "tone": [n % 3, n % 2], "bbox": [n, n + 1]}
        for n in range(12)
    ]  # fmt: skip
    for form in ("json", "parquet"):
        found = propose(of_frame(rows, form))
        assert [g.text for g in found.grades] == [
            "score:annotator:{annotators}:overall=scores.{annotators}",
            "score:annotator:{annotators}:tone=tone.{annotators}",
        ]


def test_fractions_that_nobody_is_named_for_are_values_of_a_metric():
    rows = [
        {"user_input": question(n), "response": text(), "near_score": n / 16, "human_tone": n % 5,
         "llm": ("gpt-4o", "llama-3.1-8b", "ours")[n % 3]}
        for n in range(12)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert {g.text for g in found.grades} == {
        "score:metric:near:tone=near_score",
        "score:annotator:human:tone=human_tone",
    }
    assert "answer_model=llm" in words_of(found)


def test_own_models_in_a_column_named_llm_are_no_grades():
    rows = [
        {"user_query": question(n // 2), "bot_reply": text(), "llm": ("own-8b", "own-70b")[n % 2]}
        for n in range(24)
    ]  # fmt: skip
    found = propose(of_frame(rows))
    assert not found.grades
    assert "answer_model=llm" in words_of(found)


@pytest.mark.parametrize(
    ("column", "cells", "reason"),
    [
        ("ratings", lambda n: [{"rater": "ana", "score": n % 3}, {"rater": "gpt-4o", "score": 1}],
         "its keys name annotators and judges"),
        ("scores", lambda n: [{"criterion": "tone", "ana": n % 3, "ben": 1},
                              {"criterion": "fact", "ana": 2, "ben": n % 4}],
         "the scores under each key could be of several graders"),
    ],
)  # fmt: skip
def test_scores_whose_grader_or_criterion_a_path_would_lose_are_in_doubt(column, cells, reason):
    rows = [{"question": question(n), "answer": text(), column: cells(n)} for n in range(12)]
    table = of_frame(rows, "json")
    found = propose(table)
    assert found.grades == ()
    assert [(d.columns, str(d.reason)) for d in found.doubts] == [((column,), reason)]
    with pytest.raises(Problem, match=reason):
        as_proposed(table, [])


def test_scores_beside_two_lists_of_names_are_in_doubt():
    rows = [
        {"question": question(n), "answer": text(), "annotators": ["ana", "ben"],
         "criteria": ["tone", "fact"], "scores": [n % 5, n % 4]}
        for n in range(12)
    ]  # fmt: skip
    found = propose(of_frame(rows, "json"))
    assert found.grades == ()
    assert [d.columns for d in found.doubts] == [("scores",)]


def test_one_grade_per_row_keeps_its_criterion_beside_another_column_of_numbers():
    rows = [
        {"question": question(n), "answer": text(), "annotator": "ana",
         "criterion": ("tone", "fact")[n % 2], "score": n % 3, "confidence": n % 4}
        for n in range(12)
    ]  # fmt: skip
    assert {"criterion=criterion", "score=score"} <= words_of(propose(of_frame(rows)))
    for n, row in enumerate(rows):
        row |= {"points": row.pop("score"), "quality": 3 - n % 3}
    found = propose(of_frame(rows))
    assert found.grades == ()
    assert "score" in [doubt.field for doubt in found.doubts]


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
