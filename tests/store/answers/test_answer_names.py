"""What an answer is called: its own id, else its question's with the model, else how it begins."""

import pytest

from concord.store import additions
from concord.store.answers import answer_names
from tests.support.made_items import made_item

LONG = "Which of  the two bridges over the river is the older one?"


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"own_id": "a7", "question_id": "q7", "answer_model": "beta"}, "a7"),
        ({"own_id": None, "question_id": "q7", "answer_model": "beta"}, "q7 (beta)"),
        ({"own_id": None, "question_id": "q7", "answer_model": None}, "q7"),
        (
            {"own_id": None, "question_id": None, "question": LONG, "answer_model": "beta"},
            "“Which of the two bridges over the river…” (beta)",
        ),
        (
            {"own_id": None, "question_id": None, "question": "北京在哪里?", "answer_model": None},
            "“北京在哪里?”",
        ),
    ],
)
def test_an_answer_is_called_as_the_sheet_calls_it(store, changed, name):
    sheet = additions.add(store, "s", [made_item(0, **changed)], "s.csv", "1" * 64, {})
    assert list(answer_names.of_sheet(store, sheet.id).values()) == [name]


def test_two_answers_that_would_have_one_name_are_told_apart(store):
    plain = {"own_id": None, "question_id": None, "answer_model": "beta"}
    made = [made_item(n, **plain, question=f"{'so ' * 20}{n}?") for n in range(2)]
    sheet = additions.add(store, "s", made, "s.csv", "1" * 64, {})
    names = answer_names.of_sheet(store, sheet.id)
    assert len(set(names.values())) == 2
    assert all(name.endswith(f"no. {item_id}") for item_id, name in names.items())
