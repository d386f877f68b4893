from concord.store import additions
from tests.conftest import made_item


def test_the_same_rows_twice_change_nothing(store, sheet):
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch", "cobalt")]
    comparison = additions.compare(store, sheet.name, made)
    assert (comparison.new, comparison.unchanged, comparison.conflicts) == ([], 36, [])


def test_a_different_answer_question_or_cluster_is_a_conflict_and_not_an_overwrite(store, sheet):
    changed = [
        made_item(0, answer="Something else.", row=1),
        made_item(1, question="What was it?", row=2),
        made_item(2, cluster="book", row=3),
        made_item(99, row=4),
    ]
    comparison = additions.compare(store, sheet.name, changed)
    assert [(c.row, c.column) for c in comparison.conflicts] == [
        (1, "answer"),
        (2, "question"),
        (3, "cluster"),
    ]
    assert [item.row for item in comparison.new] == [4]


def test_items_without_ids_are_told_apart_by_question_and_model(store):
    made = [
        made_item(1, model, own_id=None, question_id=None, question="One?")
        for model in ("atlas", "birch")
    ]
    sheet = additions.add(store, "bare", made, "bare.csv", "x", {})
    assert (sheet.items, sheet.questions, sheet.answer_models) == (2, 1, ["atlas", "birch"])
    assert additions.compare(store, sheet.name, made).unchanged == 2
