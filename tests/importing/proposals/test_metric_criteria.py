"""What metrics are compared with that are named for none of the annotators' criteria."""

from concord.importing.proposals.metric_criteria import compared
from concord.importing.proposals.proposal import GradeColumn


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
    (_, one), _ = compared([human("quality"), judge("GPT score")], {})
    assert (one.criterion, one.reason) == (
        "quality",
        "numbers; annotators graded this criterion alone",
    )


def test_a_judge_keeps_a_criterion_that_it_names_or_where_the_annotators_have_several():
    named, taken = judge("GPT overall"), judge("GPT quality", "quality")
    assert compared([human("quality"), named], {})[0][1] == named
    assert (
        compared([human("quality"), human("tone"), judge("GPT score")], {})[0][2].criterion
        == "overall"
    )
    assert compared([human("quality"), taken, judge("GPT score")], {})[0][2].criterion == "overall"
