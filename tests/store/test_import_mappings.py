"""Mappings of earlier imports."""

from concord.store import sheets
from concord.store.import_mappings import import_mappings


def test_each_mapping_is_given_once_newest_first(store):
    for name, columns in (("a", ["question=q"]), ("b", ["question=p"]), ("c", ["question=q"])):
        sheets.add(store, name, [], f"{name}.csv", "0" * 64, {"columns": columns})
    assert [(one.file, one.words) for one in import_mappings(store)] == [
        ("c.csv", ("question=q",)),
        ("b.csv", ("question=p",)),
    ]


def test_a_file_of_grades_and_one_without_a_map_are_passed_over(store):
    sheets.add(store, "a", [], "a.csv", "0" * 64, {})
    sheet = sheets.find(store, "a")
    sheets.log_import(store, sheet.id, "grades", "g.csv", "1" * 64, {"columns": ["x=y"]}, None, {})
    assert import_mappings(store) == []
