"""The embedded baseline: out of fold, deterministic, honest about what it lacks."""

import random

import pytest

from concord.judges.baseline.feature_model import (
    TooFew,
    grade,
    question_groups,
    too_few,
    training_digest,
)
from concord.judges.baseline.features import Text

SCALE = (0, 1, 2, 3)
WORDS = {
    "en": [f"{a}{b}" for a in ("valve", "lever", "panel", "cable", "filter") for b in "abcdefgh"],
    "zh": list("阀门杠杆面板电缆滤芯开关按钮水箱温度压力手册电源螺丝轴承灯泡"),
    "ko": [
        "밸브를",
        "레버가",
        "패널은",
        "케이블",
        "필터로",
        "스위치",
        "버튼을",
        "전원이",
        "나사로",
    ],
}


def sheet(questions=24, language="en", seed=3):
    """Three answers per question; the more words an answer takes from its context, the better."""
    rng = random.Random(seed)
    words, gap = WORDS[language], "" if language == "zh" else " "
    texts, grades = [], []
    for number in range(questions):
        context = rng.choices(words, k=40)
        for score in rng.choices(SCALE, k=3):
            kept = [w if rng.random() < score / 3 else rng.choice("xyzqjk") for w in context]
            question = f"{number} {gap.join(context[:3])}"
            texts.append(Text(question, (gap.join(context),), gap.join(kept[:25])))
            grades.append((len(texts) - 1, score))
    return texts, {"correctness": grades}


def scores(predictions):
    return [prediction.score for prediction in predictions]


def mean_error(predictions, grades):
    return sum(abs(predictions[item].score - score) for item, score in grades) / len(grades)


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_it_beats_the_best_constant_where_features_carry_signal(language):
    texts, annotators = sheet(language=language)
    grades = annotators["correctness"]
    predictions = grade(texts, annotators, SCALE)["correctness"]
    constant = min(sum(abs(score - c) for _, score in grades) / len(grades) for c in SCALE)
    assert mean_error(predictions, grades) < constant / 2
    assert set(scores(predictions)) <= set(SCALE)


def test_on_noise_it_does_not_pretend():
    texts, annotators = sheet(60)
    noise = random.Random(5)
    grades = [(item, noise.choice(SCALE)) for item, _ in annotators["correctness"]]
    predictions = grade(texts, {"c": grades}, SCALE)["c"]
    exact = sum(predictions[item].score == score for item, score in grades) / len(grades)
    assert exact < 0.4  # chance is 0.25; a model that saw its own answers would be far above


@pytest.mark.parametrize("group", range(0, 72, 9))
def test_grades_of_a_question_never_reach_its_own_predictions(group):
    texts, annotators = sheet()
    before = grade(texts, annotators, SCALE)["correctness"]
    own = range(group, group + 3)
    turned = [(i, 3 - s if i in own else s) for i, s in annotators["correctness"]]
    assert turned != annotators["correctness"]
    after = grade(texts, {"correctness": turned}, SCALE)["correctness"]
    assert [after[i] for i in own] == [before[i] for i in own]
    assert after != before


def test_grades_of_a_question_never_reach_others_with_its_text_or_cluster():
    texts, annotators = sheet()
    texts[3:6] = [text._replace(question=f" {texts[0].question.upper()} ") for text in texts[3:6]]
    texts[3:9] = [text._replace(cluster="manual") for text in texts[3:9]]
    before = grade(texts, annotators, SCALE)["correctness"]
    turned = [(i, 3 - s if i < 3 else s) for i, s in annotators["correctness"]]
    after = grade(texts, {"correctness": turned}, SCALE)["correctness"]
    assert after[:9] == before[:9]
    assert after[9:] != before[9:]


def test_ungraded_answers_are_graded_without_their_questions_grades():
    texts, annotators = sheet()
    held = [(i, s) for i, s in annotators["correctness"] if i >= 3 and i != 5]
    before = grade(texts, {"correctness": held}, SCALE)["correctness"]
    assert len(before) == len(texts)
    turned = [(i, 3 - s if i in (3, 4) else s) for i, s in held]
    after = grade(texts, {"correctness": turned}, SCALE)["correctness"]
    assert after[5] == before[5]  # its question's other two answers were turned
    assert mean_error(before, annotators["correctness"][:3]) <= 2 / 3  # a question nobody graded


def test_the_same_sheet_gives_the_same_predictions_in_any_order():
    texts, annotators = sheet()
    predictions = grade(texts, annotators, SCALE)["correctness"]
    assert grade(texts, annotators, SCALE)["correctness"] == predictions
    turned = [(len(texts) - 1 - i, s) for i, s in reversed(annotators["correctness"])]
    backwards = grade(texts[::-1], {"correctness": turned}, SCALE)["correctness"]
    assert scores(backwards[::-1]) == scores(predictions)


def test_several_annotators_share_the_weight_of_an_item():
    texts, annotators = sheet()
    once = grade(texts, annotators, SCALE)["correctness"]
    thrice = [
        grade_ for grade_ in annotators["correctness"] for _ in range(3 if grade_[0] % 2 else 1)
    ]
    assert grade(texts, {"correctness": thrice}, SCALE)["correctness"] == once


def test_each_criterion_stands_alone():
    texts, annotators = sheet()
    both = {**annotators, "readability": annotators["correctness"][:12]}
    graded = grade(texts, both, SCALE)
    assert graded["correctness"] == grade(texts, annotators, SCALE)["correctness"]
    assert isinstance(graded["readability"], TooFew)


def test_a_reason_names_features_and_never_claims_to_have_read():
    texts, annotators = sheet()
    for prediction in grade(texts, annotators, SCALE)["correctness"]:
        assert prediction.reason.endswith(".")
        assert "raised by" in prediction.reason or "lowered by" in prediction.reason


def test_empty_answers_are_graded_and_learnt_from():
    texts, annotators = sheet()
    for item in range(0, 72, 4):
        texts[item] = texts[item]._replace(answer="")
    grades = [(i, 0 if i % 4 == 0 else max(1, s)) for i, s in annotators["correctness"]]
    predictions = grade(texts, {"c": grades}, SCALE)["c"]
    assert {predictions[item].score for item in range(0, 72, 4)} == {0}


def test_too_few_grades_say_how_many_are_needed():
    texts, annotators = sheet(4)
    assert grade(texts, annotators, SCALE)["correctness"] == TooFew(
        12,
        4,
        len({score for _, score in annotators["correctness"]}),
        "The baseline needs at least 30 graded answers on 10 questions; there are 12 on 4.",
    )


@pytest.mark.parametrize(
    ("grades", "enough"),
    [
        ([], False),
        ([(i, i % 2) for i in range(29)], False),
        ([(i, i % 2) for i in range(30)], True),
        ([(i, i % 2) for i in range(27)] * 4, False),
        ([(i, 2) for i in range(30)], False),
    ],
)
def test_the_minimum_is_thirty_answers_ten_questions_and_two_scores(grades, enough):
    groups = [f"question:{i // 3}" for i in range(72)]
    assert (too_few(groups, grades) is None) is enough


def test_a_grade_off_the_scale_is_refused():
    texts, annotators = sheet()
    with pytest.raises(ValueError, match="off the scale"):
        grade(texts, {"c": [*annotators["correctness"][1:], (0, 7)]}, SCALE)


def test_nothing_to_grade_gives_nothing():
    assert grade([], {}, SCALE) == {}
    assert isinstance(grade([], {"c": []}, SCALE)["c"], TooFew)


def test_groups_join_by_text_and_by_cluster_whatever_the_order():
    texts = [
        Text("How?", (), "", cluster="a"),
        Text("Why?", (), "", cluster="b"),
        Text("Who?", (), ""),
        Text(" ＨＯＷ?", (), "", cluster="b"),
        Text("Who?", (), "", cluster=None),
    ]
    groups = question_groups(texts)
    assert groups == ["cluster:a", "cluster:a", "question:who?", "cluster:a", "question:who?"]
    assert question_groups(texts[::-1]) == groups[::-1]


def test_the_training_digest_changes_with_what_was_learnt_from_and_nothing_else():
    texts, annotators = sheet()
    digest = training_digest(texts, annotators, SCALE)
    extra = [*texts, Text("Ungraded?", (), "Yes.")]
    shuffled = {"correctness": annotators["correctness"][::-1]}
    assert training_digest(extra, shuffled, SCALE) == digest
    changed = [(0, (annotators["correctness"][0][1] + 1) % 4), *annotators["correctness"][1:]]
    others = [
        training_digest(texts, {"correctness": changed}, SCALE),
        training_digest(texts, {"correctness": annotators["correctness"][1:]}, SCALE),
        training_digest(texts, {"readability": annotators["correctness"]}, SCALE),
        training_digest(texts, annotators, (0, 1, 2, 3, 4)),
        training_digest([texts[0]._replace(answer="x"), *texts[1:]], annotators, SCALE),
    ]
    assert len({digest, *others}) == 6
