from concord.store import additions, items
from tests.support.made_items import made_item


def test_the_same_rows_twice_change_nothing(store, sheet):
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch", "cobalt")]
    comparison = additions.compare(store, sheet.name, made)
    assert (list(comparison.new), comparison.unchanged, comparison.conflicts) == ([], 36, [])


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


def bare(number, model="atlas", /, **changes):
    """An item as a file without ids gives it."""
    return made_item(number, model, **{"own_id": None, "question_id": None, **changes})


def test_answers_without_ids_are_the_stored_ones_with_the_same_question_text_and_model(
    store, sheet
):
    made = [bare(n, m) for n in range(12) for m in ("atlas", "birch")]
    found = additions.compare(store, sheet.name, made)
    assert (list(found.new), found.unchanged, found.conflicts) == ([], 24, [])
    (stored,) = items.ids_of(store, sheet.id, [made_item(0, "atlas").identity]).values()
    assert found.recognised.id_of(made[0].identity) == stored
    assert (len(found.recognised), found.alike) == (24, 0)
    # The question's id alone does as well.
    half = additions.compare(store, sheet.name, [made_item(3, own_id=None)])
    assert (half.unchanged, half.alike) == (1, 0)


def test_an_answer_recognised_by_its_text_is_a_conflict_where_its_contexts_differ(store, sheet):
    found = additions.compare(store, sheet.name, [bare(0, contexts=(), row=4)])
    (conflict,) = found.conflicts
    assert (conflict.row, conflict.column, list(found.new)) == (4, "answer", [])


def test_answers_under_other_ids_or_without_a_model_are_added_and_counted(store, sheet):
    made = [
        made_item(0, own_id="x", question_id="y"),
        bare(1, answer_model=None),
        bare(2, answer="New."),
    ]
    found = additions.compare(store, sheet.name, made)
    assert (len(found.new), found.alike, found.conflicts) == (3, 2, [])


def test_of_two_questions_with_one_text_none_is_guessed(store):
    made = [
        made_item(n, question="When?", answer="Then.", contexts=(), reference=()) for n in (1, 2)
    ]
    additions.add(store, "twins", made, "t.csv", "x", {})
    asked = bare(1, question="When?", answer="Then.", contexts=(), reference=())
    found = additions.compare(store, "twins", [asked])
    assert (len(found.new), found.alike, len(found.recognised)) == (1, 1, 0)


def test_texts_in_another_normal_form_are_no_silent_duplicate(store):
    made = made_item(1, question="ＡＢＣとは何ですか。", answer="カタカナです。")
    additions.add(store, "wide", [made], "w.csv", "x", {})
    same = bare(1, question="ＡＢＣとは何ですか。", answer="カタカナです。")
    assert additions.compare(store, "wide", [same]).unchanged == 1
    for other in (
        bare(1, question="ABCとは何ですか。", answer="カタカナです。"),
        bare(1, question="ＡＢＣとは何ですか。", answer="ｶﾀｶﾅです。"),
    ):
        found = additions.compare(store, "wide", [other])
        assert (list(found.new), len(found.conflicts)) == ([], 1)


def test_a_row_without_ids_and_one_with_them_are_not_both_taken(store, sheet):
    both = [bare(0, row=1), made_item(0, row=2)]
    found = additions.compare(store, sheet.name, both)
    assert (found.unchanged, [c.row for c in found.conflicts]) == (1, [2])
    found = additions.compare(store, sheet.name, both[::-1])
    assert (found.unchanged, len(found.new), found.alike) == (1, 1, 1)
