"""Names of entities: every form counts, a form within a longer word does not, and lists fold."""

import pytest

from concord.text import entity_names


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


def test_entries_that_share_a_form_are_one_entity():
    found = entity_names.folded(["A | B", "C", "b | D", "c", " | "])
    assert sorted(map(sorted, found)) == [["a", "b", "d"], ["c"]]
