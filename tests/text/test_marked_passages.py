"""Marked passages: which place of a text they are, however it is rendered, and what is one."""

import pytest

from concord.text import entity_names, marked_passages
from concord.text.marked_passages import MOST_PASSAGES, Passage, of_grade, quoted, span, stored
from concord.text.rating_words import rated_on
from concord.text.tokens import ends_mid_sentence, ngrams, terms, tokens

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t…", []),
        ("Press “Start”, then wait!", ["press", "start", "then", "wait"]),
        ("Don't; it’s foo_bar", ["don't", "it’s", "foo_bar"]),
        ("at 10:30 pay 3,000.50 for v2.1.", ["at", "10:30", "pay", "3,000.50", "for", "v2.1"]),
        ("--path and pre-paid", ["path", "and", "pre", "paid"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("ＡＢＣ１２", ["abc12"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("请先关机。", ["请", "先", "关", "机"]),
        ("ｶﾀｶﾅとー", ["カ", "タ", "カ", "ナ", "と", "ー"]),
        ("다시 시작", ["다", "시", "시", "작"]),
        ("用USB线", ["用", "usb", "线"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("ใช้", ["ใ", "ช้"]),
    ],
)
def test_tokens_in_order(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wait, wait", ["wait", "wait"]),
        ("关机。等", ["关", "机", "关机", "等"]),
        ("프린터를 꺼", ["프린터를", "프린", "린터", "터를", "꺼"]),
        ("USB线材3.5", ["usb", "线", "材", "线材", "3.5"]),
    ],
)
def test_terms_give_pairs_where_words_are_not_spaced(text, expected):
    assert terms(text) == expected


def test_ngrams_of_a_short_sequence_are_none():
    assert ngrams("abc", 2) == [("a", "b"), ("b", "c")]
    assert ngrams("a", 2) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("Switch it off.", False),
        ("Switch it off and then", True),
        ("Switch it off,", True),
        ("He said “stop.”", False),
        ("It is **done.**", False),
        ("先关机，然后", True),
        ("先关机。", False),
        ("実験を行う．", False),
        ("電源を切る」", True),
        ("Steps:\n- open\n- close", False),
        ("Run:\n```\nbackup\n```", False),
    ],
)
def test_a_text_that_stops_in_mid_sentence_is_open(text, expected):
    assert ends_mid_sentence(text) is expected


@pytest.mark.parametrize(
    ("entity", "text"),
    [
        ("US", "The US and Canada."),
        ("World Health Organization | WHO", "the who said so"),
        ("World  Health Organization", "World\nHealth Organization"),
        ("ソニー", "ソニーの本社は東京にある。"),
        ("서울", "서울에서 열렸다."),
        ("ＷＨＯ", "WHO"),
        ("iPhone", "新しいiPhoneが出た。"),
        ("C++", "It is written in C++."),
    ],
)
def test_a_text_names_an_entity_under_any_form(entity, text):
    assert entity_names.named(entity, text)


@pytest.mark.parametrize(
    ("entity", "text"), [("US", "It must rain."), ("1911", "Number 19110."), ("", "Anything.")]
)
def test_a_form_within_a_longer_word_or_number_names_nothing(entity, text):
    assert not entity_names.named(entity, text)


def test_the_passage_is_as_it_stands_in_the_text():
    texts = ["Nothing here.", "The WORLD health\norganization (WHO) met."]
    assert (
        entity_names.passage("World Health Organization | WHO", texts)
        == "WORLD health\norganization"
    )
    assert entity_names.passage("UNO | WHO", texts) == "WHO"
    assert entity_names.passage("US", texts) == ""


def test_annotators_read_the_first_form_and_the_others_behind_it():
    assert entity_names.spoken("World Health Organization | WHO|OMS") == (
        "World Health Organization (also WHO, OMS)"
    )
    assert entity_names.spoken("Agra") == "Agra"


@pytest.mark.parametrize(
    ("words", "scale", "given", "scores"),
    [
        (("pass", "fail"), (0, 1), {}, {"pass": 1, "fail": 0}),
        (("Pass", "FAIL"), (0, 1), {"pass": 1}, {"FAIL": 0}),
        (("pass", "fail"), (0, 1, 2, 3), {}, {}),
        (("pass", "fail"), (0, 1), {"pass": 0}, {}),  # fail must not be 0 as well
        (("pass", "maybe", "fail"), (0, 1), {"maybe": None}, {"pass": 1, "fail": 0}),
        (("5 - excellent", "4 - good"), (1, 2, 3, 4, 5), {}, {"5 - excellent": 5, "4 - good": 4}),
        (("6 - excellent", "4 - good"), (1, 2, 3, 4, 5), {}, {}),
        (("通过", "不通过"), (0, 1), {}, {"通过": 1, "不通过": 0}),
        (("apple",), (0, 1), {}, {}),
    ],
)
def test_convention_holds_on_its_own_scale_where_nothing_contradicts_it(
    words, scale, given, scores
):
    assert rated_on(words, scale, given) == scores
