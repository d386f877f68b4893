"""Bad rows and flags on the screens that import."""

from concord.importing.faults import Flag
from concord.importing.readers.table import BadRow
from concord.ui.import_findings import flagged, table_rows


def test_lines_are_shown_where_a_file_has_lines_and_never_as_none():
    of_json = [BadRow(2, None, "answer", "Empty."), BadRow(4, None, None, "No object.")]
    shown = [[*row.values()] for row in table_rows(of_json)]
    assert shown == [[2, "answer", "Empty.", ""], [4, "", "No object.", ""]]
    of_csv = [BadRow(1, None, "answer", "Empty."), BadRow(2, 4, "answer", "Empty.")]
    assert [row["line"] for row in table_rows(of_csv)] == [1, 4]


def test_a_flag_of_one_row_names_it_in_the_singular():
    assert flagged(Flag("odd", 1, (7,), "Odd.")) == ":material/flag: Odd. (row 7)"
    assert flagged(Flag("odd", 3, (7,), "Odd.")) == ":material/flag: Odd. (rows 7…)"
