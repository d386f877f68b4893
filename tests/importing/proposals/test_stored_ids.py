"""The values of a column say that it holds the ids of stored answers."""

import pytest

from concord.importing.proposals.stored_ids import id_column
from concord.importing.readers.formats import open_table
from concord.model import item_key

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
    assert id_column(open_table("\n".join(lines).encode(), "g.csv"), STORED) == column
