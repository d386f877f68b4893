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
