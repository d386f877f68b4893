"""Columns are recognised by the names annotators use, and doubt is settled by the user only."""

import pytest

from concord.importing.columns import ScoreColumn, column_map, resolved
from concord.importing.fields import GRADE_FIELDS
from concord.messages import Problem


@pytest.mark.parametrize(
    "columns, fields",
    [
        (("question", "answer"), {"question": ("question",), "answer": ("answer",)}),
        (("User Input", "RESPONSE"), {"question": ("User Input",), "answer": ("RESPONSE",)}),
        (("質問", "回答"), {"question": ("質問",), "answer": ("回答",)}),
        (("ＱＵＥＳＴＩＯＮ",), {"question": ("ＱＵＥＳＴＩＯＮ",)}),
        (("Retrieved-Contexts",), {"contexts": ("Retrieved-Contexts",)}),
        (("ground_truth",), {"reference": ("ground_truth",)}),
        (("model",), {"answer_model": ("model",)}),
        (("id", "question_id"), {"item_id": ("id",), "question_id": ("question_id",)}),
        (("cluster_id",), {"cluster": ("cluster_id",)}),
        (
            ("context_10", "context_2", "context_1"),
            {"contexts": ("context_1", "context_2", "context_10")},
        ),
        (("answer_2",), {}),
    ],
)
def test_columns_are_recognised(columns, fields):
    found = column_map(columns)
    assert dict(found.fields) == fields
    assert dict(found.ambiguous) == {}


def test_what_is_not_recognised_is_left_over():
    assert column_map(("question", "answer", "temperature")).leftovers == ("temperature",)


@pytest.mark.parametrize(
    "columns, field",
    [
        (("question", "query", "answer"), "question"),
        (("question", "answer", "context", "passages"), "contexts"),
    ],
)
def test_two_columns_for_one_field_are_never_chosen_between(columns, field):
    found = column_map(columns)
    assert field in found.ambiguous
    with pytest.raises(Problem) as refused:
        resolved(found, ())
    assert refused.value.code == "several_columns"
    chosen = found.ambiguous[field][0]
    assert resolved(column_map(columns, [f"{field}={chosen}"]), ()).fields[field] == (chosen,)


def test_the_user_may_leave_a_field_out():
    columns = ("question", "answer", "model", "system")
    found = resolved(column_map(columns, ["answer_model="]), ("question", "answer"))
    assert "answer_model" not in found.fields
    assert found.leftovers == ("model", "system")


def test_a_column_without_a_name_is_not_what_a_field_is_left_out_for():
    found = column_map(("question", "answer", "model", ""), ["answer_model="])
    assert "answer_model" not in found.fields


def test_a_said_column_is_no_longer_recognised_as_something_else():
    found = column_map(("prompt", "answer", "x"), ["question=x", "contexts=prompt"])
    assert dict(found.fields) == {
        "question": ("x",),
        "contexts": ("prompt",),
        "answer": ("answer",),
    }


def test_a_wide_sheet_is_mapped_model_by_model_whatever_is_in_the_names():
    columns = ("question", "Llama 3:8b=q4", "gpt=4")
    found = column_map(columns, ["answer:llama3:8b=q4=Llama 3:8b=q4", "answer:gpt=4=gpt=4"])
    assert dict(found.answers) == {"llama3:8b=q4": "Llama 3:8b=q4", "gpt=4": "gpt=4"}
    assert resolved(found, ("answer",)).leftovers == ()


def test_scores_are_mapped_to_a_grader_and_criterion():
    found = column_map(("q", "s 1", "s2"), ["score:human:a:b:correctness=s 1", "score:llm:J:c=s2"])
    assert found.scores == (
        ScoreColumn("s 1", "person", "a:b", "correctness"),
        ScoreColumn("s2", "judge", "J", "c"),
    )


def test_a_mapped_column_with_a_dot_is_no_path_into_another():
    found = column_map(("question", "answer", "answer.score"), ["score=answer.score"])
    assert found.column("answer") == "answer"


def test_what_was_said_can_be_said_again():
    columns = ("id", "q", "ctx", "more", "one", "s")
    said = ["question=q", "contexts=ctx", "contexts=more", "answer:m=one", "score:judge:g:c=s"]
    found = column_map(columns, said)
    assert column_map(columns, found.spoken()) == found


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("question=Nope", "not_a_column"),
        ("colour=question", "not_a_field"),
        ("question", "not_a_map"),
        ("answer:=answer", "constant"),
        ("answer: =answer", "not_a_map"),
        ("score:person:ann=answer", "not_a_map"),
        ("score:robot:ann:c=answer", "not_a_map"),
        ("question=question;question=answer", "mapped_twice"),
        ("score:judge:a:c=answer;score:judge:b:c=answer", "mapped_twice"),
    ],
)
def test_a_map_that_makes_no_sense_is_refused(said, code):
    with pytest.raises(Problem) as refused:
        column_map(("question", "answer"), said.split(";"))
    assert refused.value.code == code


@pytest.mark.parametrize(("columns", "field"), [("question x", "answer"), ("x answer", "question")])
def test_a_missing_column_is_named(columns, field):
    with pytest.raises(Problem) as refused:
        resolved(column_map(columns.split()), ("answer", "question"))
    assert (refused.value.code, refused.value.args[0].values["field"]) == ("no_column", field)


def test_columns_of_grades_are_recognised_under_other_names_too():
    columns = ("item_id", "dimension", "rater", "rater_kind", "grade", "rationale")
    found = column_map(columns, fields=GRADE_FIELDS)
    assert {field: c[0] for field, c in found.fields.items()} == {
        "item_id": "item_id",
        "criterion": "dimension",
        "grader": "rater",
        "grader_kind": "rater_kind",
        "score": "grade",
        "reason": "rationale",
    }


def test_a_criterion_is_read_as_another_one_and_no_word_for_a_column():
    said = ["score:judge:g:accuracy=g", "criterion:accuracy=correctness", "criterion:Tone = a=b"]
    found = column_map(("question", "answer", "g", "correctness"), said)
    assert [one.criterion for one in found.scores] == ["correctness"]
    assert found.criteria == {"accuracy": "correctness", "Tone = a": "b"}
    assert (found.criterion("ACCURACY"), found.criterion("wit")) == ("correctness", "wit")
    assert column_map(("question", "criterion"), ["criterion:=wit"]).column("criterion") == ":=wit"


@pytest.mark.parametrize(
    ("columns", "mapped", "fields"),
    [
        (
            ("id", "reviewer", "verdict"),
            (),
            {"item_id": "id", "grader": "reviewer", "score": "verdict"},
        ),
        (("score", "verdict"), ("score=score",), {"score": "score"}),
        (("verdict",), ("score=verdict",), {"score": "verdict"}),
        (("word",), ("label=word",), {"score": "word"}),
        (("claim", "verdict"), (), {"unit": "claim", "label": "verdict"}),
        (("id", "verdict"), ("item_id=", "label="), {}),
    ],
)
def test_grades_of_whole_answers_are_read_by_the_names_colleagues_use(columns, mapped, fields):
    found = column_map(columns, mapped, GRADE_FIELDS)
    assert {field: one for field, (one,) in found.fields.items()} == fields
    assert not found.ambiguous


def test_a_score_and_a_label_beside_it_are_for_the_user_to_choose():
    found = column_map(("score", "verdict", "label"), (), GRADE_FIELDS)
    assert found.ambiguous == {"score": ("label", "score", "verdict")}
    with pytest.raises(Problem) as refused:
        column_map(("score", "verdict"), ("score=score", "label=verdict"), GRADE_FIELDS)
    assert refused.value.code == "mapped_twice"
