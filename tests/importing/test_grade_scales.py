"""Scales that are read off the grades of a file."""

import pytest

from concord.importing.columns import column_map
from concord.importing.grade_scales import grade_scales
from concord.importing.readers.formats import open_table

FIRST = "question,answer,"


def scales(text: str, *words: str, name: str = "a.csv"):
    table = open_table(text.encode(), name)
    return grade_scales(table, column_map(table.columns, words))


def test_each_criterion_has_the_values_of_its_columns():
    found = scales(
        FIRST + "a,b,c\nq,x,1,2,9\nr,y,5,,7\n",
        "score:annotator:A:tone=a",
        "score:annotator:B:tone=b",
        "score:annotator:B:wit=c",
    )
    assert found.criteria == ("tone", "wit")
    assert found.of(["tone"]).scale == (1, 2, 3, 4, 5)
    assert [(v.text, v.n) for v in found.of(["tone"]).values] == [("1", 1), ("2", 1), ("5", 1)]
    assert found.of(["wit"]).n == 2


@pytest.mark.parametrize(
    ("one", "other", "are_different"),
    [
        ("12345", "1234", False),  # nobody gave a 5
        ("0123", "123", False),
        ("012", "01", False),
        ("12345", "01", True),
        ("0123", "01", True),
        ("12345", ("1", "7", "10"), True),
    ],
)
def test_scales_that_cannot_be_one_are_different(one, other, are_different):
    rows = "".join(f"q{n},a,{one[n % len(one)]},{other[n % len(other)]}\n" for n in range(20))
    words = ("score:annotator:A:tone=a", "score:annotator:A:wit=b")
    groups = scales(FIRST + "a,b\n" + rows, *words).groups()
    assert groups == ([("tone",), ("wit",)] if are_different else [("tone", "wit")])
