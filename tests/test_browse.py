from data import browse


def test_pages_follow_the_order_of_the_file(store, sheet):
    first = [stored.item.own_id for stored in browse.page(store, sheet.id, 1, 5)]
    assert first == ["000-atlas", "000-birch", "000-cobalt", "001-atlas", "001-birch"]
    assert [stored.item.own_id for stored in browse.page(store, sheet.id, 8, 5)] == ["011-cobalt"]
    assert browse.page(store, sheet.id, 9, 5) == []


def test_the_number_of_pages_covers_every_answer():
    assert [browse.pages(n, 25) for n in (0, 1, 25, 26)] == [1, 1, 1, 2]
