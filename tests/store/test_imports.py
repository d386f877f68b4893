"""Mappings of earlier imports."""

from concord.store import additions, imports, sheets


def test_each_mapping_is_given_once_newest_first(store):
    for name, columns in (("a", ["question=q"]), ("b", ["question=p"]), ("c", ["question=q"])):
        additions.add(store, name, [], f"{name}.csv", "0" * 64, {"columns": columns})
    assert [(one.file, one.words) for one in imports.mappings(store)] == [
        ("c.csv", ("question=q",)),
        ("b.csv", ("question=p",)),
    ]


def test_a_file_of_grades_and_one_without_a_map_are_passed_over(store):
    additions.add(store, "a", [], "a.csv", "0" * 64, {})
    sheet = sheets.find(store, "a")
    imports.log(store, sheet.id, "grades", "g.csv", "1" * 64, {"columns": ["x=y"]}, None, {})
    assert imports.mappings(store) == []
