"""Words and terms in spaced and unspaced scripts."""

import pytest

from concord.text.tokens import ends_mid_sentence, ngrams, terms, tokens


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


def test_a_korean_noun_overlaps_with_itself_under_another_particle():
    assert set(terms("프린터를")) & set(terms("프린터가")) == {"프린", "린터"}


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
