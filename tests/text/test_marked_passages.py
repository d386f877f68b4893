"""Marked passages: which place of a text they are, however it is rendered, and what is one."""

import pytest

from concord.text import marked_passages
from concord.text.marked_passages import MOST_PASSAGES, Passage, of_grade, quoted, span, stored

GOOD = {"part": "context", "number": 2, "occurrence": 1, "words": "Rome"}


def found(words, occurrence, text):
    """What a passage is in a text, with how much stands before it."""
    place = span(Passage("answer", 1, occurrence, words), text)
    return place and (place[0], text[slice(*place)])


@pytest.mark.parametrize(
    ("words", "occurrence", "text", "place"),
    [
        ("Rome", 1, "Rome, not Rome", (0, "Rome")),
        ("Rome", 2, "Rome, not Rome", (10, "Rome")),
        ("Rome", 3, "Rome, not Rome", None),
        ("aa", 2, "aaa", (1, "aa")),
        # As it is selected in the formatted answer, and as it stands in the raw one.
        ("Rome is old", 2, "Rome is old; **Rome** is\n_old_", (15, "Rome** is\n_old")),
        ("one\ntwo", 1, "- one\n- two", (2, "one\n- two")),
        ("-5 °C", 1, "At -5 °C", (3, "-5 °C")),
        ("日本的首都", 2, "日本的首都。日本 的首都", (6, "日本 的首都")),
        ("🙂 yes", 1, "🙂🙂 yes", (1, "🙂 yes")),
        ("**", 1, "a ** b", None),
        ("Paris", 1, "", None),
    ],
)
def test_a_passage_is_a_certain_one_of_the_places_with_its_words(words, occurrence, text, place):
    assert found(words, occurrence, text) == place


@pytest.mark.parametrize(
    "given",
    [
        *(None, "text", {}, [None], ["x"], [[]], [GOOD] * (MOST_PASSAGES + 1)),
        *([GOOD | {"part": part}] for part in ("title", 3, ["context"])),
        *([GOOD | {"number": number}] for number in (0, -1, True, 1.5, "1", 10**9)),
        *([GOOD | {"occurrence": number}] for number in (0, None, 10**9)),
        *([GOOD | {"words": words}] for words in ("", " ", None, 3)),
        *([GOOD | {"more": 1}], [{"words": "Rome"}]),
    ],
    ids=str,
)
def test_what_is_no_list_of_passages_is_none(given):
    assert marked_passages.read([GOOD]) == (Passage("context", 2, 1, "Rome"),)
    assert marked_passages.read(given) is None


def test_passages_are_stored_and_read_back_and_older_grades_have_the_words_alone():
    passages = (Passage("context", 2, 1, "Rome"), Passage("answer", 1, 3, "日本"))
    assert of_grade("", stored(passages)) == passages
    assert of_grade("Rome", "") == (Passage("", 1, 1, "Rome"),)
    assert of_grade("", stored(())) == ()
    assert quoted(passages) == "Rome […] 日本"
