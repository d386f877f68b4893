"""Paths, placeholders and constants: every answer and grade of a nested file, and nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file, column_paths
from concord.importing.columns import ScoreColumn, column_map, opened
from concord.importing.fields import GRADE_FIELDS
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.rubrics import model as rubrics
from tests.support.nested_objects import OBJECTS

RUBRIC = rubrics.presets()["doc-qa-0-3"]


def answer(text, *contexts, **grades):
    return {"text": text, "contexts": list(contexts), "scores": grades, "seconds": 2}


ROWS = [
    {
        "id": "q1",
        "question": "Why?",
        "meta": {"lang": "en"},
        "answers": {
            "gpt-4.1": answer("Because.", "c1", "c2", ana=1, bob=2),
            "ours": answer("So.", ana=3),
        },
    },
    {"id": "q2", "question": "How?", "answers": {"gpt-4.1": answer("", bob=0), "ours": None}},
]
MAP = (
    "question_id=id",
    "answer=answers.{system}.text",
    "contexts=answers.{system}.contexts",
    "score:annotator:{who}:correctness=answers.{system}.scores.{who}",
)


def read(rows, *said, name="s.json", rubric=RUBRIC):
    data = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    return answer_file.load(data, name, said, rubric)


def graded(found):
    return [
        (g.question_id or g.item_id, g.answer_model, g.grader, g.grader_kind, g.criterion, g.score)
        for g in found.grades
    ]


def test_each_key_of_a_dictionary_is_an_answer_with_its_own_contexts_and_grades():
    found = read(ROWS, *MAP)
    assert found.bad_rows == []
    assert [(i.question_id, i.answer_model, i.answer, len(i.contexts)) for i in found.items] == [
        ("q1", "gpt-4.1", "Because.", 2),
        ("q1", "ours", "So.", 0),
        ("q2", "gpt-4.1", "", 0),
    ]
    assert graded(found) == [
        ("q1", "gpt-4.1", "ana", "person", "correctness", 1),
        ("q1", "gpt-4.1", "bob", "person", "correctness", 2),
        ("q1", "ours", "ana", "person", "correctness", 3),
        ("q2", "gpt-4.1", "bob", "person", "correctness", 0),
    ]
    assert found.items[0].metadata == {"meta.lang": "en", "answers": {"seconds": 2}}
    assert (found.rows, found.folded) == (2, 0)


def test_the_map_of_a_nested_file_can_be_said_again():
    table = open_table(json.dumps(ROWS).encode(), "s.json")
    columns = column_map(table.columns, [*MAP, "grader_kind:=judge"])
    assert "grader_kind:=judge" in columns.spoken()
    assert column_map(table.columns, columns.spoken()) == columns


def test_a_pattern_over_columns_is_a_placeholder_too():
    csv = (
        b"question,gpt_answer,gpt_score,our_answer,our_score,rater\nQ1,a,1,b,2,ana\nQ2,c,3,d,,bob\n"
    )
    score = "score:annotator:{rater}:correctness={m}_score"
    found = read(csv, "answer={m}_answer", score, name="s.csv")
    assert [(i.answer_model, i.answer, i.metadata) for i in found.items] == [
        ("gpt", "a", {}), ("our", "b", {}), ("gpt", "c", {}), ("our", "d", {}),
    ]  # fmt: skip
    assert [row[1:4] + row[5:] for row in graded(found)] == [
        ("gpt", "ana", "person", 1),
        ("our", "ana", "person", 2),
        ("gpt", "bob", "person", 3),
    ]


def test_one_grade_per_row_repeats_the_answer_and_not_the_item():
    csv = (
        b"id,question,answer,who,aspect,score,why\n"
        b"1,Q,A,ana,correctness,1,x\n1,Q,A,bob,Correctness,2,\n1,Q,A,ana,coverage,,\n"
    )
    said = ("grader=who", "grader_kind:=annotator", "criterion=aspect", "score=score", "reason=why")
    found = read(csv, *said, name="s.csv")
    assert (len(found.items), found.rows, found.bad_rows) == (1, 3, [])
    assert [(g.grader, g.criterion, g.score, g.reason, g.item_id) for g in found.grades] == [
        ("ana", "correctness", 1, "x", "1"),
        ("bob", "correctness", 2, "", "1"),
    ]
    assert found.items[0].metadata == {}


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        ("1,Q,A,ana,correctness,9,", "score", "not on the scale"),
        ("1,Q,A,,correctness,1,", "who", "no grader"),
        ("1,Q,A,ana,wit,1,", "aspect", "not a criterion"),
        ("1,Q,B,ana,correctness,1,", "id", "different answer"),
        ("1,Q,A,zoe,correctness,2,", "score", "Keep one of them"),
    ],
)
def test_a_bad_row_of_long_form_is_named(row, column, words):
    csv = f"id,question,answer,who,aspect,score,why\n1,Q,A,zoe,correctness,1,x\n{row}\n"
    said = ("grader=who", "grader_kind:=judge", "criterion=aspect", "score=score", "reason=why")
    found = read(csv.encode(), *said, name="s.csv")
    assert (found.bad_rows[-1].row, found.bad_rows[-1].column) == (2, column)
    assert words in found.bad_rows[-1].problem


def test_constants_say_what_the_file_does_not():
    found = read(b"question,answer\nQ,A\n", "answer_model:=ours", "cluster:= a = b ", name="s.csv")
    assert [(i.answer_model, i.cluster) for i in found.items] == [("ours", "a = b")]


def test_a_path_goes_into_lists_and_into_texts_that_spell_objects():
    rows = [{"turns": [{"text": "Q?"}, {"text": "A."}], "m": '{"by": {"v1.0": "z"}}'}]
    found = read(rows, "question=turns.0.text", "answer=turns.1.text", "answer_model=m.by.v1.0")
    assert [(i.question, i.answer, i.answer_model) for i in found.items] == [("Q?", "A.", "z")]
    printed = b"question,out\nQ,\"{'text': 'A', 'n': None}\"\n"
    assert read(printed, "answer=out.text", name="s.csv").items[0].answer == "A"


def test_answers_in_a_list_have_their_model_beside_them():
    rows = [{"question": "Q", "runs": [{"model": "a", "out": "x"}, {"model": "b", "out": "y"}]}]
    found = read(rows, "answer=runs.{n}.out", "answer_model=runs.{n}.model")
    assert [(i.answer_model, i.answer) for i in found.items] == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["answer=answers.{m}.txet"], "No row of s.json has a value at “answers.{m}.txet”"),
        (["answer=nope.{m}.text"], "no column “nope.{m}.text”"),
        (["answer=answers.{m}.{n}"], "only one placeholder"),
        (["contexts=answers.{m}.contexts"], "a placeholder that is not in the path to the answer"),
        ([*MAP[:2], "score:judge:j:correctness=id"], "does not say which answering model"),
        ([*MAP[:2], "score:judge:j:correctness=answers.{system}.scores.{x}"], "is neither"),
        (
            [*MAP[:2], ("score:judge:{x}:correctness=answers.{system}.scores ")],
            "“x”, which does not exist",
        ),
        ([*MAP[:2], "grader=id"], None),
        ([*MAP[:2], "score=answers.{system}.seconds"], "No column has the grader"),
        (["question:=Why?"], "Each row needs its own question"),
        ([*MAP[:2], "score:judge:j:wit=answers.{system}.seconds"], "wit"),
    ],
)
def test_a_map_that_cannot_be_read_names_the_remedy(said, words):
    if words is None:
        assert read(ROWS, *said).items
        return
    with pytest.raises(Problem, match=words.replace("{", r"\{")):
        read(ROWS, *said)


def test_a_row_without_an_answer_under_the_path_is_bad():
    found = read([*ROWS, {"id": "q3", "question": "Who?", "answers": {}}], *MAP)
    assert [(bad.row, bad.problem) for bad in found.bad_rows] == [
        (3, "there is no answer at “answers.{system}.text”. Add one, or remove the row.")
    ]


def test_one_row_holds_no_more_answers_than_one_can_mean():
    many = {f"k{n}": {"text": "A"} for n in range(column_paths.KEYS + 1)}
    found = read([{"question": "Q", "answers": many}], "answer=answers.{m}.text")
    assert "a row may have at most 1000" in found.bad_rows[0].problem


def test_an_id_of_a_row_with_several_answers_is_that_of_the_question():
    found = read(ROWS, "item_id=id", MAP[1])
    assert {(i.own_id, i.question_id) for i in found.items} == {(None, "q1"), (None, "q2")}


def test_a_column_with_braces_in_its_name_is_a_column():
    found = read(b'question,"answer {x}"\nQ,A\n', "answer=answer {x}", name="s.csv")
    assert [(i.answer, i.answer_model) for i in found.items] == [("A", None)]


def test_a_file_of_grades_takes_constants_and_paths():
    table = open_table(b'[{"item_id": "1", "out": {"g": 2}, "by": "gpt"}]', "g.json")
    columns = column_map(table.columns, ["grader=by", "score=out.g", "grader_kind:=judge"],
                         GRADE_FIELDS)  # fmt: skip
    assert columns.column("grader_kind") == ":=judge"
    (record,) = opened(table, columns).records()
    assert record.cells == ("1", "2", "gpt", "judge")


def test_a_grader_column_is_read_back_as_it_was_said():
    columns = column_map(("q", "s", "who"), ["score:metric:{who}:a:b=s"])
    assert columns.scores == (ScoreColumn("s", "metric", "{who}:a", "b"),)


WORDS = st.sampled_from(
    [
        "answer=answer.{m}", "answer=a.{m}.text", "answer=b.c", "question=question",
        "question=a.question", "contexts=a.{m}", "question=a.0.text", "answer=text.{m}.{n}",
        "score:judge:{g}:correctness=a.{m}.{g}", "score:judge:j:correctness=answer.{m}",
        "score:annotator:{a}:correctness=text", "answer_model:=x", "answer={k}.c", "grader=a",
        "score=a.{n}.text", "score=a.{n}.a.{m}.text", "grader=a.{n}.b.c", "criterion=a.{n}.x y",
        "reason=a.{n}.a.{text=é}.text", "reason=a.{g}", "criterion:x=", "grader=text",
        "score=a.b", "grader_kind:=judge", "criterion:=correctness", "reference=a.0", "turns=a.b",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(OBJECTS, st.lists(WORDS, max_size=5))
def test_any_map_of_any_file_is_read_or_refused_in_one_sentence(rows, said):
    try:
        found = read(rows, *said)
    except Problem as refused:
        assert str(refused)
        return
    assert found.rows == len(rows)
    assert len({item.identity for item in found.items}) == len(found.items)
    assert {grade.item_key for grade in found.grades} <= {item.identity for item in found.items}


COMPLETIONS = [
    {
        "model": model,
        "text": f"{model} says {n}",
        "marks": [{"who": "ana", "tone": 1 + n % 3}, {"who": "ben", "tone": 2}],
    }
    for n, model in enumerate(("alpha", "beta"))
]


def of_completions(completions, *said):
    rows = [{"question": f"Q{n}?", "completions": completions} for n in range(2)]
    return read(rows, "answer=completions.{model}.text", *said)


def test_objects_in_a_list_are_called_by_what_they_hold():
    tone = "score:annotator:{who}:correctness=completions.{model}.marks.{who}.tone"
    found = of_completions([*reversed(COMPLETIONS)], tone)
    assert [(i.answer_model, i.answer) for i in found.items][:2] == [
        ("beta", "beta says 1"),
        ("alpha", "alpha says 0"),
    ]
    of_first = {i.answer_model: i.identity for i in found.items[:2]}
    grades = {(g.item_key, g.grader): g.score for g in found.grades}
    assert grades[of_first["alpha"], "ana"] == 1 and grades[of_first["beta"], "ana"] == 2
    assert len(grades) == 8


def test_two_answers_of_one_name_in_a_list_are_refused():
    found = of_completions([*COMPLETIONS, COMPLETIONS[0]])
    assert {fault.row for fault in found.bad_rows} == {1, 2}
    assert "several parts of one list are called “alpha”" in str(found.bad_rows[0].problem)


def test_a_grade_in_a_list_without_a_grader_is_refused_and_not_counted_by_place():
    nobody = {**COMPLETIONS[0], "marks": [{"tone": 3}, {"who": "ben", "tone": 2}]}
    tone = "score:annotator:{who}:correctness=completions.{model}.marks.{who}.tone"
    found = of_completions([nobody], tone)
    assert {g.grader for g in found.grades} == {"ben"}
    assert "no grader" in str(found.bad_rows[0].problem)


def of_lists(scores, raters, *said):
    rows = [{"question": "Q?", "answer": "A.", "scores": scores, "raters": raters}]
    return read(rows, "score:annotator:{raters}:correctness=scores.{raters}", *said)


def test_scores_in_a_list_go_by_the_names_in_the_list_beside_it():
    found = of_lists([3, 1, 0], ["小王", "ben", "ana"])
    assert {(g.grader, g.score) for g in found.grades} == {("小王", 3), ("ben", 1), ("ana", 0)}


@pytest.mark.parametrize(
    ("scores", "raters", "words"),
    [
        ([3, 1], ["ana"], "values (2) and names in “raters” (1)"),
        ([3, 1], ["ana", "ana"], "several parts of one list are called “ana”"),
        ([3, 1], ["ana", None], "no grader"),
    ],
)
def test_scores_in_a_list_without_a_name_each_are_refused(scores, raters, words):
    found = of_lists(scores, raters)
    assert {g.score for g in found.grades} <= {3}
    assert words in str(found.bad_rows[0].problem)
