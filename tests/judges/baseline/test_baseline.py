"""The baseline over a sheet: trained on the annotators who count, stored once per training."""

import json
import random

import numpy as np
import pytest
from pytest import approx

from concord.grading import annotators
from concord.judges.baseline.feature_model import (
    FEATURES,
    Text,
    feature_table,
    grade,
    question_groups,
    training_digest,
)
from concord.judges.baseline.run import run_baseline
from concord.judges.training_grades import too_few
from concord.store import graders, grades, items, runs
from concord.store.grades import Press


def graded(store, sheet, rubric, grader_id, score=lambda place: place % 4, **more):
    """Grades of one grader for every answer."""
    presses = [
        Press(item_id, version, grader_id, score=score(place), **more)
        for place, item_id in enumerate(items.item_ids(store, sheet.id))
        for version in rubric[1].versions().values()
    ]
    grades.record(store, presses)


def test_every_answer_gets_a_score_as_one_free_run(store, sheet, rubric, ana):
    graded(store, sheet, rubric, ana)
    outcome = run_baseline(store, sheet, *rubric)
    assert (outcome.stored, outcome.lacking) == (108, {})
    rows = store.rows("select * from grades where grader_id = ?", (outcome.grader.id,))
    assert {row["status"] for row in rows} == {"scored"}
    assert {row["blind"] for row in rows} == {None}
    row = runs.of_sheet(store, sheet.id)[0]
    assert (row["status"], json.loads(row["counts"])["cost"]) == ("done", 0)


def test_the_same_grades_change_nothing_and_other_grades_make_a_new_baseline(
    store, sheet, rubric, ana
):
    graded(store, sheet, rubric, ana)
    first = run_baseline(store, sheet, *rubric)
    again = run_baseline(store, sheet, *rubric)
    assert (again.stored, again.grader.id) == (0, first.grader.id)
    graded(store, sheet, rubric, ana, score=lambda place: (place + 1) % 4)
    assert run_baseline(store, sheet, *rubric).grader.id != first.grader.id


def test_one_criterion_without_grades_leaves_the_others_theirs(store, sheet, rubric, ana):
    version = rubric[1].versions()["correctness"]
    presses = [
        Press(item_id, version, ana, score=place % 4)
        for place, item_id in enumerate(items.item_ids(store, sheet.id))
    ]
    grades.record(store, presses)
    outcome = run_baseline(store, sheet, *rubric)
    assert outcome.stored == 36
    assert set(outcome.lacking) == {"comprehensiveness", "readability"}


@pytest.mark.parametrize(
    ("name", "more", "counts"),
    [
        ("Ben", {"blind": True}, True),
        ("Ben", {"blind": False}, False),
        ("Ben", {"repeat": 2}, False),
    ],
)
def test_it_learns_from_first_blind_grades_only(name, more, counts, store, sheet, rubric):
    graded(store, sheet, rubric, graders.ensure(store, "person", name), **more)
    assert (run_baseline(store, sheet, *rubric).grader is not None) is counts


def test_simulated_annotators_are_left_out_once_someone_has_graded(store, sheet, rubric, ana):
    pretend = graders.ensure(store, "person", "simulated-1", simulated=True)
    graded(store, sheet, rubric, pretend)
    first = run_baseline(store, sheet, *rubric).grader
    graded(store, sheet, rubric, ana, score=lambda place: (place // 3) % 4)
    second = run_baseline(store, sheet, *rubric).grader
    assert first and second and first.id != second.id
    people = [graders.get(store, pretend), graders.get(store, ana)]
    assert annotators.counting(people, {})[0].keys() == {ana}


CONTEXTS = ("Hold the dial for 10 seconds.", "Then release the dial.")


def row(answer, question="How do I reset it?", contexts=CONTEXTS, references=()):
    """The features of one answer by name."""
    table = feature_table([Text(question, contexts, answer, references)])
    return dict(zip(FEATURES, table[0].tolist(), strict=True))


def test_overlap_with_the_contexts_by_hand():
    found = row("Hold the knob for 10 seconds.")
    assert found["terms_in_contexts"] == approx(5 / 6)
    assert found["pairs_in_contexts"] == approx(3 / 5)  # hold the, for 10, 10 seconds
    assert found["contexts_covered"] == approx(5 / 8)
    assert found["rouge_l_contexts"] == approx(5 / 6)
    assert found["foreign_numbers"] == 0
    assert row("Hold it for 30 seconds.")["foreign_numbers"] == approx(np.log(2))


def test_overlap_with_question_and_reference_by_hand():
    found = row("Reset it", references=("reset the dial", "something else"))
    assert found["question_covered"] == approx(2 / 5)
    assert found["echo"] == 1
    assert found["has_reference"] == 1
    assert found["reference_covered"] == approx(1 / 3)
    assert found["terms_in_reference"] == approx(1 / 2)
    assert found["rouge_l_reference"] == approx(2 / 5)


def test_chinese_overlaps_by_characters_and_pairs():
    found = row("请先关机。", question="怎么关机？", contexts=("请先关机，再等待。",))
    assert found["terms_in_contexts"] == 1
    assert found["question_covered"] == approx(3 / 7)  # 关, 机 and 关机
    assert found["rouge_l_contexts"] == 1


@pytest.mark.parametrize(
    ("name", "worse", "better"),
    [
        ("repeated_trigrams", "hold the dial hold the dial hold the dial", "hold the dial"),
        ("longest_stutter", "hold hold hold the dial", "hold the dial and hold"),
        ("longest_stutter", "请请请请先关机", "请先关机"),
        ("stray_symbols", "hold ### @@ ~~ || the dial", "hold **the** dial, (please)!"),
        ("stray_symbols", "hold � the ▓ dial", "hold the dial 10 °C → 20 €"),
        ("stray_symbols", "hold the dial........", "| a | b |\n|-----|-----|\n| 1 | 2 |"),
        ("stray_symbols", "先关机※※※※※※", "「先关机」，然后——等待……好。"),
        ("ends_open", "hold the dial and", "hold the dial."),
        ("declines", "I do not know.", "Hold the dial."),
        ("declines", "分かりません。", "ダイヤルを押します。"),
        ("is_empty", " \n", "no"),
        ("echo", "How do I reset it", "Hold the dial"),
    ],
)
def test_a_defect_shows_in_its_feature(name, worse, better):
    assert row(worse)[name] > row(better)[name]


@pytest.mark.parametrize("answer", ["", " ", "….,", "a", "###########", "\ud83d", "\x00"])
@pytest.mark.parametrize("contexts", [(), ("",), CONTEXTS])
def test_every_feature_is_finite_whatever_the_text(answer, contexts):
    assert all(np.isfinite(list(row(answer, question="", contexts=contexts).values())))


def test_answers_keep_their_rows_although_contexts_are_shared():
    texts = [Text("q", (c,), a) for c, a in [("b", "x y"), ("a", "a"), ("b", "b"), ("a", "")]]
    together = feature_table(texts)
    assert (together == np.vstack([feature_table([text]) for text in texts])).all()


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
    texts, marks = [], []
    for number in range(questions):
        context = rng.choices(words, k=40)
        for score in rng.choices(SCALE, k=3):
            kept = [w if rng.random() < score / 3 else rng.choice("xyzqjk") for w in context]
            question = f"{number} {gap.join(context[:3])}"
            texts.append(Text(question, (gap.join(context),), gap.join(kept[:25])))
            marks.append((len(texts) - 1, score))
    return texts, {"correctness": marks}


def mean_error(predictions, marks):
    return sum(abs(predictions[item] - score) for item, score in marks) / len(marks)


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_it_beats_the_best_constant_where_features_carry_signal(language):
    texts, taught = sheet(language=language)
    marks = taught["correctness"]
    predictions = grade(texts, taught, SCALE)["correctness"]
    constant = min(sum(abs(score - c) for _, score in marks) / len(marks) for c in SCALE)
    assert mean_error(predictions, marks) < constant / 2
    assert set(predictions) <= set(SCALE)


def test_on_noise_it_does_not_pretend():
    texts, taught = sheet(60)
    noise = random.Random(5)
    marks = [(item, noise.choice(SCALE)) for item, _ in taught["correctness"]]
    predictions = grade(texts, {"c": marks}, SCALE)["c"]
    exact = sum(predictions[item] == score for item, score in marks) / len(marks)
    assert exact < 0.4  # chance is 0.25; a model that saw its own answers would be far above


@pytest.mark.parametrize("group", range(0, 72, 24))
def test_grades_of_a_question_never_reach_its_own_predictions(group):
    texts, taught = sheet()
    before = grade(texts, taught, SCALE)["correctness"]
    own = range(group, group + 3)
    turned = [(i, 3 - s if i in own else s) for i, s in taught["correctness"]]
    assert turned != taught["correctness"]
    after = grade(texts, {"correctness": turned}, SCALE)["correctness"]
    assert [after[i] for i in own] == [before[i] for i in own]
    assert after != before


def test_grades_of_a_question_never_reach_others_with_its_text_or_cluster():
    texts, taught = sheet()
    texts[3:6] = [text._replace(question=f" {texts[0].question.upper()} ") for text in texts[3:6]]
    texts[3:9] = [text._replace(cluster="manual") for text in texts[3:9]]
    before = grade(texts, taught, SCALE)["correctness"]
    turned = [(i, 3 - s if i < 3 else s) for i, s in taught["correctness"]]
    after = grade(texts, {"correctness": turned}, SCALE)["correctness"]
    assert after[:9] == before[:9]
    assert after[9:] != before[9:]


def test_the_same_sheet_gives_the_same_predictions_in_any_order():
    texts, taught = sheet()
    predictions = grade(texts, taught, SCALE)["correctness"]
    assert grade(texts, taught, SCALE)["correctness"] == predictions
    turned = [(len(texts) - 1 - i, s) for i, s in reversed(taught["correctness"])]
    backwards = grade(texts[::-1], {"correctness": turned}, SCALE)["correctness"]
    assert backwards[::-1] == predictions


@pytest.mark.parametrize(
    ("marks", "enough"),
    [
        ([], False),
        ([(i, i % 2) for i in range(29)], False),
        ([(i, i % 2) for i in range(30)], True),
        ([(i, i % 2) for i in range(27)] * 4, False),
        ([(i, 2) for i in range(30)], False),
    ],
)
def test_the_minimum_is_thirty_answers_ten_questions_and_two_scores(marks, enough):
    groups = [f"question:{i // 3}" for i in range(72)]
    assert (too_few(groups, marks) is None) is enough


def test_a_grade_off_the_scale_is_refused():
    texts, taught = sheet()
    with pytest.raises(ValueError, match="off the scale"):
        grade(texts, {"c": [*taught["correctness"][1:], (0, 7)]}, SCALE)


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
    texts, taught = sheet()
    digest = training_digest(texts, taught, SCALE)
    extra = [*texts, Text("Ungraded?", (), "Yes.")]
    shuffled = {"correctness": taught["correctness"][::-1]}
    assert training_digest(extra, shuffled, SCALE) == digest
    changed = [(0, (taught["correctness"][0][1] + 1) % 4), *taught["correctness"][1:]]
    others = [
        training_digest(texts, {"correctness": changed}, SCALE),
        training_digest(texts, {"correctness": taught["correctness"][1:]}, SCALE),
        training_digest(texts, {"readability": taught["correctness"]}, SCALE),
        training_digest(texts, taught, (0, 1, 2, 3, 4)),
        training_digest([texts[0]._replace(answer="x"), *texts[1:]], taught, SCALE),
    ]
    assert len({digest, *others}) == 6
