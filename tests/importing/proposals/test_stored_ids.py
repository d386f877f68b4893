"""The values of a column say that it holds the ids of stored answers."""

import pytest

from concord.importing.readers.formats import open_table
from concord.importing.recognition.stored_answers import id_words
from concord.model import answer_key, item_key, question_key

STORED = {item_key(f"q{n}") for n in range(9)} | {item_key(f"{n}") for n in range(9)}


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no", "q3,yes"), "Ref #"),
        (("id,Ref #,OK?", "a,q1,yes", "b,q2,no"), "Ref #"),  # the name alone is no id of the sheet
        (("id,Ref #,OK?", "q1,q1,yes", "q2,q2,no"), None),  # the named column holds them too
        (("Ref #,OK?", "q1,yes", "x2,no", "q3,yes"), None),
        (("Helpful,Note", "1,a", "2,b", "2,c", "1,d"), None),  # scores are no ids
        (("A,B", "q1,q2", "q2,q1"), None),
    ],
)
def test_a_column_is_the_item_id_by_its_values(lines, column):
    words = [f"item_id={column}"] if column else []
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED) == words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no"), ["item_id=Ref #"]),
        (
            ("Ticket ID,Bot,OK?", "F1,a,yes", "F2,b,no"),
            ["question_id=Ticket ID", "item_id=", "answer_model=Bot"],
        ),
        (("Nr,OK?", "F1,yes", "F2,no"), ["question_id=Nr"]),
        (("Nr,OK?", "F1,yes", "F9,no"), []),
        (("id,Nr,OK?", "q1,F1,yes", "q2,F2,no"), []),  # the named column says which answer it is
        (("question,Nr,OK?", "Why?,F1,yes", "How?,F2,no"), []),
    ],
)
def test_columns_of_stored_questions_and_models_are_known_by_their_values(lines, words):
    keys = {answer_key(question_key(q, ""), m) for q in ("F1", "F2") for m in ("a", "b")}
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED | keys) == words
