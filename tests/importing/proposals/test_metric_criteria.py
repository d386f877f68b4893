"""What metrics are compared with that are named for none of the annotators' criteria."""

import json

from concord.importing.proposals.proposal import GradeColumn
from concord.importing.proposals.propose import compared, propose
from concord.importing.readers.formats import open_table


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
