"""Identity, hashes and normalised text of items."""

import pytest

from concord.model import Context, Grade, Item, content_hash
from concord.text.normal_form import normalised, text_hash


def item(**changes) -> Item:
    plain = Item(
        own_id=None,
        question_id="q1",
        cluster=None,
        question="Why?",
        contexts=(Context("c1", "d1", "Because.", 1),),
        answer="So.",
        answer_model="m1",
        reference=("Thus.",),
        reference_contexts=(),
        turns=None,
        synthetic=False,
        metadata={},
        row=1,
    )
    return plain._replace(**changes)


@pytest.mark.parametrize(
    "text, same",
    [
        ("  Why \n not? ", "why not?"),
        ("ＡＢＣ　ｄｅ", "abc de"),
        ("STRASSE", "straße"),
        ("ﾃｽﾄ", "テスト"),
        ("①", "1"),
    ],
)
def test_normalised_text_ignores_width_case_and_white_space(text, same):
    assert normalised(text) == normalised(same)
    assert text_hash(text) == text_hash(same)


def test_an_own_id_is_the_identity_whatever_the_question():
    assert item(own_id="007").identity == item(own_id="007", question_id="q2").identity
    assert item(own_id="007").identity != item(own_id="7").identity


def test_without_an_own_id_question_and_answering_model_are_the_identity():
    assert item(answer="x").identity == item(answer="y").identity
    assert item().identity != item(answer_model="m2").identity
    assert item().identity != item(answer_model=None).identity
    assert item(question_id=None).identity == item(question_id=None, question="WHY?").identity


def test_keys_of_different_make_never_meet():
    keys = {item(own_id='id:q1","m1').identity, item().identity, item(own_id="id:q1").identity}
    assert len(keys) == 3


def test_an_item_with_an_own_id_is_also_found_by_question_and_model():
    assert item().identity in item(own_id="007").keys


def test_content_hash_sees_what_a_grader_sees_and_nothing_else():
    same = item(
        own_id="9",
        question_id="z",
        answer_model="other",
        cluster="k",
        metadata={"a": 1},
        row=5,
        contexts=(Context("", "", "Because.", 1),),
    )
    assert content_hash(same) == content_hash(item())
    for change in (
        {"question": "why?"},
        {"answer": "so."},
        {"reference": ()},
        {"reference_contexts": ("Because.",)},
        {"contexts": ()},
        {"turns": ({"role": "user", "content": "Hi"},)},
    ):
        assert content_hash(item(**change)) != content_hash(item()), change


def test_a_grade_is_scored_first_repeat_and_of_unknown_blindness_unless_told():
    grade = Grade("correctness", "ann", "person", 3, item_key="1")
    assert (grade.status, grade.repeat, grade.blind) == ("scored", 1, None)
    assert (grade.simulated, grade.seconds) == (False, None)
