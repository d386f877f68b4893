"""Columns that number answers or questions, whatever they are called."""

import pytest

from concord.importing.proposals.column_profile import id_field, is_id, profile

ASKED = [f"What is {n}?" for n in range(6) for _ in range(2)]
ANSWERS = [f"It is {n}." for n in range(12)]


@pytest.mark.parametrize("name", [
    "Case no", "Nr.", "ID.", "No.", "Case ID", "Fall-Nr.", "#", "Sample #", "Row ID", "QNr",
    "编号", "序号", "案例编号", "番号", "ケース番号", "번호", "문항 번호", "case.no", "Ticket ID",
    "trace_id", "工单编号", "チケット番号", "티켓 번호",
])  # fmt: skip
def test_a_name_of_a_number_is_recognised(name):
    assert is_id(name)


@pytest.mark.parametrize("name", ["Case", "number of words", "team no", "annotator id", "no answer"
                                  " given", "page number"])  # fmt: skip
def test_a_name_of_anything_else_is_none(name):
    assert not is_id(name)


@pytest.mark.parametrize("name, values, expected", [
    ("Nr.", [*range(12)], "item_id"),
    ("Nr.", [n // 2 for n in range(12)], "question_id"),
    ("Nr.", [n % 6 for n in range(12)], ""),  # of several questions
    ("Nr.", [*range(11), None], ""),
    ("Question no.", [*range(12)], ""),
    ("Question no.", [n // 2 for n in range(12)], "question_id"),
])  # fmt: skip
def test_the_values_say_what_is_numbered(name, values, expected):
    cells = (None if one is None else str(one) for one in values)
    assert id_field(profile(name, cells), ASKED, ANSWERS) == expected


def test_an_id_that_recurs_with_its_answer_is_that_answers():
    twice = profile("Nr.", (str(n) for n in range(12) for _ in range(2)))
    asked, answers = ([one for one in cells for _ in range(2)] for cells in (ASKED, ANSWERS))
    assert id_field(twice, asked, answers) == "item_id"


def test_a_row_with_several_answers_is_numbered_by_question():
    assert (
        id_field(profile("番号", map(str, range(12))), [*map(str, range(12))], ()) == "question_id"
    )
