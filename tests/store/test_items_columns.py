"""The columns of a sheet beside its answers."""

from concord.store import additions, items
from tests.support.made_items import made_item


def test_values_keep_their_types_and_any_name(store):
    told = [
        {"team": "Rome", "a.b": 1, "tags": ["x"]},
        {"team": None, 'say "$[0]"': True, "a.b": 1.5},
        {"团队": "一"},
    ]
    made = [made_item(n, metadata=one) for n, one in enumerate(told)]
    sheet = additions.add(store, "s", made, "s.csv", "1" * 64, {})
    assert items.column_names(store, sheet.id) == ["a.b", 'say "$[0]"', "tags", "team", "团队"]
    by = {name: [*items.column_values(store, sheet.id, name).values()] for name in ("team", "a.b")}
    assert by == {"team": ["Rome", None, None], "a.b": [1, 1.5, None]}
    assert [*items.column_values(store, sheet.id, "tags").values()] == [["x"], None, None]
    assert [*items.column_values(store, sheet.id, 'say "$[0]"').values()] == [None, True, None]
    assert {*items.column_values(store, sheet.id, "nowhere").values()} == {None}


def test_fields_of_answers(store):
    made = [made_item(1), made_item(2, "birch", cluster="d", synthetic=True)]
    sheet = additions.add(store, "s", made, "s.csv", "1" * 64, {})
    found = {
        name: [*items.field_values(store, sheet.id, name).values()]
        for name in ("answer_model", "cluster", "synthetic")
    }
    assert found == {
        "answer_model": ["atlas", "birch"],
        "cluster": [None, "d"],
        "synthetic": [0, 1],
    }
