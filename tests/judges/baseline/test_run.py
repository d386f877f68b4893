"""The baseline over a sheet: trained on the annotators who count, stored once per training."""

import json
from itertools import product

import numpy as np
import pytest
from pytest import approx

from concord.grading import annotators
from concord.judges.baseline import feature_model, run
from concord.judges.baseline.features import NAMES, Text, metric
from concord.judges.baseline.reasons import FEATURES, moved_by, one_score, read_again
from concord.judges.baseline.run import run_baseline
from concord.language.languages import shown
from concord.messages import is_message
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


def test_every_answer_gets_a_score_with_a_reason_as_one_free_run(store, sheet, rubric, ana):
    graded(store, sheet, rubric, ana)
    outcome = run_baseline(store, sheet, *rubric)
    assert (outcome.stored, outcome.lacking) == (108, {})
    rows = store.rows("select * from grades where grader_id = ?", (outcome.grader.id,))
    assert {row["status"] for row in rows} == {"scored"} and all(row["reason"] for row in rows)
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


def test_too_few_grades_say_how_many_are_needed_and_store_nothing(store, sheet, rubric, ana):
    item_id = items.item_ids(store, sheet.id)[0]
    grades.record(store, [Press(item_id, rubric[1].versions()["correctness"], ana, score=1)])
    outcome = run_baseline(store, sheet, *rubric)
    assert outcome.grader is None and graders.of_kind(store, "judge") == []


def test_what_the_screen_says_it_needs_is_what_it_needs():
    needs = f"{feature_model.MIN_ITEMS} graded answers to {feature_model.MIN_GROUPS} questions"
    assert needs == run.NEEDS


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


def test_judges_teach_it_nothing(store, sheet, rubric):
    graded(store, sheet, rubric, graders.ensure(store, "judge", "other", "f" * 16))
    assert run_baseline(store, sheet, *rubric).grader is None


def test_it_sees_no_more_than_the_rubric_shows(store, sheet, rubric):
    stored = items.item(store, items.item_ids(store, sheet.id)[0]).item
    assert run._text(stored, rubric[1]).references == ()


CONTEXTS = ("Hold the dial for 10 seconds.", "Then release the dial.")


def row(answer, question="How do I reset it?", contexts=CONTEXTS, references=()):
    """The features of one answer by name."""
    table = metric([Text(question, contexts, answer, references)])
    return dict(zip(NAMES, table[0].tolist(), strict=True))


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


def test_clean_text_has_no_stray_symbols():
    assert row("| a | b |\n|-----|-----|\n| 1 | 2 |")["stray_symbols"] == 0
    assert row("「先关机」，然后——等待……好。")["stray_symbols"] == 0


@pytest.mark.parametrize("answer", ["", " ", "….,", "a", "###########", "\ud83d", "\x00"])
@pytest.mark.parametrize("contexts", [(), ("",), CONTEXTS])
def test_every_feature_is_finite_whatever_the_text(answer, contexts):
    assert all(np.isfinite(list(row(answer, question="", contexts=contexts).values())))


def test_answers_keep_their_rows_although_contexts_are_shared():
    texts = [Text("q", (c,), a) for c, a in [("b", "x y"), ("a", "a"), ("b", "b"), ("a", "")]]
    together = metric(texts)
    assert (together == np.vstack([metric([text]) for text in texts])).all()


def test_no_items_give_an_empty_table():
    assert metric([]).shape == (0, len(NAMES))


EMPTY, LENGTH, ECHO = FEATURES[0], FEATURES[1], FEATURES[5]


def test_a_stored_reason_is_shown_in_the_readers_language(translate):
    stored = str.__str__(moved_by([EMPTY.low, ECHO.high], [LENGTH.low]))
    translate("ja", {
        "From text features alone: {what}.": "テキストの特徴のみから：{what}。",
        "raised by {features}": "上げたのは{features}",
        "lowered by {features}": "下げたのは{features}",
        "{names} and {last}": "{names}と{last}",
        "an answer that is not empty": "空でない回答",
        "repeating the question": "質問の繰り返し",
        "its shortness": "短さ",
        "; ": "、",
    })  # fmt: skip
    assert shown(read_again(stored), "ja") == (
        "テキストの特徴のみから：上げたのは空でない回答と質問の繰り返し、下げたのは短さ。"
    )


@pytest.mark.parametrize("reason", [moved_by([], []), one_score(2), one_score(-1)])
def test_a_reason_without_features_is_read_again(reason):
    assert read_again(str.__str__(reason)) == reason
    assert is_message(read_again(str.__str__(reason)))


def test_every_phrase_is_read_again():
    for one, other in product(FEATURES, repeat=2):
        stored = str.__str__(moved_by([one.high, one.low], [other.low]))
        assert is_message(read_again(stored)) and read_again(stored) == stored


@pytest.mark.parametrize(
    "text",
    ["", "Correct.", "From text features alone: raised by magic.", "From text features alone: ."],
)
def test_any_other_reason_stays_as_it_is(text):
    assert read_again(text) == text and not is_message(read_again(text))
