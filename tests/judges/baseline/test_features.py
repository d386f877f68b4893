"""What is measured of an answer's text."""

import numpy as np
import pytest
from pytest import approx

from concord.judges.baseline.features import NAMES, Text, metric

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
