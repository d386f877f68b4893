"""Proposals: what names and five rules decide, and that everything else is listed."""

import json
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concord.importing.columns import column_map
from concord.importing.proposals import decided, propose
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.files import ANSWERS, OBJECTS, QUESTIONS

SOME = range(12)


def table(**columns):
    """A file whose columns hold what a function gives for each row, or one value in all."""
    rows = [{c: f(n) if callable(f) else f for c, f in columns.items()} for n in SOME]
    return open_table(json.dumps(rows).encode(), "s.json")


def asked(**more):
    return table(question=QUESTIONS.__getitem__, **more)


def undecided(found):
    return {one.column: one.word for one in found.undecided}


@pytest.mark.parametrize(
    ("column", "make", "word"),
    [
        ("ticket", lambda n: f"T-{n}", "item_id=ticket"),
        ("Nr", lambda n: n + 1, "item_id=Nr"),
        ("reply text", ANSWERS.__getitem__, "answer=reply text"),
        ("found", lambda n: [ANSWERS[n], ANSWERS[-n]], "contexts=found"),
        ("human", lambda n: n % 3, "score:annotator:human:overall=human"),
        ("rater 2 fluency", lambda n: n % 3, "score:annotator:rater 2:fluency=rater 2 fluency"),
        ("gpt-4o score", lambda n: n % 3, "score:judge:gpt 4o:overall=gpt-4o score"),
        ("faithfulness", lambda n: n % 2, "score:metric:faithfulness:faithfulness=faithfulness"),
    ],
)
def test_a_rule_decides_where_one_column_fits(column, make, word):
    more = {} if word.startswith("answer") else {"answer": ANSWERS.__getitem__}
    found = propose(asked(**more, **{column: make}))
    assert ((*found.words, *found.grades), found.undecided) == ((word,), ())


def test_names_that_tell_the_answers_of_each_question_apart_are_answering_models():
    def of(answer):
        return propose(
            table(question=lambda n: QUESTIONS[n // 2], answer=answer, by=lambda n: "ab"[n % 2])
        )

    assert of(ANSWERS.__getitem__).words == ("answer_model=by",)
    # Where the answer is repeated, they are those who graded it.
    assert of(lambda n: ANSWERS[n // 2]).words == ()


def test_slots_named_model_are_no_answering_models():
    def slot(shift):
        return {
            f"model{shift}": lambda n: {
                "model_name": f"system {(n + shift) % 5}",
                "response": ANSWERS[n - shift],
            }
        }

    found = propose(asked(**slot(1), **slot(2)))
    assert (found.words, found.grades) == ((), ())
    assert undecided(found)["model1.response"] == "answer=model1.response"
    assert undecided(found)["model2.model_name"] == "answer_model=model2.model_name"


@pytest.mark.parametrize("column", ["model_output", "answer"])
def test_a_few_recurring_names_are_never_the_answer(column):
    found = propose(asked(**{column: "gpt-4"}))
    assert undecided(found) == {column: f"answer={column}"}
    with pytest.raises(Problem) as refused:
        decided(asked(**{column: "gpt-4"}), ())
    assert refused.value.code == "no_column"
    assert decided(asked(**{column: "gpt-4"}), (f"answer={column}",))[0] == (f"answer={column}",)


def test_a_path_that_holds_reference_is_no_answer_and_no_reference():
    found = propose(asked(reference=lambda n: [{"output": {"text": ANSWERS[n]}}]))
    assert not [word for word in found.words if not word.endswith("=")]
    assert "reference.0.output.text" in undecided(found)


def test_a_column_of_people_is_listed_beside_that_of_a_judge():
    more = {"Bewertung Mensch": lambda n: n % 3, "gpt4_score": lambda n: (n + 1) % 3}
    file = asked(answer=ANSWERS.__getitem__, **more)
    found = propose(file)
    assert found.grades == ("score:judge:gpt4:overall=gpt4_score",)
    word = "score:annotator:NAME:CRITERION=Bewertung Mensch"
    assert undecided(found) == {"Bewertung Mensch": word}
    with pytest.raises(Problem) as refused:
        decided(file, (), with_grades=True)
    assert refused.value.code == "undecided" and word in str(refused.value)


def test_names_of_people_and_of_criteria_are_not_told_apart():
    found = propose(asked(answer=ANSWERS.__getitem__, expert_anna=lambda n: n % 3))
    assert found.grades == ()
    assert undecided(found) == {"expert_anna": "score:annotator:NAME:CRITERION=expert_anna"}


def test_the_remedy_names_the_path_and_values():
    file = asked(output=lambda n: [{"answer": ANSWERS[n], "draft": ANSWERS[-n]}])
    with pytest.raises(Problem) as refused:
        decided(file, ())
    for path in ("output.0.answer", "output.0.draft"):
        assert f'--map "answer={path}"' in str(refused.value)
    assert decided(file, ("answer=output.0.answer",))[0][-1] == "answer=output.0.answer"


def test_an_object_per_answering_model_is_one_path_with_the_grades_beside_its_answer():
    def given(n):
        return {m: {"text": ANSWERS[n], "human": n % 2, "cost": n / 7} for m in ("a-1", "b.2")}

    found = propose(asked(answers=given, human=lambda n: n % 2))
    assert found.words == ("answer=answers.{model}.text",)
    assert found.grades == ("score:annotator:human:overall=answers.{model}.human",)
    assert {*undecided(found)} == {"answers.{model}.cost", "human"}


def test_a_list_of_several_answers_or_grades_is_never_read_by_its_first_part_alone():
    def parts(n):
        return [{"model": f"m{(n + k) % 5}", "text": ANSWERS[k], "score": k} for k in (0, 1, 2)]

    found = propose(asked(answers=parts))
    assert (found.words, found.grades) == ((), ())
    assert {one.word for one in found.undecided} == {
        "answer_model=answers.{n}.model",
        "answer=answers.{n}.text",
        "score:annotator:{n}:CRITERION=answers.{n}.score",
    }


def test_names_that_tell_answers_of_a_question_apart_are_taken(tmp_path):
    rows = [{"Frage": QUESTIONS[n // 2], "Antwort": ANSWERS[n], "Modell": "xy"[n % 2]}
            for n in range(6)]  # fmt: skip
    words, _ = decided(open_table(json.dumps(rows).encode(), "s.json"), ())
    assert words == ("answer_model=Modell",)


def test_one_grade_per_row_is_read_by_names():
    kind = {"annotator": lambda n: "ab"[n % 2], "score": lambda n: n % 3}
    found = propose(asked(answer=lambda n: ANSWERS[n // 2], **kind))
    assert {*found.grades} == {
        "grader=annotator", "score=score", "grader_kind:=annotator", "criterion:=overall"
    }  # fmt: skip
    # Nothing says whether a `grader_name` is a person.
    kind["grader_id"] = kind.pop("annotator")
    assert not propose(asked(answer=ANSWERS.__getitem__, **kind)).words


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
    _check(data.draw(st.lists(row, min_size=count, max_size=count)))


@settings(max_examples=150, deadline=None)
@given(OBJECTS)
@example([{"answer": 1}, {"": None, "answer": 0}])
@example([{"": {"": {}, "question": {"answer": False}}}])
@example([{"question": None, "answer": None, "": 0}, {"question": None, "": 1}])
@example([{"question": 0, "model": "What is the matter with it?", "system": None}, {"system": 0}])
def test_any_nested_file_gets_a_proposal_that_can_be_read(rows):
    _check(rows)


def _check(rows):
    """What is proposed can be said, and each column with values is mapped or undecided."""
    try:
        file = open_table(json.dumps(rows).encode(), "s.json")
    except Problem:
        return
    found = propose(file)
    mapped = {*column_map(file.columns, (*found.words, *found.grades)).mapped()}
    assert not mapped & {one.column for one in found.undecided}
    assert json.dumps(found.as_json())


def test_every_column_is_mapped_or_undecided():
    chance = random.Random(1)
    more = {f"c{k}": lambda n, k=k: chance.choice("xyz") * k for k in range(1, 5)}
    found = propose(asked(answer=ANSWERS.__getitem__, **more))
    assert {*undecided(found)} == {*more}
