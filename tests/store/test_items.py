from concord.store import additions, items
from tests.support.made_items import made_item


def test_pages_follow_the_order_of_the_file(store, sheet):
    first = [stored.item.own_id for stored in items.page(store, sheet.id, 1, 5)]
    assert first == ["000-atlas", "000-birch", "000-cobalt", "001-atlas", "001-birch"]
    assert [stored.item.own_id for stored in items.page(store, sheet.id, 8, 5)] == ["011-cobalt"]
    assert items.page(store, sheet.id, 9, 5) == []


def test_the_number_of_pages_covers_every_answer():
    assert [items.pages(n, 25) for n in (0, 1, 25, 26)] == [1, 1, 1, 2]


def test_answers_are_found_by_words_of_question_answer_or_id(store):
    made = [
        made_item(1, own_id="Q1-a", question="東京の駅は？", answer="ＡＢＣ  station"),
        made_item(2, own_id="Q2-a", question="What is tea?", answer="A drink."),
    ]
    here = additions.add(store, "two", made, "t.csv", "8" * 64, {})
    wanted = {"abc station": {1}, "東京": {1}, "q2-": {2}, "q": {1, 2}, "coffee": set()}
    assert {words: items.matching(store, here.id, words) for words in wanted} == wanted


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
