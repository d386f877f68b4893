"""A text of ours that was stored as English is told again from its template."""

import pytest

from words import language
from words.language import shown
from words.said import said
from words.stored import again

KNOWN = {
    "it scored {n:,} of the {all:,} answers": "{all:,}件のうち{n:,}件",
    "{what}: nothing of it was graded by {what}": "{what}",
    "under {floor} questions {then}": "{floor}問未満: {then}",
    "there is no verdict": "判定なし",
    "{a} {b}": "{b} {a}",
}


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(language, "words", lambda code: KNOWN)
    language._again.cache_clear()
    yield
    language._again.cache_clear()


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("there is no verdict", "判定なし"),
        ("it scored 5 of the 1,204 answers", "1,204件のうち5件"),
        ("under 20 questions there is no verdict", "20問未満: 判定なし"),
        ("Ada: nothing of it was graded by Ada", "Ada"),
        ("Ada: nothing of it was graded by Bea", "Ada: nothing of it was graded by Bea"),
        ("two words", "two words"),
    ],
)
def test_a_stored_text_is_shown_by_the_template_it_was_made_from(text, other):
    assert shown(said(text), "ja") == other


def test_of_two_templates_the_one_that_says_more_is_meant():
    templates = ["{a} of the answers", "{n} more of the answers"]
    assert again("3 more of the answers", templates).template == "{n} more of the answers"


def test_a_text_that_fits_no_template_stays():
    assert again("3 more", ["{n} more of the answers", "no place in it"]) is None
