"""Reasons of the embedded baseline: stored in English, shown in the language of the reader."""

from itertools import product

import pytest

from concord.judges.baseline.reasons import FEATURES, moved_by, one_score, read_again
from concord.language.languages import shown
from concord.messages import is_message

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
