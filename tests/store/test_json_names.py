from concord.store.json_names import RENAMED, renamed


def test_old_names_are_read_as_new_ones_at_any_depth():
    old = {"rows": [{"caught": {"value": 0.5}, "constant_baseline": {"caught": 0.0}}], "n": 2}
    new = {
        "rows": [{"failure_recall": {"value": 0.5}, "majority_baseline": {"failure_recall": 0.0}}],
        "n": 2,
    }
    assert renamed(old) == new == renamed(new)


def test_no_new_name_is_an_old_one():
    assert not {*RENAMED} & {*RENAMED.values()}


def test_an_old_reason_is_renamed_where_it_counts_answers_and_not_where_it_names_a_judge():
    rows = [{"left_out": {"sealed": 27}}, {"left_out": {"sealed": "scored too few answers"}}]
    assert renamed(rows) == [{"left_out": {"in the held-out test": 27}}, rows[1]]


def test_names_that_a_user_gave_stay():
    scores = {"items": [{"scores": {"role": 2, "people": 3}, "role": "sealed"}]}
    assert renamed(scores) == {"items": [{"scores": {"role": 2, "people": 3}, "split": "held-out"}]}
