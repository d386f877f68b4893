"""Columns known by their values: metrics, ids, short answers, numbers of 0 to 1."""

import json

import pytest

from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.proposals import zero_to_one
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.column_profile import id_field, is_id, profile
from concord.importing.proposals.proposal import GradeColumn
from concord.importing.proposals.propose import compared, propose
from concord.importing.readers.formats import open_table
from concord.importing.recognition.stored_answers import id_words
from concord.importing.scores import words_to_scores
from concord.messages import Problem
from concord.model import answer_key, item_key, question_key
from tests.support.rubrics import rubric


def metric(name, criterion=None):
    return GradeColumn(name, criterion or name, name, "metric", "numbers")


def human(criterion):
    return GradeColumn(f"human_{criterion}", criterion, "human", "annotator", "numbers")


def criteria(grades):
    return {grade.column: grade.criterion for grade in grades if grade.kind == "metric"}


def test_metrics_are_compared_with_the_only_criterion_of_the_annotators():
    found, (doubt,) = compared([metric("faithfulness"), metric("rouge"), human("quality")], {})
    assert criteria(found) == {"faithfulness": "quality", "rouge": "quality"}
    assert doubt.columns == ("faithfulness", "rouge")
    assert "score:metric:faithfulness:faithfulness=faithfulness" in doubt.reason


def test_of_several_criteria_metrics_are_compared_with_the_overall_one():
    grades = [metric("faithfulness"), metric("tone"), human("tone"), human("overall")]
    assert criteria(compared(grades, {})[0]) == {"faithfulness": "overall", "tone": "tone"}


def test_of_several_criteria_without_an_overall_one_the_remedy_is_named():
    grades = [metric("faithfulness"), human("tone"), human("wit")]
    found, (doubt,) = compared(grades, {})
    assert found == grades
    assert "score:metric:faithfulness:tone=faithfulness" in doubt.reason


def test_metrics_under_keys_stay_apart_where_annotators_graded_one_of_them():
    keyed = GradeColumn("m.{name}.score", "{name}", "{name}", "metric", "scores under each key")
    keys = {"m.{name}.score": ("Tone", "Faithfulness")}
    assert compared([keyed, human("tone")], keys) == ([keyed, human("tone")], [])
    (moved, _), _ = compared([keyed, human("quality")], keys)
    assert moved.text == "score:metric:{name}:quality=m.{name}.score"


def test_without_annotators_metrics_keep_their_names():
    assert compared([metric("faithfulness")], {}) == ([metric("faithfulness")], [])
    assert criteria(compared([metric("rouge")], {}, "overall")[0]) == {"rouge": "overall"}


def judge(column, criterion="overall"):
    return GradeColumn(column, criterion, "gpt", "judge", "numbers")


def test_a_judge_without_a_criterion_has_the_only_one_of_the_annotators():
    (_, _one), _ = compared([human("quality"), judge("GPT score")], {})


def test_a_judge_keeps_a_criterion_that_it_names_or_where_the_annotators_have_several():
    named, taken = judge("GPT overall"), judge("GPT quality", "quality")
    assert compared([human("quality"), named], {})[0][1] == named
    assert (
        compared([human("quality"), human("tone"), judge("GPT score")], {})[0][2].criterion
        == "overall"
    )
    assert compared([human("quality"), taken, judge("GPT score")], {})[0][2].criterion == "overall"


def test_a_judge_with_a_criterion_of_its_own_is_offered_to_the_annotators_and_not_merged():
    grades = [human("correctness"), judge("gpt_accuracy", "accuracy")]
    found, (doubt,) = compared(grades, {})
    assert found == grades
    assert doubt.words == ("criterion:accuracy=correctness",)
    assert "annotators graded correctness and judges accuracy" in doubt.reason
    assert compared([human("accuracy"), judge("gpt_accuracy", "accuracy")], {})[1] == []


def test_criteria_of_grades_in_lists_are_offered_as_the_same():
    rows = [
        {
            "question": f"What about {n}?",
            "answer": f"It is what comes after {n - 1}.",
            "assessments": [
                {
                    "assessment_name": name,
                    "source": {"source_type": kind, "source_id": who},
                    "feedback": {"value": (n + place) % 5 + 1},
                }
                for place, (name, kind, who) in enumerate(
                    [("expert", "HUMAN", "helen"), ("helpfulness", "LLM_JUDGE", "gpt")]
                )
            ],
        }
        for n in range(20)
    ]
    found = propose(open_table(json.dumps(rows).encode(), "s.json"))
    assert [doubt.words for doubt in found.doubts] == [("criterion:helpfulness=expert",)]


ASKED = [f"What is {n}?" for n in range(6) for _ in range(2)]
ANSWERS = [f"It is {n}." for n in range(12)]


@pytest.mark.parametrize("name", [
    "Case no", "Nr.", "ID.", "No.", "Case ID", "Fall-Nr.", "#", "Sample #", "Row ID", "QNr",
    "编号", "序号", "案例编号", "番号", "ケース番号", "번호", "문항 번호", "case.no", "Ticket ID",
    "trace_id", "工单编号", "チケット番号", "티켓 번호",
])  # fmt: skip
def test_a_name_of_a_number_is_recognised(name):
    assert is_id(name)


@pytest.mark.parametrize("name", ["Case", "number of words", "team no", "annotator id", "no answer"
                                  " given", "page number"])  # fmt: skip
def test_a_name_of_anything_else_is_none(name):
    assert not is_id(name)


@pytest.mark.parametrize("name, values, expected", [
    ("Nr.", [*range(12)], "item_id"),
    ("Nr.", [n // 2 for n in range(12)], "question_id"),
    ("Nr.", [n % 6 for n in range(12)], ""),  # of several questions
    ("Nr.", [*range(11), None], ""),
    ("Question no.", [*range(12)], ""),
    ("Question no.", [n // 2 for n in range(12)], "question_id"),
])  # fmt: skip
def test_the_values_say_what_is_numbered(name, values, expected):
    cells = (None if one is None else str(one) for one in values)
    assert id_field(profile(name, cells), ASKED, ANSWERS) == expected


def test_an_id_that_recurs_with_its_answer_is_that_answers():
    twice = profile("Nr.", (str(n) for n in range(12) for _ in range(2)))
    asked, answers = ([one for one in cells for _ in range(2)] for cells in (ASKED, ANSWERS))
    assert id_field(twice, asked, answers) == "item_id"


def test_a_row_with_several_answers_is_numbered_by_question():
    assert (
        id_field(profile("番号", map(str, range(12))), [*map(str, range(12))], ()) == "question_id"
    )


def table(**columns):
    """A file of ten questions; each column is made from the number of its row."""
    rows = [
        {"question": f"What is the capital of country {n}?"}
        | {name: made(n) for name, made in columns.items()}
        for n in range(10)
    ]
    return open_table(json.dumps(rows).encode(), "file.json")


def test_a_file_without_any_answer_is_refused_with_the_option_that_names_it():
    with pytest.raises(Problem, match="answer=COLUMN"):
        as_proposed(table(topic=lambda n: "capitals"), ())


STORED = {item_key(f"q{n}") for n in range(9)} | {item_key(f"{n}") for n in range(9)}


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no", "q3,yes"), "Ref #"),
        (("id,Ref #,OK?", "a,q1,yes", "b,q2,no"), "Ref #"),  # the name alone is no id of the sheet
        (("id,Ref #,OK?", "q1,q1,yes", "q2,q2,no"), None),  # the named column holds them too
        (("Ref #,OK?", "q1,yes", "x2,no", "q3,yes"), None),
        (("Helpful,Note", "1,a", "2,b", "2,c", "1,d"), None),  # scores are no ids
        (("A,B", "q1,q2", "q2,q1"), None),
    ],
)
def test_a_column_is_the_item_id_by_its_values(lines, column):
    words = [f"item_id={column}"] if column else []
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED) == words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no"), ["item_id=Ref #"]),
        (
            ("Ticket ID,Bot,OK?", "F1,a,yes", "F2,b,no"),
            ["question_id=Ticket ID", "item_id=", "answer_model=Bot"],
        ),
        (("Nr,OK?", "F1,yes", "F2,no"), ["question_id=Nr"]),
        (("Nr,OK?", "F1,yes", "F9,no"), []),
        (("id,Nr,OK?", "q1,F1,yes", "q2,F2,no"), []),  # the named column says which answer it is
        (("question,Nr,OK?", "Why?,F1,yes", "How?,F2,no"), []),
    ],
)
def test_columns_of_stored_questions_and_models_are_known_by_their_values(lines, words):
    keys = {answer_key(question_key(q, ""), m) for q in ("F1", "F2") for m in ("a", "b")}
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED | keys) == words


HEAD = "item_id,criterion,grader,grader_kind,score\n"


def narrow(text, *, head=HEAD, words=(), mapped=(), versions=(), using=None):
    table = open_table((head + text).encode(), "g.csv")
    columns = column_map(table.columns, mapped, GRADE_FIELDS)
    found = zero_to_one.narrow(table, columns, using or rubric(), words_to_scores(words), versions)
    return {(one.criterion, one.by_judges): dict(one.counts) for one in found}


def test_annotators_and_judges_of_a_criterion_are_looked_at_apart():
    given = "1,correctness,a,annotator,1\n2,correctness,a,annotator,3\n1,correctness,j,judge,.5\n"
    assert narrow(given) == {("correctness", True): {".5": 1}}


def test_one_number_beyond_1_shows_the_scale_of_all():
    given = "1,correctness,a,annotator,1\n2,correctness,b,human,2\n3,correctness,a,annotator,0\n"
    assert narrow(given) == {}


def test_numbers_below_0_are_of_no_such_scale():
    assert narrow("1,correctness,j,judge,-0.5\n2,correctness,j,judge,1\n") == {}


def test_a_metric_has_no_scale():
    assert narrow("1,correctness,m,metric,0.5\n") == {}


def test_numbers_that_the_user_mapped_are_no_question():
    given = "1,correctness,a,annotator,1\n2,correctness,a,annotator,0\n"
    assert narrow(given, words=("1=3", "0=0")) == {}
    assert narrow(given, words=("1=3",)) == {("correctness", False): {"0": 1}}


def test_probabilities_over_the_scale_say_it():
    head = "item_id,criterion,grader,grader_kind,score,p:0,p:1,p:2,p:3\n"
    assert narrow("1,correctness,j,judge,1,0,1,0,0\n", head=head) == {}


@pytest.mark.parametrize("known, asked", [(("ab12",), 0), ((), 1)])
def test_an_export_says_the_scale_by_a_known_version_alone(known, asked):
    head = "item_id,criterion,grader,grader_kind,score,version,grade_row\n"
    found = narrow("1,correctness,a,person,1,ab12,1\n", head=head, versions=known)
    assert len(found) == asked


def test_columns_of_one_grader_each_are_looked_at_too():
    mapped = ("score:annotator:Ana:correctness=ana", "score:judge:J:correctness=j")
    found = narrow("1,1,2\n2,0,0\n", head="item_id,ana,j\n", mapped=mapped)
    assert found == {("correctness", False): {"1": 1, "0": 1}}


def test_what_is_no_number_or_no_criterion_is_left_to_the_reader():
    given = "1,correctness,a,annotator,good\n2,other,a,annotator,1\n3,correctness,a,nobody,1\n"
    assert narrow(given) == {}


def test_numbers_are_mapped_exactly_between_the_ends():
    one = zero_to_one.Narrow("c", True, {"0": 1, "0.8": 1, "1": 1, "0.1": 1, "1.0": 1})
    assert one.mapped((1, 2, 3, 4, 5)) == {"0": 1, "0.1": 1.4, "0.8": 4.2, "1": 5, "1.0": 5}
    assert one.mapped((0, 1, 2, 3)) == {"0": 0, "0.1": 0.3, "0.8": 2.4, "1": 3, "1.0": 3}


def test_the_answer_is_among_the_scores_of_words():
    assert zero_to_one.answered(("a=1", "0-1=1-5"), (1, 2, 3, 4, 5)) == (("a=1",), "mapped")
    assert zero_to_one.answered(("0-1=0-1",), (1, 2, 3, 4, 5)) == ((), "kept")
    assert zero_to_one.answered(("a=1",), (0, 1, 2)) == (("a=1",), None)
    with pytest.raises(Problem, match="Write 0-1=0-2"):
        zero_to_one.answered(("0-1=0-2", "0-1=0-1"), (0, 1, 2))
