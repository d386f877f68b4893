"""Mappings of earlier imports."""

from concord.store import additions, imports


def test_each_mapping_is_given_once_newest_first(store):
    for name, columns in (("a", ["question=q"]), ("b", ["question=p"]), ("c", ["question=q"])):
        additions.add(store, name, [], f"{name}.csv", "0" * 64, {"columns": columns})
    assert [(one.file, one.words) for one in imports.mappings(store)] == [
        ("c.csv", ("question=q",)),
        ("b.csv", ("question=p",)),
    ]
